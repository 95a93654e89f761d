"""`fusedfacts check`: files in, verdict out, and nothing written that was not asked for."""

import io
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from fusedfacts.attention import reference, traffic
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
from support.hostile_files import entry, raw

pytestmark = pytest.mark.usefixtures("folder")


def formula_bytes(kernel, n, d, causal):
    return traffic.total_bytes(METHODS[kernel].traffic(Problem(n, d, causal)))


@pytest.mark.parametrize(("kernel", "causal"), [("fused", True), ("unfused", False)])
def test_each_head_is_checked_by_itself(capsys, kernel, causal):
    options = ["--method", kernel, *(["--causal"] if causal else [])]
    together = document(capsys, "heads.safetensors", *options)
    whole = load_file("heads.safetensors")
    assert together["heads_in_file"]
    for i, head in enumerate(together["heads"]):
        save_file({name: x[i].copy() for name, x in whole.items()}, "one.safetensors")
        (alone,) = document(capsys, "one.safetensors", *options)["heads"]
        assert {**head, "head": 0} == alone
        assert head["bytes"] == formula_bytes(kernel, 24, 16, causal)


@pytest.mark.parametrize("kernel", ["fused", "unfused"])
def test_bytes_over_heads_are_the_formulas_of_both_kernels(capsys, kernel):
    moved = document(capsys, "heads.safetensors", "--method", kernel, "--causal")["moved"]
    assert moved["compulsory_bytes"] == 3 * 16 * 24 * 16
    for part, which in (("chosen", kernel), ("other", {"fused": "unfused"}.get(kernel, "fused"))):
        each = formula_bytes(which, 24, 16, True)
        ratio = rounding.decimals(Fraction(each, 16 * 24 * 16))
        assert list(moved[part].values()) == [3 * each, each, which, ratio]


def test_an_answer_computed_in_less_precision_exceeds_and_is_told_why(capsys):
    """Shares rounded to float16, as half-precision kernels do; o is stored in full."""
    right = load_file("right.safetensors")
    (block,) = reference.blocks(right["q"], right["k"], right["v"])
    answer = block.shares.astype(np.float16).astype(np.float64) @ right["v"].astype(np.float64)
    save_file({**right, "o": answer.astype(np.float32)}, "coarse.safetensors")
    assert document(capsys, "coarse.safetensors")["verdict"] == "does not hold"
    said = answered(capsys, "coarse.safetensors")[1]
    assert "float32 throughout: one computed in less precision exceeds it, rightly" in said


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
    assert head["exceeding"] == 2
    assert head["first_exceeding"]["found"] == named
    assert (head["largest_error"] is None) == (named is None)


def nearest_bfloat16(values):
    """The upper halves of float32 numbers, rounded to nearest, ties to even."""
    words = values.view(np.uint32)
    return ((words + 0x7FFF + ((words >> 16) & 1)) >> 16).astype("<u2")


@pytest.mark.parametrize(
    ("kind", "rounded"),
    [("F16", lambda o: o.astype("<f2").view("<u2")), ("BF16", nearest_bfloat16)],
)
def test_a_given_answer_of_two_bytes_gets_its_rounding_and_no_more(capsys, kind, rounded):
    right = load_file("right.safetensors")
    halves = rounded(right["o"])
    for name, values in (("stored", halves), ("next", halves + np.uint16(1))):
        header, data = {}, b""
        for tensor, x in {**right, "o": values}.items():
            stored, offsets = kind if tensor == "o" else "F32", (len(data), len(data) + x.nbytes)
            header[tensor], data = entry(stored, x.shape, offsets), data + x.tobytes()
        Path(f"{name}.safetensors").write_bytes(raw(header, data))
    found = document(capsys, "stored.safetensors")
    assert found["verdict"] == "holds"
    assert 0.5 < found["heads"][0]["largest_ratio"] <= 1
    assert document(capsys, "next.safetensors")["verdict"] == "does not hold"


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
    with redirect_stdout(io.StringIO()):
        assert main(["check", "in.safetensors", "--write", "out.safetensors", *options]) == 0
        output = load_file("out.safetensors")
        assert list(output) == ["o"]
        assert (output["o"].shape, output["o"].dtype) == (shape, np.float32)
        Path("back.safetensors").write_bytes(save({**given_tensors, **output}))
        assert main(["check", "back.safetensors", *options]) == 0
