"""The kernels' text: how it is launched, and the static gate that it passes."""
