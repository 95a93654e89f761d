"""The files that transcripts of the command speak of, made anew for each."""

from __future__ import annotations

import numpy as np
from safetensors.numpy import save


def made(n, d, *heads):
    """Seeded q, k and v."""
    from fusedfacts.numerics import rng

    return {name: rng.normal(5, i, (*heads, n, d)) for i, name in enumerate("qkv")}


def answered(tensors):
    """The same with the fused kernel's own answer."""
    from fusedfacts.emulator import execute

    return {**tensors, "o": execute.fused(*(tensors[name] for name in "qkv")).output}


def changed(tensors, name, place, value):
    """The same with one element of one tensor replaced."""
    other = tensors[name].copy()
    other[place] = value
    return {**tensors, name: other}


def attention(tensors, scale=None, first=0):
    """A causal answer and its lse, of queries from `first` on; a head of k and v may serve several.

    In float64, and rounded once: so that no machine's BLAS can be seen in a transcript.
    """
    q, k, v = (tensors[name].astype(np.float64) for name in "qkv")
    k, v = (np.repeat(x, len(q) // len(x), axis=0) for x in (k, v))
    s = q @ k.swapaxes(1, 2) * (scale or q.shape[-1] ** -0.5)
    s = np.where(np.arange(k.shape[1]) > np.arange(q.shape[1])[:, None] + first, -np.inf, s)
    highest = s.max(axis=2, keepdims=True)
    weights = np.exp(s - highest)
    total = weights.sum(axis=2, keepdims=True)
    lse = highest + np.log(total)
    return (weights @ v / total).astype(np.float32), lse[..., 0].astype(np.float32)


def decoded(tensors):
    """The last two queries alone, with their answer and its lse."""
    last = {**tensors, "q": tensors["q"][:, -2:].copy()}
    output, lse = attention(last, first=tensors["q"].shape[1] - 2)
    return {**last, "o": output, "lse": lse}


def tied():
    """Thirty nearly equal keys with scores near four millions, which float32 cannot order."""
    tensors = made(30, 16)
    near = np.full((30, 16), 2.0**20, np.float32) + tensors["k"]
    return {**tensors, "q": np.ones((30, 16), np.float32), "k": near}


def contents():
    """Every file, by name."""
    plain, heads = made(100, 64), made(24, 16, 3)
    grouped = {**heads, "q": np.stack([x + i for x in heads["q"] for i in range(2)])}
    right = answered(plain)
    return {
        "mine.safetensors": save(plain),
        "heads.safetensors": save(heads),
        "half.safetensors": save({name: x.astype(np.float16) for name, x in heads.items()}),
        "right.safetensors": save(right),
        "wrong.safetensors": save(changed(right, "o", (17, 5), right["o"][17, 5] + 1e-4)),
        "nan.safetensors": save(changed(heads, "v", (1, 2, 3), np.nan)),
        "infinite.safetensors": save(changed(heads, "q", (0, 0, 15), -np.inf)),
        "names.safetensors": save({"query": plain["q"], "k": plain["k"], "v": plain["v"]}),
        "lengths.safetensors": save({**plain, "k": plain["k"][:99]}),
        "d48.safetensors": save(made(4, 48)),
        "d256.safetensors": save(made(4, 256)),
        "grouped.safetensors": save(grouped),
        "scaled.safetensors": save({**grouped, "o": attention(grouped, 1 / 16)[0]}),
        "many.safetensors": save(made(3, 16, 24)),
        "decode.safetensors": save(decoded(grouped)),
        "empty.safetensors": save({name: x[:0] for name, x in plain.items()}),
        "short.safetensors": save(plain)[:-1],
        "text.safetensors": b"q, k and v\n",
        "tied.safetensors": save(tied()),
        "sums.safetensors": save({**plain, "v": np.full((100, 64), 3e38, np.float32)}),
        "scores.safetensors": save(changed(plain, "k", 7, np.float32(-3e38))),
    }


def facts():
    """The published facts, and some that somebody spoiled, by name."""
    from fusedfacts.documents import canonical_json

    from support.common import PUBLISHED

    right = (PUBLISHED / "facts.json").read_bytes()
    lied = canonical_json.loads(right.decode(), "facts.json")
    lied["traffic"][0]["fused"]["bytes"] += 1
    lied["claims"][0]["unit"] = "bytes"
    lied["mutants"]["matrix"]["key_dropped"]["random"]["rows_wrong"] = 0
    return {
        "copy.json": right,
        "lied.json": canonical_json.dumps(lied).encode(),
        "nan.json": right.replace(b'"held_out_loss": 0.802', b'"held_out_loss": NaN', 1),
        "other.json": b"{}\n",
    }


def write(folder):
    """Put them into a folder."""
    for name, content in {**contents(), **facts()}.items():
        (folder / name).write_bytes(content)
