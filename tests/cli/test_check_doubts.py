"""`fusedfacts check`: what contradicts itself or leaves a doubt is asked for in one sentence."""

from pathlib import Path

import numpy as np
import pytest
from support.asked import document, refused
from support.hostile_files import saved

pytestmark = pytest.mark.usefixtures("folder")


def sized(**shapes):
    """Write ones of these shapes, (2, 3, 9, 16) where none is said."""
    every = {**dict.fromkeys("qkvo", (2, 3, 9, 16)), **shapes}
    tensors = {name: np.ones(shape, np.float32) for name, shape in every.items() if shape}
    if "mask" in tensors:
        tensors["mask"] = tensors["mask"].astype(bool)
    Path("mine.safetensors").write_bytes(saved(tensors))


@pytest.mark.parametrize(
    ("shapes", "options", "says"),
    [
        ({}, "", "q of shape (2, 3, 9, 16) may be (heads, n, d) (bhnd) or (n, heads, d) (bnhd)"),
        ({"mask": (9, 8)}, "--layout bhnd", "mask: found of shape (9, 8), expected (2, 3, 9, 9)"),
        ({"bias": (9,)}, "--layout bhnd", "bias: found of shape (9)"),
        ({"sink": (2,)}, "--layout bhnd", "sink: found of shape (2), expected (3,), a score for"),
        (
            {"k": (3, 3, 9, 16)},
            "--layout bhnd",
            "k: found batch 3 in shape (3, 3, 9, 16), expected",
        ),
        ({"q": (3, 9, 16)}, "--layout bhnd", "layout: found bhnd for q of shape (3, 9, 16)"),
        ({"q": (3, 9, 16)}, "", "k: found of shape (2, 3, 9, 16), expected 3 axes"),
        ({"q": (1, 1, 1, 1, 1)}, "", "expected two to four axes"),
        ({"k": (2, 2, 9, 16), "v": (2, 2, 9, 16)}, "--layout bhnd", "k: found 2 heads, expected a"),
        ({"o": (2, 3, 9, 8)}, "--layout bhnd", "o: found d_v 8"),
        ({"lse": (2, 3, 8)}, "--layout bhnd", "lse: found n_q 8"),
        (
            {"q": (2, 3, 5, 16), "o": (2, 3, 5, 16)},
            "--layout bhnd --causal",
            "and no alignment, ex",
        ),
        (
            {"q": (2, 3, 5, 16), "o": (2, 3, 5, 16)},
            "--layout bhnd --window 3,0",
            "causal: found 5 queries and 9 keys and no alignment, expected top-left",
        ),
        ({}, "--layout bhnd --recipe fp8", "recipe: found 'fp8', expected one of fp64, fp32"),
        ({}, "--layout bhnd --recipe no.toml", "no.toml: cannot be read"),
        ({}, "--layout bhnd --softcap -1", "softcap: found -1.0, expected a finite number above 0"),
        ({}, "--layout bhnd --softcap nan", "softcap: found nan"),
        (
            {"q": (2, 3, 9, 80), "k": (2, 3, 9, 80)},
            "--layout bhnd --tile 8",
            "and --tile, expected",
        ),
        (
            {"mask": (9, 9)},
            "--layout bhnd --method fused",
            "found a mask, which our own kernels do",
        ),
        (
            {"o": None, "mask": (9, 9)},
            "--layout bhnd",
            "neither o nor lse, and a mask, which our own",
        ),
        (
            {"o": None, "v": (2, 3, 9, 32)},
            "--layout bhnd",
            "found neither o nor lse, and d 16 of keys and 32 of values, which our own",
        ),
        ({"o": None}, "--layout bhnd --recipe fp32", "found --recipe and neither o nor lse"),
        ({"o": None}, "--layout bhnd --hidden", "found --hidden and neither o nor lse"),
        (
            {},
            "--layout bhnd --causal top-left --align bottom-right",
            "align: found bottom-right with causal",
        ),
        ({}, "--layout bhnd --align top-left", "found top-left without window or causal"),
        ({}, "--layout bhnd --window 3", "--window: found 3 and nothing of keys after"),
        ({}, "--layout bhnd --causal --window 3,2", "found 2 keys after a query's position with"),
        ({}, "--window=-2,0", "argument --window: found '-2,0', expected LEFT or LEFT,RIGHT, each"),
        ({}, "--window 1,2,3", "argument --window: found '1,2,3'"),
        ({}, f"--window {10**29}", "argument --window: found '10000"),
        ({}, "--names query", "found 'query', expected q|k|v|o|lse|mask|bias|sink=NAME, with"),
        ({}, "--names q=a,q=b", "found 'q=b' twice"),
        ({}, "--names out=a", "found 'out=a', expected"),
        ({}, "--layout bhdn", "(did you mean bnhd or bhnd"),
        (
            {},
            "--names q=x",
            "found no tensor 'x', which --names says is q, expected one of 'k', 'o'",
        ),
        (
            dict.fromkeys("qkvo", (2, 2049, 1, 1)),
            "--layout bhnd",
            "heads: found 4098 of all entries",
        ),
    ],
)
def test_what_is_wrong_or_leaves_a_doubt_is_one_sentence(capsys, shapes, options, says):
    sized(**shapes)
    assert says in refused(capsys, "mine.safetensors", *options.split())


def test_nan_in_a_row_that_is_padding_is_named_by_its_place(capsys):
    tensors = {name: np.ones((2, 3, 9, 16), np.float32) for name in "qkvo"}
    tensors["k"][1, 1, 8, 0] = np.nan
    mask = np.broadcast_to(np.arange(9) < 8, (1, 9))
    Path("mine.safetensors").write_bytes(saved({**tensors, "mask": mask}))
    said = refused(capsys, "mine.safetensors", "--layout", "bhnd")
    assert "mine.safetensors: k: found NaN at [1, 1, 8, 0], counted from zero" in said
    assert "or leave out the rows that are padding" in said


def test_a_file_may_follow_a_causal_that_says_no_more(capsys):
    found = document(capsys, "--causal", "right.safetensors")
    assert found["causal"]
    assert found["align"] is None
    assert document(capsys, "--causal", "top-left", "right.safetensors")["align"] is None
    said = refused(capsys, "right.safetensors", "--causal", "topleft")
    assert "found 'topleft' after --causal (did you mean top-left?), expected top-left or" in said
