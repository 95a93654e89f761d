"""The kernels on a device against closed form, emulator and bound: counts, bits and values."""

import shutil

import numpy as np
import pytest
from fusedfacts.attention import problem
from fusedfacts.attention.problem import HEAD_DIMS, Problem
from fusedfacts.device import agreement, checks, launch, memory, pipelines, run
from fusedfacts.emulator.methods import FUSED, METHODS, ONLINE, UNFUSED, Method
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import manifest as kernels
from support.common import ROOT, tensors

# A mask asks the same of each head dimension, and every pair of them is compiled for each method.
CASES = pytest.mark.parametrize(
    ("d", "causal"), [(16, False), (16, True), (32, True), (64, False), (128, True)]
)
FEW = (1, 17, 65)  # a single row, one past a tile, several tiles
# Softmax's lanes, beyond 129 keys, do not depend on d, so the longest lengths run where they cost
# least.
WIDE_D = 16
WIDE_FROM = 130
CHECKED_MOST = 512  # a software device takes minutes beyond
PUBLISHED = (FUSED, UNFUSED)  # the sweep's methods


@CASES
def test_kernels_hold_at_a_few_lengths(measured, d, causal):
    """Counts three ways, bits, repeats, counting and values, of all methods."""
    found = checks.ragged(measured, [Problem(n, d, causal) for n in FEW])
    assert found["launches"] == len(METHODS) * len(FEW)
    assert 0 < found["largest_ratio"] <= 1


@pytest.mark.slow
@CASES
def test_kernels_hold_on_the_ragged_grid(measured, d, causal):
    cases = [
        case
        for case in checks.ragged_cases(d)
        if case.causal == causal and (d == WIDE_D or case.n < WIDE_FROM)
    ]
    assert 0 < checks.ragged(measured, cases)["largest_ratio"] <= 1


def test_the_ragged_grid_surrounds_every_tile_edge():
    lengths = {case.n for case in checks.ragged_cases(16)}
    assert {1, 513} <= lengths
    for d in HEAD_DIMS:
        edges = {problem.query_rows(d), problem.fused_key_rows(d), problem.scores_key_rows(d)}
        edges |= {problem.MIX_KEY_ROWS[d], problem.SOFTMAX_LANES}
        for edge in edges:
            assert {edge - 1, edge, edge + 1} <= lengths, (d, edge)


@pytest.mark.slow
def test_published_sizes_hold(measured, facts):
    """Kernel, emulator and closed form agree on the very bytes that are published."""
    seed = facts["settings"]["seed"]
    for size in facts["traffic"]:
        n, d = size["n"], size["d"]
        if n <= CHECKED_MOST:
            found = {entry["way"]: entry for entry in checks.published_size(measured, n, d, seed)}
            for way in ("fused", "unfused"):
                assert found[way]["elements"] == size[way]["elements"]


@pytest.mark.slow
@pytest.mark.parametrize("method", PUBLISHED, ids=lambda method: method.name)
def test_longer_published_sizes_are_counted_as_published(device, facts, method):
    """Beyond what is checked in full: what a kernel moves does not depend on the values."""
    longer = [size for size in facts["traffic"] if size["n"] > CHECKED_MOST]
    assert {size["n"] for size in longer} == {1024, 2048, 4096}
    for size in longer:
        x = np.zeros((size["n"], size["d"]), dtype=np.float32)
        counts = run.attention(device, method.name, x, x, x).counts
        assert counts == method.traffic(Problem(*x.shape))
        assert counts == size[method.name]["elements"]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", kernels.manifest()["kernels"])
def test_one_workgroup_walks_a_long_sequence_to_its_end(device, kernel):
    """A software device may end loops silently after 65,535 rounds; the count would show it.

    5,792 is the longest that the table allows; one workgroup is enough, as each walks all keys, or
    all queries.
    """
    d, n = 16, 5792
    manifest = kernels.manifest()
    entry = manifest["kernels"][kernel]
    method = next(name for name in METHODS if kernel in kernels.names(name))
    x = np.zeros((n, d), dtype=np.float32)
    with run.buffers_of(method, x, x, x, device) as buffers:
        words = np.zeros(manifest["counter_slots"], dtype=np.uint32)
        counts = memory.Buffer(device.handle, "counts", words)
        bound = {**buffers, "counts": counts}
        launch.dispatch_kernel(device, kernel, pipelines.Variant(d), n, bound, 0, 1)
    takes = entry["workgroup_takes"]
    rows = {"row": 1, "query_tile": problem.query_rows(d), "key_tile": n}[takes]
    keys = problem.fused_key_rows(d) if takes == kernels.IN_TURN else n
    moved = {"q": rows * d, "k": keys * d, "v": keys * d, "o": rows * d}
    moved |= {"s": rows * n, "p": rows * n, "m": rows, "l": rows}
    expected = [moved[counter[0]] for counter in entry["counters"]]
    assert counts.read()[: len(expected)].tolist() == expected


@pytest.mark.parametrize("head", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_models_own_tensors_and_the_broken_control(measured, qkv, config, facts, head):
    """Within the bound, causal; the forgotten rescale is caught."""
    q, k, v = (qkv[f"probe.{name}"][head] for name in "qkv")
    found = checks.model_head(measured, q, k, v, config["control_key_rows"], head)
    assert set(found["ways"]) == set(METHODS)
    # A device's bound is wider, so it sees at most what the published control shows.
    published = facts["control"]["heads"][head]["rows_wrong"]
    for way in ONLINE:
        assert 1 <= found["controls"][way]["rows_wrong"] <= published


def test_a_head_whose_maxima_never_rise_cannot_show_the_control(measured, qkv):
    q, k, v = (qkv[f"probe.{name}"][0] for name in "qkv")
    found = checks.broken_control(measured, FUSED, q * 0, k, v, 8)
    assert (found["cannot_show"], found["rows_wrong"]) == (True, 0)
    with pytest.raises(ClaimError, match="did not catch the broken rescale of fused"):
        checks.broken_control(measured, FUSED, q, k, v * 0, 8)


@pytest.mark.parametrize("kind", checks.KINDS)
def test_other_kinds_of_input_hold_too(measured, kind, monkeypatch):
    """Bits and counts do not hang on the kind of input; the sign of a zero is a bit, too."""
    monkeypatch.setattr(checks, "KINDS_SIZE", (70, 32))
    assert 0 <= checks.kind(measured, kind)["largest_ratio"] <= 1


def test_the_longest_row_reaches_the_last_registers_of_softmax(measured):
    assert checks.longest_row(measured) == kernels.manifest()["kernels"]["softmax"]["n_most"]


@pytest.mark.parametrize("loop", range(5), ids=["load", "maximum", "exp", "sum", "store"])
def test_a_loop_that_stops_before_the_last_registers_is_seen(device, measured, tmp_path, loop):
    """No length up to 4,096 can show it; this row does, even where bits cannot be compared."""
    folder = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    parts = (folder / "softmax.wgsl").read_text().split("i < COLUMNS_EACH;")
    ends = ["i < COLUMNS_EACH;"] * (len(parts) - 1)
    assert len(ends) == 5
    ends[loop] = "i < COLUMNS_EACH - 2u;"
    text = "".join(part + end for part, end in zip(parts, [*ends, ""], strict=True))
    (folder / "softmax.wgsl").write_text(text)
    broken = pipelines.Device(device.adapter, device.handle, folder)
    other = agreement.MeasuredDevice(
        broken, {**measured.self_test, "why_no_bit_check": ["made up"]}
    )
    with pytest.raises(ClaimError, match="softmax on the device"):
        checks.longest_row(other)


@pytest.mark.parametrize("method", [METHODS[name] for name in ONLINE], ids=ONLINE)
@pytest.mark.parametrize(("rows", "rescale"), [(1, False), (23, True)])
def test_other_key_tiles_and_the_control_have_the_emulators_bits(measured, method, rows, rescale):
    narrow = Method(method.name, min(rows, method.tile_rows(32)))
    given = (Problem(50, 32, causal=True), *tensors(50, 32))
    found = agreement.run(measured, narrow, *given, rescale=rescale)
    expected = narrow.emulate(*given, exponential=measured.exp, rescale=rescale)
    assert found.counts == expected.traffic()
    if measured.bits:
        agreement.require_same_bits(found.output, expected.output, "control")


def test_a_bit_that_differs_is_named():
    one = np.ones((2, 3), dtype=np.float32)
    other = one.copy()
    other[1, 2] = np.nextafter(np.float32(1), np.float32(2))
    with pytest.raises(ClaimError, match=r"^x: 1 of 6 elements differ, the first at \(1, 2\): "):
        agreement.require_same_bits(other, one, "x")
    agreement.require_same_bits(
        np.full(2, np.nan, np.float32), -np.full(2, np.nan, np.float32), "x"
    )
    with pytest.raises(ClaimError):
        agreement.require_same_bits(np.float32([-0.0]), np.float32([0.0]), "x")
