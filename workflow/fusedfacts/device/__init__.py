"""The kernels on a real device, through wgpu: they must answer and count as the emulator does.

- `adapters` finds a device and opens it with WebGPU's default limits; `memory` holds poisoned,
  guarded buffers; `launch` runs one kernel; `run` computes attention.
- `selftest` says what arithmetic the device has; `checks` holds the kernels against formula,
  emulator and bound; `timing` times them; `report` writes down all of it.
"""
