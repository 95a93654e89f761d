"""The kernels on a device, held against formula, emulator and bound: the six checks."""

import shutil

import numpy as np
import pytest
from fusedfacts.attention import problem
from fusedfacts.attention.problem import Problem
from fusedfacts.device import checks, compare, pipelines
from fusedfacts.emulator.methods import FUSED, FUSED_FAST, METHODS, Method
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest as kernels
from support.common import ROOT, tensors


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("d", problem.HEAD_DIMS)
def test_the_ragged_grid(subject, d, causal):
    """Counts three ways, bits, repeats, counting and values, for all kernels at odd lengths."""
    cases = [case for case in checks.ragged_cases() if (case.d, case.causal) == (d, causal)]
    found = checks.ragged(subject, cases)
    assert found["launches"] == len(METHODS) * len(checks.RAGGED_LENGTHS)
    assert 0 < found["largest_ratio"] <= 1


def test_the_ragged_grid_surrounds_every_tile_edge():
    lengths = set(checks.RAGGED_LENGTHS)
    assert {1, 513} <= lengths
    for d in problem.HEAD_DIMS:
        edges = {problem.query_rows(d), problem.fused_key_rows(d), problem.scores_key_rows(d)}
        edges |= {problem.mix_key_rows(d), problem.SOFTMAX_LANES}
        for edge in edges:
            assert {edge - 1, edge, edge + 1} <= lengths, (d, edge)


def pytest_generate_tests(metafunc):
    """The published sizes are those of the shipped config."""
    if "published" in metafunc.fixturenames:
        import yaml
        from support.common import ROOT

        config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
        sizes = [(n, d, config["seed"]) for d in config["head_dims"] for n in config["n_values"]]
        metafunc.parametrize("published", sizes, ids=lambda size: f"n{size[0]}-d{size[1]}")


def test_every_published_size(subject, facts, published):
    """Kernel, emulator and formula agree on the very bytes that are published."""
    n, d, seed = published
    size = next(size for size in facts["traffic"] if (size["n"], size["d"]) == (n, d))
    found = {entry["way"]: entry for entry in checks.published_size(subject, n, d, seed)}
    assert found["unfused"]["elements"] == size["unfused"]["elements"]
    assert found["fused"]["elements"] == size["fused"]["elements"]
    assert all(entry["within_bound"] for entry in found.values())


@pytest.mark.parametrize("head", range(4))
def test_the_models_own_tensors_and_the_broken_control(subject, qkv, config, facts, head):
    """Within the bound on every head, causal; the forgotten rescale is caught on every head."""
    q, k, v = (qkv[f"probe.{name}"][head] for name in "qkv")
    found = checks.model_head(subject, q, k, v, config["control_key_rows"], head)
    assert set(found["ways"]) == set(METHODS)
    # A device's bound is wider, so it sees at most what the published control shows.
    published = facts["control"]["heads"][head]["rows_wrong"]
    for way in ("fused", "fused_fast"):
        assert 1 <= found["controls"][way]["rows_wrong"] <= published


@pytest.mark.parametrize("kind", checks.KINDS)
def test_other_kinds_of_input_hold_too(subject, kind):
    """Bits and counts do not hang on the kind of input; the sign of a zero is a bit, too."""
    assert 0 <= checks.kind(subject, kind)["largest_ratio"] <= 1


def test_the_longest_row_reaches_the_last_registers_of_softmax(subject):
    assert checks.longest_row(subject) == kernels.manifest()["kernels"]["softmax"]["n_most"]


LOOPS = {"load": 0, "maximum": 1, "exp": 2, "sum": 3, "store": 4}


@pytest.mark.parametrize("bits", [True, False], ids=["bits", "no bits"])
@pytest.mark.parametrize("last", ["16u", "COLUMNS_EACH - 2u"])
@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_stops_before_the_last_registers_is_seen(
    device, subject, tmp_path, loop, last, bits
):
    """No length up to 4,096 can show it; with bits or without, this row does."""
    folder = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    parts = (folder / "softmax.wgsl").read_text().split("i < COLUMNS_EACH;")
    assert len(parts) == 1 + len(LOOPS)
    ends = ["i < COLUMNS_EACH;"] * len(LOOPS)
    ends[LOOPS[loop]] = f"i < {last};"
    text = "".join(part + end for part, end in zip(parts, [*ends, ""], strict=True))
    (folder / "softmax.wgsl").write_text(text)
    broken = pipelines.Device(device.adapter, device.handle, folder)
    reasons = [] if bits else ["made up"]
    other = compare.Subject(broken, {**subject.self_test, "why_no_bit_check": reasons})
    with pytest.raises(ClaimError, match="softmax on the device"):
        checks.longest_row(other)


@pytest.mark.parametrize("method", [FUSED, FUSED_FAST])
@pytest.mark.parametrize("rows", [1, 3, 8, 23])
@pytest.mark.parametrize("rescale", [True, False])
def test_other_key_tiles_and_the_control_equal_the_emulators_bits(subject, method, rows, rescale):
    q, k, v = tensors(50, 32)
    narrow = Method(method.name, min(rows, method.tile_rows(32)))
    given = (Problem(50, 32, causal=True), q, k, v)
    found = compare.run(subject, narrow, *given, rescale=rescale)
    expected = narrow.emulate(*given, exponential=subject.exp, rescale=rescale)
    assert found.counts == expected.traffic()
    if subject.bits:
        compare.require_same_bits(found.output, expected.output, "control")


def test_a_bit_that_differs_is_named():
    one = np.ones((2, 3), dtype=np.float32)
    other = one.copy()
    other[1, 2] = np.nextafter(np.float32(1), np.float32(2))
    with pytest.raises(ClaimError, match=r"^x: 1 of 6 elements differ, the first at \(1, 2\): "):
        compare.require_same_bits(other, one, "x")
    compare.require_same_bits(np.full(2, np.nan, np.float32), -np.full(2, np.nan, np.float32), "x")
    with pytest.raises(ClaimError):
        compare.require_same_bits(np.float32([-0.0]), np.float32([0.0]), "x")


def test_a_figure_of_a_failed_check_is_never_given():
    from fusedfacts.attention.compare import compare as compare_values

    one = np.ones((1, 1))
    failed = compare_values(np.float32([[2.0]]), one, one * 0.5)
    with pytest.raises(ClaimError, match=r"^here: 1 elements lie outside their bound"):
        compare.figures(failed, "here")


def test_a_device_that_cannot_compare_bits_still_counts_and_keeps_the_bound(subject):
    """Without the comparison of bits the other checks go on, and the report says null."""
    self_test = {**subject.self_test, "why_no_bit_check": ["made up"]}
    other = compare.Subject(subject.device, self_test)
    assert not other.bits
    assert checks.ragged(other, [Problem(33, 16)])["launches"] == 3
