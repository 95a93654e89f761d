import numpy as np
import pytest
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import control
from support.common import tensors


def test_the_control_is_caught_on_every_head_of_the_probe(qkv, facts):
    found = control.compute(qkv["probe.q"], qkv["probe.k"], qkv["probe.v"], control_key_rows=8)
    assert [head["caught"] for head in found["heads"]] == [True] * 4
    assert found == facts["control"]


def test_a_control_that_goes_unseen_stops_the_build():
    q, k, v = tensors(24, 16)
    with pytest.raises(ClaimError, match="head 1: the checker did not catch the broken rescale"):
        control.head_results(q, k, v * 0, 8, "head 1")


def test_a_head_that_cannot_show_it_says_so_and_stops_nothing():
    """Every maximum in the first tile, as where one key draws all attention to itself."""
    q, k, v = (np.stack([x, x]) for x in tensors(24, 16))
    q[1] = 0
    found = control.compute(q, k, v, control_key_rows=8)
    assert [head["caught"] for head in found["heads"]] == [True, False]
    assert [control.cannot_show(head) for head in found["heads"]] == [False, True]
    claims = {claim.id: claim.record for claim in control.claims(found)}
    assert claims["control.heads_caught"]["value"] == 1
    assert claims["control.heads_cannot_show"]["statement"] == (
        "On 1 heads the missing rescale changes nothing, as each largest score lies in the first"
        " key tile."
    )
    usual = control.claims({**found, "heads": found["heads"][:1]})
    assert "control.heads_cannot_show" not in {claim.id for claim in usual}


def test_a_right_answer_out_of_bounds_stops_the_build(monkeypatch):
    q, k, v = tensors(24, 16)
    from fusedfacts.attention import error_bound

    monkeypatch.setattr(error_bound, "EVALUATION", 1e-6)
    with pytest.raises(ClaimError, match="the right answer lies outside its bound"):
        control.head_results(q, k, v, 8, "head 0")


def test_a_control_that_touches_first_tile_rows_stops_the_build(monkeypatch):
    from fusedfacts.attention.tiled import Faults

    q, k, v = tensors(24, 16)
    monkeypatch.setattr(control, "BROKEN", Faults(scaled=False))
    with pytest.raises(ClaimError, match="differ from the right answer, expected equal bits"):
        control.head_results(q, k, v, 8, "head 0")


def test_counts_of_rows_add_up(facts):
    for head in facts["control"]["heads"]:
        late = np.array(head["row_has_late_maximum"])
        wrong = np.array(head["row_is_wrong"])
        assert head["rows_maximum_in_first_tile"] == int((~late).sum())
        assert head["rows_late_maximum_but_passing"] == int((late & ~wrong).sum())
        assert head["rows_wrong"] == int(wrong.sum())
        assert not (wrong & ~late).any()
