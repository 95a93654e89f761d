"""Whether our own kernels serve a call: if not, no bytes of theirs are told, and no answer."""

from __future__ import annotations

from fusedfacts.attention.problem import HEAD_DIMS, Problem
from fusedfacts.judging.calls import INPUTS, Call
from fusedfacts.tensor_check.header import EXTRAS

SERVED = (
    f"as many queries as keys, d of {', '.join(map(str, HEAD_DIMS))}, float32 or fewer digits, and"
    " no mask but a causal one"
)


def unserved(call: Call) -> str | None:
    """Say what of a call our kernels do not serve, None where they serve it.

    Each head of q is served with the head of k and v that it attends to.
    """
    sizes, pattern = call.sizes, call.pattern
    if sizes.n_q != sizes.n_k:
        return f"{sizes.n_q} queries to {sizes.n_k} keys"
    if sizes.d != sizes.d_v:
        return f"d {sizes.d} of keys and {sizes.d_v} of values"
    if sizes.d not in HEAD_DIMS:
        return f"d {sizes.d}"
    if "float64" in (call.formats[name] for name in INPUTS):
        return "float64"
    given = [name for name in EXTRAS if name in call.tensors]
    given += ["window"] if pattern.window is not None else []
    given += ["softcap"] if pattern.softcap is not None else []
    return f"a {given[0]}" if given else None


def problem(call: Call) -> Problem:
    """Describe a call that our kernels serve as they know it."""
    pattern = call.pattern
    return Problem(pattern.n_q, pattern.d, pattern.causal, pattern.scale)
