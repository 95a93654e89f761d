import math

import numpy as np
from fusedfacts.experiments import overflow
from fusedfacts.model.probe import causal_scores


def test_the_counts_are_those_of_a_loop_over_python_floats(qkv, facts):
    """math.exp on every score: the counts agree because no score lies at a threshold."""
    scores = causal_scores(qkv["held_out.q"], qkv["held_out.k"])
    seen = scores[np.isfinite(scores)]
    infinite = sum(1 for s in seen.tolist() if math.exp(s) >= 65520)
    between = sum(1 for s in seen.tolist() if 65504 <= math.exp(s) < 65520)
    found = facts["overflow"]["held_out"]
    assert (len(seen), infinite, between) == (
        found["scores"],
        found["infinite_terms"],
        found["above_largest_but_finite"],
    )
    rows = 0
    for row in scores.reshape(-1, 24):
        with np.errstate(over="ignore"):
            terms = [float(np.float16(math.exp(s))) for s in row[np.isfinite(row)].tolist()]
        rows += math.fsum(terms) >= 65520 and max(terms) < math.inf
    assert rows == found["rows_overflowing_in_total_only"]


def test_known_scores_give_known_counts():
    """Two heads, two words; the first head's last row is 12 and 11.0895, the second's 1 and 2."""
    q = np.zeros((2, 2, 16), np.float32)
    q[..., 0] = 4
    k = np.zeros_like(q)
    k[0, :, 0] = [12, 11.0895]
    k[1, :, 0] = [1, 2]
    found = overflow.compute(q, k, q[None], k[None])
    assert found["held_out"]["scores"] == 6
    assert found["held_out"]["infinite_terms"] == 2
    assert found["held_out"]["infinite_terms_per_head"] == [2, 0]
    assert found["held_out"]["rows_with_infinite_term"] == 2
    assert found["probe_last_row"] == {
        "largest_score": 12.0,
        "head": 0,
        "key": 0,
        "exp_in_fp16": None,
        "fits": False,
    }
