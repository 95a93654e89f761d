"""A schedule's gradient a number at a time, each rounding chosen by an adversary.

Every operation calls `rounded`, so that a run can be had with any error in any of them, many runs
at once. A first one finds how each error moves each answer; a second has them all push one way.
"""

import numpy as np

U = 2.0**-24


class Roundings:
    """Exact operations, each with a relative error of its own in each of many runs."""

    def __init__(self, errors=None):
        self.errors = errors
        self.done = 0

    def __call__(self, value):
        if self.errors is not None:
            value = value * (1 + self.errors[self.done])
        self.done += 1
        return value

    def sum(self, terms):
        total = terms[0]
        for term in terms[1:]:
            total = self(total + term)
        return total

    def dot(self, weights, values):
        return self.sum([self(a * b) for a, b in zip(weights, values, strict=True)])


def seen_keys(visible, query, keys):
    return [key for key in keys if visible[query, key]]


def forward(rounded, q, k, v, visible, scale, key_rows):
    """Answer, largest score and total by tiles of keys, each row by itself."""
    found = []
    for i in range(len(q)):
        top, total, answer = None, 0.0, []
        for first in range(0, len(k), key_rows):
            tile = seen_keys(visible, i, range(first, min(first + key_rows, len(k))))
            if not tile:
                continue
            scores = [scale * rounded.dot(q[i], k[j]) for j in tile]
            highest = np.max(scores if top is None else [top, *scores], axis=0)
            weights = [rounded(np.exp(rounded(score - highest))) for score in scores]
            inner = [
                rounded.sum(weights),
                *(rounded.dot(weights, v[tile, c]) for c in range(len(v.T))),
            ]
            if top is None:
                total, *answer = inner
            else:
                factor = rounded(np.exp(rounded(top - highest)))
                risen = top < highest  # exp(0) is exactly one, and no product with it is rounded
                total, *answer = [
                    rounded(np.where(risen, rounded(old * factor), old) + new)
                    for old, new in zip([total, *answer], inner, strict=True)
                ]
            top = highest
        found.append(([rounded(a / total) for a in answer], top, total))
    return found


def gradient(rounded, tensors, visible, scale, order, key_rows, query_rows):
    """dq, dk and dv by tiles of keys and, within, of queries, one number after another."""
    q, k, v, do = tensors
    pairs = [(int(i), int(j)) for i, j in np.argwhere(visible)]
    rows = forward(rounded, q, k, v, visible, scale, key_rows)
    logs = [rounded(top + rounded(np.log(total))) for _, top, total in rows]
    share, dp, ds = {}, {}, {}
    for i, j in pairs:
        score = scale * rounded.dot(q[i], k[j])
        _, top, total = rows[i]
        share[i, j] = rounded(np.exp(rounded(score - (top if order.divided else logs[i]))))
        if order.divided:
            share[i, j] = rounded(share[i, j] / total)
        dp[i, j] = rounded.dot(do[i], v[j])
    for i, (answer, _, _) in enumerate(rows):
        keys = seen_keys(visible, i, range(len(k)))
        if order.from_shares:
            inner = rounded.dot([share[i, j] for j in keys], [dp[i, j] for j in keys])
        else:
            inner = rounded.dot(do[i], answer)
        ds |= {(i, j): rounded(share[i, j] * rounded(dp[i, j] - inner)) for j in keys}

    def summed(weights, values, tile_rows, scale=1.0):
        """Sum weights times values over their second index, tile after tile."""
        found = []
        for row in sorted({i for i, _ in weights}):
            tiles = {}
            for j in sorted(j for i, j in weights if i == row):
                tiles.setdefault(j // tile_rows, []).append(j)
            for column in values.T:
                products = [
                    scale * rounded.dot([weights[row, j] for j in tile], column[tile])
                    for tile in tiles.values()
                ]
                found.append(rounded.sum(products))
        return found

    dq = summed(ds, k, key_rows, scale)
    dk = summed({(j, i): ds[i, j] for i, j in pairs}, q, query_rows, scale)
    dv = summed({(j, i): share[i, j] for i, j in pairs}, do, query_rows)
    return dq + dk + dv


def worst(*problem):
    """Give dq, dk and dv, exact and as they are where all roundings push that element one way."""

    def run(errors=None):
        rounded = Roundings(errors)
        found = gradient(rounded, *problem)
        return rounded.done, np.array(found) if errors is None else np.stack(
            np.broadcast_arrays(*found)
        )

    operations, exact = run()
    moved = run(U * np.eye(operations))[1] - exact[:, None]
    signs = np.where(moved > 0, 1.0, -1.0)
    return exact, run(U * signs.T)[1].diagonal()
