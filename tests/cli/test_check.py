"""`fusedfacts check`: files in, verdict out, and nothing written that was not asked for."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from fusedfacts.attention import reference, traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.cli import check
from fusedfacts.cli.main import main
from fusedfacts.device import selftest
from fusedfacts.device.run import served
from fusedfacts.documents import schema
from fusedfacts.emulator import launch
from fusedfacts.emulator.methods import METHODS
from fusedfacts.numerics import rounding
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save, save_file
from support import transcript_files
from support.common import bits, tensors
from support.hostile_files import entry, raw

KERNELS = ["fused", "unfused"]
FIELDS = {"largest_error", "bound_there", "largest_ratio"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Each test runs in a folder of its own, with the files of the transcripts."""
    transcript_files.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def formula_bytes(kernel, n, d, causal):
    return traffic.total_bytes(METHODS[kernel].traffic(Problem(n, d, causal)))


def answered(capsys, *words):
    code = main(["check", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def document(capsys, *words):
    code, out, err = answered(capsys, *words, "--json")
    assert err == ""
    found = json.loads(out)
    schema.validate(found, "check", " ".join(map(str, words)), "correct it")
    assert code == (0 if found["verdict"] == "holds" else 1)
    return found


def refused(capsys, *words):
    before = sorted(os.listdir())
    code, out, err = answered(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert sorted(os.listdir()) == before
    return err


@pytest.mark.parametrize(("kernel", "causal"), [("fused", True), ("unfused", False)])
def test_each_head_is_checked_by_itself(capsys, kernel, causal):
    options = ["--kernel", kernel, *(["--causal"] if causal else [])]
    together = document(capsys, "heads.safetensors", *options)
    whole = load_file("heads.safetensors")
    assert together["heads_in_file"]
    for i, head in enumerate(together["heads"]):
        save_file({name: x[i].copy() for name, x in whole.items()}, "one.safetensors")
        (alone,) = document(capsys, "one.safetensors", *options)["heads"]
        assert {**head, "head": 0} == alone
        assert head["bytes"] == formula_bytes(kernel, 24, 16, causal)


def test_float16_is_checked_as_its_float32_values(capsys):
    half = load_file("half.safetensors")
    save_file({name: x.astype(np.float32) for name, x in half.items()}, "full.safetensors")
    found, full = (document(capsys, f"{name}.safetensors") for name in ("half", "full"))
    assert found["heads"] == full["heads"]
    assert set(found["stored"].values()) == {"float16"}
    assert "widened" in answered(capsys, "half.safetensors")[1]
    assert "widened" not in answered(capsys, "full.safetensors")[1]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("name", "causal"), [("mine", False), ("layout", True)])
def test_bytes_over_heads_are_the_formulas_of_both_kernels(capsys, name, kernel, causal):
    options = ["--kernel", kernel, *(["--causal"] if causal else [])]
    found = document(capsys, f"{name}.safetensors", *options)
    n, d, heads, moved = found["n"], found["d"], len(found["heads"]), found["moved"]
    (other,) = {*KERNELS} - {kernel}
    assert moved["compulsory_bytes"] == heads * found["compulsory_bytes"] == 16 * n * d * heads
    assert moved["chosen"]["bytes"] == sum(head["bytes"] for head in found["heads"])
    for part, which in (("chosen", kernel), ("other", other)):
        each = formula_bytes(which, n, d, causal)
        ratio = rounding.decimals(Fraction(each, 16 * n * d))
        assert moved[part] == {
            "kernel": which,
            "bytes_each_head": each,
            "bytes": heads * each,
            "times_compulsory": ratio,
        }


def test_more_heads_than_words_are_noted_and_change_no_verdict(capsys):
    found = document(capsys, "layout.safetensors")
    assert found["verdict"] == "holds"
    assert found["notes"] == [
        "24 heads of 3 words: expected (heads, n, d); transpose if this is (n, heads, d)"
    ]
    layout = load_file("layout.safetensors")
    save_file(
        {name: x.transpose(1, 0, 2).copy() for name, x in layout.items()}, "turned.safetensors"
    )
    for name in ("turned", "heads", "mine"):
        assert document(capsys, f"{name}.safetensors")["notes"] == []


def test_an_answer_computed_in_less_precision_exceeds_and_is_told_why(capsys):
    """Shares rounded to float16, as half-precision kernels do; o is stored in full."""
    right = load_file("right.safetensors")
    (block,) = reference.blocks(right["q"], right["k"], right["v"])
    answer = block.shares.astype(np.float16).astype(np.float64) @ right["v"].astype(np.float64)
    save_file({**right, "o": answer.astype(np.float32)}, "coarse.safetensors")
    assert document(capsys, "coarse.safetensors")["verdict"] == "does not hold"
    said = answered(capsys, "coarse.safetensors")[1]
    assert "float32 throughout: one computed in less precision exceeds it, rightly" in said


def test_a_right_answer_of_the_other_order_is_judged_by_the_chosen_one(capsys):
    found = {
        kernel: document(capsys, "right.safetensors", "--kernel", kernel) for kernel in KERNELS
    }
    bounds = {kernel: one["heads"][0]["bound_there"] for kernel, one in found.items()}
    assert bounds["fused"] != bounds["unfused"]
    for kernel, one in found.items():
        assert (one["judged"], one["kernel"]) == ("given", kernel)
    assert (
        "by the bound of the unfused order"
        in (answered(capsys, "right.safetensors", "--kernel", "unfused")[1])
    )


def test_one_wrong_element_is_found_with_its_place(capsys):
    (head,) = document(capsys, "wrong.safetensors")["heads"]
    first = head["first_exceeding"]
    assert (head["exceeding"], first["row"], first["column"]) == (1, 17, 5)
    assert first["error"] > first["bound"]
    assert first["expected"] == pytest.approx(load_file("right.safetensors")["o"][17, 5], rel=1e-5)
    assert first["error"] == pytest.approx(first["found"] - first["expected"], rel=1e-2)
    assert head["verdict"] == "does not hold"


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


def with_stored_answer(name, kind, halves):
    """right.safetensors with its answer stored in two bytes a number."""
    right = load_file("right.safetensors")
    parts = {"q": right["q"], "k": right["k"], "v": right["v"], "o": halves}
    kinds = {"q": "F32", "k": "F32", "v": "F32", "o": kind}
    header, start = {}, 0
    for tensor, values in parts.items():
        offsets = (start, start + values.nbytes)
        header[tensor], start = entry(kinds[tensor], values.shape, offsets), offsets[1]
    data = b"".join(values.tobytes() for values in parts.values())
    Path(name).write_bytes(raw(header, data))


@pytest.mark.parametrize(
    ("kind", "rounded"),
    [("F16", lambda o: o.astype("<f2").view("<u2")), ("BF16", nearest_bfloat16)],
)
def test_a_given_answer_of_two_bytes_gets_its_rounding_and_no_more(capsys, kind, rounded):
    halves = rounded(load_file("right.safetensors")["o"])
    with_stored_answer("stored.safetensors", kind, halves)
    found = document(capsys, "stored.safetensors")
    name = {"F16": "float16", "BF16": "bfloat16"}[kind]
    assert (found["verdict"], found["stored"]["o"]) == ("holds", name)
    assert (
        f"wider by half a unit of {name}'s last place"
        in (answered(capsys, "stored.safetensors")[1])
    )
    assert 0.5 < found["heads"][0]["largest_ratio"] <= 1
    with_stored_answer("next.safetensors", kind, halves + np.uint16(1))
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


def test_the_written_answer_is_the_emulator_s_and_always_the_same_bytes(capsys, folder):
    for name in ("a", "b"):
        document(capsys, "heads.safetensors", "--write", f"new/{name}.safetensors", "--causal")
    whole, found = load_file("heads.safetensors"), load_file("new/a.safetensors")["o"]
    for i in range(3):
        wanted = launch.fused(*(whole[name][i] for name in "qkv"), causal=True).output
        assert np.array_equal(bits(found[i]), bits(wanted))
    assert Path("new/a.safetensors").read_bytes() == Path("new/b.safetensors").read_bytes()
    assert sorted(os.listdir("new")) == ["a.safetensors", "b.safetensors"]


def test_an_answer_that_overflows_is_written_as_it_is(capsys):
    found = document(capsys, "sums.safetensors", "--write", "answer.safetensors")
    assert found["verdict"] == "does not hold"
    assert not np.isfinite(load_file("answer.safetensors")["o"]).any()


@pytest.mark.parametrize(
    "name", ["nan", "names", "lengths", "grouped", "d48", "empty", "short", "text"]
)
def test_nothing_is_written_where_the_input_is_refused(capsys, name):
    refused(capsys, f"{name}.safetensors", "--write", "answer.safetensors")


def test_the_input_is_never_written_over(capsys, folder):
    before = Path("mine.safetensors").read_bytes()
    os.symlink("mine.safetensors", "link")
    os.link("mine.safetensors", "twin")
    for target in ("mine.safetensors", folder / "mine.safetensors", "link", "twin", "./link"):
        assert "found the input itself" in refused(capsys, "mine.safetensors", "--write", target)
    assert Path("mine.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("fifo", "found something that is no plain file"),
        ("there", "found something that is no plain file"),
        ("/dev/null", "found something that is no plain file"),
        ("mine.safetensors/x", "cannot be written (File exists)"),
        ("x" * 300, "cannot be written (File name too long)"),
    ],
)
def test_what_is_no_plain_file_is_not_replaced(capsys, target, says):
    os.mkfifo("fifo")
    os.mkdir("there")
    assert says in refused(capsys, "mine.safetensors", "--write", target)


@settings(max_examples=30)
@given(st.floats())
def test_any_scale_is_used_or_refused(scale):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["check", "heads.safetensors", f"--scale={scale!r}"])
    normal = 2.0**-126 <= scale <= float(np.finfo(np.float32).max)
    assert (code in (0, 1)) == normal
    assert bool(out.getvalue()) == normal
    assert err.getvalue().count("\n") == (0 if normal else 1)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tile", "0"], "--tile: found 0, expected 1 to 131072"),
        (["--tile", "131073"], "--tile: found 131073, expected 1 to 131072"),
        (["--tile", "4", "--kernel", "unfused"], "expected it to be left out"),
        (["--scale", "1e-39"], "scale: found 1e-39, expected a number from"),
        (["--scale", "wide"], "argument --scale: found 'wide', expected a number"),
        (["--kernel", "flash"], "flash"),
        (["--device", "no such device"], "no such device"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_options_are_refused_in_one_sentence(capsys, words, says, request):
    if "--device" in words:
        request.getfixturevalue("device")
    assert says in refused(capsys, "mine.safetensors", *words)


def test_a_name_that_would_break_the_line_does_not(capsys):
    assert "a\\nb: cannot be read" in refused(capsys, "a\nb")
    Path("c\nd").touch()
    said = refused(capsys, "mine.safetensors", "--write", "c\nd/x")
    assert "c\\nd/x: cannot be written (" in said


def test_a_refusal_as_json_is_the_same_sentence(capsys):
    code, out, err = answered(capsys, "names.safetensors", "--json")
    assert code == 2
    assert err == f"error: {json.loads(out)['error']}\n"


@pytest.mark.parametrize("way", KERNELS)
def test_a_device_s_own_answer_is_judged(capsys, subject, way, monkeypatch):
    # Its self-test takes some seconds, and is a subject's own.
    monkeypatch.setattr(selftest, "run", lambda device, ticks: subject.self_test)
    options = ["--causal", "--scale", "0.3"]
    on_device = ["--device", "any", "--write", "device.safetensors"]
    found = document(capsys, "half.safetensors", "--kernel", way, *options, *on_device)
    emulated = document(capsys, "half.safetensors", "--kernel", way, *options)
    assert (found["verdict"], found["device"]) == ("holds", subject.device.name)
    for ours, theirs in zip(found["heads"], emulated["heads"], strict=True):
        # The device's arithmetic is coarser, so its bound is wider; all else is the same.
        assert ours["bound_there"] > theirs["bound_there"]
        assert {k: x for k, x in ours.items() if k not in FIELDS} == {
            k: x for k, x in theirs.items() if k not in FIELDS
        }
    output = load_file("device.safetensors")["o"]
    q, k, v = (x.astype(np.float32) for x in (load_file("half.safetensors")[n] for n in "qkv"))
    if subject.bits:
        chosen = {"causal": True, "scale": 0.3}
        emulate = launch.fused if way == "fused" else launch.unfused
        for head in range(3):
            wanted = emulate(q[head], k[head], v[head], exponential=subject.exp, **chosen).output
            assert np.array_equal(bits(output[head]), bits(wanted))


@pytest.mark.usefixtures("device")
def test_what_a_device_s_kernel_does_not_serve_is_refused(capsys):
    longer = np.zeros((5793, 16), np.float16)
    save_file({"q": longer, "k": longer, "v": longer}, "long.safetensors")
    assert served(5792) != served(5793)
    said = refused(capsys, "long.safetensors", "--device", "any", "--kernel", "unfused")
    assert "n: found 5793, expected at most 5792" in said
    said = refused(capsys, "mine.safetensors", "--device", "any", "--tile", "17")
    assert "key_rows: found 17, expected 1 to 16" in said


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_is_shown_only_to_a_terminal_and_only_if_it_takes_long(capsys, monkeypatch):
    for limit, stream, shown in (
        (1, Terminal(), True),
        (check.LONG, Terminal(), False),
        (1, io.StringIO(), False),
    ):
        monkeypatch.setattr(check, "LONG", limit)
        monkeypatch.setattr(sys, "stderr", stream)
        assert main(["check", "heads.safetensors"]) == 0
        assert ("9/9" in stream.getvalue()) == shown
        assert stream.getvalue() == "" or shown


N_LONG = 4_000
GROWTH_MOST = 40 * 2**20  # bytes; one float32 table of that n alone takes 64,000,000
PEAK = """
import re, sys
from pathlib import Path
from fusedfacts.cli.main import main
for name in sys.argv[1:]:
    assert main(["check", name]) == 0
    status = Path("/proc/self/status").read_text()
    print(re.search(r"VmHWM:\\s+([0-9]+) kB", status)[1], file=sys.stderr)
"""


def test_memory_grows_with_n_and_not_with_its_square():
    q, k, v = tensors(N_LONG, 16)
    save_file({"q": q, "k": k, "v": v}, "long.safetensors")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, "mine.safetensors", "long.safetensors"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    short, long = (1024 * int(peak) for peak in done.stderr.split())
    assert long - short < GROWTH_MOST < 4 * N_LONG**2
