"""An exact emulator of the kernels: same order of arithmetic, every global access counted.

`memory` counts; `tile` holds the tile arithmetic; `fused` and `unfused` are the kernels, to be read
beside their WGSL; `execute` runs them on all workgroups; `methods` says which make a method.
"""
