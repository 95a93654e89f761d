"""The case worked by hand: a plain walk, the emulator and the formula agree, and say the same."""

import numpy as np
import pytest
from fusedfacts.attention import problem
from fusedfacts.attention.tiled import tiled
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import contract, worked


def test_it_goes_as_it_does_by_hand():
    found = worked.compute()
    first, second = found["steps"]
    assert first["scores"] == [0.0, 0.6931]
    assert first["weights"] == [0.5, 1.0]
    assert (first["total"], first["output"]) == (1.5, 2.5)
    assert second["weights"] == [0.5]
    assert (second["total"], second["output"]) == (2.0, 4.5)
    assert found["answer"] == 2.25
    assert found["elements"] == {"q": 48, "k": 48, "v": 48, "o": 48}
    assert (found["fused_bytes"], found["unfused_bytes"]) == (768, 912)


@pytest.mark.parametrize("key_rows", [2, 3])
def test_the_walk_has_the_bits_of_the_tiled_reference(key_rows):
    """Also where the maximum rises, and where the last tile is short."""
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((7, 16)).astype(np.float32) for _ in range(3))
    q[:, 1:] = 0
    q[:, 0] = 8
    scores = q[0, 0] * np.float32(1 / 4) * k[:, 0]
    step = worked.walk(scores, v[:, 3], key_rows)[-1]
    assert step["output"] / step["total"] == tiled(q, k, v, key_rows=key_rows).output[0, 3]


def test_a_walk_that_ends_elsewhere_stops_the_build(monkeypatch):
    monkeypatch.setattr(
        worked, "walk", lambda *_: [{"output": np.float32(9), "total": np.float32(2)}]
    )
    with pytest.raises(ClaimError, match="worked case: the emulator's answer"):
        worked.compute()


def test_the_contract_is_that_of_the_code_and_of_the_kernels():
    found = contract.compute()
    assert found["query_tile_bytes"] + 2 * found["key_tile_bytes"] == 16_384
    assert found["fused_fast_key_rows"] == {"d16": 8, "d32": 16, "d64": 8, "d128": 4}


def test_kernels_with_another_tile_stop_the_build(monkeypatch):
    monkeypatch.setitem(problem.MIX_KEY_ROWS, 64, 16)
    with pytest.raises(ClaimError, match="contract: BC of mix"):
        contract.compute()
