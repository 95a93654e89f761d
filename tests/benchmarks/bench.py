"""Measured figures, as ratios within one run: to plain NumPy attention on BLAS, on a device of
fused to unfused attention, and in a browser of the page's kernels to onnxruntime-web's attention.

    make bench

CPU seconds are user + system of the process and its children; memory is the largest process.
Nothing here is asserted: a slow machine is no fault.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPEATS = 5
N, D = 4096, 64

SETUP = """
import resource, statistics, time
import numpy as np
from fusedfacts.attention.arithmetic import fused_order
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.emulator import execute
from fusedfacts.numerics import rng
q, k, v = (rng.normal(23, s, (N, D)) for s in range(3))

def plain():
    s = q @ k.T / np.float32(D) ** 0.5
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True) @ v

def median(call):
    call()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)
"""

CALLS = {
    "plain NumPy attention on BLAS": "plain",
    "emulator, fused, counted": "lambda: execute.fused(q, k, v)",
    "emulator, unfused, counted": "lambda: execute.unfused(q, k, v)",
    "float64 reference and bound": "lambda: attention_bounds(q, k, v, [fused_order(q.shape[1])])",
}


def child(command: list[str], folder: Path = ROOT, **variables: str) -> tuple[float, float, str]:
    """CPU seconds, wall seconds and stdout of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, done.stdout


def calls() -> float:
    """One call of each kind at the largest size, beside BLAS; BLAS's median is returned."""
    print(f"one call at n {N}, d {D}: median of {REPEATS} after a warm-up")
    seconds: dict[str, float] = {}
    for name, call in CALLS.items():
        program = f"N, D, REPEATS = {N}, {D}, {REPEATS}\n{SETUP}\n"
        program += f"print(median({call}), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        out = child([sys.executable, "-c", program], PYTHONPATH="workflow")[2].split()
        seconds[name], peak = float(out[0]), int(out[1]) // 1024
        ratio = seconds[name] / seconds["plain NumPy attention on BLAS"]
        print(f"  {name:<34} {seconds[name]:6.2f} CPU s  {ratio:6.2f} x BLAS  {peak:5d} MB")
    return seconds["plain NumPy attention on BLAS"]


JUDGE = """
import resource, time
import numpy as np
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.head import Problem, judge_head
from fusedfacts.judging.recipe import RECIPES
q, k, v = np.random.default_rng(23).standard_normal((3, N, D), dtype=np.float32)
wide = [x.astype(np.float64) for x in (q, k, v)]
problem = Problem(q, k, v, Pattern(N, N, D), "float32")

def plain():
    s = wide[0] @ wide[1].T / D**0.5
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True) @ wide[2]

def least(call):
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)

answer = plain().astype(np.float32) if PLAIN else v
# The first rows compile the loops.
judge_head(problem.rows(0, 1), RECIPES["fp32"], output=answer[:1])
judging = least(lambda: judge_head(problem, RECIPES["fp32"], output=answer))
blas = least(plain) if PLAIN else 0.0
print(judging, blas, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
JUDGED, LONG = (4096, 128), (32768, 128)  # the second is judged once, for its memory


def judging() -> None:
    """One head, held to its bound, beside float64 attention on BLAS: others only add to a time."""
    print(f"judging one head: least of {REPEATS}, float64 attention beside it")
    for (n, d), repeats, plain in ((JUDGED, REPEATS, True), (LONG, 1, False)):
        program = f"N, D, REPEATS, PLAIN = {n}, {d}, {repeats}, {plain}\n{JUDGE}"
        out = child([sys.executable, "-c", program], PYTHONPATH="workflow")[2].split()
        seconds, blas, peak = float(out[0]), float(out[1]), int(out[2]) // 1024
        ratio = f"{seconds / blas:6.2f} x BLAS" if plain else " " * 13
        print(f"  n {n:>6} d {d:>3} {seconds:24.2f} CPU s  {ratio}  {peak:5d} MB")


def builds(blas: float) -> None:
    """Whole runs in a copy of the repository, so that nothing published is touched."""
    print("whole runs, two cores")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        # An empty cache has no compiled code yet, so the first build pays for the compiler.
        cache = {"XDG_CACHE_HOME": folder, "PYTHONPATH": str(copy / "workflow")}
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "results", "__pycache__"))
        snakemake = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "all"]
        audit = [sys.executable, "-m", "fusedfacts", "audit"]
        sweep = [f"results/sweep/d{d}-n4096.json" for d in (16, 64)]
        runs = {
            "first build, nothing compiled yet": snakemake,
            "forced build": [*snakemake, "--forceall"],
            "forced sweep alone": [*snakemake, "--forcerun", "sweep", "--", *sweep],
            "nothing to do": snakemake,
            "audit --quick": [*audit, "--quick"],
            "audit --full": [*audit, "--full"],
        }
        for name, command in runs.items():
            cpu, wall, _ = child(command, copy, **cache)
            print(f"  {name:<36} {cpu:6.1f} CPU s {cpu / blas:7.0f} x BLAS {wall:6.1f} s wall")
        tables = [path.read_text() for path in copy.glob("results/benchmarks/*.tsv")]
        peak = max(float(table.splitlines()[1].split("\t")[2]) for table in tables)
        print(f"  largest job of the sweep {peak:>13.0f} MB")


DEVICE = """
from fusedfacts.device import pipelines, timing
from fusedfacts.emulator.methods import METHODS
from fusedfacts.errors import FactsError
try:
    device = pipelines.opened()
except FactsError as reason:
    raise SystemExit(print(f"  not measured: {reason}"))
print(device.name, "by", "timestamps" if device.has_timestamps else "wall clock")
for n, d in SIZES:
    timed = timing.size(device, n, d, 23, REPEATS)
    plain = timed["unfused"]
    for way in METHODS:
        median = timed[way]["sum"]["median"]
        print(f"  n {n:>5} d {d:>3}  {way:<11} {median:8.3f} s"
              f"  {median / plain['sum']['median']:5.2f} x unfused's time"
              f"  {timed[way]['bytes'] / plain['bytes']:5.2f} x its bytes")
"""
DEVICE_SIZES = [(512, 16), (512, 64), (1024, 64), (4096, 16), (4096, 64)]


def on_a_device() -> None:
    """The kernels on whatever device there is, fused beside unfused on the same inputs."""
    print("kernels on a device: medians, launched in turn")
    program = f"SIZES, REPEATS = {DEVICE_SIZES}, {REPEATS}\n{DEVICE}"
    print(child([sys.executable, "-c", program], PYTHONPATH="workflow")[2], end="")


if __name__ == "__main__":
    from beside_onnxruntime import beside_onnxruntime
    from in_the_page import on_a_page

    blas = calls()
    judging()
    on_a_device()
    on_a_page()
    beside_onnxruntime()
    builds(blas)
