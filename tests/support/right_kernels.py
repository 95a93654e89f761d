"""A right kernel of any recipe, in NumPy: what the judge has to let pass."""

import ml_dtypes
import numpy as np

DTYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def tensors(n_q, n_k, d, dtype, seed=0, size=1.0):
    draw = np.random.default_rng(seed).standard_normal
    shapes = (n_q, d), (n_k, d), (n_k, d)
    return tuple((draw(shape) * size).astype(dtype) for shape in shapes)


def rows_of(table):
    """A mask or a bias as a problem has it: rows as they are asked for."""
    return lambda first, last: table[first:last]


def rounded(x, form):
    return x.astype(DTYPES[form]).astype(np.float64)


def computed(
    q, k, v, recipe, pattern, key_rows=32, mask=None, bias=None, sink=None, forgotten=None
):
    """A right kernel of a recipe, in NumPy: online softmax tile by tile, sums in float32.

    Or one that forgets a rescale, in tiles and an order of its own.
    """
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    n_q, n_k = len(q), len(k)
    mask, bias = (x(0, n_q) if callable(x) else x for x in (mask, bias))
    seen = pattern.visible(0, n_q)
    seen = np.ones((n_q, n_k), bool) if seen is None else seen
    if mask is not None:
        seen = seen & mask
    highest = np.full((n_q, 1), -np.inf, np.float32)
    total = np.zeros((n_q, 1), np.float32)
    if sink is not None:
        highest[:], total[:] = sink, 1
    output = np.zeros((n_q, v.shape[1]), np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        key_rows = forgotten.key_rows if forgotten else key_rows
        starts = range(0, n_k, key_rows)
        for a in reversed(starts) if forgotten and forgotten.backwards else starts:
            tile = slice(a, a + key_rows)
            s = (q @ k[tile].T) * np.float32(pattern.softmax_scale)
            if pattern.softcap is not None:
                s = np.float32(pattern.softcap) * np.tanh(s / np.float32(pattern.softcap))
            s = rounded(s, recipe.scores).astype(np.float32)
            if bias is not None:
                s = s + bias[:, tile].astype(np.float32)
            s = np.where(seen[:, tile], s, np.float32(-np.inf))
            new = np.maximum(highest, s.max(axis=1, keepdims=True))
            base = np.where(np.isneginf(new), np.float32(0), new)
            shrink = np.exp(highest - base)
            p = np.exp(s - base)
            of_total, of_output = (
                np.float32(1) if forgotten and left_out else shrink
                for left_out in (forgotten and forgotten.total, forgotten and forgotten.output)
            )
            total = total * of_total + p.sum(axis=1, keepdims=True, dtype=np.float32)
            output = output * of_output + rounded(p, recipe.weights).astype(np.float32) @ v[tile]
            highest = new
        lse = (highest + np.log(total))[:, 0]
        return (output / total).astype(DTYPES[recipe.output]), lse
