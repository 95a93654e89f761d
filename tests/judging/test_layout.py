"""Which axis is what: read off the shapes where they leave no doubt, and asked for otherwise."""

import numpy as np
import pytest
from fusedfacts.errors import FactsError
from fusedfacts.judging.layout import Sizes, head_of, rows_of, sizes


@pytest.mark.parametrize(
    ("q", "k", "v", "layout"),
    [
        ((9, 64), (9, 64), (9, 64), "nd"),
        ((1, 80), (700, 80), (700, 40), "nd"),
        ((6, 9, 64), (2, 5, 64), (2, 5, 64), "hnd"),  # 5 heads cannot serve 9
        ((9, 6, 64), (5, 2, 64), (5, 2, 64), "nhd"),  # 5 heads cannot serve 9
        ((3, 4, 4, 16), (3, 4, 4, 16), (3, 4, 4, 16), "bhnd"),  # both readings have these sizes
    ],
)
def test_shapes_without_doubt_are_read(q, k, v, layout):
    assert sizes({"q": q, "k": k, "v": v}).layout == layout


def test_an_lse_or_a_mask_can_tell_heads_from_queries():
    alike = dict.fromkeys("qkv", (4, 100, 64))
    assert sizes({**alike, "lse": (4, 100)}).layout == "hnd"
    assert sizes({**alike, "lse": (100, 4)}).layout == "nhd"
    assert sizes({**alike, "mask": (100, 100)}).layout == "hnd"


def test_a_doubt_is_asked_for_and_never_guessed():
    alike = dict.fromkeys("qkv", (4, 100, 64))
    with pytest.raises(FactsError, match=r"may be .* say --layout hnd or --layout nhd$"):
        sizes(alike)
    for layout, heads in (("hnd", 4), ("nhd", 100)):
        assert sizes(alike, layout).heads == heads
    with pytest.raises(FactsError, match="expected hnd or nhd"):
        sizes(alike, "bhnd")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"q": (4,)}, "expected two to four axes"),
        ({"k": (9, 32)}, "k: found d 32 in shape"),
        ({"v": (8, 64)}, "v: found n_k 8"),
        ({"o": (9, 32)}, "o: found d_v 32"),
        ({"lse": (8,)}, "lse: found n_q 8"),
        ({"lse": (1, 9)}, "lse: found of shape"),
        ({"mask": (9, 8)}, "mask: found of shape"),
        ({"bias": (9,)}, "bias: found of shape"),
        ({"sink": (2,)}, "sink: found of shape"),
        ({"q": (9, 600), "k": (9, 600)}, "d: found 600"),
        ({"q": (0, 64)}, "n_q: found 0"),
    ],
)
def test_what_contradicts_itself_is_one_sentence(wrong, said):
    with pytest.raises(FactsError, match=said) as caught:
        sizes({**dict.fromkeys("qkv", (9, 64)), **wrong})
    assert "\n" not in str(caught.value)


def test_heads_of_k_serve_neighbours_of_q():
    of = Sizes("hnd", 1, 9, 3, 8, 8, 16, 16)
    assert [of.kv_head(h) for h in range(9)] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    with pytest.raises(FactsError, match="k: found 2 heads, expected a number that divides the 9"):
        sizes({"q": (9, 8, 16), "k": (2, 8, 16), "v": (2, 8, 16)}, "hnd")


def test_a_head_is_a_view_in_every_layout():
    x = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    head = x[1, 2]
    assert np.array_equal(head_of("q", x, "bhnd", 1, 2), head)
    assert np.array_equal(head_of("q", x.transpose(0, 2, 1, 3), "bnhd", 1, 2), head)
    assert np.array_equal(head_of("lse", x[..., 0], "bnhd", 1, 2), head[:, 0])
    assert head_of("sink", np.arange(3), "hnd", 0, 2) == 2
    assert np.shares_memory(head_of("q", x, "bhnd", 1, 2), x)


def test_rows_of_a_mask_are_views_spread_over_what_is_alike():
    x = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    for table, whole in (
        (x, x[1, 2]),
        (x[:1], x[0, 2]),
        (x[:, :1], x[1, 0]),
        (x[0, 0], x[0, 0]),
        (x[..., :1, :], np.broadcast_to(x[1, 2, :1], (4, 5))),
        (x[..., :1], np.broadcast_to(x[1, 2, :, :1], (4, 5))),
    ):
        rows = rows_of(table, 1, 2, 5)
        assert np.array_equal(rows(0, 4), whole)
        assert np.array_equal(rows(1, 3), whole[1:3])
        assert np.shares_memory(rows(1, 3), x)
