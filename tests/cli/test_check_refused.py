"""`fusedfacts check`: what it writes, what it refuses, a device, a terminal, memory."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fusedfacts import terminal
from fusedfacts.attention.reference import attention
from fusedfacts.cli.main import main
from fusedfacts.device import selftest
from fusedfacts.device.run import served
from fusedfacts.emulator import execute
from safetensors.numpy import load_file, save_file
from support.asked import answered, document, refused
from support.common import bits, tensors

pytestmark = pytest.mark.usefixtures("folder")
KERNELS = ["fused", "unfused"]
HEADS = ["--layout", "hnd"]  # as the shapes of heads.safetensors leave open


def test_the_written_answer_is_the_emulator_s_and_always_the_same_bytes(capsys, folder):
    Path("new").mkdir()
    for name in ("a", "b"):
        written = ["--write", f"new/{name}.safetensors"]
        document(capsys, "heads.safetensors", *written, "--causal", *HEADS)
    whole, found = load_file("heads.safetensors"), load_file("new/a.safetensors")["o"]
    for i in range(3):
        wanted = execute.fused(*(whole[name][i] for name in "qkv"), causal=True).output
        assert np.array_equal(bits(found[i]), bits(wanted))
    assert Path("new/a.safetensors").read_bytes() == Path("new/b.safetensors").read_bytes()
    assert sorted(os.listdir("new")) == ["a.safetensors", "b.safetensors"]


def test_a_written_answer_has_the_axes_of_its_queries_and_its_heads_share_keys(capsys):
    """Six heads of (n, heads, d), of which neighbours share those of k and v."""
    whole = load_file("grouped.safetensors")
    turned = {name: np.ascontiguousarray(x.swapaxes(0, 1)) for name, x in whole.items()}
    save_file(turned, "turned.safetensors")
    found = document(capsys, "turned.safetensors", "--layout", "nhd", "--write", "o.safetensors")
    assert [found["sizes"][name] for name in ("heads", "kv_heads", "n_q")] == [6, 3, 24]
    output = load_file("o.safetensors")["o"]
    assert output.shape == turned["q"].shape
    for head in range(6):
        q, k, v = whole["q"][head], whole["k"][head // 2], whole["v"][head // 2]
        assert np.array_equal(bits(output[:, head].copy()), bits(execute.fused(q, k, v).output))


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("nan", HEADS, "v: found NaN at [1, 2, 3]"),
        ("names", [], "found no q and unknown tensors 'query'"),
        ("lengths", [], "v: found n_k 100"),
        ("d48", [], "found neither o nor lse, and d 48"),
        ("short", [], "found no safetensors file"),
    ],
)
def test_nothing_is_written_where_the_input_is_refused(capsys, name, options, says):
    said = refused(capsys, f"{name}.safetensors", "--write", "answer.safetensors", *options)
    assert says in said


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
        ("mine.safetensors/x", "as mine.safetensors is not found or no folder"),
        ("none/x", "as none is not found or no folder, expected one that is there; make it"),
    ],
)
def test_what_is_no_plain_file_is_not_replaced(capsys, target, says):
    os.mkfifo("fifo")
    assert says in refused(capsys, "mine.safetensors", "--write", target)


def test_a_name_that_would_break_the_line_does_not(capsys):
    assert "a\\nb: cannot be read" in refused(capsys, "a\nb")
    assert "\\udcff: cannot be read" in refused(capsys, os.fsdecode(b"\xff"))
    Path("c\nd").touch()
    said = refused(capsys, "mine.safetensors", "--write", "c\nd/x")
    assert "c\\nd/x: cannot be written, as c\\nd is no" in said


def test_a_refusal_as_json_is_the_same_sentence(capsys):
    code, out, err = answered(capsys, "names.safetensors", "--json")
    assert code == 2
    assert err == f"error: {json.loads(out)['error']}\n"


@pytest.mark.parametrize("way", KERNELS)
def test_a_device_s_own_answer_is_judged(capsys, measured, way, monkeypatch):
    # Its self-test takes some seconds, and is measured once.
    monkeypatch.setattr(selftest, "run", lambda device, ticks: measured.self_test)
    options = ["--causal", "--scale", "0.3", *HEADS]
    on_device = ["--device", "any", "--write", "device.safetensors"]
    found = document(capsys, "half.safetensors", "--method", way, *options, *on_device)
    emulated = document(capsys, "half.safetensors", "--method", way, *options)
    assert (found["verdict"], found["kernel"]["device"]) == ("holds", measured.device.name)
    for ours, theirs in zip(found["heads"], emulated["heads"], strict=True):
        # The device's arithmetic is coarser, so its bound is wider; all else is the same.
        assert ours["output"]["bound_there"] > theirs["output"]["bound_there"]
        assert {k: x for k, x in ours.items() if k != "output"} == {
            k: x for k, x in theirs.items() if k != "output"
        }
    output = load_file("device.safetensors")["o"]
    q, k, v = (x.astype(np.float32) for x in (load_file("half.safetensors")[n] for n in "qkv"))
    if measured.bits:
        chosen = {"causal": True, "scale": 0.3}
        emulate = execute.fused if way == "fused" else execute.unfused
        for head in range(3):
            wanted = emulate(q[head], k[head], v[head], exponential=measured.exp, **chosen).output
            assert np.array_equal(bits(output[head]), bits(wanted))


@pytest.mark.usefixtures("device")
def test_what_a_device_s_kernel_does_not_serve_is_refused(capsys):
    longer = np.zeros((5793, 16), np.float16)
    save_file({"q": longer, "k": longer, "v": longer}, "long.safetensors")
    assert served(5792) != served(5793)
    said = refused(capsys, "long.safetensors", "--device", "any", "--method", "unfused")
    assert "n: found 5793, expected at most 5792" in said
    assert "no such one" in refused(capsys, "mine.safetensors", "--device", "no such one")
    said = refused(capsys, "mine.safetensors", "--device", "any", "--tile", "17")
    assert "key_rows: found 17, expected 1 to 16" in said


@pytest.mark.parametrize("shown", [True, False])
def test_a_bar_is_shown_only_to_a_terminal(monkeypatch, shown):
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: shown)
    monkeypatch.setattr(terminal, "WAIT_S", 0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["check", "heads.safetensors", *HEADS]) == 0
    assert ("9/9" in stream.getvalue()) == shown
    assert bool(stream.getvalue()) == shown


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


@pytest.mark.parametrize("judged", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_memory_grows_with_n_and_not_with_its_square(judged):
    q, k, v = tensors(N_LONG, 16)
    names = ["mine.safetensors", "long.safetensors"]
    content = {"q": q, "k": k, "v": v}
    if judged:
        content["o"] = attention(q, k, v).astype(np.float32)
        names[0] = "right.safetensors"
    save_file(content, "long.safetensors")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *names],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    short, long = (1024 * int(peak) for peak in done.stderr.split())
    assert long - short < GROWTH_MOST < 4 * N_LONG**2
