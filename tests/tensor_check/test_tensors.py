"""Q, K, V and O from a file: names, shapes and types as expected, values exact."""

import math
import re

import numpy as np
import pytest
from fusedfacts.attention.reference import attention
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check import tensors as reader
from safetensors.numpy import save
from support.common import bits, tensors


def written(folder, content):
    path = folder / "x.safetensors"
    path.write_bytes(save(content))
    return path


def named(q, k, v, **more):
    return {"q": q, "k": k, "v": v, **more}


def refusal(path):
    with pytest.raises(FactsError) as error, reader.opened(path) as found:
        found.check_finite()
    return str(error.value)


@pytest.mark.parametrize("heads", [(), (1,), (3,)])
def test_a_right_file_is_read_head_by_head(tmp_path, heads):
    given = [np.stack([x] * heads[0]) if heads else x for x in tensors(5, 32)]
    if heads:
        given = [x * np.arange(1, 1 + heads[0], dtype=np.float32)[:, None, None] for x in given]
    with reader.opened(written(tmp_path, named(*given))) as found:
        found.check_finite()
        assert (found.heads, found.n, found.d) == (heads[0] if heads else 1, 5, 32)
        assert found.shape == (*heads, 5, 32)
        for name, whole in zip("qkv", given, strict=True):
            for head in range(found.heads):
                wanted = whole[head] if heads else whole
                assert np.array_equal(bits(found.head(name, head)), bits(wanted))


def every_finite(stored):
    """All finite numbers of a type of two bytes, as their bits."""
    patterns = np.arange(2**16, dtype=np.uint32).astype("<u2")
    return patterns[np.isfinite(stored.widened(patterns.tobytes()))]


@pytest.mark.parametrize("stored", [reader.FLOAT16, reader.BFLOAT16])
def test_every_number_of_two_bytes_is_widened_exactly(stored):
    """Against the value that its sign, exponent and digits spell out."""
    patterns = every_finite(stored)
    digits = stored.digits
    fraction = (patterns & ((1 << digits) - 1)).astype(np.float64) / 2.0**digits
    exponent = (patterns.astype(np.int64) >> digits) & ((1 << (15 - digits)) - 1)
    bias = 1 - stored.least_exponent
    size = np.where(
        exponent == 0,
        fraction * 2.0**stored.least_exponent,
        (1 + fraction) * 2.0 ** np.maximum(exponent - bias, stored.least_exponent),
    )
    wanted = np.where(patterns >> 15, -size, size)
    found = stored.widened(patterns.tobytes())
    assert found.dtype == np.float32
    assert np.array_equal(found.astype(np.float64), wanted)


@pytest.mark.parametrize("stored", [reader.FLOAT16, reader.BFLOAT16])
def test_half_a_unit_reaches_half_way_to_the_next_number(stored):
    patterns = every_finite(stored)
    positive = np.sort(stored.widened(patterns[patterns < 2**15].tobytes()).astype(np.float64))
    gaps = np.diff(positive)
    half = stored.half_unit(positive.astype(np.float32))
    assert np.array_equal(half[:-1], gaps / 2)
    assert np.array_equal(half, stored.half_unit(-positive.astype(np.float32)))


def large(*shape):
    return np.zeros(shape, np.float16)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: {**t, "k": t["k"][:-1]}, r"k found of shape \(3, 16\), expected \(4, 16\)"),
        (lambda t: {**t, "v": t["v"][:, :8]}, r"v found of shape \(4, 8\), expected \(4, 16\)"),
        (lambda t: {n: x[0] for n, x in t.items()}, r"found of shape \(16\), expected \(n, d\)"),
        (lambda t: {n: x[None, None] for n, x in t.items()}, r"found of shape \(1, 1, 4, 16\)"),
        (lambda t: {n: x[:0] for n, x in t.items()}, "n found 0, expected 1 to 131072"),
        (lambda t: {n: x[None][:0] for n, x in t.items()}, "heads found 0, expected 1 to 1024"),
        (lambda t: {n: x[:, :0] for n, x in t.items()}, "d found 0, expected one of 16, 32, 64"),
        (lambda t: {**t, "q": t["q"].astype(np.float64)}, "q found as F64, expected F32, F16 or"),
        (lambda t: dict.fromkeys(t, large(1025, 1, 16)), "heads found 1025, expected 1 to 1024"),
        (lambda t: dict.fromkeys(t, large(2**17 + 1, 16)), "n found 131073, expected 1 to 131072"),
        (lambda t: {"out": t["q"], "k": t["k"]}, "found no q, v and unknown tensors 'out'"),
    ],
)
def test_other_names_shapes_and_types_are_refused(tmp_path, change, says):
    path = written(tmp_path, change(named(*(x.copy() for x in tensors(4, 16)))))
    with pytest.raises(FactsError, match=says):
        reader.opened(path).__enter__()


def test_a_batch_is_told_both_orders_of_axes_and_each_is_saved_rightly(tmp_path):
    """What the sentence says of either reading gives the attention of that reading."""
    heads_first = tensors(9, 16)
    for order in (("batch", "heads", "n", "d"), ("batch", "n", "heads", "d")):
        batch = [np.stack([x, x + 1, x - 1])[None] for x in heads_first]  # (1, 3, 9, 16)
        if order[1] == "n":
            batch = [np.ascontiguousarray(x.swapaxes(1, 2)) for x in batch]
        said = refusal(written(tmp_path, named(*batch)))
        assert "a shape does not tell the order of axes" in said
        saved = [x[0] if order[1] == "heads" else x[0].swapaxes(0, 1) for x in batch]
        assert "of (batch, heads, n, d) save np.ascontiguousarray(q[0])," in said
        assert "of (batch, n, heads, d) np.ascontiguousarray(q[0].swapaxes(0, 1))," in said
        path = written(tmp_path, named(*map(np.ascontiguousarray, saved)))
        with reader.opened(path) as found:
            assert found.shape == (3, 9, 16)
            assert np.array_equal(found.head("k", 0), heads_first[1])


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ({"k": (2, 9, 16), "v": (2, 9, 16)}, "share head 0 of k, and so on, save np.repeat(k, 4,"),
        ({"k": (1, 9, 16), "v": (1, 9, 16)}, "share one, save np.repeat(k, 8, axis=0), and v"),
        ({"k": (9, 16), "v": (9, 16)}, "share one, save np.repeat(k[None], 8, axis=0)"),
        ({"k": (3, 9, 16)}, "save as many heads of k and v as of q"),
        ({"q": (8, 1, 16)}, "(decode, cross attention) are not judged yet"),
        ({"v": (8, 9, 32)}, "of different head dimensions are not judged yet"),
        ({"q": (9, 192), "k": (9, 192), "v": (9, 192)}, "a larger one is not judged yet; where"),
        (dict.fromkeys("qkv", (2, 9, 256)), "a larger one is not judged yet"),
        (dict.fromkeys("qkv", (1, 2, 3, 9, 16)), "save one layer of one entry of the batch"),
        ({"o": (9, 8, 16)}, "save an answer to each query, with the axes in q's order"),
    ],
)
def test_what_is_not_judged_yet_is_said_so_and_no_way_leads_nowhere(tmp_path, shapes, says):
    wanted = dict.fromkeys("qkv", (8, 9, 16)) | shapes
    given = {name: np.zeros(shape, np.float32) for name, shape in wanted.items()}
    said = refusal(written(tmp_path, given))
    assert says in said
    assert "reshape it" not in said


def test_float64_is_not_judged_yet(tmp_path):
    said = refusal(written(tmp_path, named(*(x.astype(np.float64) for x in tensors(4, 16)))))
    assert "not judged yet: save np.ascontiguousarray(q, dtype=np.float32), and an o that" in said


@pytest.mark.parametrize("d", [1, 17, 80, 127])
def test_another_head_dimension_is_mended_as_the_message_says(tmp_path, d):
    """Padded with zeros and with the scale of its own d, the exact answer is the same."""
    given = tensors(6, d)
    said = refusal(written(tmp_path, named(*given)))
    wide, scale = re.search(r"zeros to d (\d+) and give --scale ([^ ,]+), 1 / sqrt", said).groups()
    assert float(scale) == 1 / math.sqrt(d)
    padded = [np.pad(x, ((0, 0), (0, int(wide) - d))) for x in given]
    with reader.opened(written(tmp_path, named(*padded))) as found:
        assert found.d == int(wide)
    answer = attention(*padded, scale=float(scale))
    assert np.array_equal(answer[:, d:], np.zeros((6, int(wide) - d)))
    assert np.allclose(answer[:, :d], attention(*given), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("name", "value"), [("q", np.nan), ("k", np.inf), ("v", -np.inf)])
def test_what_is_not_finite_is_refused_with_its_place(tmp_path, name, value):
    given = named(*(np.stack([x, x]) for x in tensors(4, 16)))
    given[name][1, 2, 3:5] = value
    word = "NaN" if np.isnan(value) else "infinity"
    expected = f"{name} holds {word} at head 1, row 2, column 3, counted from zero"
    assert expected in refusal(written(tmp_path, given))


def test_a_given_answer_may_hold_anything(tmp_path):
    q, k, v = tensors(4, 16)
    with reader.opened(written(tmp_path, named(q, k, v, o=q * np.float32(np.nan)))) as found:
        found.check_finite()
        assert np.isnan(found.head("o", 0)).all()
