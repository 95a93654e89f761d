import numpy as np
import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError


@pytest.mark.parametrize(
    "value",
    [
        *(np.float64(1), np.int64(1), np.bool_(True), float("nan"), float("inf")),
        *((1,), {1: 2}, b"x"),
    ],
    ids=repr,
)
def test_anything_but_exact_types_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        canonical_json.dumps([value])


def test_the_refusal_says_where():
    with pytest.raises(TypeError, match=r"\$\.a\[1\]: numpy.float64"):
        canonical_json.dumps({"a": [1, np.float64(1)]})


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[NaN]", "[Infinity]", "[1e999]", "[-1e400]", '{"a": 1, "a": 2}', "[" * 99999),
        *('["\\ud800"]', '{"\\udfff": 1}', "[" * 101 + "]" * 101, "7" * 101, "7" * 5000),
    ],
)
def test_loose_json_is_refused_with_its_name(text):
    with pytest.raises(FactsError, match=r"facts\.json: found text that is not strict JSON"):
        canonical_json.loads(text, "facts.json")


def test_limits_are_far_beyond_what_is_needed_and_still_let_in():
    for text in ("[" * 100 + "]" * 100, "7" * 100, "-" + "7" * 100, '"\\ud83d\\ude00"', "1e308"):
        canonical_json.loads(text, "facts.json")


def test_a_missing_or_binary_file_is_one_sentence(tmp_path):
    with pytest.raises(FactsError, match="not found; build it with `make facts`"):
        canonical_json.read(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    with pytest.raises(FactsError, match="cannot be read as UTF-8"):
        canonical_json.read(tmp_path / "x.json")
