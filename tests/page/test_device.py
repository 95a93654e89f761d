"""The page's runner of the kernels, in Chromium on a software device, against Python's library."""

from __future__ import annotations

import base64
import copy
import json
import os
import statistics
from contextlib import contextmanager

import numpy as np
import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.arithmetic import Arithmetic
from fusedfacts.attention.compare import check
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import HEAD_DIMS
from fusedfacts.device import consistent, measure, timing, ways
from fusedfacts.documents import files, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.kernels import manifest as kernels
from support import shots
from support.common import ROOT, bits, tensors

# What the lesson's page is served with: no inline script, no eval, nothing from elsewhere.
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"
KERNELS = ("fused", "fused_fast", "mix", "scores", "softmax")
# Below, at and above the heights and widths of tiles.
LENGTHS = (1, 2, 7, 16, 17, 33, 64, 65, 127, 129, 257, 300)
ULP = 2.0**-23
PROMISED = Arithmetic(
    unit=ULP, exp=3 * ULP, exp_slope=2 * ULP, division=2.5 * ULP, underflow=2.0**-125
)

HELPERS = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
globalThis.floats = (text) =>
  new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
globalThis.coded = (array) => {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096)
    text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(text);
};
globalThis.decoded = (x) => ({...x, q: floats(x.q), k: floats(x.k), v: floats(x.v)});
globalThis.said = async (work) => {
  try { await (typeof work === "function" ? work() : work); return null; }
  catch (fault) { return {name: fault.name, kind: fault.kind, message: fault.message}; }
};
globalThis.module = () => import("/js/device/index.js");
"""
COUNTED = """async (inputs) => {
  const found = [];
  for (const {options, ...input} of inputs) {
    const before = chip.dispatches;
    const {output, elements, bytes} = await chip.count(decoded(input), options);
    found.push({output: coded(output), elements, bytes, dispatches: chip.dispatches - before});
  }
  return found;
}"""


@contextmanager
def visited(browser, site, script="", routes=()):
    """An empty page of the site under its policy, with helpers and a script run before all else."""
    context = browser.new_context()
    try:
        context.add_init_script(HELPERS + script)
        page = context.new_page()
        page.route(
            "**/empty.html",
            lambda route: route.fulfill(
                content_type="text/html",
                headers={"content-security-policy": POLICY},
                body="<!doctype html><title>empty</title>",
            ),
        )
        for pattern, answer in routes:
            page.route(pattern, answer)
        page.goto(site + "empty.html")
        yield page
        assert page.evaluate("violations") == []
    finally:
        context.close()


@contextmanager
def another_browser(chromium, *arguments):
    """A browser of its own, to crash or to start without WebGPU."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = chromium.browser_type.launch(
        executable_path=shots.executable(), args=[*sandbox, *arguments]
    )
    try:
        yield browser
    finally:
        browser.close()


@pytest.fixture(scope="module")
def page(chromium, site):
    """A page with an open chip, whose compiled kernels all tests share."""
    with visited(chromium, site) as page:
        page.evaluate("async () => { globalThis.chip = await (await module()).open(); }")
        yield page


def coded(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def floats(text, n, d):
    return np.frombuffer(base64.b64decode(text), np.float32).reshape(n, d)


def given(n, d, causal=False, **more):
    """An input as the page takes it."""
    q, k, v = tensors(n, d)
    return {"n": n, "d": d, "causal": causal, "q": coded(q), "k": coded(k), "v": coded(v), **more}


def judged(way, n, d, causal, output):
    """An answer against the exact one, with what WGSL promises."""
    orders = [ways.order(way, d)]
    bounded = attention_bounds(*tensors(n, d), orders, causal=causal, arithmetic=PROMISED)
    assert bounded.certified == [True]
    return check(output, bounded.exact, bounded.bounds[0])


def one_sentence(message):
    assert message[0].isupper(), message
    assert message.endswith("."), message
    assert "\n" not in message
    return True


# Text and compilation


def test_the_text_that_is_compiled_is_pythons_for_every_kernel_and_head_dimension(page):
    found = page.evaluate(
        """([names, dims]) => names.map((k) => dims.map((d) => chip.kernels.code(k, d)))""",
        [KERNELS, HEAD_DIMS],
    )
    for kernel, texts in zip(KERNELS, found, strict=True):
        for d, text in zip(HEAD_DIMS, texts, strict=True):
            assert text == kernels.prelude(kernel, d) + kernels.text(kernel), (kernel, d)


def test_hashes_are_of_the_files_that_were_fetched(page):
    names = ["manifest.json", *(f"{kernel}.wgsl" for kernel in KERNELS)]
    expected = {name: files.sha256((ROOT / "kernels" / name).read_bytes()) for name in names}
    assert page.evaluate("chip.kernels.hashes") == expected


def test_every_kernel_compiles_without_a_word_at_every_head_dimension(page):
    """All at once, so that both cores compile; the counts below reuse them."""
    found = page.evaluate(
        """async ([names, dims]) => {
          const all = names.flatMap((k) => dims.map((d) => [k, d]));
          const messages = await Promise.all(all.map(([k, d]) => chip.pipelines.read(k, d)));
          const forms = await Promise.all([false, true].flatMap((causal) => all.map(([k, d]) =>
            chip.pipelines.get(k, {d, causal, count: true, rescale: true}))));
          const words = messages.flatMap((one) => one.messages.map((m) => m.message));
          return [words, forms.length, chip.pipelines.compiled.size];
        }""",
        [KERNELS, HEAD_DIMS],
    )
    assert found == [[], 40, 40]


# Counts and answers


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", HEAD_DIMS)
def test_counts_are_the_formulas_and_answers_lie_within_their_bound(page, d, causal):
    cases = [(way, n) for way in ways.WAYS for n in LENGTHS]
    found = page.evaluate(COUNTED, [given(n, d, causal, way=way) for way, n in cases])
    for (way, n), one in zip(cases, found, strict=True):
        formula = ways.formula(way, n, d, causal)
        assert one["elements"] == formula, (way, n)
        assert one["bytes"] == traffic.total_bytes(formula)
        seen = judged(way, n, d, causal, floats(one["output"], n, d))
        assert seen.passed, (way, n, seen.largest_ratio)


@pytest.mark.parametrize(("way", "moved"), [("fused", 17_301_504), ("unfused", 285_736_960)])
def test_the_films_bytes_are_measured(page, way, moved):
    [found] = page.evaluate(COUNTED, [given(4096, 16, way=way)])
    assert found["bytes"] == moved
    assert found["dispatches"] > len(kernels.names(way))


def test_without_the_rescale_rows_are_wrong(page):
    n, d = 130, 128
    [right, broken] = page.evaluate(
        COUNTED, [given(n, d, way="fused", rescale=rescale) for rescale in (True, False)]
    )
    assert judged("fused", n, d, False, floats(right["output"], n, d)).passed
    seen = judged("fused", n, d, False, floats(broken["output"], n, d))
    assert not seen.passed
    assert seen.wrong_rows.sum() > n / 2
    assert broken["elements"] == right["elements"]


def test_more_dispatches_change_neither_counts_nor_bits(page):
    n, d = 300, 128
    cases = [(way, pieces) for way in ways.WAYS for pieces in (1, 5, 1000)]
    inputs = [given(n, d, way=way, options={"pieces": pieces}) for way, pieces in cases]
    found = dict(zip(cases, page.evaluate(COUNTED, inputs), strict=True))
    for way in ways.WAYS:
        whole, cut, single = (found[way, pieces] for pieces in (1, 5, 1000))
        tiles = -(-n // 16)
        assert single["dispatches"] == tiles + (n + tiles if way == "unfused" else 0)
        # A slow machine's pace may cut as finely by itself.
        assert single["dispatches"] >= cut["dispatches"] >= 5
        for other in (cut, single):
            assert other["elements"] == whole["elements"]
            assert other["output"] == whole["output"]


def test_the_pace_keeps_dispatches_short_and_grows_by_small_steps(page):
    found = page.evaluate(
        """async () => {
          const {Pace, DISPATCH_SECONDS, GROUPS_MOST} = await import("/js/device/pace.js");
          const widths = (secondsEach) => {
            const pace = new Pace(), found = [];
            for (let i = 0; i < 12; i++) {
              const width = pace.width("k", 2 ** 16);
              found.push(width);
              pace.learn("k", width * 2 ** 16, width * secondsEach);
            }
            return found;
          };
          return {target: DISPATCH_SECONDS, most: GROUPS_MOST, quick: widths(1e-9),
            usual: widths(1e-4), slow: widths(1.0)};
        }"""
    )
    assert found["quick"][-1] == found["most"] == 65_535
    assert all(b <= 4 * a for a, b in zip(found["quick"], found["quick"][1:], strict=False))
    assert found["usual"][-1] == pytest.approx(found["target"] / 1e-4, abs=1)
    assert found["slow"][1:] == [1] * 11


# Times


@pytest.fixture(scope="module")
def timed(page):
    """A timed size, with the counted answers that it is compared with."""
    n, d = 65, 16
    return page.evaluate(
        """async (input) => {
          globalThis.input = decoded(input);
          globalThis.counted = {};
          for (const way of ["fused", "fused_fast", "unfused"])
            counted[way] = await chip.count({...globalThis.input, way});
          const said = [], tasks = [];
          new PerformanceObserver((list) =>
            tasks.push(...list.getEntries().map((e) => e.duration))).observe({type: "longtask"});
          globalThis.timed = await chip.time(globalThis.input,
            {repeats: 5, progress: (state) => said.push(state)});
          await new Promise((done) => setTimeout(done, 100));
          const plain = JSON.parse(JSON.stringify(globalThis.timed, (key, value) =>
            key === "output" ? coded(value) : value));
          return {...plain, said, tasks, same: Object.keys(counted).map((way) =>
            coded(counted[way].output) === plain.ways[way].output)};
        }""",
        given(n, d),
    )


def test_times_are_medians_between_their_quartiles(timed):
    assert set(timed["ways"]) == set(ways.WAYS)
    for way, found in timed["ways"].items():
        assert list(found["perKernel"]) == list(kernels.names(way))
        for spread in (found, *found["perKernel"].values()):
            low, high = spread["quartiles"]
            assert 0 < low <= spread["median"] <= high < 60
    unfused = timed["ways"]["unfused"]["median"]
    for way in ways.FUSED_WAYS:
        assert timed["ratios"][way] == pytest.approx(unfused / timed["ways"][way]["median"])


def test_counting_changes_no_bit(timed):
    assert timed["same"] == [True] * 3


def test_progress_rises_and_the_page_stays_alive(timed):
    done = [state["done"] for state in timed["said"]]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == 1
    assert all(state["doing"] for state in timed["said"])
    # A busy machine may stop the page for a moment: one such pause is not the page's doing.
    assert len(timed["tasks"]) <= 1, timed["tasks"]


def test_the_clock_is_named_with_its_step(page, timed):
    assert timed["clock"] == "timestamps"
    assert 0 < timed["stepSeconds"] < 1e-2
    timer = page.evaluate("({source: chip.timer.source, stepSeconds: chip.timer.stepSeconds})")
    assert timer == {"source": timed["clock"], "stepSeconds": timed["stepSeconds"]}


def test_a_coarse_clock_is_seen_and_launches_are_repeated_until_it_moves(page, timed):
    """Stamps of 100 us, as browsers give them; a clock that runs backwards is not used."""
    found = page.evaluate(
        """async () => {
          const {Timer} = await import("/js/device/timer.js");
          class Coarse extends Timer {
            async ticks(record) {
              return (await super.ticks(record)).map((t) => t / 100_000n * 100_000n);
            }
          }
          class Backwards extends Timer {
            async ticks(record) { return (await super.ticks(record)).reverse(); }
          }
          const coarse = await Coarse.open(chip.device, chip.life);
          const backwards = await Backwards.open(chip.device, chip.life);
          const own = chip.timer;
          chip.timer = coarse;
          const {ways} = await chip.time(input, {repeats: 1});
          chip.timer = own;
          return [coarse, backwards].map(({source, stepSeconds}) => ({source, stepSeconds}))
            .concat(ways.fused.perKernel.fused, ways.unfused.perKernel.mix);
        }"""
    )
    coarse, backwards, *perKernel = found
    assert coarse["source"] == "timestamps"
    assert coarse["stepSeconds"] == pytest.approx(round(coarse["stepSeconds"] / 1e-4) * 1e-4)
    assert backwards["source"] == "wall clock"
    for kernel in perKernel:
        lasted = kernel["launchesAveraged"] * kernel["median"]
        assert lasted > 5 * coarse["stepSeconds"]


def test_without_timestamps_the_browsers_clock_is_used_and_named(page, timed):
    found = page.evaluate(
        """async () => {
          const {Timer} = await import("/js/device/timer.js");
          const {Life} = await import("/js/device/life.js");
          const adapter = await navigator.gpu.requestAdapter();
          const device = await adapter.requestDevice();
          const plain = await Timer.open(device, new Life(device));
          device.destroy();
          const own = chip.timer, wall = new Timer(chip.device, chip.life);
          wall.stepSeconds = await wall.wallStep();
          chip.timer = wall;
          const {clock, stepSeconds, ways} = await chip.time(input, {repeats: 3});
          chip.timer = own;
          return {plain: plain.source, clock, stepSeconds, fused: ways.fused};
        }"""
    )
    assert found["plain"] == found["clock"] == "wall clock"
    assert 0 < found["stepSeconds"] < 1
    low, high = found["fused"]["quartiles"]
    assert 0 < low <= found["fused"]["median"] <= high


def test_digits_and_quartiles_are_pythons(page):
    values = [1.0625, 1.0635, 2.5005, 1e-9, 1 / 3, 12345.5, 123450.0, 9.9995, 9.99951, 17_301_504.0]
    values += [float(x) for x in np.abs(tensors(40, 16)[0]).reshape(-1)[:500] if x]
    samples = [values[:k] for k in (1, 2, 3, 4, 7, 10)]
    about, upwards, spreads = page.evaluate(
        """async ([values, samples]) => {
          const {about, upwards, spread} = await import("/js/device/statistics.js");
          return [values.map(about), values.map(upwards), samples.map(spread)];
        }""",
        [values, samples],
    )
    assert about == [measure.about(value) for value in values]
    # A double that is the nearest to four digits stays as it is here; Python may go one up.
    for value, up in zip(values, upwards, strict=True):
        assert value <= up <= measure.upwards(value)
    for sample, spread in zip(samples, spreads, strict=True):
        sample = sample * 2 if len(sample) == 1 else sample
        low, middle, high = statistics.quantiles(sample, n=4, method="inclusive")
        assert spread["median"] == pytest.approx(middle, rel=1e-12)
        assert spread["quartiles"] == pytest.approx([low, high], rel=1e-12)


# The report


def findings(timed, **changed):
    """What the page's emulator and judge would say of the timed size, by Python's library."""
    n, d = timed["n"], timed["d"]
    formula = {way: ways.formula(way, n, d, causal=False) for way in ways.WAYS}
    seen = {
        way: judged(way, n, d, False, floats(timed["ways"][way]["output"], n, d))
        for way in ways.WAYS
    }
    told = {
        way: {
            "passed": one.passed,
            "largestError": one.largest_error,
            "boundThere": one.bound_there,
            "largestRatio": one.largest_ratio,
        }
        for way, one in seen.items()
    }
    found = {"n": n, "d": d, "causal": False, "emulated": formula, "formula": formula}
    return {**found, "judged": told, **changed}


REPORTED = "(found) => JSON.stringify(chip.report({...found, counted, timed}))"


@pytest.fixture(scope="module")
def made(page, timed):
    return json.loads(page.evaluate(REPORTED, findings(timed)))


def test_a_report_fits_the_schema_and_agrees_with_itself(made, timed):
    schema.validate(made, "device", "report", "")
    consistent.check(made, "report")
    assert made["runner"]["name"] == consistent.PAGE
    assert made["self_test"] is None
    assert made["checks"]["bound_rests_on"].startswith("what WGSL promises")
    assert made["timings"]["step_seconds"] == measure.about(timed["stepSeconds"])
    assert len(made["checks"]["sizes"]) == 3


def test_a_report_without_times_and_one_of_a_causal_size_are_accepted_too(page, made):
    document = copy.deepcopy(made)
    document["timings"] = None
    document["checks"]["counting_changes_no_bit"] = None
    schema.validate(document, "device", "report", "")
    consistent.check(document, "report")
    for size in document["checks"]["sizes"]:
        size["causal"] = True
        size["elements"] = ways.formula(size["way"], size["n"], size["d"], causal=True)
    consistent.check(document, "report")


@pytest.mark.parametrize("kind", ["CPU", "DiscreteGPU", ""])
def test_what_times_do_not_prove_is_said_as_python_says_it(page, kind):
    script = "async (kind) => (await import('/js/device/report.js')).doesNotProve(kind)"
    assert page.evaluate(script, kind) == timing.does_not_prove(kind)


def changed(document, path, value):
    document = copy.deepcopy(document)
    node = document
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return document


LIES = {
    "a count of another size": (("checks", "sizes", 0, "elements", "fused", "k", "loads"), 1),
    "a causal size counted as a full one": (("checks", "sizes", 0, "causal"), True),
    "a way left out": (("checks", "sizes", 2, "way"), "fused"),
    "an error beyond its bound": (("checks", "sizes", 0, "largest_error"), 5.0),
    "other limits": (("limits", "max-compute-workgroup-storage-size"), 65_536),
    "an answer that was never compared": (("checks", "counting_changes_no_bit"), None),
    "another size timed": (("timings", "sizes", 0, "n"), 64),
    "bytes that were not moved": (("timings", "sizes", 0, "fused", "bytes"), 1),
    "a ratio of other times": (("timings", "ratios", 0, "time"), 99.0),
    "a claim of speed": (("timings", "does_not_prove"), "It is 10 times faster."),
    "quartiles out of order": (("timings", "sizes", 0, "fused", "sum", "upper_quartile"), 1e-12),
    "a speed of another time": (
        ("timings", "sizes", 0, "fused", "effective_bytes_per_second"),
        1.0,
    ),
    "a time below the clock's step": (("timings", "step_seconds"), 1e6),
    "a kernel that was not timed": (("timings", "sizes", 0, "unfused", "kernels"), {}),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_contradicts_itself_is_refused(made, lie):
    document = changed(made, *LIES[lie])
    schema.validate(document, "device", "report", "")
    with pytest.raises(ClaimError, match=r"^report: .* found .*, expected .*; copy the report"):
        consistent.check(document, "report")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("self_test",), {}),
        (("checks", "bound_rests_on"), "a guess"),
        (("checks", "bits_equal"), True),
        (("checks", "repeats_equal"), True),
        (("checks", "counts_equal"), None),
        (("checks", "longest_row"), 5_792),
        (("checks", "ragged"), [{"d": 16, "launches": 1, "elements": 1, "largest_ratio": 0.1}]),
        (("checks", "sizes", 0, "within_bound"), False),
        (("checks", "sizes"), []),
        (("timings", "step_seconds"), 0),
        (("kernels", "fused.wgsl"), "0"),
        # As any other runner it would owe the self-test and all checks.
        (("runner", "name"), "wgpu-py"),
    ],
)
def test_a_report_that_claims_more_than_was_run_does_not_fit(made, path, value):
    with pytest.raises(FactsError, match="found"):
        schema.validate(changed(made, path, value), "device", "report", "")


def test_what_does_not_hold_has_no_report(page, timed):
    whole = findings(timed)
    off = {"fused": {"fused": {}}}
    failed = {"fused": {**whole["judged"]["fused"], "passed": False}}
    cases = {
        "counted something else": {"formula": {**whole["formula"], **off}},
        "counted something else than": {"emulated": {**whole["emulated"], **off}},
        "outside its bound": {"judged": {**whole["judged"], **failed}},
        "was not checked": {"judged": {}},
        "another size was timed": {"n": 64},
    }
    for words, change in cases.items():
        found = page.evaluate(f"(found) => said(() => ({REPORTED})(found))", {**whole, **change})
        assert words in found["message"]
        assert found["kind"] == "claim"
        assert one_sentence(found["message"])
    found = page.evaluate(
        """async (found) => {
          const output = timed.ways.fused.output.slice();
          output[3] += 1;
          const other = {...timed, ways: {...timed.ways, fused: {...timed.ways.fused, output}}};
          return said(() => chip.report({...found, counted, timed: other}));
        }""",
        whole,
    )
    assert "another answer when it does not count" in found["message"]


def test_the_promised_arithmetic_is_wgsls(page):
    found = page.evaluate("async () => (await module()).promised")
    assert Arithmetic(found.pop("unit"), exp_slope=found.pop("expSlope"), **found) == PROMISED


# What can go wrong


def test_a_size_that_is_not_served_is_one_sentence(page):
    cases = {
        "at least 1, not 0": {"n": 0},
        "serve 16, 32, 64, 128 numbers per head, not 20": {"d": 20},
        "at most 5792 words here, not 5793": {"n": 5_793, "way": "unfused"},
        "must be 5 rows of 16": {"n": 5},
        "There is no way": {"way": "sideways"},
        "keeps no running total": {"way": "unfused", "rescale": False},
    }
    for words, change in cases.items():
        call = "(input) => said(() => chip.count(decoded(input)))"
        found = page.evaluate(call, {**given(4, 16, way="fused"), **change})
        assert words in found["message"]
        assert found["kind"] == "input"
        assert one_sentence(found["message"])


def test_a_run_can_be_stopped_between_dispatches_and_the_chip_goes_on(page):
    found = page.evaluate(
        """async (input) => {
          const stop = new AbortController(), seen = [];
          const progress = ({done}) => { seen.push(done); if (done > 0) stop.abort(); };
          const work = {...decoded(input), way: "fused"};
          const during = await said(chip.count(work, {signal: stop.signal, progress, pieces: 3}));
          const before = await said(chip.count(work, {signal: stop.signal}));
          const timing = await said(chip.time(decoded(input), {signal: stop.signal}));
          const {bytes} = await chip.count(work);
          return {during, before, timing, bytes, seen};
        }""",
        given(300, 128),
    )
    for when in ("during", "before", "timing"):
        assert found[when]["kind"] == "stopped"
        assert one_sentence(found[when]["message"])
    assert 0 < found["seen"][-1] < 1
    assert found["bytes"] == traffic.total_bytes(ways.formula("fused", 300, 128, causal=False))


def test_a_lost_device_rejects_what_is_pending_and_the_next_one_works(page):
    found = page.evaluate(
        """async (input) => {
          const {open} = await module();
          const work = {...decoded(input), way: "fused"};
          const first = await open();
          const progress = ({done}) => { if (done > 0) first.device.destroy(); };
          const pending = [
            said(first.count(work, {progress, pieces: 3})),
            said(first.count(work)),
            said(first.time(decoded(input))),
          ];
          const rejected = await Promise.all(pending);
          const told = await first.lost;
          const after = await said(first.count(work));
          const next = await open();
          const {bytes} = await next.count(work);
          next.close();
          return {rejected: [...rejected, after], told, bytes};
        }""",
        given(300, 16),
    )
    for rejection in found["rejected"]:
        assert rejection["kind"] == "lost"
        assert rejection["message"] == found["told"]
    assert one_sentence(found["told"])
    assert found["bytes"] == traffic.total_bytes(ways.formula("fused", 300, 16, causal=False))


def test_a_crash_of_the_browsers_graphics_is_told_and_survived(chromium, site):
    with another_browser(chromium, *shots.WEBGPU) as browser, visited(browser, site) as page:
        page.evaluate("async () => { globalThis.chip = await (await module()).open(); }")
        page.evaluate(
            """(input) => {
              globalThis.pending = said((async () => {
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
        page.evaluate("async () => { globalThis.chip = await (await module()).open(); }")
        [counted] = page.evaluate(COUNTED, [given(17, 16, way="fused")])
        assert counted["elements"] == ways.formula("fused", 17, 16, causal=False)


NO_GPU = "Object.defineProperty(Navigator.prototype, 'gpu', {get: () => undefined});"
OPENED = """async () => {
  const {open, support} = await module();
  return {support: support(), said: await said(open())};
}"""


def test_without_webgpu_one_sentence_says_how_to_get_it(chromium, site):
    with visited(chromium, site, NO_GPU) as page:
        found = page.evaluate(OPENED)
    assert found["support"]["available"] is False
    assert "does not offer WebGPU" in found["support"]["sentence"]
    assert found["said"]["message"] == found["support"]["sentence"]
    assert found["said"]["kind"] == "none"
    assert one_sentence(found["said"]["message"])


def test_a_page_that_did_not_come_safely_says_so(chromium, site):
    insecure = "Object.defineProperty(globalThis, 'isSecureContext', {get: () => false});"
    with visited(chromium, site, NO_GPU + insecure) as page:
        found = page.evaluate(OPENED)
    assert "https" in found["said"]["message"]


def test_a_browser_started_without_webgpu_gives_a_sentence(chromium, site):
    with another_browser(chromium) as browser, visited(browser, site) as page:
        found = page.evaluate(OPENED)
    assert found["said"]["kind"] == "none"
    assert one_sentence(found["said"]["message"])


def faked(adapter):
    return f"navigator.gpu.requestAdapter = async () => ({adapter});"


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (faked("null"), "none", "found no graphics device"),
        ("navigator.gpu.requestAdapter = async () => { throw new TypeError(); };", "none", "found"),
        (
            faked("{limits: {maxComputeWorkgroupStorageSize: 8192}, features: new Set()}"),
            "limits",
            "too small",
        ),
        (faked("{limits: {}, features: new Set()}"), "limits", "is not told"),
        (
            "GPUAdapter.prototype.requestDevice = async () => { throw new Error('no'); };",
            "limits",
            "could not be opened",
        ),
    ],
)
def test_an_adapter_that_does_not_do_is_one_sentence(chromium, site, script, kind, words):
    with visited(chromium, site, script) as page:
        found = page.evaluate(OPENED)
    assert found["support"]["available"] is True
    assert found["said"]["kind"] == kind
    assert words in found["said"]["message"]
    assert one_sentence(found["said"]["message"])


def test_the_device_has_the_default_limits_though_more_is_offered(page):
    found = page.evaluate(
        """({mine: chip.device.limits.maxComputeWorkgroupStorageSize,
          offered: chip.adapter.limits.maxComputeWorkgroupStorageSize,
          name: chip.name, limits: chip.limits})"""
    )
    assert found["mine"] == 16_384 < found["offered"]
    assert found["name"]
    assert found["limits"] == kernels.manifest()["limits"]


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("fused.wgsl", "fn main( {", "refuses the fused kernel, line 1"),
        ("fused.wgsl", None, "fused.wgsl could not be loaded"),
        ("manifest.json", '{"schema_version": 2}', "another version"),
    ],
)
def test_kernels_that_cannot_be_used_are_one_sentence(chromium, site, file, text, words):
    def answer(route):
        route.fulfill(body=text) if text else route.fulfill(status=404)

    with visited(chromium, site, routes=[(f"**/kernels/{file}", answer)]) as page:
        found = page.evaluate(
            """async (input) => said(async () => {
              const chip = await (await module()).open();
              await chip.count({...decoded(input), way: "fused"});
            })""",
            given(4, 16),
        )
    assert words in found["message"]
    assert found["kind"] == "kernel"
    assert one_sentence(found["message"])


def test_more_memory_than_there_is_is_one_sentence(page):
    found = page.evaluate(
        """async () => {
          const {Memory} = await import("/js/device/memory.js");
          class Full extends Memory {
            keep(descriptor) {
              this.device.popErrorScope = async () => {
                delete this.device.popErrorScope;
                await this.device.popErrorScope();
                return new GPUOutOfMemoryError("none left");
              };
              return super.keep(descriptor);
            }
          }
          const memory = new Full(chip.device, chip.life);
          const found = await said(memory.allocate({s: 4_000_000}));
          memory.release();
          return found;
        }"""
    )
    assert found["kind"] == "memory"
    assert "4 million bytes" in found["message"]
    assert one_sentence(found["message"])


def test_bits_are_the_same_launch_after_launch(page):
    first, second = page.evaluate(COUNTED, [given(65, 16, way="fused") for _ in range(2)])
    a, b = (floats(one["output"], 65, 16) for one in (first, second))
    assert (bits(a) == bits(b)).all()
