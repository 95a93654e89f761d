"""An exact emulator of the kernels: same order of arithmetic, every global access counted.

- `memory` and `operations` count; `bench` holds the tile arithmetic; `fused` and `unfused` are
  the kernels, to be read beside their WGSL; `run` launches them.
"""
