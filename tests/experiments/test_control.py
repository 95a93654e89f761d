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
        control.head_results(q * 0, k, v, 8, "head 1")


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
