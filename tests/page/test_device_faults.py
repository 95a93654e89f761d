"""What can go wrong on a visitor's device, each as one plain sentence."""

import pytest
from fusedfacts.attention.problem import Problem
from fusedfacts.emulator.methods import METHODS
from support import shots
from support.device_page import COUNT, OPEN, given, one_sentence, visited

OPENED = "async () => fault((await module()).open())"
NO_GPU = "Object.defineProperty(Navigator.prototype, 'gpu', {get: () => undefined});"
INSECURE = "Object.defineProperty(globalThis, 'isSecureContext', {get: () => false});"
NO_ADAPTER = "navigator.gpu.requestAdapter = async () => null;"
SMALL = """navigator.gpu.requestAdapter = async () =>
  ({limits: {maxComputeWorkgroupStorageSize: 8192}, features: new Set()});"""
NO_DEVICE = "GPUAdapter.prototype.requestDevice = async () => { throw new Error('no'); };"


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (NO_GPU, "none", "does not offer WebGPU"),
        (NO_GPU + INSECURE, "none", "https"),
        (NO_ADAPTER, "none", "found no graphics device"),
        (SMALL, "limits", "too small"),
        (NO_DEVICE, "limits", "could not be opened"),
    ],
)
def test_a_browser_without_a_device_that_does_says_so(chromium, site, script, kind, words):
    with visited(chromium, site, script) as page:
        found = page.evaluate(OPENED)
    assert found["kind"] == kind
    assert words in found["message"]
    assert one_sentence(found["message"])


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("fused.wgsl", "fn main( {", "refuses the fused kernel, line 1"),
        ("fused.wgsl", None, "fused.wgsl could not be loaded"),
        ("manifest.json", '{"schema_version": 2}', "another version"),
    ],
)
def test_kernels_that_cannot_be_used_are_one_sentence(chromium, site, file, text, words):
    with visited(chromium, site) as page:
        answer = {"body": text} if text else {"status": 404}
        page.route(f"**/kernels/{file}", lambda route: route.fulfill(**answer))
        found = page.evaluate(
            """async (input) => fault(async () => {
              const chip = await (await module()).open();
              await chip.count({...decoded(input), way: "fused"});
            })""",
            given(4, 16),
        )
    assert words in found["message"]
    assert found["kind"] == "kernel"
    assert one_sentence(found["message"])


def test_more_memory_than_there_is_is_one_sentence(chromium, site):
    with visited(chromium, site) as page:
        page.evaluate(OPEN)
        found = page.evaluate(
            """async () => {
              const {Memory} = await import("/js/device/memory.js");
              const scope = chip.device.popErrorScope.bind(chip.device);
              chip.device.popErrorScope = async () => {
                await scope();
                return new GPUOutOfMemoryError("none left");
              };
              return fault(new Memory(chip.device, chip.life).allocate({s: 4_000_000}));
            }"""
        )
    assert found["kind"] == "memory"
    assert "4 million bytes" in found["message"]
    assert one_sentence(found["message"])


@pytest.mark.slow
def test_a_crash_of_the_browsers_graphics_is_told_and_survived(chromium, site):
    another = shots.launched(chromium.browser_type, *shots.WEBGPU)
    with another as browser, visited(browser, site) as page:
        page.evaluate(OPEN)
        page.evaluate(
            """(input) => {
              globalThis.pending = fault((async () => {
                for (;;) await chip.count({...decoded(input), way: "fused"}); })());
            }""",
            given(65, 16),
        )
        browser.new_browser_cdp_session().send("Browser.crashGpuProcess")
        found = page.evaluate("async () => [await pending, await chip.lost]")
        assert found[0]["kind"] == "lost"
        assert found[0]["message"] == found[1]
        assert "lost" in found[1]
        assert one_sentence(found[1])
        page.evaluate(OPEN)
        [counted] = page.evaluate(COUNT, [given(17, 16, way="fused")])
        assert counted["elements"] == METHODS["fused"].traffic(Problem(17, 16))
