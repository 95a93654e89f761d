"""A judgement says how far it is, within a head too: one head may take minutes."""

import numpy as np
from fusedfacts.attention import reference
from fusedfacts.judging import calls
from fusedfacts.judging.recipe import RECIPES


def test_each_span_of_rows_of_each_head_is_a_step(monkeypatch):
    monkeypatch.setattr(reference, "BLOCK_PAIRS", 1)  # blocks of the least rows
    x = np.ones((2, 70, 16), np.float32)
    call = calls.checked({"q": x, "k": x, "v": x, "o": x}, "hnd", {})
    said = []
    calls.judgement(call, RECIPES["fp32"], said.append)
    assert said == [f"head {head}, row {row}" for head in (0, 1) for row in (0, 32, 64)]
    assert call.steps() == len(said)
    said.clear()
    calls.judgement(call, RECIPES["fp32"], said.append, hidden=True)
    more = [f"head 0, mistakes that hide, row {row}" for row in (54, 0, 32, 64)]
    assert said[3:7] == more
    assert call.steps(hidden=True) == len(said)
