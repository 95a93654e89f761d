"""The page's times: medians by a clock that is named, from launches that change no bit."""

import pytest
from fusedfacts.emulator.methods import METHODS, ONLINE
from fusedfacts.kernels import manifest as kernels
from support.device_page import given

pytestmark = pytest.mark.slow  # every kernel is compiled twice


@pytest.fixture(scope="module")
def timed(chip):
    """A timed size, with the counted answers that it is compared with."""
    return chip.evaluate(
        """async (input) => {
          globalThis.input = decoded(input);
          const counted = {}, progress = [];
          for (const way of chip.kernels.served(1))
            counted[way] = coded((await chip.count({...globalThis.input, way})).output);
          const {ways, ...timed} = await chip.time(globalThis.input,
            {repeats: 5, progress: (state) => progress.push(state)});
          const same = Object.keys(counted).map((way) => coded(ways[way].output) === counted[way]);
          for (const way of Object.values(ways)) delete way.output;
          return {...timed, ways, progress, same};
        }""",
        given(65, 16),
    )


def test_times_are_medians_by_a_named_clock_and_counting_changes_no_bit(chip, timed):
    assert set(timed["ways"]) == set(METHODS)
    for way, found in timed["ways"].items():
        assert list(found["perKernel"]) == list(kernels.names(way))
        for spread in (found, *found["perKernel"].values()):
            low, high = spread["quartiles"]
            assert 0 < low <= spread["median"] <= high
    unfused = timed["ways"]["unfused"]["median"]
    for way in ONLINE:
        assert timed["ratios"][way] == pytest.approx(unfused / timed["ways"][way]["median"])
    assert timed["same"] == [True] * len(METHODS)
    assert timed["clock"] == "timestamps"
    timer = chip.evaluate("({source: chip.timer.source, stepSeconds: chip.timer.stepSeconds})")
    assert timer == {"source": timed["clock"], "stepSeconds": timed["stepSeconds"]}
    assert timed["stepSeconds"] > 0
    done = [state["done"] for state in timed["progress"]]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 1)
    assert all(state["doing"] for state in timed["progress"])


def test_a_clock_is_tried_before_it_is_named_and_launches_are_repeated_until_it_moves(chip, timed):
    """Stamps of 100 us, as browsers give them; stamps that run backwards; and none at all."""
    *found, without = chip.evaluate(
        """async () => {
          const {Timer} = await import("/js/device/timer.js");
          const {Life} = await import("/js/device/life.js");
          class Coarse extends Timer {
            async ticks(record) {
              return (await super.ticks(record)).map((t) => t / 100_000n * 100_000n);
            }
          }
          class Backwards extends Timer {
            async ticks(record) { return (await super.ticks(record)).reverse(); }
          }
          const own = chip.timer, found = [];
          for (const kind of [Coarse, Backwards]) {
            chip.timer = await kind.open(chip.device, chip.life);
            const {clock, stepSeconds, ways} = await chip.time(input, {repeats: 1});
            const kernels = [ways.fused.perKernel.fused, ways.unfused.perKernel.mix];
            found.push({clock, stepSeconds, kernels});
          }
          chip.timer = own;
          const device = await (await navigator.gpu.requestAdapter()).requestDevice();
          const {source} = await Timer.open(device, new Life(device));
          device.destroy();
          return [...found, source];
        }"""
    )
    coarse, backwards = found
    assert coarse["clock"] == "timestamps"
    assert backwards["clock"] == without == "wall clock"
    assert coarse["stepSeconds"] == pytest.approx(round(coarse["stepSeconds"] / 1e-4) * 1e-4)
    assert backwards["stepSeconds"] > 0
    for kernel in coarse["kernels"]:
        assert kernel["launchesAveraged"] * kernel["median"] > 5 * coarse["stepSeconds"]
