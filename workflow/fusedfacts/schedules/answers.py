"""Hold the answer of an emulated forward schedule to the exact one, by the derived bound."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.error_bound import block_bound, score_error
from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Extras, blocks
from fusedfacts.attention.upper import Sizes
from fusedfacts.schedules.memory import Floats
from fusedfacts.schedules.methods import Heads, Schedule, heads_of
from fusedfacts.schedules.shape import Shape, Tiles


class Held(NamedTuple):
    """The largest error over its bound of an answer and, where it is kept, of its lse."""

    o: float
    lse: float | None


def pattern(shape: Shape) -> Pattern:
    """Describe who sees whom in the words of the judge."""
    sides = -1 if shape.before is None else shape.before, -1 if shape.after is None else shape.after
    sizes = shape.n_q, shape.n_k, shape.d
    return Pattern(*sizes, causal=shape.causal, align="bottom-right", window=sides)


def hold(schedule: Schedule, shape: Shape, tiles: Tiles, q: Heads, k: Floats, v: Floats) -> Held:
    """Emulate the heads that share k and v, and compare each with the exact answer."""
    answer, memory = schedule.emulate(shape, tiles, q, k, v)
    kept = memory.arrays.get("lse")
    lse = None if kept is None else heads_of(kept, shape, tiles.packed)[..., 0]
    seen = pattern(shape)
    order = schedule.order(shape, tiles)
    worst, worst_lse = 0.0, 0.0
    for head in range(shape.group):
        sizes = Sizes.of(q[head], k, v)
        for block in blocks(q[head], k, v, Extras(seen.visible)):
            rows = slice(block.first, block.last)
            arithmetic = Arithmetic()
            delta = score_error(seen, sizes, block, arithmetic)
            bound = block_bound(block, delta, sizes, order, arithmetic)
            worst = max(worst, _ratio(answer[head, rows], block.output, bound.output))
            if lse is not None:
                worst_lse = max(worst_lse, _ratio(lse[head, rows], block.lse, bound.lse))
    return Held(worst, None if lse is None else worst_lse)


def _ratio(found: Floats, exact: Wide, bound: Wide) -> float:
    """Divide the largest error by its bound; what must be exact and is not is infinitely wrong."""
    wrong = found != exact
    with np.errstate(divide="ignore"):
        ratios = np.abs(found[wrong] - exact[wrong]) / bound[wrong]
    return float(np.nan_to_num(ratios, nan=np.inf, posinf=np.inf).max(initial=0.0))
