"""What the gate on the kernels' text knows of WGSL, and its rules.

- `text` reads tokens, `tree` statements, `module` what they declare and change, `sizes`
  whole-number constants and the bytes of types, `meaning` what an index stands for.
- `budget`, `access`, `launch`, `flow`, `races`, `registers` and `arithmetic` hold the rules, each a
  function from a text to its faults that says why the rule is there.
"""
