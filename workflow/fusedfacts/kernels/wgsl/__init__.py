"""What the gate on the kernels' text knows of WGSL, and its rules.

- `text` reads tokens and statements, `module` what they declare, change and stand for.
- `counting`, `sizes`, `races`, `registers` and `arithmetic` hold the rules, each a function from a
  text to its faults that says why the rule is there.

What naga says (wgpu compiles every kernel at every head dimension in the tests) and what Tint says
(so does Chromium) is not said again: types, brackets, limits on invocations, barriers and loops
that some invocations do not reach.
"""
