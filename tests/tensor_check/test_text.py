"""The text of `fusedfacts check`: every figure within a terminal's width, and no head forgotten."""

import copy
import json

import pytest
from fusedfacts.documents import schema
from fusedfacts.judging.layout import N_MOST
from fusedfacts.tensor_check import text as check_text
from fusedfacts.tensor_check.document import HEADS_MOST
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


def repeated(document, number, output=None, kernel=None, **changes):
    """The same with so many heads, each like its first but for some fields."""
    head = document["heads"][0] | changes
    head["output"] = head["output"] | (output or {})
    head["kernel"] = head["kernel"] | (kernel or {})
    return document | {"heads": [copy.deepcopy(head) | {"head": i} for i in range(number)]}


def test_the_largest_figures_of_all_fit_a_terminal(document):
    place = {"row": N_MOST - 1, "column": 511}
    output = document["heads"][0]["output"]
    first = output["first_exceeding"]
    largest = output | {
        "elements": N_MOST * 512,
        "exceeding": N_MOST * 512,
        "largest_error": None,
        "first_exceeding": first | place | {"expected": -1.17549435e-38},
    }
    lse = largest | {"first_exceeding": largest["first_exceeding"] | {"column": None}}
    huge = repeated(
        document,
        HEADS_MOST,
        output=largest,
        lse=lse,
        certified=False,
        blind_rows=N_MOST,
        blind=["NaN", "the mean of V", "something else"],
        explained=[{"name": "the scale is 1 / sqrt(d + 1)", "largest_ratio": 0.123}],
        hidden=["the padding of the last tile of 16, 32, 64 or 128 keys is counted in the total"],
        kernel={
            "rises": PAIRS,
            "largest_score": -3.4028234663852886e38,
            "float32": {
                "scores_overflowing": PAIRS,
                "first_score": {"row": N_MOST - 1, "key": N_MOST - 1},
                "elements_overflowing": N_MOST * 128,
                "first_element": place,
            },
            "fp16": {
                "scores": PAIRS,
                "infinite_terms": PAIRS,
                "rows_with_infinite_term": N_MOST,
                "rows_overflowing_in_total_only": N_MOST,
            },
        },
    )
    sizes = {"heads": 4096, "kv_heads": 1024, "batch": 4096, "n_q": N_MOST, "n_k": N_MOST - 1}
    huge |= {
        "sizes": {**sizes, "layout": "bnhd", "d": 512, "d_v": 511},
        "stored": dict.fromkeys(["q", "k", "v", "o", "lse", "bias", "sink"], "bfloat16"),
        "causal": True,
        "align": "bottom-right",
        "window": [N_MOST, -1],
        "softcap": 0.11180339887498948,
        "scale": 0.11180339887498948,
        "unshown": ["scores", "rescale"],
    }
    for name in ("chosen", "other"):
        huge["kernel"][name] |= {
            "bytes_each_head": 5 * 10**12,
            "bytes": HEADS_MOST * 5 * 10**12,
            "times_compulsory": 12345.6789,
        }
    lines = text(huge)
    assert [line for line in lines if len(line) > WIDTH] == []
    assert len(lines) < 350


def test_of_more_heads_the_worst_are_shown_and_the_others_counted(document):
    wrong = document["heads"][0]
    many = repeated(document, 40, verdict="holds", output={"exceeding": 0, "first_exceeding": None})
    heads = many["heads"]
    for i, head in enumerate(heads):
        head["output"]["largest_ratio"] = (i + 1) / 1000
    heads[5] |= {"verdict": wrong["verdict"], "output": wrong["output"]}
    heads[6] |= {"verdict": "not certified", "certified": False}
    heads[7]["kernel"]["float32"] |= {
        "elements_overflowing": 1,
        "first_element": {"row": 0, "column": 0},
    }
    heads[8] |= {"verdict": "does not hold"}
    heads[8]["output"]["largest_ratio"] = None
    many["verdict"] = "does not hold"
    shown = [head["head"] for head in check_text.worst(heads)]
    assert shown == [5, 8, 6, 7, *range(39, 27, -1)]
    said = " ".join(line.strip() for line in text(many))
    assert "16 worst heads, worst first; of the 24 others 24 hold, largest ratio 2.80e-02;" in said
