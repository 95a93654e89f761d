"""Which keys an error comes from, as far as the answer tells.

Were the keys of one tile weighed 1 + x times as they should be, the answer would move by x (their
share of it - their weight times the answer). So an error that points that way, row after row, comes
from there; and along that way, too, it has a bound, that of its elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Numbers
from fusedfacts.judging.accuracy import KEY_ROWS_LEAST, Profile, tile_of
from fusedfacts.judging.head import Problem
from fusedfacts.judging.recipe import Recipe

# Of tiles; the widest that explains an error is named.
SIZES = (128, 64, 32, KEY_ROWS_LEAST)
SAMPLED = 24  # rows that exceed their bound, of which the sentence is made
COLUMNS_LEAST = 8  # in fewer dimensions any two directions are alike
TILES_LEAST = 3  # that a row has to see: one is all of it, and of two either may be at fault
POINTS = 0.9  # of an error's square that one tile explains
AGREE = 0.9  # of the sampled rows
STEADY = 0.1  # by how much the weight of a tile may differ between rows, to be told


class Ways(NamedTuple):
    """Where the answers of some rows go if the keys of each tile weigh more.

    Attributes
    ----------
    first : int
        Row that comes first.
    of_tiles : ndarray of float64, shape (rows, tiles, columns)
    error, bound : ndarray of float64, shape (rows, columns)
    """

    first: int
    of_tiles: Wide
    error: Wide
    bound: Wide


def _ways(problem: Problem, recipe: Recipe, output: Numbers, key_rows: int) -> Iterator[Ways]:
    """Compute them some rows at a time."""
    values = problem.v.astype(np.float64)
    starts = range(0, len(values), key_rows)
    for block, bound in problem.blocks(recipe):
        found = output[block.first : block.last].astype(np.float64)
        ways = np.empty((len(found), len(starts), values.shape[1]))
        for tile, first in enumerate(starts):
            keys = slice(first, min(first + key_rows, len(values)))
            shares = block.shares[:, keys]
            ways[:, tile] = shares @ values[keys] - shares.sum(axis=1, keepdims=True) * found
        yield Ways(block.first, ways, found - block.output, bound.output)


def along(problem: Problem, recipe: Recipe, output: Numbers) -> Wide:
    """Compute the largest error / bound along what each key tile contributes, by row tile.

    Of shape (row tiles, key tiles), parted by `tile_of`, key tiles of 16 keys at least; NaN where
    no row sees the tile.
    """
    n_q, n_k = problem.pattern.n_q, problem.pattern.n_k
    tall, wide = tile_of(n_q), tile_of(n_k, least=KEY_ROWS_LEAST)
    found = np.full((-(-n_q // tall), -(-n_k // wide)), np.nan)
    for first, ways, error, bound in _ways(problem, recipe, output, wide):
        finite: NDArray[np.bool_] = np.asarray(np.isfinite(error).all(axis=1))
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            moved = np.abs((ways * error[:, None]).sum(axis=2))
            allowed = (np.abs(ways) * bound[:, None]).sum(axis=2)
            ratio = np.where(finite[:, None], moved / allowed, np.inf)
        rows = np.arange(first, first + len(error)) // tall
        for tile in np.unique(rows):
            for row in ratio[rows == tile]:
                found[tile] = np.fmax(found[tile], row)
    return found


def blamed(problem: Problem, recipe: Recipe, output: Numbers, profile: Profile) -> str:
    """Say to which key tile the errors point, where nearly all of some rows point to the same."""
    bad = np.flatnonzero((profile.rows > 1) & np.isfinite(profile.rows))
    if len(bad) == 0 or output.shape[1] < COLUMNS_LEAST:
        return ""
    sample = np.unique(bad[np.linspace(0, len(bad) - 1, SAMPLED).astype(int)])
    for key_rows in SIZES:
        if key_rows >= problem.pattern.n_k:
            continue
        tiles, weights, last, asked = [], [], [], 0
        for row in sample.tolist():
            part = problem.rows(row, row + 1)
            (found,) = _ways(part, recipe, output[row : row + 1], key_rows)
            ways, error = found.of_tiles[0], found.error[0]
            lengths, dots = (ways**2).sum(axis=1), ways @ error
            explained = np.zeros(len(lengths))
            np.divide(dots**2, lengths * (error**2).sum(), out=explained, where=lengths > 0)
            best = int(explained.argmax())
            if np.count_nonzero(lengths) < TILES_LEAST:
                continue
            asked += 1
            if np.count_nonzero(explained >= POINTS) != 1:
                continue
            tiles.append(best)
            weights.append(1 + dots[best] / lengths[best])
            last.append(best == np.flatnonzero(lengths)[-1])
        if asked < len(sample) / 2 or len(tiles) < AGREE * asked:
            continue
        same = max(set(tiles), key=tiles.count)
        if tiles.count(same) >= AGREE * asked:
            end = min((same + 1) * key_rows, problem.pattern.n_k) - 1
            place = (
                f"key tile {same + 1} of {key_rows} keys alone (keys {same * key_rows} to {end})"
            )
        elif sum(last) >= AGREE * asked:
            place = f"the last tile of {key_rows} keys that each row sees"
        else:
            continue
        return f"its errors point to {place}{_counted(weights)}"
    return ""


def _counted(weights: list[float]) -> str:
    """Say how often a tile's keys count, if that is the same on all rows."""
    middle = float(np.median(weights))
    if max(weights) - min(weights) > STEADY * max(1.0, abs(middle)):
        return ""
    return f", as if those counted {round(middle, 2) + 0.0:g} times"
