"""The attention model: its weights, Q, K and V of its sentences, and the probe."""
