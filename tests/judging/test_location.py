"""Where an answer that has no name does not hold: rows, columns, heads, keys, and growth."""

import numpy as np
import pytest
from fusedfacts.judging.accuracy import Accuracy, Profile, tile_of
from fusedfacts.judging.api import judge
from fusedfacts.judging.location import COLUMN, HEAD, ROW, described, location
from hypothesis import given
from hypothesis import strategies as st

N, D = 256, 32
RNG = np.random.default_rng(5)
Q, K, V = (RNG.standard_normal((2, N, D)).astype(np.float32) for _ in "qkv")
CAUSAL = np.tril(np.ones((N, N), bool))


def attention(weights=1.0):
    s = np.where(CAUSAL, Q @ K.swapaxes(1, 2) * np.float32(D**-0.5), np.float32(-np.inf))
    p = np.exp(s - s.max(axis=-1, keepdims=True)) * np.float32(weights)
    return (p @ V / p.sum(axis=-1, keepdims=True)).astype(np.float32)


RIGHT = attention()


def changed(head, rows, columns, by):
    answer = RIGHT.copy()
    answer[head, rows, columns] = by(answer[head, rows, columns])
    return answer


def said(answer):
    return str(judge(Q, K, V, answer, layout="hnd", causal=True))


ALL = slice(None)
GROWING = (np.arange(N)[:, None] / 1000 + 1).astype(np.float32)
CASES = {
    "the last rows": (
        changed(1, slice(-7, None), ALL, lambda x: x + 1),
        "it does not hold on head 1 alone, of 2 heads\non head 1 o exceeds its bound in only the"
        " last 7 rows, which are all that see more than 249 keys, in every column",
    ),
    "some columns": (
        changed(0, ALL, slice(16, 32), lambda x: x * 2),
        "in every row, in columns 16 to 31; relative to each row's largest value the error is about"
        " the same on all of them, ",
    ),
    "after a tile": (
        changed(ALL, slice(128, N), ALL, lambda x: x * np.float32(1.1)),
        "o exceeds its bound in rows 128 to 255, which are all that see more than 128 keys, in"
        " every column; relative to each row's largest value the error is about the same on all of"
        " them, 0.1",
    ),
    "growing": (
        changed(ALL, slice(0, N), ALL, lambda x: x * GROWING),
        "the error grows with the number of keys seen, from about 0.03",
    ),
    "a row of each tile": (
        changed(1, slice(63, None, 64), ALL, lambda x: x * np.float32(np.nan)),
        "on head 1 o exceeds its bound in the last row of each 64, in every column",
    ),
    "one element": (changed(0, 9, 3, lambda x: x + 1), "in row 9 alone, in column 3 alone"),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_columns_heads_and_growth_are_told(case):
    answer, words = CASES[case]
    text = said(answer)
    assert text.startswith("does not hold")
    assert words in text
    assert "errors point to" not in text


@pytest.mark.parametrize(("times", "words"), [(0, "0 times"), (2, "2 times"), (0.5, "0.5 times")])
def test_a_key_tile_that_counts_too_little_or_too_often_is_blamed(times, words):
    weights = np.ones(N)
    weights[64:128] = times
    text = said(attention(weights))
    blame = "its errors point to key tile 2 of 64 keys alone (keys 64 to 127), as if those counted"
    assert f"{blame} {words}" in text


def test_how_often_a_tile_s_keys_count_is_said_only_where_all_rows_agree():
    weights = np.where(np.arange(N) // 64 == 1, 2 + np.arange(N)[:, None] % 2, 1.0)
    text = said(attention(weights))
    assert "its errors point to key tile 2 of 64 keys alone (keys 64 to 127)" in text
    assert "as if" not in text


def test_no_number_is_within_a_bound_that_is_none():
    found, one = Accuracy(), np.ones((1, 1))
    for answer, bound in ((one, one * np.nan), (one * np.nan, one), (one * np.inf, one * np.inf)):
        found.add(answer, one, bound, np.array([0]))
    assert found.exceeding == found.elements == 3


def test_the_tile_of_each_row_s_own_position_is_blamed():
    own = (np.arange(N)[:, None] // 32 == np.arange(N) // 32) & CAUSAL
    text = said(attention(np.where(own, 0.5, 1.0)))
    assert "its errors point to the last tile of 32 keys that each row sees" in text


def test_what_has_a_name_is_told_by_its_name_alone():
    whole = Q @ K.swapaxes(1, 2) * np.float32(D**-0.5)
    p = np.exp(whole - whole.max(axis=-1, keepdims=True))
    text = said(p @ V / p.sum(axis=-1, keepdims=True))
    assert "it holds if the causal mask is left out" in text
    assert "exceeds its bound in" not in text


def test_an_lse_has_rows_alone():
    s = np.where(CAUSAL, Q @ K.swapaxes(1, 2) * np.float32(D**-0.5), -np.inf)
    lse = np.log(np.exp(s).sum(axis=-1)).astype(np.float32)
    lse[0, 100:] += 1
    text = str(judge(Q, K, V, lse=lse, layout="hnd", causal=True))
    assert "on head 0 lse exceeds its bound in rows 100 to 255, which are all that see" in text
    assert "column" not in text


@pytest.mark.parametrize(
    ("bad", "noun", "words"),
    [
        ([1, 1, 1], ROW, "every row"),
        ([0, 0, 1, 0], HEAD, "head 2 alone"),
        ([1, 1, 0, 0, 0], COLUMN, "only the first 2 columns"),
        ([0, 1, 1, 0, 0], COLUMN, "columns 1 to 2"),
        ([1, 0, 1, 0, 1, 0], ROW, "the first row of each 2"),
        ([0, 1, 0, 0] * 3, ROW, "every row whose number leaves 1 when divided by 4"),
        ([0, 1, 1, 0, 1], ROW, "3 of 5 rows, from 1 to 4"),
    ],
)
def test_sets_are_told_as_they_lie(bad, noun, words):
    assert described(np.array(bad, bool), noun) == words


def test_rows_that_are_not_judged_are_no_part_of_it():
    found = Profile(6, 2)
    found.add(np.full((3, 2), 5.0), np.ones(3), np.array([2, 3, 4]))
    assert (
        location(found, np.full(6, 9), "o") == "o exceeds its bound in every row, in every column"
    )


@given(st.integers(1, 2**17), st.sampled_from([1, 16]))
def test_tiles_are_few(size, least):
    tile = tile_of(size, least)
    assert tile >= least
    assert -(-size // tile) <= 32


def test_a_profile_is_the_same_whatever_the_blocks():
    ratio, relative = RNG.random((70, 100)), RNG.random(70)
    whole, parts = Profile(70, 100), Profile(70, 100)
    rows = np.arange(70)
    whole.add(ratio, relative, rows)
    for part in np.array_split(rows, 9):
        parts.add(ratio[part], relative[part], part)
    for name in ("rows", "relative", "columns", "tiles"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
    assert whole.tiles.shape == (18, 25)
    assert whole.tiles[2, 3] == ratio[8:12, 12:16].max()


def test_what_is_finite_stays_so():
    """An error beside a bound of nearly nothing is no infinity, which would be no number."""
    found = Profile(1, 2)
    found.add(np.array([[1e41, 2.0]]), np.array([1e41]), np.array([0]))
    assert np.isfinite([*found.rows, *found.columns, *found.tiles[0]]).all()
