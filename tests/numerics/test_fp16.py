from decimal import Decimal

import numpy as np
import pytest
from fusedfacts.numerics import fp16, rng


def test_the_limits_are_those_of_the_format():
    assert float(np.finfo(np.float16).max) == fp16.LARGEST
    with np.errstate(over="ignore"):
        assert np.isinf(np.float16(fp16.TO_INFINITY))
    assert np.float16(np.nextafter(fp16.TO_INFINITY, 0)) == fp16.LARGEST
    assert float(np.finfo(np.float16).smallest_subnormal) == fp16.LEAST


def test_the_threshold_decides_exactly():
    threshold = fp16.least_float32_from(fp16.ln(fp16.TO_INFINITY))
    below = np.nextafter(threshold, np.float32(0))
    assert Decimal(float(threshold)) >= fp16.ln(fp16.TO_INFINITY) > Decimal(float(below))
    assert np.isinf(fp16.exp16(np.array([threshold]))[0])
    assert fp16.exp16(np.array([below]))[0] == fp16.LARGEST


def test_exp16_is_correctly_rounded_near_every_kind_of_boundary():
    """Scores whose exponentials lie as near to a boundary of fp16 as float32 allows."""
    with np.errstate(over="ignore"):
        numbers = np.float16([1e-7, 1e-5, 0.3, 1, 3, 100, 65504])
        middles = (
            numbers.astype(np.float64) + np.nextafter(numbers, np.float16(np.inf)).astype(float)
        ) / 2
    middles[-1] = fp16.TO_INFINITY
    near = np.log(middles).astype(np.float32)
    scores = np.concatenate([np.nextafter(near, np.float32(-99)), near, np.nextafter(near, 99)])
    scores = np.concatenate([scores, rng.normal(2, 0, (400,)) * np.float32(4)])
    slow = [fp16._exact_exp(float(x)) for x in scores]
    assert np.array_equal(fp16.exp16(scores), slow)


def test_doubtful_exponentials_take_the_exact_way(monkeypatch):
    taken = []
    exact = fp16._exact_exp
    monkeypatch.setattr(fp16, "_exact_exp", lambda x: (taken.append(x), exact(x))[1])
    monkeypatch.setattr(fp16, "SAFE", 0.5)
    fp16.exp16(np.float32([1, 2]))
    assert taken == [1, 2]


@pytest.mark.parametrize(
    ("terms", "over"),
    [([65504, 15], False), ([65504, 16], True), ([32768, 32752], True), ([32768, 32736], False)],
)
def test_a_total_overflows_from_65520_on(terms, over):
    assert fp16.total_overflows(np.float16([terms])).tolist() == [over]
