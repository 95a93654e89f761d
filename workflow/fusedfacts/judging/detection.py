"""What tensors show: mistakes of which no answer to them could hold, and those that may pass.

A mistake is shown where its own exact answer lies further from the right one than both may err:
then no kernel that makes it holds, however its roundings fall. Every other one may pass unseen,
and is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypedDict, Unpack

import numpy as np

from fusedfacts.attention import reference
from fusedfacts.attention.error_bound import BlockBound
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Block
from fusedfacts.judging.head import Problem
from fusedfacts.judging.hypotheses import TILES, TRIED, Family, Hypothesis, hypotheses, named
from fusedfacts.judging.recipe import Recipe
from fusedfacts.judging.rescale import forgotten_block

# Said of an answer that holds where nothing shows the family, with what would show it.
FAMILIES: dict[Family, str] = {
    "rescale": "a forgotten rescale: no row's largest score comes late enough to show one; give"
    f" tensors of which some do, past the first {TILES[0]} keys",
    "scores": "another scale: no row weighs values that differ enough to show one; give tensors of"
    " which some do",
}


class Judged(TypedDict, total=False):
    """What is judged, by the names of `detected`."""

    output: bool
    lse: bool


def detected(
    mistakes: Iterable[Hypothesis],
    problem: Problem,
    recipe: Recipe,
    begin: Callable[[int], None] = lambda row: None,
    *,
    output: bool = True,
    lse: bool = False,
) -> Iterator[Hypothesis]:
    """Find mistakes with which no answer, no lse, or neither of both could hold.

    Each comes as soon as a row shows it. `begin` is called with the first row of each of `spans`.
    """
    alive = [mistake for mistake in mistakes if _concerns(mistake, lse=lse)]
    for first, last in spans(problem.pattern.n_q, problem.pattern.n_k):
        begin(first)
        right = _Rows(problem.rows(first, last), recipe) if alive else None
        for mistake in tuple(alive):
            assert right is not None
            wrong = mistake.problem.rows(first, last)
            blocks = right.without_rescale(wrong) if wrong.forgotten else list(wrong.exact())
            if not _may_pass(right, wrong, blocks, mistake.lse_unit, output=output, lse=lse):
                alive.remove(mistake)
                yield mistake


def _concerns(mistake: Hypothesis, *, lse: bool) -> bool:
    """Tell whether it can be made of what is judged."""
    return lse or mistake.lse_unit == 1


def spans(n_q: int, n_k: int) -> list[tuple[int, int]]:
    """Part the rows: a few at the end, which see most, then all."""
    few = [(n_q - TRIED, n_q)] if n_q > TRIED else []
    return few + reference.spans(n_q, n_k)


class _Rows:
    """Some rows of the right problem: exact, and bounded once that is asked for."""

    def __init__(self, problem: Problem, recipe: Recipe) -> None:
        self.problem, self.recipe = problem, recipe
        self.exact = list(problem.exact())

    @cached_property
    def bounds(self) -> list[BlockBound]:
        return [bound for _, bound in self.problem.blocks(self.recipe)]

    def without_rescale(self, wrong: Problem) -> list[Block]:
        """Compute from the exact rows what a wrong problem gives that differs in nothing else."""
        assert wrong.forgotten is not None
        values = self.problem.v.astype(np.float64)
        return [forgotten_block(block, values, wrong.forgotten) for block in self.exact]


def _may_pass(
    right: _Rows, wrong: Problem, blocks: list[Block], unit: float, *, output: bool, lse: bool
) -> bool:
    """Tell whether an answer with a mistake, exactly `blocks`, may lie within the right bounds."""

    def within(block: Block, exact: Block, both: BlockBound, more: BlockBound | None) -> bool:
        sees = ~np.isneginf(exact.lse)  # of the other rows nothing is judged
        pairs: list[tuple[Wide, Wide, Wide]] = []
        if output:
            spare = 0.0 if more is None else more.output
            pairs.append((block.output, exact.output, both.output + spare))
        if lse:
            spare = 0.0 if more is None else more.lse / unit
            pairs.append((block.lse / unit, exact.lse, both.lse + spare))
        with np.errstate(invalid="ignore"):
            return all(bool(np.all(np.abs(a - b)[sees] <= most[sees])) for a, b, most in pairs)

    if all(block is exact for block, exact in zip(blocks, right.exact, strict=True)):
        return True  # no maximum rises, so that nothing is to be rescaled
    # Its own bound takes most of the time, and is needed only where the mistake can be seen.
    both = list(zip(blocks, right.exact, right.bounds, strict=True))
    if all(within(block, exact, bound, None) for block, exact, bound in both):
        return True
    own = (bound for _, bound in wrong.blocks(right.recipe))
    return all(within(*rest, more) for rest, more in zip(both, own, strict=True))


def undetected(
    mistakes: Iterable[Hypothesis],
    problem: Problem,
    recipe: Recipe,
    begin: Callable[[int], None] = lambda row: None,
    **judged: Unpack[Judged],
) -> list[str]:
    """Name the mistakes that these tensors may let pass."""
    listed = [one for one in mistakes if _concerns(one, lse=judged.get("lse", False))]
    found = {id(one) for one in detected(listed, problem, recipe, begin, **judged)}
    return named(mistake for mistake in listed if id(mistake) not in found)


def undetected_families(
    problems: Sequence[Callable[[], Problem]], recipe: Recipe, **judged: Unpack[Judged]
) -> list[Family]:
    """Name the families of mistakes of which no head of a call shows any.

    One kernel computes all heads, so one head that shows a mistake is enough. A family counts only
    where other numbers in tensors of these shapes, with this mask, would show it.
    """
    found: list[Family] = []
    for family in FAMILIES:
        possible = False
        for make in problems:
            problem = make()
            if not _possible(family, problem):
                continue
            possible = True
            listed = (one for one in hypotheses(problem) if one.family == family)
            # A kernel that meets tiles from the last to the first is not known to be one.
            forth = (one for one in listed if not _backwards(one))
            if next(detected(forth, problem, recipe, **judged), None) is not None:
                break
        else:
            found += [family] if possible else []
    return found


def _backwards(mistake: Hypothesis) -> bool:
    forgotten = mistake.problem.forgotten
    return forgotten is not None and forgotten.backwards


def _possible(family: Family, problem: Problem) -> bool:
    """Tell whether some row sees keys enough: two, and of two tiles."""
    rows = {"scores": 1, "rescale": TILES[0]}[family]
    n_k = problem.pattern.n_k
    for first, last in reference.spans(problem.pattern.n_q, n_k):
        seen = problem.visible(first, last)
        if seen is None:
            return n_k > rows
        tiles = np.add.reduceat(seen, np.arange(0, n_k, rows), axis=1) > 0
        if (tiles.sum(axis=1) > 1).any():
            return True
    return False
