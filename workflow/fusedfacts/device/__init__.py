"""The kernels on a real device, through wgpu: they must answer and count as the emulator does.

- `adapters` finds a device and opens it with WebGPU's default limits; `pipelines` compiles
  kernels; `memory` holds poisoned, guarded buffers; `launch` dispatches one kernel; `run`
  computes attention.
- `operations`, `measure` and `selftest` find out what arithmetic the device has.
- `ways` says what formula, emulator and bound expect of a way; `compare` holds one answer against
  them, `checks` many; `timing` times; `report` writes it all down; `pictures` draws it.
"""
