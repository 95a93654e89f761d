import mpmath
import numpy as np
import pytest
from fusedfacts.attention import reference
from support.common import tensors


@pytest.mark.parametrize("causal", [False, True])
def test_the_reference_agrees_with_forty_digits(causal):
    """Good to about 1e-15: nine digits below anything that a bound has to tell apart."""
    mpmath.mp.dps = 40
    n, d = 9, 16
    q, k, v = tensors(n, d)
    found = reference.attention(q, k, v, causal=causal)
    for row in range(n):
        keys = range(row + 1 if causal else n)
        scores = [
            mpmath.fsum(
                mpmath.mpf(float(a)) * float(b) for a, b in zip(q[row], k[key], strict=True)
            )
            / mpmath.sqrt(d)
            for key in keys
        ]
        weights = [mpmath.exp(score) for score in scores]
        for c in range(d):
            exact = mpmath.fsum(
                w * float(v[key, c]) for w, key in zip(weights, keys, strict=True)
            ) / mpmath.fsum(weights)
            assert abs(exact - found[row, c]) < 1e-14


@pytest.mark.parametrize("causal", [False, True])
def test_blocks_of_any_height_give_the_same_answer(monkeypatch, causal):
    q, k, v = tensors(70, 16)
    whole = reference.attention(q, k, v, causal=causal)
    monkeypatch.setattr(reference, "BLOCK_PAIRS", 70 * 9)
    monkeypatch.setattr(reference, "BLOCK_ROWS_LEAST", 1)
    blocks = list(reference.blocks(q, k, v, causal=causal))
    assert len(blocks) == 8
    np.testing.assert_allclose(np.concatenate([b.output for b in blocks]), whole, rtol=1e-13)
    for block in blocks:
        np.testing.assert_allclose(block.shares.sum(axis=1), 1, rtol=1e-14)
