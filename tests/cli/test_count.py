"""`fusedfacts count`: the closed formulas, exact and at once, and the emulator beside them."""

import json
import subprocess
import sys
from argparse import Namespace

import pytest
from fusedfacts.attention import traffic
from fusedfacts.cli import count
from fusedfacts.cli.count import N_MOST
from fusedfacts.cli.main import main
from fusedfacts.documents import schema
from fusedfacts.emulator import execute
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
@pytest.mark.parametrize(("n", "d"), [(1, 16), (4097, 64), (2**40, 128), (N_MOST, 128)])
def test_every_buffer_is_that_of_the_formula_and_bytes_add_up(capsys, n, d, causal):
    answer = document(capsys, "--n", n, "--d", d, *(["--causal"] if causal else []))
    assert answer["compulsory_bytes"] == 16 * n * d
    assert list(answer["kernels"]) == ["fused", "kv_outer", "unfused"]
    for name, formula in traffic.ELEMENTS.items():
        shown, wanted = answer["kernels"][name], formula(n, d, causal)
        moved = [
            (kernel, buffer, access, found)
            for kernel, buffers in shown["traffic"].items()
            for buffer, accesses in buffers.items()
            for access, found in accesses.items()
        ]
        for kernel, buffer, access, found in moved:
            assert found["elements"] == wanted[kernel][buffer][access]
        total = sum(found["bytes"] for *_, found in moved)
        assert total == shown["bytes"] == traffic.total_bytes(wanted)


@pytest.mark.parametrize("n", [4096, 2**20, 2**40, N_MOST])
def test_tables_fit_a_terminal_and_lose_only_what_follows(capsys, n):
    options = ["--n", n, "--d", 128]
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
        answer = count.run(Namespace(n=n, d=d, causal=causal, method=None, emulate=emulate))
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
    launch = execute.fused

    def miscounting(*tensors, **options):
        found = launch(*tensors, **options)
        found.counts["fused"].moved[1, 0] += 1
        found.operations[2] += 1
        return found

    monkeypatch.setattr(execute, "fused", miscounting)
    code, out, _ = answered(capsys, "--n", 3, "--d", 16, "--emulate")
    assert code == 1
    assert (
        "emulated: fused k: emulated {'loads': 49, 'stores': 0}, formula {'loads': 48, 'stores': 0}"
    ) in out
    assert "emulated: exps: emulated 13, formula 12" in out
    assert "emulated: equal in every buffer and every kind of operation" in out  # the unfused way


@pytest.mark.parametrize("number", ["9" * 5000, "1e3", "4\n5", "\u0664"])
def test_what_is_no_number_is_one_short_sentence(capsys, number):
    code, out, err = answered(capsys, "--n", number, "--d", "16")
    assert (code, out) == (2, "")
    assert "argument --n: found" in err
    assert err.count("\n") == 1
    assert len(err) < 300
