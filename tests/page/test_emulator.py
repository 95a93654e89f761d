"""The emulator in the page: workers that count, can be watched and cancelled, and may fail."""

import pytest
from fusedfacts.attention import traffic
from fusedfacts.emulator import execute
from support import golden
from support.common import tensors
from support.device_page import visited

GONE_MS = 20_000  # generous: workers end within milliseconds
COUNT = """async (options) => {
    const { count } = await import("/js/emulator/index.js");
    const fractions = [];
    const { output, ...found } = await count(options, { progress: (x) => fractions.push(x) });
    const hash = await crypto.subtle.digest("SHA-256", output);
    const digest = [...new Uint8Array(hash)].map((x) => x.toString(16).padStart(2, "0")).join("");
    return { ...found, digest, fractions };
}"""
REFUSED = """async () => {
    const { count } = await import("/js/emulator/index.js");
    return count({ way: "fused", n: 64, d: 16, seed: 1 }).catch((reason) => reason.message);
}"""


@pytest.fixture
def page(chromium, site):
    """An empty page of the site that may run its scripts and nothing else."""
    with visited(chromium, site) as page:
        yield page


def no_workers_left(page):
    for _ in range(GONE_MS // 20):
        if not page.workers:
            return True
        page.wait_for_timeout(20)
    return False


def test_workers_answer_count_and_check_as_python_does(page):
    for way, n, d, causal in [("fused", 129, 128, True), ("unfused", 129, 64, False)]:
        size = {"n": n, "d": d, "causal": causal}
        launch = getattr(execute, way)(*tensors(n, d, golden.SEED), causal=causal)
        found = page.evaluate(COUNT, {"way": way, **size, "seed": golden.SEED})
        assert found["digest"].startswith(golden.digest(launch.output))
        assert found["elements"] == getattr(traffic, way)(n, d, causal)
        assert found["bytes"] == traffic.total_bytes(found["elements"])
        assert found["formulaAgrees"] is found["check"]["passed"] is True
        assert found["check"]["certified"]
        assert found["fractions"] == sorted(found["fractions"])
        assert (found["fractions"][-1], len(found["fractions"])) == (1, -(-n // (2048 // d)))
    assert no_workers_left(page)


def test_a_count_is_cancelled_and_leaves_no_worker(page):
    page.evaluate(
        """async () => {
            const { count } = await import("/js/emulator/index.js");
            globalThis.controller = new AbortController();
            const size = { way: "fused", n: 16384, d: 128, seed: 1 };
            globalThis.ended = count(size, { signal: controller.signal }).catch((e) => e.name);
        }"""
    )
    while not page.workers:
        page.wait_for_timeout(20)
    assert page.evaluate("() => (controller.abort(), ended)") == "AbortError"
    assert no_workers_left(page)


@pytest.mark.parametrize("body", [None, "throw new Error('out of luck')"])
def test_a_worker_that_fails_says_so_plainly(page, body):
    answer = {"status": 404} if body is None else {"body": body, "content_type": "text/javascript"}
    page.route("**/worker.js", lambda route: route.fulfill(**answer))
    said = page.evaluate(REFUSED)
    assert said.startswith("the emulator stopped: ")
    assert ("out of luck" if body else "could not be loaded") in said
    assert no_workers_left(page)
