"""The text of `fusedfacts check`: every figure within a terminal's width, and no head forgotten."""

import copy
import json

import pytest
from fusedfacts.documents import schema
from fusedfacts.tensor_check import text as check_text
from fusedfacts.tensor_check.header import HEADS_MOST, N_MOST
from fusedfacts.terminal import WIDTH
from support import transcripts

PAIRS = N_MOST**2


@pytest.fixture
def document():
    """One wrong element in one head, as the transcript has it."""
    text = (transcripts.FOLDER / "check_json.txt").read_text(encoding="utf-8")
    _, said = text.split("$ fusedfacts check wrong.safetensors --json\n")
    return json.JSONDecoder().raw_decode(said)[0]


def text(document):
    schema.validate(document, "check", "a document", "correct it")
    return check_text.lines(document)


def repeated(document, number, **changes):
    """The same with so many heads, each like its first but for some fields."""
    head = document["heads"][0] | changes
    heads = [copy.deepcopy(head) | {"head": i} for i in range(number)]
    return document | {"heads": heads, "heads_in_file": True}


def test_the_largest_figures_of_all_fit_a_terminal(document):
    head = document["heads"][0]
    place = {"row": N_MOST - 1, "column": 127}
    huge = repeated(
        document,
        HEADS_MOST,
        certified=False,
        elements=N_MOST * 128,
        exceeding=N_MOST * 128,
        first_exceeding=head["first_exceeding"] | place | {"expected": -1.17549435e-38},
        rises=PAIRS,
        largest_score=-3.4028234663852886e38,
        float32={
            "scores_overflowing": PAIRS,
            "first_score": {"row": N_MOST - 1, "key": N_MOST - 1},
            "elements_overflowing": N_MOST * 128,
            "first_element": place,
        },
        fp16={
            "scores": PAIRS,
            "infinite_terms": PAIRS,
            "rows_with_infinite_term": N_MOST,
            "rows_overflowing_in_total_only": N_MOST,
        },
    ) | {
        "n": N_MOST,
        "d": 128,
        "scale": 0.11180339887498948,
        "key_rows": N_MOST,
        "stored": {"q": "float16", "k": "bfloat16", "v": "float16", "o": "bfloat16"},
        "notes": ["1,024 heads of 1,023 words: expected (heads, n, d); transpose if this is so"],
    }
    for name in ("chosen", "other"):
        huge["moved"][name] |= {
            "bytes_each_head": 5 * 10**12,
            "bytes": HEADS_MOST * 5 * 10**12,
            "times_compulsory": 12345.6789,
        }
    lines = text(huge)
    assert [line for line in lines if len(line) > WIDTH] == []
    assert len(lines) < 250


def test_of_more_heads_the_worst_are_shown_and_the_others_counted(document):
    quiet = {"verdict": "holds", "exceeding": 0, "first_exceeding": None}
    many = repeated(document, 40, **quiet)
    heads = many["heads"]
    for i, head in enumerate(heads):
        head["largest_ratio"] = (i + 1) / 1000
    wrong = document["heads"][0]
    heads[5] |= {key: wrong[key] for key in ("verdict", "exceeding", "first_exceeding")}
    heads[6] |= {"verdict": "not certified", "certified": False}
    heads[7]["float32"] |= {"elements_overflowing": 1, "first_element": {"row": 0, "column": 0}}
    heads[8] |= {"verdict": "does not hold", "largest_ratio": None}
    many["verdict"] = "does not hold"
    shown = [head["head"] for head in check_text.worst(heads)]
    assert shown == [5, 8, 6, 7, *range(39, 27, -1)]
    said = " ".join(line.strip() for line in text(many))
    assert "16 worst heads, worst first; of the 24 others 24 hold, largest ratio 2.80e-02;" in said
