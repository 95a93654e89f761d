"""The page's runner of the kernels, in Chromium on a software device, against Python's library."""

import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import HEAD_DIMS, Problem
from fusedfacts.documents import files
from fusedfacts.emulator.methods import METHODS
from fusedfacts.kernels import manifest as kernels
from support.common import ROOT, tensors
from support.device_page import COUNT, floats, given
from support.golden import KERNELS, PROMISED

# fused_fast takes long to compile: it runs with the slow tests.
QUICK = ("fused", "unfused")


def same_as_python(chip, cases):
    """Counts are the closed formulas', answers lie within the bounds of what WGSL promises."""
    inputs = [given(n, d, causal, way=way) for way, n, d, causal in cases]
    for (way, n, d, causal), one in zip(cases, chip.evaluate(COUNT, inputs), strict=True):
        formula = METHODS[way].traffic(Problem(n, d, causal))
        assert one["elements"] == formula, (way, n)
        assert one["bytes"] == traffic.total_bytes(formula)
        orders = [METHODS[way].order(d)]
        bounded = attention_bounds(*tensors(n, d), orders, causal=causal, arithmetic=PROMISED)
        assert bounded.certified == [True]
        seen = compare(floats(one["output"], n, d), bounded.exact, bounded.bounds[0])
        assert seen.passed, (way, n, seen.largest_ratio)


def test_the_text_that_is_compiled_is_pythons_for_every_kernel_and_head_dimension(chip):
    found = chip.evaluate(
        """([names, dims]) => names.map((k) => dims.map((d) => chip.kernels.code(k, d)))""",
        [KERNELS, HEAD_DIMS],
    )
    for kernel, texts in zip(KERNELS, found, strict=True):
        for d, text in zip(HEAD_DIMS, texts, strict=True):
            assert text == kernels.prelude(kernel, d) + kernels.text(kernel), (kernel, d)


def test_hashes_are_of_the_files_that_were_fetched(chip):
    names = ["manifest.json", *(f"{kernel}.wgsl" for kernel in KERNELS)]
    expected = {name: files.sha256((ROOT / "kernels" / name).read_bytes()) for name in names}
    assert chip.evaluate("chip.kernels.hashes") == expected


def test_the_device_has_the_default_limits_though_more_is_offered(chip):
    found = chip.evaluate(
        """({mine: chip.device.limits.maxComputeWorkgroupStorageSize,
          offered: chip.adapter.limits.maxComputeWorkgroupStorageSize, name: chip.name})"""
    )
    assert found["mine"] == 16_384 < found["offered"]
    assert found["name"]


def test_counts_are_the_formulas_and_answers_lie_within_their_bound(chip):
    same_as_python(chip, [(way, n, 16, False) for way in QUICK for n in (1, 129, 300)])


def test_more_dispatches_change_neither_counts_nor_bits(chip):
    n, d = 300, 16
    cases = [(way, pieces) for way in QUICK for pieces in (1, 2, 1000)]
    inputs = [given(n, d, way=way, options={"pieces": pieces}) for way, pieces in cases]
    found = dict(zip(cases, chip.evaluate(COUNT, inputs), strict=True))
    for way in QUICK:
        whole, cut, single = (found[way, pieces] for pieces in (1, 2, 1000))
        tiles = -(-n // 128)
        assert single["dispatches"] == tiles + (n + tiles if way == "unfused" else 0)
        # A slow machine's pace may cut as finely by itself.
        assert single["dispatches"] >= cut["dispatches"] >= 2
        for other in (cut, single):
            assert other["elements"] == whole["elements"]
            assert other["output"] == whole["output"]


def test_a_run_can_be_stopped_between_dispatches_and_the_chip_goes_on(chip):
    found = chip.evaluate(
        """async (input) => {
          const stop = new AbortController(), seen = [];
          const progress = ({done}) => { seen.push(done); if (done > 0) stop.abort(); };
          const work = {...decoded(input), way: "fused"};
          const during = await fault(chip.count(work, {signal: stop.signal, progress, pieces: 3}));
          const before = await fault(chip.count(work, {signal: stop.signal}));
          const timing = await fault(chip.time(decoded(input), {signal: stop.signal}));
          const {bytes} = await chip.count(work);
          return {during, before, timing, bytes, seen};
        }""",
        given(300, 16),
    )
    for when in ("during", "before", "timing"):
        assert found[when]["kind"] == "stopped"
    assert 0 < found["seen"][-1] < 1
    assert found["bytes"] == traffic.total_bytes(METHODS["fused"].traffic(Problem(300, 16)))


@pytest.mark.slow
def test_every_kernel_compiles_without_a_word_at_every_head_dimension(chip):
    """As they run when they count; those that do not count are compiled where they are timed."""
    found = chip.evaluate(
        """async ([names, dims]) => {
          const all = names.flatMap((k) => dims.map((d) => [k, d]));
          const messages = await Promise.all(all.map(([k, d]) => chip.pipelines.read(k, d)));
          return messages.flatMap((one) => one.messages.map((m) => m.message));
        }""",
        [KERNELS, HEAD_DIMS],
    )
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize(("d", "causal"), [(16, True), (32, False), (64, True), (128, False)])
def test_counts_and_answers_of_every_head_dimension_and_ragged_length(chip, d, causal):
    """Below, at and above the heights and widths of tiles."""
    same_as_python(chip, [(way, n, d, causal) for way in METHODS for n in (1, 33, 64, 130)])
