"""`fusedfacts count`: the closed formulas, exact and at once, and the emulator beside them."""

import json
import subprocess
import sys
from argparse import Namespace

import pytest
from fusedfacts.attention import traffic
from fusedfacts.cli import count
from fusedfacts.cli.main import main
from fusedfacts.documents import schema
from fusedfacts.emulator import launch as run
from fusedfacts.terminal import WIDTH
from hypothesis import given, settings
from hypothesis import strategies as st


def answered(capsys, *words):
    code = main(["count", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def document(capsys, *words):
    code, out, err = answered(capsys, *words, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    schema.validate(found, "count", " ".join(map(str, words)), "correct it")
    return found


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [1, 4097, 2**40, count.N_MOST])
@pytest.mark.parametrize("d", [16, 128])
def test_every_buffer_is_that_of_the_formula_and_bytes_add_up(capsys, n, d, causal):
    found = document(capsys, "--n", n, "--d", d, *(["--causal"] if causal else []))
    assert found["compulsory_bytes"] == 16 * n * d
    assert list(found["kernels"]) == ["fused", "unfused"]
    for name, formula in (("fused", traffic.fused), ("unfused", traffic.unfused)):
        shown, wanted = found["kernels"][name], formula(n, d, causal)
        elements = {
            kernel: {
                buffer: {access: moved["elements"] for access, moved in accesses.items()}
                for buffer, accesses in buffers.items()
            }
            for kernel, buffers in shown["traffic"].items()
        }
        assert elements == wanted
        moved = [
            access["bytes"]
            for buffers in shown["traffic"].values()
            for accesses in buffers.values()
            for access in accesses.values()
        ]
        assert sum(moved) == shown["bytes"] == traffic.total_bytes(wanted)


def test_a_length_of_two_to_the_fortieth_is_exact(capsys):
    found = document(capsys, "--n", 2**40, "--d", 64, "--kernel", "unfused")
    assert list(found["kernels"]) == ["unfused"]
    assert found["kernels"]["unfused"]["bytes"] == 4 * 64 * (2**41 + 2**81 // 32) + 16 * 2**80
    _, out, _ = answered(capsys, "--n", 2**40, "--d", 128)
    assert "38,685,626,227,668,133,590,597,632" in out


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [4096, 2**20, 2**30, 2**40, count.N_MOST])
def test_tables_fit_a_terminal_and_lose_only_what_follows(capsys, n, causal):
    options = ["--n", n, "--d", 128, *(["--causal"] if causal else [])]
    found, out = document(capsys, *options), answered(capsys, *options)[1]
    assert max(map(len, out.splitlines())) <= WIDTH
    moved = found["kernels"]["fused"]["traffic"]["fused"]["k"]["loads"]
    narrow = n < 2**40
    assert (f"{moved['elements']:,}" in out) == narrow
    assert f"{moved['bytes']:,}\n" in out
    assert ("an element is 4 bytes" in out) == (not narrow)


@settings(max_examples=50)
@given(st.integers(1, 70), st.sampled_from([16, 128]), st.booleans())
def test_any_size_fits_the_schema_and_executed_kernels_agree(n, d, causal):
    for emulate in (False, True):
        answer = count.run(Namespace(n=n, d=d, causal=causal, kernel=None, emulate=emulate))
        schema.validate(answer.document, "count", "a size", "correct it")
        assert answer.holds


def test_counting_needs_no_compiler():
    """Numba alone takes longer than all else; only --emulate needs it."""
    code = (
        "import sys; from fusedfacts.cli.main import main;"
        "main(['count', '--n', '1099511627776', '--d', '16']);"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_a_kernel_that_counts_otherwise_does_not_hold(capsys, monkeypatch):
    launch = run.fused

    def miscounting(*tensors, **options):
        found = launch(*tensors, **options)
        found.counts["fused"][1, 0] += 1
        found.operations[2] += 1
        return found

    monkeypatch.setattr(run, "fused", miscounting)
    code, out, _ = answered(capsys, "--n", 3, "--d", 16, "--emulate")
    assert code == 1
    assert (
        "emulated: fused k: emulated {'loads': 49, 'stores': 0}, formula {'loads': 48, 'stores': 0}"
    ) in out
    assert "emulated: exps: emulated 13, formula 12" in out
    assert "emulated: equal in every buffer and every kind of operation" in out  # the unfused way


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--n", "4", "--d", "17"], "d: found 17, expected one of 16, 32, 64, 128"),
        (["--n", "0", "--d", "16"], "n: found 0, expected a whole number of at least 1"),
        (["--n", "-1", "--d", "16"], "n: found -1, expected a whole number of at least 1"),
        (["--n", "9" * 5000, "--d", "16"], "found a number of 5000 digits, expected at most 30"),
        (["--n", "4", "--d", "9" * 5000], "found a number of 5000 digits, expected at most 30"),
        (["--n", str(2**64 + 1), "--d", "16"], "expected at most 18446744073709551616"),
        (["--n", "1e3", "--d", "16"], "argument --n: found '1e3', expected a whole number"),
        (["--n", "4\n5", "--d", "16"], "found '4\\n5', expected a whole number"),
        (["--n", "\u0664", "--d", "16"], "expected a whole number"),
        (["--n", "8193", "--d", "16", "--emulate"], "expected at most 8192 to emulate it"),
        (["--n", "4"], "--d"),
        (["--n", "4", "--d", "16", "--kernel", "flash"], "flash"),
    ],
)
def test_what_is_wrong_is_one_sentence(capsys, words, says):
    code, out, err = answered(capsys, *words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert len(err) < 300
