import numpy as np
from fusedfacts.model import probe


def sentences(*late):
    """Sentences of two heads and six words; a head's largest score is at key 5 where late."""
    q = np.zeros((len(late), 2, 6, 16), np.float32)
    k = np.zeros_like(q)
    q[..., 0] = 4
    for s, heads in enumerate(late):
        for h, is_late in enumerate(heads):
            k[s, h, 5 if is_late else 0, 0] = 1
    return q, k


def test_the_first_sentence_that_is_late_on_every_head_is_picked():
    q, k = sentences((True, False), (False, False), (True, True), (True, True))
    assert probe.pick(q, k, 3) == 2


def test_a_late_maximum_lies_beyond_the_first_tile():
    scores = np.float32([[0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 0, 2]])
    assert probe.late_rise(scores, 2).tolist() == [False, False, True]
