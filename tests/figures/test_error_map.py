"""The map of errors: a square for each tile that exceeds its bound, larger the more it does."""

import numpy as np
import pytest
from fusedfacts import error_map, judge
from fusedfacts.figures import error_map as module
from support import drawn

N, D = 200, 32
RNG = np.random.default_rng(5)
Q, K, V = (RNG.standard_normal((2, N, D)).astype(np.float32) for _ in "qkv")


def attention(weights=1.0):
    s = Q @ K.swapaxes(1, 2) * np.float32(D**-0.5)
    p = np.exp(s - s.max(axis=-1, keepdims=True)) * np.float32(weights)
    return (p @ V / p.sum(axis=-1, keepdims=True)).astype(np.float32)


def judged(answer, **options):
    return judge(Q, K, V, answer, layout="hnd", **options)


def exceeding(root):
    """Squares, but for those of the key."""
    return [
        drawn.boxes(group, "m0")[0]
        for group in drawn.having(root, "g", "exceeds")
        if drawn.boxes(group, "m0")[0][1] > 150
    ]


def test_a_square_stands_where_the_answer_exceeds_its_bound():
    answer = attention()
    answer[1, 16:24, 8:10] += 1
    answer[1, 100, 31] = np.nan
    found = judged(answer)
    root = drawn.parsed(error_map(found))
    tiles = found.heads[1].output.profile.tiles
    assert tiles.shape == (25, 32)
    assert int((tiles > 1).sum()) == 2 * 1 + 1
    # By columns, and once more by keys, to which nothing of an answer that is no number points.
    by_keys = found.heads[1].along
    assert len(exceeding(root)) == int((tiles > 1).sum()) + int((by_keys > 1).sum())
    assert root.find("desc").text.startswith("Head 1: does not hold, if fp32. 17 elements exceed")
    other = drawn.parsed(error_map(found, 0))
    assert exceeding(other) == []
    assert len(drawn.having(other, "circle", "within")) == tiles.size + 1


def test_a_wrong_key_tile_is_the_largest_of_its_row():
    weights = np.ones(N)
    weights[64:96] = 0.9  # four keys of sixteen in two tiles
    found = judged(attention(weights))
    by_keys = found.heads[0].along
    assert by_keys.shape == (25, 13)
    assert (np.sort(by_keys.argsort(axis=1)[:, -2:], axis=1) == [4, 5]).mean() > 0.9
    # As a ratio of sums it is no larger than the largest ratio of any element.
    assert by_keys.max() <= found.heads[0].output.largest_ratio * (1 + 1e-6)
    assert "keys to the right" in error_map(found)


def test_what_holds_has_dots_and_an_lse_one_column():
    s = Q @ K.swapaxes(1, 2) * np.float32(D**-0.5)
    lse = np.log(np.exp(s).sum(axis=-1)).astype(np.float32)
    found = judge(Q, K, V, attention(), lse, layout="hnd")
    root = drawn.parsed(error_map(found))
    assert exceeding(root) == []
    assert len(drawn.having(root, "circle", "within")) == 1 + 25 * 32 + 25
    assert "lse: rows downwards" in drawn.words(root)


def test_a_size_grows_with_the_ratio():
    sizes = [module.half_size(ratio, 1e6) for ratio in (0.5, 1, 10, 1e3, 1e6, 1e9)]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (module.LEAST, 1.0)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 512), (64, 16), (300, 100)])
def test_pictures_of_any_size_are_whole(n, d):
    q, k = RNG.standard_normal((2, n, 8), dtype=np.float32)
    v = RNG.standard_normal((n, d), dtype=np.float32)
    text = error_map(judge(q, k, v, np.zeros((n, d), np.float32)))
    assert text == error_map(judge(q, k, v, np.zeros((n, d), np.float32)))
    root = drawn.parsed(text)
    width, height = (float(number) for number in root.get("viewBox").split()[2:])
    for left, top, wide, high in drawn.boxes(root, "m0"):
        assert 0 <= left <= left + wide <= width
        assert 0 <= top <= top + high <= height
