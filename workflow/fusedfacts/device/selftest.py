"""Find out what arithmetic a device has, before anything that it computes is believed.

WGSL promises a range, not one answer (WGSL specification, section 15.7.4): sums and products
rounded either way, division within 2.5 ULP, exp within 3 + 2 |x| ULP, subnormals kept or not,
a multiplication and an addition fused or not. Each question below finds out what one device does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.device import measure
from fusedfacts.device.measure import about, same, ulps, upwards, words
from fusedfacts.device.operations import Operations
from fusedfacts.device.pipelines import Device
from fusedfacts.errors import ClaimError

TRIED = 2**18  # operand pairs of each operation
ULP = 2.0**-23  # one unit in the last place of float32 numbers from 1 to 2
PROMISED_DIVISION = 2.5  # ULP


def rounding(operations: Operations) -> dict[str, Any]:
    """Find whether sums and products are rounded to nearest, and their largest error."""
    a, b = words(0, TRIED), words(1, TRIED)
    found = {"add": operations("add", a, b), "multiply": operations("multiply", a, b)}
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    exact = {"add": wide_a + wide_b, "multiply": wide_a * wide_b}  # at most 2^-53 off
    errors = {name: np.max(ulps(found[name], exact[name]), initial=0.0) for name in found}
    return {
        "operand_pairs": TRIED,
        "to_nearest": same(found["add"], a + b) and same(found["multiply"], a * b),
        "largest_error_ulp": upwards(float(max(errors.values()))),
    }


def contraction(operations: Operations) -> dict[str, Any]:
    """Find whether a x b + c is computed with one rounding instead of two."""
    a, b = words(2, TRIED), words(3, TRIED)
    c = -(a * b)  # what is left is the rounding of the product: 0, or not if fused
    contracted = int(np.count_nonzero(operations("multiply_add", a, b, c)))
    # A product of 24-bit numbers is rarely exact, so a device that fuses shows it nearly always.
    return {"tried": TRIED, "contracted": contracted, "contracts": contracted > 0}


def division(operations: Operations) -> dict[str, Any]:
    """Find whether quotients are correctly rounded, and their largest error."""
    a, b = words(6, TRIED), words(7, TRIED)
    found = operations("divide", a, b)
    error = float(ulps(found, a.astype(np.float64) / b.astype(np.float64)).max())
    return {
        "operand_pairs": TRIED,
        "correctly_rounded": same(found, a / b),
        "largest_error_ulp": upwards(error),
        "promised_ulp": PROMISED_DIVISION,
    }


def subnormals(operations: Operations) -> dict[str, str]:
    """Find whether numbers below 2^-126 are kept or become 0."""
    tiny = np.array([2.0**-130], dtype=np.float32)
    one, small = np.ones(1, np.float32), np.array([2.0**-65], np.float32)
    found = {
        "copied": operations("copy", tiny),
        "added": operations("add", tiny, np.zeros(1, np.float32)),
        "multiplied": operations("multiply", tiny, one),
        "from_a_product": operations("multiply", small, small),
    }
    return {name: "kept" if value[0] == tiny[0] else "flushed" for name, value in found.items()}


def timer(device: Device, ticks: list[int]) -> dict[str, Any]:
    """Find the timestamps' step: the greatest common divisor of what many passes took."""
    if not device.has_timestamps:
        return {"timestamps": False, "tick_seconds": None, "step_seconds": None}
    tick = device.tick_seconds()
    return {
        "timestamps": True,
        "tick_seconds": about(tick),
        "step_seconds": about(math.gcd(*ticks) * tick) if any(ticks) else None,
    }


def run(device: Device, ticks: list[int], stride: int = 1) -> dict[str, Any]:
    """Run the whole self-test.

    The timer's step follows from the ticks of some passes; `stride` is that of exp's arguments.
    """
    operations = Operations(device)
    found = {
        "rounding": rounding(operations),
        "contraction": contraction(operations),
        "division": division(operations),
        "exp": measure.exp_curve(lambda x: operations("exp", x), stride),
        "subnormals": subnormals(operations),
        "timer": timer(device, ticks),
    }
    return {**found, "why_no_bit_check": disqualified(found)}


def disqualified(self_test: dict[str, Any]) -> list[str]:
    """Say why the device's bits cannot be compared with the emulator's; empty where they can."""
    reasons = {
        "sums or products are not rounded to nearest": not self_test["rounding"]["to_nearest"],
        "a product and a sum are contracted": self_test["contraction"]["contracts"],
        "quotients are not correctly rounded": not self_test["division"]["correctly_rounded"],
        "exp(0) is not 1": not self_test["exp"]["at_zero_is_one"],
        "subnormals are flushed to zero": "flushed" in self_test["subnormals"].values(),
    }
    return [reason for reason, holds in reasons.items() if holds]


def arithmetic(self_test: dict[str, Any]) -> Arithmetic:
    """Describe the device's arithmetic for the bound: the larger of promised and measured.

    WGSL lets a sum be rounded either way, so its unit is 2^-23; subnormals may be flushed. Without
    exp(0) = 1 there is no bound, and a ClaimError is raised.
    """
    exp = self_test["exp"]
    if not exp["at_zero_is_one"]:
        raise ClaimError(
            "self-test: exp(0) found other than 1, expected exactly 1, which the bound rests on"
            " (docs/error-bound.md, step 2); use another device"
        )
    excess = max(1.0, float(exp["largest_over_promised"]))
    return Arithmetic(
        unit=ULP * max(1.0, float(self_test["rounding"]["largest_error_ulp"])),
        exp=measure.PROMISED_EXP * excess * ULP,
        exp_slope=measure.PROMISED_EXP_SLOPE * excess * ULP,
        division=ULP * max(PROMISED_DIVISION, float(self_test["division"]["largest_error_ulp"])),
        underflow=2 * max(measure.LEAST_NORMAL, float(exp["largest_error_near_underflow"])),
    )
