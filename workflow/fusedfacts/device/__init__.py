"""The kernels on a real device, through wgpu: they must answer and count as the emulator does.

- `adapters` finds a device and opens it with WebGPU's default limits; `pipelines` compiles
  kernels; `memory` holds poisoned, guarded buffers; `launch` dispatches one kernel; `run`
  computes attention.
- `operations`, `measure` and `selftest` find out what arithmetic the device has.
- `agreement` compares one answer with closed form, emulator and bound, `checks` many.
- `timing` times; `report` writes it all down; `consistent` derives again what follows in it.
"""
