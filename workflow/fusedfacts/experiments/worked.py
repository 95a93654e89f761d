"""A case small enough to follow by hand: three words, two key tiles, one number that matters.

Every query, scaled, is (1, 0, ..., 0); the keys' first numbers are 0, ln 2 and 0, the values' 1, 2
and 4, all else is 0. So each row goes the same way, and a plain walk over its numbers must end at
the emulator's bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fusedfacts.attention import problem, traffic
from fusedfacts.attention.compare import require_equal
from fusedfacts.attention.problem import Rows
from fusedfacts.claims.claim import BYTES, OPERATIONS, Claim, Group, Section
from fusedfacts.emulator import execute
from fusedfacts.numerics.exponential import exp
from fusedfacts.numerics.rounding import decimals

WORDS, HEAD_DIM, KEY_ROWS = 3, 16, 2
QUERY = 4  # 1 once the kernel has divided by sqrt(16)
KEYS = (0.0, float(np.float32(np.log(2))), 0.0)
VALUES = (1, 2, 4)
BUFFERS = {"q": "loads", "k": "loads", "v": "loads", "o": "stores"}


def tensors() -> tuple[Rows, Rows, Rows]:
    """Make Q, K and V, each of shape (3, 16)."""
    q = np.zeros((WORDS, HEAD_DIM), dtype=np.float32)
    k, v = q.copy(), q.copy()
    q[:, 0], k[:, 0], v[:, 0] = QUERY, KEYS, VALUES
    return q, k, v


def walk(scores: Rows, values: Rows, key_rows: int) -> list[dict[str, Any]]:
    """Walk online softmax along one row of scores and one column of V, a step for each key tile.

    >>> steps = walk(np.float32([0, 0]), np.float32([1, 3]), key_rows=1)
    >>> steps[-1]["output"] / steps[-1]["total"]
    np.float32(2.0)
    """
    steps: list[dict[str, Any]] = []
    total = output = np.float32(0)
    maximum = scores[0]
    for first in range(0, scores.size, key_rows):
        tile = scores[first : first + key_rows]
        old = maximum if first else tile.max()
        maximum = max(old, tile.max())
        weights = exp(tile - maximum)
        factor = exp(np.array([old - maximum]))[0]
        tile_total, tile_output = weights[0], weights[0] * values[first]
        for weight, value in zip(weights[1:], values[first + 1 :], strict=False):
            tile_total, tile_output = tile_total + weight, tile_output + weight * value
        total = total * factor + tile_total
        output = output * factor + tile_output
        step = {"scores": tile, "maximum": maximum, "weights": weights, "factor": factor}
        steps.append({**step, "total": total, "output": output})
    return steps


def _shown(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [decimals(float(item)) for item in value]
    return decimals(float(value))


def compute() -> dict[str, Any]:
    """Compute the case by the walk and by the emulator.

    Raises
    ------
    ClaimError
        If walk, emulator and closed formula disagree in any bit or count.
    """
    q, k, v = tensors()
    fused, unfused = execute.fused(q, k, v, key_rows=KEY_ROWS), execute.unfused(q, k, v)
    scale = problem.Problem(WORDS, HEAD_DIM).float32_scale
    steps = walk(q[0, 0] * scale * k[:, 0], v[:, 0], KEY_ROWS)
    answer = steps[-1]["output"] / steps[-1]["total"]
    for row in range(WORDS):
        require_equal(fused.output[row, 0], answer, "worked case: the emulator's answer")
    for method, executed in (("fused", fused), ("unfused", unfused)):
        formula = traffic.ELEMENTS[method](WORDS, HEAD_DIM, False)
        require_equal(executed.traffic(), formula, f"worked case: elements moved, {method}")
    moved = fused.traffic()["fused"]
    return {
        "n": WORDS,
        "d": HEAD_DIM,
        "key_rows": KEY_ROWS,
        "query_rows": problem.query_rows(HEAD_DIM),
        "query": QUERY,
        "scaled_query": int(QUERY * scale),
        "values": list(VALUES),
        "steps": [{key: _shown(value) for key, value in step.items()} for step in steps],
        "answer": decimals(float(answer)),
        "elements": {name: moved[name][access] for name, access in BUFFERS.items()},
        "elements_in_all": sum(moved[name][access] for name, access in BUFFERS.items()),
        "table_elements": WORDS * WORDS,
        "fused_bytes": traffic.total_bytes(fused.traffic()),
        "unfused_bytes": traffic.total_bytes(unfused.traffic()),
        "operations": fused.arithmetic(),
    }


WORKED = Group(
    "fusedfacts.experiments.worked.compute",
    ("kernels.manifest_sha256",),
    "A plain walk over the row ends at the emulator's bits, and the emulator's counts equal "
    "the closed formula.",
    "It shows how the numbers come about on a case that can be followed; it says nothing about"
    " sizes that matter.",
)
SIZES = """
n | The worked case has {} words. | words | as chosen
d | The worked case has {} numbers a head. | numbers | as chosen
key_rows | The worked case's key tiles have {} rows. | rows | as chosen
query_rows | The worked case's query tile has room for {} rows. | rows | as chosen
query | The first number of each of the worked case's queries is {}. | 1 | as chosen
scaled_query | Scaled, the first number of each query is {}. | 1 | query / sqrt(d)
answer | The worked case's answer is {} in its first column. | 1
    | output / total, after the last tile
elements_in_all | Fused, the worked case moves {} elements. | elements | 2 n d + 2 n d ceil(n / br)
table_elements | The worked case's table has {} elements. | elements | n^2
fused_bytes | Fused, the worked case moves {} bytes. | bytes | $fused
unfused_bytes | Unfused, the worked case moves {} bytes. | bytes | $unfused
"""
VALUE = "value$i | The first number of the worked case's value $i is {}. | 1 | as chosen"
STEP = """
maximum | In the worked case, after key tile $i, the running maximum is about {}. | 1
    | max(maximum before, scores of the tile)
factor | In the worked case, after key tile $i, the factor is {}. | 1
    | e^(maximum before - maximum)
total | In the worked case, after key tile $i, the running total is {}. | 1
    | total before x factor + sum of the weights
output | In the worked case, after key tile $i, the running output is {}. | 1
    | output before x factor + sum of weight x value
"""
TERMS = """
score$j | In the worked case's key tile $i, score $j is about {}. | 1 | scaled query . key
weight$j | In the worked case's key tile $i, weight $j is about {}. | 1 | e^(score - maximum)
"""
MOVED = """
q | Fused, the worked case moves {} elements of Q. | elements | n d
k | Fused, the worked case moves {} elements of K. | elements | n d ceil(n / br)
v | Fused, the worked case moves {} elements of V. | elements | n d ceil(n / br)
o | Fused, the worked case moves {} elements of O. | elements | n d
"""
OPERATION = "$kind | Fused, the worked case takes {} $kind. | operations | $formula"


def claims(worked: dict[str, Any]) -> list[Claim]:
    """Claim sizes, steps and counts of the case."""
    found = WORKED.table("worked.{}", SIZES, worked, BYTES)
    for i, value in enumerate(worked["values"], 1):
        found += WORKED.table("worked.{}", VALUE, {f"value{i}": value}, {"i": i})
    for i, step in enumerate(worked["steps"], 1):
        found += WORKED.table(f"worked.tile{i}.{{}}", STEP, step, {"i": i})
        for j, (score, weight) in enumerate(zip(step["scores"], step["weights"], strict=True), 1):
            values = {f"score{j}": score, f"weight{j}": weight}
            found += WORKED.table(f"worked.tile{i}.{{}}", TERMS, values, {"i": i, "j": j})
    found += WORKED.table("worked.elements.{}", MOVED, worked["elements"])
    for kind, formula in OPERATIONS["fused"].items():
        words = {"kind": kind, "formula": formula}
        found += WORKED.table("worked.{}", OPERATION, worked["operations"], words)
    return found


SECTION = Section(compute, claims, files=("kernels/manifest.json",))
