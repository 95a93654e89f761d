"""What may have been done instead: each an attention of its own, exact, with a bound of its own.

An answer that does not hold is judged again under each of these. One that holds then is named;
a fault that is not on this list gets no name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.pattern import ALIGNMENTS
from fusedfacts.attention.reference import Numbers, Rows
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.recipe import Recipe
from fusedfacts.judging.rescale import Forgotten

# Tiles of keys that kernels use: what is left over of the last one is skipped, or counted whole.
TILES = (16, 32, 64, 128)
SLIGHTLY = 0.002  # by which a scale may be off, as one that was rounded to bfloat16 is
# Rows that are tried first: a hypothesis that fails on these is not tried on the others.
TRIED = 16
LSE_TO_BASE_2 = "the lse is to base 2"
# Mistakes of one step that every kernel takes: tensors that would let all of one family pass have
# not shown that it is taken.
Family = Literal["scores", "rescale", "other"]


@dataclass(frozen=True)
class Hypothesis:
    """One mistake.

    Attributes
    ----------
    name : str
        Said of an answer that holds under it.
    problem : Problem
        What was computed instead.
    lse_unit : float
        By which a given lse is multiplied to be a natural logarithm.
    family : {"scores", "rescale", "other"}
        Which step it is a mistake of.
    key_rows : int or None
        Keys of the tiles in which it is made, where mistakes differ in these alone.
    """

    name: str
    problem: Problem
    lse_unit: float = 1.0
    family: Family = "other"
    key_rows: int | None = None


def named(found: Iterable[Hypothesis]) -> list[str]:
    """Name mistakes, those of several tiles once."""
    sizes: dict[str, list[int]] = {}
    for mistake in found:
        some = sizes.setdefault(mistake.name, [])
        some += [] if mistake.key_rows is None else [mistake.key_rows]
    return [
        f"{name}, in tiles of {either(rows)} keys" if rows else name for name, rows in sizes.items()
    ]


def hypotheses(
    problem: Problem, other_heads: tuple[Numbers, Numbers] | None = None
) -> Iterator[Hypothesis]:
    """List the mistakes that may have been made of a right problem.

    `other_heads` are k and v of the head that `h % kv_heads` names, where that is another one.
    """
    yield from _scales(problem)
    yield from _masks(problem)
    yield from _tiles(problem)
    yield from _rescales(problem)
    yield Hypothesis("the answer is not divided by its total", replace(problem, normalised=False))
    if other_heads is not None:
        k, v = other_heads
        name = "heads of k and v taken as h % kv_heads, where h // group is meant"
        yield Hypothesis(name, replace(problem, k=k, v=v))
    if problem.sink is not None:
        yield Hypothesis("the sink is left out", replace(problem, sink=None))
    if problem.bias is not None:
        yield Hypothesis("the bias is left out", replace(problem, bias=None))
    if problem.pattern.softcap is not None:
        bare = replace(problem.pattern, softcap=None)
        yield Hypothesis("the soft cap is left out", replace(problem, pattern=bare))
    yield Hypothesis(LSE_TO_BASE_2, problem, math.log(2))


def _scales(problem: Problem) -> Iterator[Hypothesis]:
    pattern = problem.pattern
    d, right = pattern.d, pattern.softmax_scale
    for name, scale in (
        ("the scale is 1", 1.0),
        ("the scale is 1 / d", 1 / d),
        ("the scale is 1 / sqrt(d)", 1 / math.sqrt(d)),
        ("the scale is 1 / sqrt(d + 1)", 1 / math.sqrt(d + 1)),
        ("powers of 2 stand for those of e: log2 e is forgotten", right * math.log(2)),
        ("log2 e is multiplied twice", right / math.log(2)),
        ("the scale is 0.2 % too large", right * (1 + SLIGHTLY)),
        ("the scale is 0.2 % too small", right * (1 - SLIGHTLY)),
    ):
        if scale != right:
            wrong = replace(problem, pattern=replace(pattern, scale=scale))
            yield Hypothesis(name, wrong, family="scores")


def _masks(problem: Problem) -> Iterator[Hypothesis]:
    pattern = problem.pattern
    if problem.mask is not None:
        yield Hypothesis("the mask is left out", replace(problem, mask=None))
        inverted = replace(problem, mask=_inverted(problem.mask))
        yield Hypothesis("the mask hides what it should show", inverted)
    if pattern.window is not None:
        bare = replace(pattern, window=None)
        yield Hypothesis("the window is left out", replace(problem, pattern=bare))
        before, after = pattern.window
        for name, change in (("wide", 1), ("narrow", -1)):
            window = (before + change if before > 0 else before, after)
            wrong = replace(pattern, window=window)
            yield Hypothesis(f"the window is one key too {name}", replace(problem, pattern=wrong))
    if pattern.causal:
        bare = replace(pattern, causal=False)
        yield Hypothesis("the causal mask is left out", replace(problem, pattern=bare))
    if not pattern.causal and pattern.window is None:
        # A mask that nobody asked for.
        if pattern.n_q > 1 or pattern.n_k > 1:
            for align in ALIGNMENTS[: 1 if pattern.n_q == pattern.n_k else 2]:
                wrong = replace(pattern, causal=True, align=align)
                name = f"a causal mask, {align}" if pattern.n_q != pattern.n_k else "a causal mask"
                yield Hypothesis(f"{name}, is there", replace(problem, pattern=wrong))
        return
    for shift in (1, -1):
        wrong = replace(pattern, shift=shift)
        name = f"positions are one too {'far' if shift > 0 else 'near'}"
        yield Hypothesis(name, replace(problem, pattern=wrong))
    if pattern.n_q != pattern.n_k:
        (other,) = (align for align in ALIGNMENTS if align != pattern.align)
        wrong = replace(pattern, align=other)
        yield Hypothesis(f"positions are aligned {other}", replace(problem, pattern=wrong))


def _inverted(mask: Rows) -> Rows:
    return lambda first, last: ~mask(first, last)


def _cut(problem: Problem, whole: int) -> Rows:
    """Mask the keys from `whole` on, too."""
    kept = np.arange(problem.pattern.n_k) < whole

    def rows(first: int, last: int) -> NDArray[np.bool_]:
        both = np.broadcast_to(kept, (last - first, kept.size))
        return both if problem.mask is None else both & problem.mask(first, last)

    return rows


def _tiles(problem: Problem) -> Iterator[Hypothesis]:
    pattern = problem.pattern
    n_k = pattern.n_k
    ragged = [rows for rows in TILES if n_k % rows]
    # Tiles of several sizes may end at the same key, or lack as many: they are one mistake.
    for whole in sorted({n_k - n_k % rows for rows in ragged} - {0}):
        sizes = either(rows for rows in ragged if n_k - n_k % rows == whole)
        name = f"the last, ragged tile of {sizes} keys is skipped"
        yield Hypothesis(name, replace(problem, mask=_cut(problem, whole)))
    if problem.sink is not None:
        return
    for padding in sorted({-n_k % rows for rows in ragged}):
        # So many keys of zeros have score 0 and value 0: as one sink of their weight.
        sizes = either(rows for rows in ragged if -n_k % rows == padding)
        name = f"the padding of the last tile of {sizes} keys is counted in the total"
        yield Hypothesis(name, replace(problem, sink=math.log(padding)))


def _rescales(problem: Problem) -> Iterator[Hypothesis]:
    # What is rescaled when a larger score comes; in tiles that hold all keys none comes.
    for backwards in (False, True):
        way = ", tiles met from the last to the first" if backwards else ""
        for what, total, output in (
            ("neither the total nor the output is", True, True),
            ("the total alone is not", True, False),
            ("the output alone is not", False, True),
        ):
            for rows in TILES:
                if rows < problem.pattern.n_k:
                    wrong = replace(problem, forgotten=Forgotten(total, output, rows, backwards))
                    name = f"{what} scaled when a larger score comes{way}"
                    yield Hypothesis(name, wrong, family="rescale", key_rows=rows)


def either(sizes: Iterable[int]) -> str:
    """Join sizes in words.

    >>> either([16, 32, 64]), either([16])
    ('16, 32 or 64', '16')
    """
    *some, last = map(str, sizes)
    return f"{', '.join(some)} or {last}" if some else last


def that_hold(
    found: Iterable[Hypothesis],
    recipe: Recipe,
    output: Numbers | None,
    lse: Numbers | None,
    around: int = 0,
) -> list[tuple[str, float]]:
    """Name the hypotheses under which an answer holds, each with its largest error / bound.

    Rows `around` one that does not hold are tried first.
    """
    hold = []
    for mistake in found:
        natural = None if lse is None else lse.astype(np.float64) * mistake.lse_unit
        n_q = mistake.problem.pattern.n_q
        first = max(0, min(around - TRIED // 2, n_q - TRIED))
        part = slice(first, min(first + TRIED, n_q))
        tried = judge_head(
            mistake.problem.rows(part.start, part.stop),
            recipe,
            output=None if output is None else output[part],
            lse=None if natural is None else natural[part],
        )
        if tried.verdict == "does not hold":
            continue
        whole = judge_head(mistake.problem, recipe, output=output, lse=natural)
        if whole.verdict == "holds":
            ratios = [x.largest_ratio for x in (whole.output, whole.lse) if x is not None]
            hold.append((named([mistake])[0], max(ratios)))
    return hold
