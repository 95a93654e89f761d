"""The emulator against the closed formula, the plain tiled reference, and a case worked by hand."""

import os
import subprocess
import sys

import numpy as np
import pytest
from fusedfacts.attention import problem, traffic
from fusedfacts.attention.tiled import Faults, tiled
from fusedfacts.emulator import execute
from fusedfacts.emulator.memory import K, load, no_counts, store
from fusedfacts.numerics.exponential import exp
from support.common import ROOT, bits, tensors

GRID = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 200, 257, 300]
METHODS = {name: getattr(execute, name) for name in traffic.ELEMENTS}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", problem.HEAD_DIMS)
@pytest.mark.parametrize("method", METHODS)
def test_counts_equal_the_closed_forms(method, d, causal):
    for n in GRID:
        launch = METHODS[method](*tensors(n, d), causal=causal)
        assert launch.traffic() == traffic.ELEMENTS[method](n, d, causal), n
        assert launch.arithmetic() == traffic.ARITHMETIC[method](n, d, causal), n


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", problem.HEAD_DIMS)
def test_fused_has_the_bits_of_the_plain_tiled_reference(d, causal):
    for n in (1, 2, 33, 100, 129, 257):
        q, k, v = tensors(n, d)
        emulated = execute.fused(q, k, v, causal=causal).output
        plain = tiled(q, k, v, key_rows=problem.fused_key_rows(d), causal=causal).output
        assert np.array_equal(bits(emulated), bits(plain)), n


def slow_unfused(q, k, v, causal):
    """The three kernels one element at a time, with nothing shared but the contract's words."""
    n, d = q.shape
    scale = np.float32(1 / np.sqrt(d))
    out = np.zeros((n, d), np.float32)
    mix_rows = {16: 16, 32: 32, 64: 32, 128: 16}[d]
    for row in range(n):
        width = row + 1 if causal else n
        s = np.zeros(width, np.float32)
        for key in range(width):
            total = np.float32(0)
            for c in range(0, d, 4):
                chunk = np.float32(0)
                for i in range(4):
                    product = (q[row, c + i] * scale) * k[key, c + i]
                    chunk = product if i == 0 else chunk + product
                total = total + chunk
            s[key] = total
        p = exp(s - s.max())
        lanes = []
        for lane in range(min(256, width)):
            partial = p[lane]
            for column in range(lane + 256, width, 256):
                partial = partial + p[column]
            lanes.append(partial)
        stride = 128
        while stride:
            for lane in range(stride):
                if lane + stride < len(lanes):
                    lanes[lane] = lanes[lane] + lanes[lane + stride]
            lanes = lanes[:stride]
            stride //= 2
        share = p / lanes[0]
        for c in range(d):
            mixed = np.float32(0)
            for first in range(0, width, mix_rows):
                tile = share[first] * v[first, c]
                for key in range(first + 1, min(first + mix_rows, width)):
                    tile = tile + share[key] * v[key, c]
                mixed = mixed + tile
            out[row, c] = mixed
    return out


@pytest.mark.parametrize(
    ("n", "d", "causal"), [(5, 16, False), (40, 32, True), (35, 64, False), (300, 16, True)]
)
def test_unfused_has_the_bits_of_the_contract_read_literally(n, d, causal):
    q, k, v = tensors(n, d)
    emulated = execute.unfused(q, k, v, causal=causal).output
    assert np.array_equal(bits(emulated), bits(slow_unfused(q, k, v, causal)))


def test_the_case_worked_by_hand_in_docs_counts_md():
    """n = 3, d = 16, key tiles of 2: scores 0, ln 2 and 0 for every query, values 1, 2 and 4."""
    q = np.zeros((3, 16), np.float32)
    k, v = q.copy(), q.copy()
    q[:, 0] = 4  # times 1/4
    k[1, 0] = np.log(2)
    v[:, 0] = [1, 2, 4]
    launch = execute.fused(q, k, v, key_rows=2)
    # Weights 1, 2, 1 of a total of 4: (1 + 4 + 4) / 4.
    assert launch.output[:, 0] == pytest.approx([2.25] * 3, abs=1e-6)
    assert launch.traffic() == {
        "fused": {
            "q": {"loads": 48, "stores": 0},
            "k": {"loads": 48, "stores": 0},
            "v": {"loads": 48, "stores": 0},
            "o": {"loads": 0, "stores": 48},
        }
    }
    assert launch.arithmetic() == {
        "multiplications": 48 + 3 * 3 * 16 * 2 + 3 * 2 * 17,
        "additions": 2 * 9 * 16 + 2 * 9 + 3 * 2,
        "exps": 9 + 6,
        "divisions": 48,
        "comparisons": 6,
    }
    unfused = execute.unfused(q, k, v)
    assert traffic.total_bytes(launch.traffic()) == 768
    assert traffic.total_bytes(unfused.traffic()) == 768 + 16 * 9
    assert unfused.output[:, 0] == pytest.approx([2.25] * 3, abs=1e-6)


def test_the_count_is_of_the_slice_that_was_taken():
    memory, counted = np.zeros(10, np.float32), no_counts()
    taken = load.py_func(memory, counted, K, 6, 14)
    assert taken.size == 4
    assert counted.moved[K].tolist() == [4, 0]
    store.py_func(memory, counted, K, 0, np.ones(3, np.float32))
    assert counted.moved[K].tolist() == [4, 3]
    assert memory[:4].tolist() == [1, 1, 1, 0]


def test_the_broken_control_has_the_bits_of_the_plain_reference():
    broken = Faults(total_factor="omitted")
    q, k, v = tensors(60, 16)
    emulated = execute.fused(q, k, v, key_rows=8, rescale=False).output
    assert np.array_equal(bits(emulated), bits(tiled(q, k, v, key_rows=8, faults=broken).output))
    assert not np.array_equal(bits(emulated), bits(execute.fused(q, k, v, key_rows=8).output))


def test_interpreted_and_compiled_loops_give_the_same_bits():
    """With the compiler off NumPy's scalars do the arithmetic: nothing depends on the compiler."""
    program = (
        "import numpy as np\n"
        "from fusedfacts.emulator import execute\n"
        "from fusedfacts.numerics import rng\n"
        "np.seterr(all='ignore')\n"
        "for n, d, causal in ((5, 16, False), (37, 32, True)):\n"
        "    x = [rng.normal(5, s, (n, d)) for s in range(3)]\n"
        "    for way in (execute.fused, execute.kv_outer, execute.unfused):\n"
        "        launch = way(*x, causal=causal)\n"
        "        print(launch.output.tobytes().hex(), launch.traffic(), launch.arithmetic())\n"
    )
    outputs = []
    for off in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": str(ROOT / "workflow")}
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("causal", [False, True])
def test_no_sentinel_stands_in_for_minus_infinity(method, causal):
    """All scores lie below any number that a sentinel might be: shifted by a power of two."""
    q, k, v = tensors(40, 16)
    q[:, 1:], k[:, 1:] = 0, 0
    q[:, 0], k[:, 0] = 4, -(2.0**120)
    even = v.astype(np.float64)
    found = METHODS[method](q, k, v, causal=causal).output
    for row in (0, 7, 39):
        mean = even[: row + 1].mean(axis=0) if causal else even.mean(axis=0)
        # Equal scores: every weight is exp(0), so only the sums round, 40 terms of size near 1.
        np.testing.assert_allclose(found[row], mean, atol=40 * 2.0**-24 * 4)
