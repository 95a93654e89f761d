"""An exact emulator of the kernels: same order of arithmetic, every global access counted.

`memory` counts; `tile` holds the tile arithmetic; `fused` and `unfused` are the kernels, to be read
beside their WGSL; `launch` launches them; `methods` says which kernels make a method.
"""
