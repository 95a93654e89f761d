"""Sums of products of sizes: what a bound needs of them, from above.

In float64, or in half the time in float32, raised by what float32 may have lost
(docs/error-bound.md, "The reference and the evaluation").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.arithmetic import TINY, UNIT, gamma
from fusedfacts.attention.problem import Wide
from fusedfacts.attention.reference import Numbers
from fusedfacts.numerics.jit import compiled_sums

# Roundings of a term beside those of its sum: of both factors, of a difference, of the product.
BESIDE_SUMS = 4
# Sizes up to here cannot overflow in float32: squared, times the terms of any sum.
SAFE = 2.0**50
KEYS_AT_ONCE = 1024  # as many as stay in a processor's nearest cache


@dataclass(frozen=True)
class Sizes:
    """What sums of sizes are made of, in float64 or all in float32.

    Attributes
    ----------
    queries, keys : ndarray, shapes (n_q, d) and (n_k, d)
        Absolute values of q and k.
    values, value_sizes : ndarray, shape (n_k, d_v)
        v, exactly, and its absolute values.
    columns : ndarray, shape (d_v, n_k)
        v again, its columns as rows.
    largest_key : float
        The largest absolute value in k.
    largest : ndarray of float64, shape (d_v,)
        That in each column of v.
    """

    queries: NDArray[Any]
    keys: NDArray[Any]
    values: NDArray[Any]
    value_sizes: NDArray[Any]
    columns: NDArray[Any]
    largest_key: float
    largest: Wide

    @classmethod
    def of(cls, q: Numbers, k: Numbers, v: Numbers, *, narrow: bool = False) -> Sizes:
        """Prepare a head; `narrow` where float32 will do, which it does for numbers it can hold."""
        form = np.float32 if narrow and _fits(q) and _fits(k) and _fits(v) else np.float64
        queries, keys, values = (tensor.astype(form) for tensor in (q, k, v))
        np.abs(queries, out=queries)
        np.abs(keys, out=keys)
        sizes = np.abs(values)
        return cls(
            queries,
            keys,
            values,
            sizes,
            columns=np.ascontiguousarray(values.T),
            largest_key=float(keys.max(initial=0)),
            largest=sizes.max(axis=0, initial=0).astype(np.float64),
        )

    def score_sizes(self, first: int, last: int) -> Wide:
        """Sum |q_c k_c| over c, for some queries with each key; no sum is too small."""
        return _products(self.queries[first:last], self.keys.T, self.largest_key)

    def weighed(self, weights: NDArray[Any]) -> Wide:
        """Sum weights[r, i] |v_ij| over i; no sum is too small."""
        return _products(weights, self.value_sizes, float(self.largest.max()))

    def deviations(self, weights: NDArray[Any], exact: Wide) -> Wide:
        """Sum weights[r, i] |v_ij - exact_rj| over i; no sum is too small."""
        found = np.zeros(exact.shape)
        form = self.columns.dtype
        _deviations(np.ascontiguousarray(weights), self.columns, exact.astype(form), found)
        if form == np.float32:
            found += UNIT * np.abs(exact) * weights.sum(axis=1, keepdims=True)  # it was rounded
            _raise(found, len(self.values), 2 * float(self.largest.max()))
        return found


def _fits(numbers: Numbers) -> bool:
    """Tell whether float32 holds all numbers exactly, and the sums of their products."""
    if numbers.dtype.itemsize > np.dtype(np.float32).itemsize:
        return False
    return float(np.abs(numbers.astype(np.float32)).max(initial=0)) <= SAFE


def _raise(found: Wide, terms: int, largest: float) -> None:
    """Raise float32 sums of so many terms: weights times sizes of at most `largest`."""
    found *= 1 + gamma(terms + BESIDE_SUMS, UNIT)
    found += terms * TINY * (1 + largest)


def _products(weights: NDArray[Any], sizes: NDArray[Any], largest: float) -> Wide:
    """Multiply matrices without negative numbers; no sum is too small."""
    found = weights @ sizes
    wide: Wide = found.astype(np.float64, copy=False)
    if found.dtype == np.float32:
        _raise(wide, len(sizes), largest)
    return wide


@compiled_sums
def _deviations(
    weights: NDArray[Any], columns: NDArray[Any], exact: NDArray[Any], found: Wide
) -> None:
    """Add the sums, two rows by two columns at a time: what is read once is used twice."""
    rows, keys = weights.shape
    d_v = len(columns)
    for first in range(0, keys, KEYS_AT_ONCE):
        part = slice(first, min(first + KEYS_AT_ONCE, keys))
        for j in range(0, d_v, 2):
            jj = min(j + 1, d_v - 1)  # the last of an odd number stands in for its neighbour
            x, xx = columns[j, part], columns[jj, part]
            for r in range(0, rows, 2):
                rr = min(r + 1, rows - 1)
                w, ww = weights[r, part], weights[rr, part]
                o, oo, p, pp = exact[r, j], exact[r, jj], exact[rr, j], exact[rr, jj]
                a = aa = b = bb = o - o  # zero, in their format
                for i in range(x.size):
                    a += w[i] * abs(x[i] - o)
                    aa += w[i] * abs(xx[i] - oo)
                    b += ww[i] * abs(x[i] - p)
                    bb += ww[i] * abs(xx[i] - pp)
                found[r, j] += a
                if jj > j:
                    found[r, jj] += aa
                if rr > r:
                    found[rr, j] += b
                if jj > j and rr > r:
                    found[rr, jj] += bb
