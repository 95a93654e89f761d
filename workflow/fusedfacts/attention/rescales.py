"""Count how often a row's weights may be rescaled (docs/error-bound.md, step two).

Loops over the keys of one row, whose exact scores differ from the computed ones by some slack.
"""

from __future__ import annotations

import numpy as np

from fusedfacts.attention.arithmetic import Arithmetic, SummationOrder
from fusedfacts.attention.problem import Wide
from fusedfacts.numerics.jit import compiled


@compiled
def possible_rises(tops: Wide, slack: float, rises: Wide) -> None:
    """Count after each key tile how often a row's maximum may still rise.

    Computed scores differ from the exact ones by up to `slack`, so that a near tie of the
    largest scores of tiles, `tops`, counts as a rise.
    """
    rises[0] = 0
    risen = 0
    running = tops[0]
    beaten_by = running - slack
    for tile in range(1, tops.size):
        if tops[tile] + slack > beaten_by:
            risen += 1
            if tops[tile] > running:
                running = tops[tile]
                beaten_by = running - slack
        rises[tile] = risen
    for tile in range(tops.size):
        rises[tile] = risen - rises[tile]


@compiled
def rises_by_tile(scores: Wide, slack: float, key_rows: int, rises: Wide) -> None:
    """Count rises after the tile of each key, tiles being of so many keys."""
    tiles = (scores.size + key_rows - 1) // key_rows
    tops = np.full(tiles, -np.inf)
    for tile in range(tiles):
        for i in range(tile * key_rows, min((tile + 1) * key_rows, scores.size)):
            if scores[i] > tops[tile]:
                tops[tile] = scores[i]
    after = np.empty(tiles)
    possible_rises(tops, slack, after)
    for tile in range(tiles):
        rises[tile * key_rows : (tile + 1) * key_rows] = after[tile]


@compiled
def _rises_either_way(scores: Wide, slack: float, rises: Wide) -> None:
    """Count rises after each key, or before it where these are more."""
    possible_rises(scores, slack, rises)
    back = np.empty_like(rises)
    possible_rises(scores[::-1], slack, back[::-1])
    for i in range(rises.size):
        if back[i] > rises[i]:
            rises[i] = back[i]


@compiled
def _own_maxima(scores: Wide, slack: float, key_rows: int, rescales: Wide) -> None:
    """Add the factor of each tile's own maximum where a tile before it may have a larger one."""
    running = -np.inf
    for first in range(0, scores.size, key_rows):
        top = scores[first : first + key_rows].max()
        if top - slack < running + slack:
            rescales[first : first + key_rows] += 1
        running = max(running, top)


@compiled
def rescales_of_keys(
    scores: Wide,
    slack: float,
    order: SummationOrder,
    arithmetic: Arithmetic,
    sink: bool,
    rescales: Wide,
) -> None:
    """Count for each key the rescales that may change its weight."""
    keys = scores.size - 1 if sink else scores.size
    rescales[:] = 0
    if not order.online:
        return
    # In which part a later, larger score comes is not known: its maximum may rise at any tile.
    if order.splits > 1 or not arithmetic.exp_zero_is_one:
        key_rows = max(1, order.mix_rows)
        for i in range(keys):
            rescales[i] = (keys - 1) // key_rows - i // key_rows + order.stored
    elif order.mix_rows:
        rises_by_tile(scores[:keys], slack, order.mix_rows, rescales[:keys])
        if order.stored:
            _own_maxima(scores[:keys], slack, order.mix_rows, rescales[:keys])
    else:
        _rises_either_way(scores[:keys], slack, rescales[:keys])
    if sink:  # it may come first or last, and either raise the maximum or be scaled like the rest
        rescales += 1
        rescales[keys] = rescales[0]
