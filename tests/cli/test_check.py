"""`fusedfacts check`: files in, verdict out, and nothing written that was not asked for."""

import io
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.cli.main import main
from fusedfacts.emulator.methods import METHODS
from fusedfacts.numerics import rounding
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save, save_file
from support import transcript_files
from support.asked import answered, document
from support.common import tensors

pytestmark = pytest.mark.usefixtures("folder")
HEADS = ["--layout", "hnd"]  # as the shapes of heads.safetensors leave open


def formula_bytes(kernel, n, d, causal):
    return traffic.total_bytes(METHODS[kernel].traffic(Problem(n, d, causal)))


@pytest.mark.parametrize(("kernel", "causal"), [("fused", True), ("unfused", False)])
def test_each_head_is_checked_by_itself(capsys, kernel, causal):
    options = ["--method", kernel, *(["--causal"] if causal else [])]
    together = document(capsys, "heads.safetensors", *options, *HEADS)
    whole = load_file("heads.safetensors")
    assert together["sizes"]["heads"] == 3
    for i, head in enumerate(together["heads"]):
        save_file({name: x[i].copy() for name, x in whole.items()}, "one.safetensors")
        (alone,) = document(capsys, "one.safetensors", *options)["heads"]
        assert {**head, "head": 0} == alone
        assert head["kernel"]["bytes"] == formula_bytes(kernel, 24, 16, causal)


@pytest.mark.parametrize("kernel", ["fused", "unfused"])
def test_bytes_over_heads_are_the_formulas_of_both_kernels(capsys, kernel):
    moved = document(capsys, "heads.safetensors", "--method", kernel, "--causal", *HEADS)["kernel"]
    assert moved["compulsory_bytes"] == 3 * 16 * 24 * 16
    for part, which in (("chosen", kernel), ("other", {"fused": "unfused"}.get(kernel, "fused"))):
        each = formula_bytes(which, 24, 16, True)
        ratio = rounding.decimals(Fraction(each, 16 * 24 * 16))
        assert list(moved[part].values()) == [3 * each, each, which, ratio]


def test_an_answer_that_its_writer_scrambled_is_told_how_to_save_it(capsys):
    """safetensors' writer takes a transposed array's memory as it lies: most of it is wrong."""
    right = load_file("right.safetensors")
    save_file({**right, "o": np.asfortranarray(right["o"])}, "scrambled.safetensors")
    found = document(capsys, "scrambled.safetensors")
    if found["verdict"] == "holds":
        return  # a release that mends the writer
    said = answered(capsys, "scrambled.safetensors")[1]
    assert "save np.ascontiguousarray(o)" in " ".join(said.split())
    assert "ascontiguousarray" not in answered(capsys, "wrong.safetensors")[1]


@pytest.mark.parametrize(("value", "named"), [(np.nan, None), (np.inf, None), (7.0, 7.0)])
def test_elements_of_a_given_answer_that_are_not_finite_exceed(capsys, value, named):
    right = load_file("right.safetensors")
    save_file(transcript_files.changed(right, "o", (3, slice(4, 6)), value), "other.safetensors")
    (head,) = document(capsys, "other.safetensors")["heads"]
    assert head["output"]["exceeding"] == 2
    assert head["output"]["first_exceeding"]["found"] == named
    assert (head["output"]["largest_error"] is None) == (named is None)


@settings(max_examples=25)
@given(
    st.integers(1, 40),
    st.sampled_from([16, 32, 64, 128]),
    st.integers(0, 3),
    st.booleans(),
    st.one_of(st.none(), st.integers(1, 50)),
    st.sampled_from([np.float32, np.float16]),
)
def test_any_right_file_holds_and_its_written_answer_holds_too(n, d, heads, causal, tile, kind):
    shape = (heads, n, d) if heads else (n, d)
    given_tensors = {
        name: np.resize(x, shape).astype(kind)
        for name, x in zip("qkv", tensors(n * max(heads, 1), d), strict=True)
    }
    Path("in.safetensors").write_bytes(save(given_tensors))
    options = [*(["--causal"] if causal else []), *(["--tile", str(tile)] if tile else [])]
    options += HEADS if heads else []
    with redirect_stdout(io.StringIO()) as said:
        assert main(["check", "in.safetensors", "--write", "out.safetensors", *options]) == 0
        output = load_file("out.safetensors")
        assert list(output) == ["o"]
        assert (output["o"].shape, output["o"].dtype) == (shape, np.float32)
        Path("back.safetensors").write_bytes(save({**given_tensors, **output}))
        main(["check", "back.safetensors", *options])
    # On few keys no mistake might show; but what is right exceeds nothing.
    assert said.getvalue().splitlines()[-1].startswith(("holds: all", "cannot show: all"))
