"""What the film draws of the sentence is what the other sections found on it."""

import numpy as np
from fusedfacts.experiments import sentence
from fusedfacts.model.probe import causal_scores


def test_rows_heads_and_scores_are_the_model_s(qkv, facts):
    q, k, v = (qkv[f"probe.{name}"] for name in "qkv")
    found, scores = facts["sentence"], causal_scores(q, k)
    tile, last = found["first_tile"], found["last_row"]
    assert found["key_rows"] == facts["control"]["key_rows"] == len(tile["scores"])
    for i, row in enumerate(tile["scores"]):
        assert np.allclose(row, scores[tile["head"], i, : i + 1], rtol=0, atol=1e-4)
    assert np.allclose(tile["values"], v[tile["head"], : len(row)], rtol=0, atol=1e-4)
    assert np.allclose(last["values"], v[last["head"]], rtol=0, atol=1e-4)
    assert last["head"] == facts["overflow"]["probe_last_row"]["head"]
    assert max(last["scores"]) == facts["overflow"]["probe_last_row"]["largest_score"]
    counted = [sentence.rises(head[len(row) - 1, : len(row)]) for head in scores]
    assert counted[tile["head"]] == max(counted) > 0


def test_a_sentence_shorter_than_the_tile_is_shown_whole():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 3, 16)).astype(np.float32) for _ in range(3))
    found = sentence.compute(q, k, v, control_key_rows=8)
    assert [len(row) for row in found["first_tile"]["scores"]] == [1, 2, 3]
