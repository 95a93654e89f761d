"""A rescale that is forgotten: what such a kernel gives, exactly, and how far it may err.

A fused kernel weighs the keys of a tile by e^(s - M), M being the largest score so far, and when a
later tile raises M, what was summed before is to be scaled by e^(old M - new M). Without that step
a key's score is in effect s + (last M - M of its tile): an attention with other scores, whose
total, output, or both stand in the answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fusedfacts.attention.arithmetic import Arithmetic, Formats, SummationOrder
from fusedfacts.attention.error_bound import BlockBound, block_bound
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Block, softmax
from fusedfacts.attention.upper import Sizes

LN_MOST = 700.0  # e to more is infinite in float64


class Forgotten(NamedTuple):
    """Which rescale is left out.

    Attributes
    ----------
    total, output : bool
        Whether it is that of the running total, and that of the running output.
    key_rows : int
        Keys of a tile.
    backwards : bool
        Whether tiles are met from the last to the first, as FlashAttention does.
    """

    total: bool
    output: bool
    key_rows: int
    backwards: bool = False


def running_maximum(scores: Wide, key_rows: int, *, backwards: bool = False) -> Wide:
    """Tell for each score which maximum its row has once the score's tile is met.

    >>> running_maximum(np.array([[1.0, 3.0, 2.0, 0.0, 5.0]]), 2).tolist()
    [[3.0, 3.0, 3.0, 3.0, 5.0]]
    >>> running_maximum(np.array([[1.0, 3.0, 2.0, 0.0, 5.0]]), 2, backwards=True).tolist()
    [[5.0, 5.0, 5.0, 5.0, 5.0]]
    """
    rows, keys = scores.shape
    padded = np.pad(scores, ((0, 0), (0, -keys % key_rows)), constant_values=-np.inf)
    tiles = padded.reshape(rows, -1, key_rows).max(axis=2)
    if backwards:
        so_far = np.maximum.accumulate(tiles[:, ::-1], axis=1)[:, ::-1]
    else:
        so_far = np.maximum.accumulate(tiles, axis=1)
    return np.repeat(so_far, key_rows, axis=1)[:, :keys]


def _raised(block: Block, values: Wide, forgotten: Forgotten) -> Block:
    """Compute the attention whose weights are those that were never scaled."""
    keys = len(values)
    scores = block.scores.copy()
    seen = ~np.isneginf(scores[:, :keys])
    running = running_maximum(scores[:, :keys], forgotten.key_rows, backwards=forgotten.backwards)
    last = running[:, :1] if forgotten.backwards else running[:, -1:]
    rise = np.where(seen, last, 0.0) - np.where(seen, running, 0.0)
    if not rise.any():
        return block
    scores[:, :keys] += rise
    highest = scores.max(axis=1, keepdims=True)
    blind = np.isneginf(highest)
    shares = np.where(blind, 0.0, softmax(np.where(blind, 0.0, scores)))
    with np.errstate(divide="ignore", invalid="ignore"):
        lse = np.where(blind, -np.inf, highest - np.log(shares.max(axis=1, keepdims=True)))
    output = shares[:, :keys] @ values
    return replace(block, scores=scores, shares=shares, output=output, lse=lse[:, 0])


def _grown(over: Block, under: Block) -> Wide:
    """Compute how much larger one total is than another."""
    sees = ~np.isneginf(under.lse)
    grown: Wide = np.ones((len(sees), 1))
    grown[sees, 0] = np.exp(over.lse[sees] - under.lse[sees])
    return grown


def forgotten_block(block: Block, values: Wide, forgotten: Forgotten) -> Block:
    """Compute from the right answer of some rows what is answered without the rescale."""
    raised = _raised(block, values, forgotten)
    if raised is block or (forgotten.total and forgotten.output):
        return raised
    if forgotten.total:
        return replace(block, output=block.output * _grown(block, raised), lse=raised.lse)
    return replace(block, output=raised.output * _grown(raised, block))


def forgotten_bound(
    block: Block,
    bound: BlockBound,
    delta: Wide,
    values: Wide,
    sizes: Sizes,
    forgotten: Forgotten,
    order: SummationOrder,
    arithmetic: Arithmetic,
    formats: Formats,
) -> BlockBound:
    """Bound what is answered without the rescale; `block` and `bound` are the right ones.

    An answer with one step forgotten is a right answer times a quotient of two totals, each of
    which errs by no more than its logarithm may.
    """
    raised = _raised(block, values, forgotten)
    if raised is block:
        return bound
    seen = ~np.isneginf(block.scores)
    slack = np.where(seen, delta, 0.0).max(axis=1, keepdims=True)
    # The maximum of a tile errs by as much as a score does, and the last one, too.
    other = block_bound(raised, delta + slack, sizes, order, arithmetic, formats)
    scores = np.abs(np.where(seen, block.scores, 0.0)).max(axis=1) + np.abs(block.lse)
    with np.errstate(invalid="ignore"):
        extra = np.where(np.isneginf(block.lse), 0.0, slack[:, 0] + 2 * arithmetic.unit * scores)
    other = replace(other, lse=other.lse + extra)
    certified = bound.certified & other.certified
    if forgotten.total and forgotten.output:
        return replace(other, certified=certified)
    right, part, lse = (block, bound, other.lse)
    grown = _grown(block, raised)
    if forgotten.output:
        right, part, lse, grown = (raised, other, bound.lse, _grown(raised, block))
    quotient = np.expm1(np.minimum(bound.lse + other.lse, LN_MOST))[:, None]
    with np.errstate(over="ignore"):
        error = grown * ((np.abs(right.output) + part.output) * quotient + part.output)
    return BlockBound(error + formats.output_least + arithmetic.underflow, lse, certified)
