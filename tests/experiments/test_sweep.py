"""The gates of the sweep: each disagreement, planted, stops the build."""

import copy

import numpy as np
import pytest
from fusedfacts.attention import traffic
from fusedfacts.emulator import execute
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import attention, sweep
from support.common import tensors


def test_a_size_of_the_sweep_is_the_published_one(facts):
    for published in facts["traffic"]:
        if published["n"] == 256:
            found = sweep.size_results(256, published["d"], facts["settings"]["seed"])
            assert found == published


@pytest.mark.parametrize("way", ["fused", "unfused"])
def test_one_element_too_many_in_any_buffer_stops_the_build(way, monkeypatch):
    right = getattr(traffic, way)(40, 16)
    for kernel, buffers in right.items():
        for buffer, access in buffers.items():
            for kind in access:
                wrong = copy.deepcopy(right)
                wrong[kernel][buffer][kind] += 1
                monkeypatch.setitem(traffic.ELEMENTS, way, lambda *size, wrong=wrong: wrong)
                with pytest.raises(ClaimError, match=f"{way}, n 40, d 16: elements moved"):
                    sweep.size_results(40, 16, 1)


@pytest.mark.parametrize("kind", ["multiplications", "additions", "exps", "divisions"])
def test_one_operation_too_many_stops_the_build(kind, monkeypatch):
    right = traffic.fused_arithmetic(40, 16)
    wrong = {**right, kind: right[kind] + 1}
    monkeypatch.setitem(traffic.ARITHMETIC, "fused", lambda *size, **tile: wrong)
    with pytest.raises(ClaimError, match="operations, emulator against formula"):
        sweep.size_results(40, 16, 1)


@pytest.mark.parametrize("way", ["fused", "unfused"])
@pytest.mark.parametrize("fault", [np.nan, np.inf, 1e-3])
def test_one_wrong_element_stops_the_build(way, fault, monkeypatch):
    right = getattr(execute, way)

    def wrong(q, k, v, **options):
        launch = right(q, k, v, **options)
        launch.output[3, 2] += np.float32(fault)
        return launch

    monkeypatch.setattr(execute, way, wrong)
    with pytest.raises(ClaimError, match=f"{way}, n 40, d 16: 1 elements lie outside"):
        sweep.size_results(40, 16, 1)


def test_one_bit_between_emulator_and_plain_reference_stops_the_build(monkeypatch):
    right = execute.fused

    def wrong(q, k, v, **options):
        launch = right(q, k, v, **options)
        launch.output[0, 0] = np.nextafter(launch.output[0, 0], np.float32(9))
        return launch

    monkeypatch.setattr(execute, "fused", wrong)
    with pytest.raises(ClaimError, match="head 0, width 8: bits"):
        attention.head_attention(*tensors(24, 16), [8], "head 0")
