"""Golden vectors: what Python computes and the page's scripts, run under node, must compute too."""

import hashlib
import itertools
import statistics

import numpy as np
from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import HEAD_DIMS
from fusedfacts.device import measure, timing
from fusedfacts.emulator import execute
from fusedfacts.emulator.methods import Method
from fusedfacts.kernels import manifest
from fusedfacts.numerics import exponential, rng

from support import golden_model
from support.common import bits, tensors

METHODS = tuple(traffic.ELEMENTS)
FUSED = tuple(name for name in METHODS if Method(name).online)
KERNELS = tuple(manifest.manifest()["kernels"])
SEED = 5
EXP_STRIDE = 4099  # every sign and exponent is met, NaNs too
EXP_EDGES = (-104.5, -103.9, -87.5, -87.3, 88.7, 88.8)  # subnormal, zero, infinite
SAMPLES = 24  # elements of each bound that are written down
ULP = 2.0**-23
# WGSL specification, section 15.7.4.
PROMISED = Arithmetic(ULP, exp=3 * ULP, exp_slope=2 * ULP, division=2.5 * ULP, underflow=2.0**-125)

# How inputs depart from seeded ones: q, k and v multiplied; the last key multiplied; all keys
# the first; column c of v multiplied by 2^(c - 8).
UNUSUAL = {
    "scores near 80": {"q": 9, "k": 9},
    "a spike": {"last_key": 8},
    "keys that vanish": {"q": 9, "last_key": 100},
    "equal keys": {"equal_keys": True},
    "subnormal values": {"v": 2.0**-140},
    "sizes that differ": {"columns": True},
    "zero queries": {"q": 0},
}


def digest(array) -> str:
    """SHA-256 of an array's bytes, of which a half tells two apart."""
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:32]


def inputs(n, d, change):
    """Seeded Q, K and V with one of the departures above."""
    q, k, v = (
        tensor * np.float32(change.get(name, 1))
        for name, tensor in zip("qkv", tensors(n, d, SEED), strict=True)
    )
    k[-1] *= np.float32(change.get("last_key", 1))
    if change.get("equal_keys"):
        k = np.repeat(k[:1], n, 0)
    if change.get("columns"):
        v = v * np.float32(2.0) ** np.arange(-8, d - 8, dtype=np.float32)
    return q, k, v


def exps():
    """The exponential's bits over all of float32, and closely where it changes its kind."""
    edges = [int(x) for x in np.float32(EXP_EDGES).view(np.uint32)]
    patterns = [[0, 2**32, EXP_STRIDE], *([edge - 2000, edge + 200_000, 101] for edge in edges)]
    x = np.concatenate([np.arange(*each, dtype=np.uint32) for each in patterns]).view(np.float32)
    found = exponential.exp(x)
    found[np.isnan(found)] = np.nan  # every NaN as one
    return {"patterns": patterns, "digest": digest(found)}


def formulas():
    """Closed forms as text, up to a length that no double holds."""
    cases = itertools.product(METHODS, (1, 300, 4096, 2**40 + 5), HEAD_DIMS, (False, True))
    return [
        {
            **{"method": method, "n": str(n), "d": d, "causal": causal},
            "elements": texts(getattr(traffic, method)(n, d, causal)),
            "bytes": str(traffic.total_bytes(getattr(traffic, method)(n, d, causal))),
            "operations": texts(getattr(traffic, f"{method}_arithmetic")(n, d, causal)),
        }
        for method, n, d, causal in cases
    ]


def texts(value):
    """Whole numbers as text, all the way down."""
    if isinstance(value, dict):
        return {key: texts(inner) for key, inner in value.items()}
    return str(value)


def launches():
    """What the emulator answers: ragged sizes, unusual inputs, other key tiles and the control."""
    plain = itertools.product(METHODS, (1, 2, 7, 33, 66, 129), HEAD_DIMS, (False, True), [{}], [{}])
    odd = itertools.product(METHODS, (150,), (16, 128), (False, True), UNUSUAL.values(), [{}])
    tiles = itertools.product((1, 3, 64, 1000), (False, True))
    options = [{"key_rows": rows, "rescale": rescale} for rows, rescale in tiles]
    controls = itertools.product(FUSED, (90,), HEAD_DIMS, (False, True), [{}], options)
    names = ("method", "n", "d", "causal", "change", "options")
    found = [dict(zip(names, case, strict=True)) for case in (*plain, *odd, *controls)]
    for case in found:
        method, n, d, causal, change, options = case.values()
        launch = getattr(execute, method)(*inputs(n, d, change), causal=causal, **options)
        case["output"] = digest(launch.output)
        if options:  # what is moved does not depend on them; what is computed does
            case["operations"] = launch.arithmetic()
    return found


def tied(n):
    """Nearly equal keys with scores so large that float32 cannot order them."""
    _, k, v = tensors(n, 16, SEED)
    k = np.repeat(np.abs(k[:1]), n, 0) * np.float32(2.0**26 / np.abs(k[0]).sum())
    return np.ones_like(k), k + tensors(n, 16, 6)[1] * np.float32(1e-3), v


def underflowing():
    """Scores that underflow."""
    low, high = np.zeros((2, 16), np.float32), np.repeat(np.float32([[0], [1]]), 16, 1)
    return low + np.float32(5 * 2.0**-149), high * np.float32(2.0**126), high


def bounds():
    """Exact answers, bounds and verdicts, a few elements of each."""
    cases = []
    for method, causal in itertools.product(METHODS, (False, True)):
        common = {"method": method, "causal": causal, "change": {}}
        sizes = [*itertools.product((1, 70), HEAD_DIMS), (301, 16)]
        cases += [{**common, "n": n, "d": d} for n, d in sizes]
        cases += [{**common, "n": 130, "d": 32, "change": change} for change in UNUSUAL.values()]
        cases.append({**common, "n": 130, "d": 64, "promised": True})
    tile = {"causal": True, "n": 130, "d": 64, "change": {}}
    cases += [{"method": m, **tile, "key_rows": rows} for m in FUSED for rows in (1, 3, 8, 500)]
    found = [bounded(case, *inputs(case["n"], case["d"], case["change"])) for case in cases]
    one = (np.full((1, 16), 133_120, np.float32),) * 3  # certified, although its score is huge
    given = [(method, qkv) for method in METHODS for qkv in (tied(9), one)]
    given += [(method, underflowing()) for method in FUSED]
    for method, qkv in given:
        case = {"method": method, "causal": False, "n": len(qkv[0]), "d": 16}
        words = [[int(x) for x in bits(tensor).flat] for tensor in qkv]
        found.append(bounded({**case, "bits": words}, *qkv))
    return found


def bounds_there(output, found):
    """The bounds of all elements whose error is the largest, but for the reference's rounding."""
    error = np.abs(output.astype(np.float64) - found.exact)
    return sorted({*found.bounds[0][error >= error.max() * (1 - 1e-6)].tolist()})


def bounded(case, q, k, v):
    """One case with what Python finds."""
    causal, order = case["causal"], Method(case["method"], case.get("key_rows")).order(case["d"])
    arithmetic = PROMISED if case.get("promised") else None
    found = attention_bounds(q, k, v, [order], causal=causal, arithmetic=arithmetic)
    output = getattr(execute, case["method"])(q, k, v, causal=causal).output
    verdict = compare(output, found.exact, found.bounds[0])
    stride = max(1, output.size // SAMPLES) | 1  # odd, so that it meets every column
    return {
        **case,
        "stride": stride,
        "largest_value": float(np.abs(v).max()),
        "exact": found.exact.flat[::stride].tolist(),
        "bounds": found.bounds[0].flat[::stride].tolist(),
        "certified": found.certified[0],
        "check": {
            "wrongElements": verdict.wrong_elements,
            "wrongRows": np.flatnonzero(verdict.wrong_rows).tolist(),
            "largestError": verdict.largest_error,
            # Where rows are alike, rounding decides in which of them the largest error is found.
            "boundsThere": bounds_there(output, found),
            "largestRatio": verdict.largest_ratio,
        },
    }


def digits():
    """How observed figures are rounded, and quartiles of samples."""
    values = [1.0625, 1.0635, 2.5005, 1e-9, 1 / 3, 12345.5, 123450.0, 9.9995, 9.99951, 17_301_504.0]
    values += [float(x) for x in np.abs(rng.normal(SEED, 0, (60,))) if x]
    return {
        "values": values,
        "about": [measure.about(value) for value in values],
        "upwards": [measure.upwards(value) for value in values],
        "quartiles": {
            k: statistics.quantiles(values[:k], n=4, method="inclusive") for k in (2, 3, 4, 7, 10)
        },
    }


def vectors():
    """All of them."""
    return {
        "tiles": {
            kernel: {d: manifest.constants(kernel, d) for d in HEAD_DIMS} for kernel in KERNELS
        },
        "promised": {
            **{"unit": PROMISED.unit, "exp": PROMISED.exp, "expSlope": PROMISED.exp_slope},
            **{"division": PROMISED.division, "underflow": PROMISED.underflow},
        },
        "does_not_prove": {kind: timing.does_not_prove(kind) for kind in ("CPU", "DiscreteGPU")},
        "digits": digits(),
        "exp": exps(),
        "seeded": {
            str(seed): [digest(rng.normal(seed, stream, (2400,))) for stream in range(3)]
            for seed in (0, 23, 2**31 + 7, 2**32 + 5, -1)
        },
        "formulas": formulas(),
        "launches": launches(),
        "bounds": bounds(),
        "model": golden_model.vectors(digest),
    }
