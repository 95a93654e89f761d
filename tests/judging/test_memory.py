"""Memory grows with the number of keys, not with its square: a table of all pairs is never made."""

import tracemalloc

import numpy as np
from fusedfacts.attention.reference import attention
from fusedfacts.judging import calls
from fusedfacts.judging.recipe import RECIPES
from fusedfacts.tensor_check import tensors
from support.hostile_files import saved

D = 16


def peak(n, folder):
    """The most bytes that judging one head of a file with a mask and a bias takes."""
    q, k, v = np.random.default_rng(1).standard_normal((3, n, D), dtype=np.float32)
    o = attention(q, k, v, causal=True).astype(np.float32)
    content = {"q": q, "k": k, "v": v, "o": o}
    content |= {"mask": np.tri(n, dtype=bool), "bias": np.zeros((n, n))}
    (folder / "x.safetensors").write_bytes(saved(content))
    del content
    tracemalloc.start()
    with tensors.opened(folder / "x.safetensors") as found:
        call = calls.checked(found.named, None, {})
        assert calls.judgement(call, RECIPES["fp32"]).holds
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_twice_the_keys_take_at_most_twice_the_memory(tmp_path):
    peak(64, tmp_path)  # what is compiled or loaded the first time is no part of it
    once, twice = peak(1024, tmp_path), peak(2048, tmp_path)
    assert twice < 2 * once
