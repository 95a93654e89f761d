"""One head of somebody's attention, held to its bound block by block.

Memory grows with the number of keys: of what is compared only figures are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.error_bound import BlockBound, block_bound, score_error
from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Block, Extras, Numbers, Rows, blocks, computing, spans
from fusedfacts.attention.upper import Sizes
from fusedfacts.judging import rescale
from fusedfacts.judging.accuracy import Accuracy, Profile
from fusedfacts.judging.recipe import Recipe
from fusedfacts.judging.rescale import Forgotten
from fusedfacts.numerics import side_by_side

Verdict = Literal["holds", "does not hold", "not certified", "cannot show"]
WORST_FIRST: tuple[Verdict, ...] = ("does not hold", "not certified", "cannot show", "holds")
BLOCK_ROWS = 256  # of a mask at a time, so that memory grows with n


@dataclass(frozen=True)
class Problem:
    """One head's inputs, and what is to be computed from them.

    Attributes
    ----------
    q, k, v : ndarray, shapes (n_q, d), (n_k, d) and (n_k, d_v)
        Finite.
    stored : str
        The format of q, k and v, or the finest of these.
    mask : callable, optional
        Gives for queries from a first to before a last which keys each sees, of those that the
        pattern lets it see, as an array of bool of shape (rows, n_k).
    bias : callable, optional
        Gives likewise what is added to scores.
    sink : float, optional
        The score of one more key, whose value is zero.
    normalised : bool
        Whether the sum of weighed values is divided by the total of weights, as it should be.
    forgotten : Forgotten, optional
        A rescale that is left out when a row's maximum rises.
    """

    q: Numbers
    k: Numbers
    v: Numbers
    pattern: Pattern
    stored: str
    mask: Rows | None = None
    bias: Rows | None = None
    sink: float | None = None
    normalised: bool = True
    forgotten: Forgotten | None = None

    def visible(self, first: int, last: int) -> NDArray[np.bool_] | None:
        """Tell which keys some queries see, None where all see all."""
        seen = self.pattern.visible(first, last)
        if self.mask is None:
            return seen
        masked = self.mask(first, last)
        return masked if seen is None else seen & masked

    @property
    def extras(self) -> Extras:
        """Give what is computed beside products of q, k and v."""
        return Extras(self.visible, self.pattern.softcap, self.bias, self.sink)

    def widths(self) -> NDArray[np.int64]:
        """Count the keys that each query sees."""
        n_q, n_k = self.pattern.n_q, self.pattern.n_k
        counts = np.full(n_q, n_k, np.int64)
        for first in range(0, n_q, BLOCK_ROWS):
            seen = self.visible(first, min(first + BLOCK_ROWS, n_q))
            if seen is not None:
                counts[first : first + BLOCK_ROWS] = seen.sum(axis=1)
        return counts

    def rows(self, first: int, last: int) -> Problem:
        """Take the queries `first` to before `last` alone, where they stand."""
        shift = self.pattern.offset + first
        pattern = replace(self.pattern, n_q=last - first, align="top-left", shift=shift)
        mask, bias = (rows and _moved(rows, first) for rows in (self.mask, self.bias))
        return replace(self, q=self.q[first:last], pattern=pattern, mask=mask, bias=bias)

    def exact(self) -> Iterator[Block]:
        """Compute the exact answer, some rows at a time."""
        values = self.v.astype(np.float64)
        for block in blocks(self.q, self.k, self.v, self.extras, scale=self.pattern.scale):
            yield self._mistaken(block, values)

    def _mistaken(self, block: Block, values: Wide) -> Block:
        """Make the mistakes that are made after the scores."""
        if self.forgotten is not None:
            block = rescale.forgotten_block(block, values, self.forgotten)
        if not self.normalised:
            block = replace(block, output=block.output * _total(block))
        return block

    def blocks(self, recipe: Recipe) -> Iterator[tuple[Block, BlockBound]]:
        """Compute the exact answer and its bound, some rows at a time, a few times side by side."""
        arithmetic, formats = recipe.arithmetic, recipe.formats(self.stored)
        machine = recipe.order, arithmetic, formats
        values, extras = self.v.astype(np.float64), self.extras
        sizes = Sizes.of(self.q, self.k, self.v, narrow=recipe.sums != "float64")
        exact = computing(self.q, self.k, self.v, extras, causal=False, scale=self.pattern.scale)

        def bounded(span: tuple[int, int]) -> tuple[Block, BlockBound]:
            block = exact(span)
            delta = score_error(self.pattern, sizes, block, arithmetic, formats, extras)
            bound = block_bound(block, delta, sizes, *machine)
            if self.forgotten is not None:
                given = block, bound, delta, values, sizes
                bound = rescale.forgotten_bound(*given, self.forgotten, *machine)
            if not self.normalised:
                bound = replace(bound, output=bound.output * _total(block))
            return self._mistaken(block, values), bound

        return side_by_side.in_order(bounded, spans(self.pattern.n_q, self.pattern.n_k))


def _moved(rows: Rows, by: int) -> Rows:
    """Count rows from another one."""
    return lambda first, last: rows(first + by, last + by)


def _total(block: Block) -> Wide:
    """Compute the total of each row, in which the largest weight is one."""
    total: Wide = 1 / block.shares.max(axis=1, keepdims=True)
    return total


@dataclass
class Head:
    """What was found of one head.

    Attributes
    ----------
    output, lse : Accuracy or None
        None where there is no such tensor.
    certified : bool
        Whether the bound of each row says something.
    blind_rows : int
        Rows that see no key: nothing of them is judged.
    blind : list of str
        What stands in them: "zeros", "NaN", "the mean of V" or "something else".
    explained : list of (str, float)
        The mistakes under which an answer that does not hold would hold, each with the largest
        error / bound.
    places : list of str
        Of an answer that does not hold and of which no mistake is named: where, in sentences.
    along : ndarray or None
        Of the same, the largest error / bound along what each key tile contributes, by row tile.
    hidden : list of str or None
        The mistakes that this head's tensors may let pass; None where nobody asked.
    """

    output: Accuracy | None = None
    lse: Accuracy | None = None
    certified: bool = True
    blind_rows: int = 0
    blind: list[str] = field(default_factory=list)
    explained: list[tuple[str, float]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    along: Wide | None = None
    hidden: list[str] | None = None

    @property
    def _worst(self) -> Accuracy:
        held = [part for part in (self.output, self.lse) if part is not None]
        return max(held, key=lambda part: part.largest_ratio)

    @property
    def largest_ratio(self) -> float:
        """Give the largest error / bound of what was judged."""
        return self._worst.largest_ratio

    @property
    def worst_row(self) -> int:
        """Name the row with the largest error / bound."""
        return self._worst.worst_row

    @property
    def verdict(self) -> Verdict:
        """Say whether all that was judged holds; what one head cannot show another may."""
        held = [part for part in (self.output, self.lse) if part is not None]
        if any(part.exceeding for part in held):
            return "does not hold"
        return "holds" if self.certified else "not certified"


def judge_head(
    problem: Problem,
    recipe: Recipe,
    *,
    output: Numbers | None = None,
    lse: Numbers | None = None,
    begin: Callable[[int], None] = lambda row: None,
) -> Head:
    """Hold an answer (n_q, d_v), an lse (n_q,), or both, to the bound of a recipe.

    `begin` is called with the first row of each span (`reference.spans`).
    """
    n_q = problem.pattern.n_q
    head = Head(
        None if output is None else Accuracy(profile=Profile(n_q, output.shape[1])),
        None if lse is None else Accuracy(profile=Profile(n_q, 1)),
    )
    values = problem.v.astype(np.float64)
    for block, bound in problem.blocks(recipe):
        begin(block.first)
        _add(head, block, bound, output, lse, values)
    return head


def _add(
    head: Head,
    block: Block,
    bound: BlockBound,
    output: Numbers | None,
    lse: Numbers | None,
    values: Wide,
) -> None:
    """Compare the rows of one block."""
    part = slice(block.first, block.last)
    sees = ~np.isneginf(block.lse)
    rows = np.arange(block.first, block.last)
    head.certified = head.certified and bool(bound.certified[sees].all())
    head.blind_rows += int((~sees).sum())
    if output is not None and head.output is not None:
        found = output[part].astype(np.float64)
        head.output.add(found[sees], block.output[sees], bound.output[sees], rows[sees])
        for row in found[~sees]:
            kind = _blind(row, values)
            head.blind += [] if kind in head.blind else [kind]
    if lse is not None and head.lse is not None:
        column = lse[part].astype(np.float64)[:, None]
        exact, limit = block.lse[:, None], bound.lse[:, None]
        head.lse.add(column[sees], exact[sees], limit[sees], rows[sees])


def _blind(row: Wide, values: Wide) -> str:
    """Say what stands where nothing is seen."""
    if np.isnan(row).all():
        return "NaN"
    if not row.any():
        return "zeros"
    mean = values.mean(axis=0)
    # To the digits of the coarsest format that an answer has.
    near = np.allclose(row, mean, rtol=2.0**-7, atol=2.0**-7 * float(np.abs(values).max()))
    return "the mean of V" if near else "something else"
