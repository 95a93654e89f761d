"""The emulator in JavaScript: held to Python's in counts, bits, bounds and verdicts."""

import base64
import time

import numpy as np
import pytest
from fusedfacts.attention import traffic as counts
from fusedfacts.attention.arithmetic import Arithmetic, fused_order, unfused_order
from fusedfacts.attention.compare import check
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.emulator import launch as run
from fusedfacts.numerics import exponential, rng
from support.common import ROOT, bits, tensors

POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'"
RAGGED = [1, 2, 3, 5, 17, 33, 64, 65, 100, 129, 257, 300]
WAYS = ["fused", "unfused"]
DIMS = [16, 32, 64, 128]


def new_page(chromium, site):
    """An empty page of the site that may run its scripts and nothing else."""
    page = chromium.new_page()
    page.route(
        site + "blank.html",
        lambda route: route.fulfill(
            body="<!doctype html><title>blank</title>",
            content_type="text/html",
            headers={"Content-Security-Policy": POLICY},
        ),
    )
    page.add_init_script(path=ROOT / "tests" / "support" / "page_emulator.js")
    page.goto(site + "blank.html")
    return page


@pytest.fixture(scope="module")
def page(chromium, site):
    page = new_page(chromium, site)
    yield page
    page.close()


@pytest.fixture
def fresh(chromium, site):
    page = new_page(chromium, site)
    yield page
    page.close()


def text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def array(text, dtype=np.float32):
    return np.frombuffer(base64.b64decode(text), dtype=dtype)


COUNT = """async (options) => {
    const { count } = await lab.module("index");
    const fractions = [];
    const found = await count(options, { progress: (x) => fractions.push(x) });
    return { ...found, output: lab.text(found.output), fractions };
}"""


def emulated(q, k, v, way, **options):
    given = {name: options[name] for name in ("causal", "key_rows", "rescale") if name in options}
    return getattr(run, way)(q, k, v, **given)


# Exponential and inputs


def test_exp_has_pythons_bits(page):
    edges = np.float32([-104.5, -103.9, -87.5, -87.3, 88.7, 88.8]).view(np.uint32)
    patterns = np.concatenate(
        [
            np.arange(0, 2**32, 4099, dtype=np.uint32),  # every sign and exponent, NaNs too
            *(np.arange(edge - 2000, edge + 200_000, 101, dtype=np.uint32) for edge in edges),
            np.linspace(-110, 90, 300_000, dtype=np.float32).view(np.uint32),
            np.float32([0, -0.0, np.inf, -np.inf, np.nan, 2.0**-149, 3.4e38]).view(np.uint32),
        ]
    )
    x = patterns.view(np.float32)
    found = array(
        page.evaluate(
            """async (x) => {
                const { expAll } = await lab.module("exponential");
                const values = lab.floats(x);
                expAll(values);
                return lab.text(values);
            }""",
            text(x),
        )
    )
    wanted = exponential.exp(x)
    number = ~np.isnan(x)
    assert np.array_equal(np.isnan(found), ~number)
    assert np.array_equal(bits(found[number]), bits(wanted[number]))
    assert np.count_nonzero((wanted > 0) & (wanted < 2.0**-126)) > 1000  # subnormal results


@pytest.mark.parametrize("seed", [0, 23, 2**31 + 7, 2**32 + 5, -1])
def test_seeded_inputs_have_pythons_bits(page, seed):
    found = page.evaluate(
        """async (seed) => {
            const { inputs } = await lab.module("index");
            const { q, k, v } = await inputs({ n: 300, d: 32, seed });
            return [q, k, v].map(lab.text);
        }""",
        seed,
    )
    for stream, got in enumerate(found):
        assert np.array_equal(bits(array(got)), bits(rng.normal(seed, stream, (9600,))))


# Counts


def same_counts(found, n, d, way, causal):
    assert found["elements"] == getattr(counts, way)(n, d, causal), (way, n, d, causal)
    wanted = getattr(counts, f"{way}_arithmetic")(n, d, causal)
    assert found["operations"] == wanted, (way, n, d, causal)


@pytest.mark.parametrize("d", DIMS)
@pytest.mark.parametrize("way", WAYS)
def test_counts_equal_the_formulas_of_python_on_a_ragged_grid(page, way, d):
    for n in RAGGED:
        for causal in (False, True):
            options = {"way": way, "n": n, "d": d, "seed": 1, "causal": causal, "counted": True}
            same_counts(page.evaluate("lab.emulate", options), n, d, way, causal)


@pytest.mark.parametrize("way", WAYS)
def test_counts_equal_those_of_every_published_size(page, config, way):
    for n in config["n_values"]:
        for d in config["head_dims"]:
            for causal in (False, True) if n <= 1024 else (False,):
                options = {"way": way, "n": n, "d": d, "seed": 1, "causal": causal, "counted": True}
                same_counts(page.evaluate("lab.emulate", options), n, d, way, causal)


def test_the_formula_in_the_page_is_exact_for_a_trillion_words(page):
    for n in (1, 300, 2**40, 2**40 + 5):
        for d in DIMS:
            for causal in (False, True):
                for way in WAYS:
                    found = page.evaluate(
                        """async ({ way, n, d, causal }) => {
                            const formula = await lab.module("formula");
                            const elements = formula.elements(way, BigInt(n), d, causal);
                            const text = (_, x) => (typeof x === "bigint" ? `${x}` : x);
                            return JSON.parse(JSON.stringify({
                                elements,
                                bytes: formula.totalBytes(elements),
                                operations: formula.arithmetic(way, BigInt(n), d, causal),
                                table: formula.tableBytes(BigInt(n)),
                                compulsory: formula.compulsoryBytes(BigInt(n), d),
                            }, text));
                        }""",
                        {"way": way, "n": str(n), "d": d, "causal": causal},
                    )
                    elements = getattr(counts, way)(n, d, causal)
                    assert found == texts(
                        {
                            "elements": elements,
                            "bytes": counts.total_bytes(elements),
                            "operations": getattr(counts, f"{way}_arithmetic")(n, d, causal),
                            "table": counts.table_bytes(n),
                            "compulsory": counts.compulsory_bytes(n, d),
                        }
                    )


def texts(value):
    """Whole numbers as text, all the way down."""
    if isinstance(value, dict):
        return {key: texts(inner) for key, inner in value.items()}
    return str(value)


# Bits


def same_bits(page, q, k, v, way, **options):
    n, d = q.shape
    names = {"causal": False, "key_rows": None, "rescale": True, **options}
    found = page.evaluate(
        "lab.emulate",
        {
            "way": way,
            "n": n,
            "d": d,
            "tensors": [text(tensor) for tensor in (q, k, v)],
            "causal": names["causal"],
            "rescale": names["rescale"],
            **({"keyRows": names["key_rows"]} if names["key_rows"] else {}),
        },
    )
    launch = emulated(q, k, v, way, **options)
    assert np.array_equal(bits(array(found["output"])), bits(launch.output).reshape(-1)), (
        way,
        n,
        d,
        options,
    )
    assert found["elements"] == launch.traffic()
    assert found["operations"] == launch.arithmetic()


@pytest.mark.parametrize("d", DIMS)
@pytest.mark.parametrize("way", WAYS)
def test_answers_have_pythons_bits(page, way, d):
    for n in (1, 2, 7, 33, 66, 129, 300):
        for causal in (False, True):
            same_bits(page, *tensors(n, d), way, causal=causal)


@pytest.mark.parametrize("way", WAYS)
def test_answers_have_pythons_bits_on_unusual_inputs(page, way):
    for d in (16, 128):
        q, k, v = tensors(150, d)
        spike = k.copy()
        spike[-1] *= 8
        same_bits(page, q * np.float32(9), k * np.float32(9), v, way)
        same_bits(page, q, spike, v, way, causal=True)
        same_bits(page, q, k, v * np.float32(2.0**-140), way)
        same_bits(page, np.zeros_like(q), k, v, way)


@pytest.mark.parametrize("d", DIMS)
def test_the_broken_control_and_other_key_tiles_have_pythons_bits(page, d):
    for key_rows in (1, 2, 3, 7, 64, 1000):
        for causal in (False, True):
            for rescale in (False, True):
                given = {"causal": causal, "key_rows": key_rows, "rescale": rescale}
                same_bits(page, *tensors(90, d), "fused", **given)


# Bounds and verdicts


def tied(n):
    """Nearly equal keys with scores so large that float32 cannot order them."""
    q, k, v = tensors(n, 16)
    k = np.repeat(np.abs(k[:1]), n, 0) * np.float32(2.0**26 / np.abs(k[0]).sum())
    return np.ones_like(q), k + tensors(n, 16, 6)[1] * np.float32(1e-3), v


def kinds(n, d):
    q, k, v = tensors(n, d)
    spike, loser = k.copy(), k.copy()
    spike[-1] *= 8
    loser[-1] *= 100
    return {
        "normal": (q, k, v),
        "scores near 80": (q * np.float32(9), k * np.float32(9), v),
        "a spike": (q, spike, v),
        "equal keys": (q, np.repeat(k[:1], n, 0), v),
        "keys that vanish": (q * np.float32(9), loser, v),
        "subnormal values": (q, k, v * np.float32(2.0**-140)),
        "sizes that differ": (q, k, v * np.float32(2.0) ** np.arange(-8, d - 8, dtype=np.float32)),
    }


ORDERS = {"fused": fused_order, "unfused": lambda d, _: unfused_order(d)}
COARSE = Arithmetic(2**-23, exp=2**-20, exp_slope=2**-22, division=2**-22, underflow=2**-125)
COARSE_JS = {
    "unit": COARSE.unit,
    "exp": COARSE.exp,
    "expSlope": COARSE.exp_slope,
    "division": COARSE.division,
    "underflow": COARSE.underflow,
}


def same_bounds(page, q, k, v, way, causal, key_rows=None, arithmetic=None):
    n, d = q.shape
    order = ORDERS[way](d, key_rows)
    wanted = attention_bounds(q, k, v, [order], causal=causal, arithmetic=arithmetic)
    output = emulated(q, k, v, way, causal=causal).output
    options = {"way": way, "n": n, "d": d, "causal": causal, "output": text(output)}
    options["tensors"] = [text(tensor) for tensor in (q, k, v)]
    if key_rows:
        options["keyRows"] = key_rows
    if arithmetic:
        options["arithmetic"] = COARSE_JS
    found = page.evaluate("lab.judged", options)
    size = np.abs(v.astype(np.float64)).max()
    exact = array(found["exact"], np.float64).reshape(n, d)
    np.testing.assert_allclose(exact, wanted.exact, rtol=1e-9, atol=1e-12 * size)
    bounds = array(found["bounds"], np.float64).reshape(n, d)
    np.testing.assert_allclose(bounds, wanted.bounds[0], rtol=1e-9)
    same_verdict(found["check"], check(output, wanted.exact, wanted.bounds[0]))
    assert found["check"]["certified"] == wanted.certified[0]


def same_verdict(found, wanted):
    assert found["wrongElements"] == wanted.wrong_elements
    assert found["wrongRows"] == np.flatnonzero(wanted.wrong_rows).tolist()
    for name, value in (
        ("largestError", wanted.largest_error),
        ("boundThere", wanted.bound_there),
        ("largestRatio", wanted.largest_ratio),
    ):
        assert found[name] == pytest.approx(value, rel=1e-6), name


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_bounds_and_verdicts_equal_pythons(page, way, causal):
    for d in DIMS:
        for n in (1, 2, 70, 301):
            same_bounds(page, *tensors(n, d), way, causal)
    for kind in kinds(130, 32).values():
        same_bounds(page, *kind, way, causal)
    same_bounds(page, *tensors(130, 64), way, causal, arithmetic=COARSE)


def test_bounds_of_other_key_tiles_equal_pythons(page):
    for key_rows in (1, 3, 8, 500):
        same_bounds(page, *tensors(130, 64), "fused", True, key_rows)


@pytest.mark.parametrize("way", WAYS)
def test_what_python_does_not_certify_the_page_does_not_either(page, way):
    same_bounds(page, *tied(30), way, False)


def test_underflow_in_scores_and_in_weights_is_allowed_for_alike(page):
    q, k, v = (np.zeros((2, 16), dtype=np.float32) for _ in range(3))
    v[1] = 1
    heavy = k.copy()
    heavy[1] = 2.0**126
    same_bounds(page, np.full_like(q, 5 * 2.0**-149), heavy, v, "fused", False)
    q[:, 0], k[1, 0] = 4, -101
    same_bounds(page, q, k, v, "fused", False)


def judged(page, q, k, v, output, **options):
    n, d = q.shape
    return page.evaluate(
        """async (options) => {
            const { judge } = await lab.module("index");
            const { q, k, v } = await lab.tensors(options);
            return judge({ ...options, q, k, v, output: lab.floats(options.output) });
        }""",
        {
            "n": n,
            "d": d,
            "tensors": [text(tensor) for tensor in (q, k, v)],
            "output": text(output),
            **options,
        },
    )


@pytest.mark.parametrize("way", WAYS)
def test_an_output_from_elsewhere_is_judged(page, way):
    q, k, v = tensors(200, 64)
    bounded = attention_bounds(q, k, v, [ORDERS[way](64, None)], arithmetic=COARSE)
    limit = bounded.bounds[0]
    output = emulated(q, k, v, way).output.copy()
    right = judged(page, q, k, v, output, way=way, arithmetic=COARSE_JS)
    assert right["passed"]
    assert right["certified"]
    same_verdict(right, check(output, bounded.exact, limit))
    output[17, 5] = np.float32(bounded.exact[17, 5] + 1.01 * limit[17, 5])
    output[150, 60] = np.nan
    output[151, 0] = np.inf
    wrong = judged(page, q, k, v, output, way=way, arithmetic=COARSE_JS)
    assert not wrong["passed"]
    assert wrong["wrongElements"] == 3
    assert wrong["wrongRows"] == [17, 150, 151]
    assert wrong["largestError"] == np.inf


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_an_exact_answer_that_is_not_finite_passes_nothing(page, value):
    q, k, v = tensors(20, 16)
    output = run.fused(q, k, v).output
    v[3, 2] = value
    found = judged(page, q, k, v, output, way="fused")
    assert found["wrongRows"] == list(range(20))
    assert found["wrongElements"] == 20
    assert np.isnan(found["largestRatio"])  # no later number hides it


# What the page calls


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("n", "d", "causal"), [(1, 16, False), (300, 32, True), (520, 64, False)])
def test_a_count_is_whole(page, way, n, d, causal):
    found = page.evaluate(COUNT, {"way": way, "n": n, "d": d, "causal": causal, "seed": 23})
    q, k, v = tensors(n, d, 23)
    launch = emulated(q, k, v, way, causal=causal)
    assert np.array_equal(bits(array(found["output"])), bits(launch.output).reshape(-1))
    same_counts(found, n, d, way, causal)
    assert found["formulaElements"] == found["elements"]
    assert found["formulaAgrees"] is True
    assert found["bytes"] == counts.total_bytes(launch.traffic())
    bounded = attention_bounds(q, k, v, [ORDERS[way](d, None)], causal=causal)
    same_verdict(found["check"], check(launch.output, bounded.exact, bounded.bounds[0]))
    assert found["check"]["passed"]
    assert found["check"]["certified"]
    fractions = found["fractions"]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert len(fractions) == -(-n // (2048 // d))


def test_the_broken_control_is_caught_in_pythons_rows(page):
    options = {"n": 200, "d": 32, "causal": True, "seed": 23}
    found = page.evaluate(COUNT, {**options, "way": "fused", "rescale": False, "keyRows": 8})
    q, k, v = tensors(200, 32, 23)
    bounded = attention_bounds(q, k, v, [fused_order(32, 8)], causal=True)
    broken = run.fused(q, k, v, causal=True, key_rows=8, rescale=False)
    same_verdict(found["check"], check(broken.output, bounded.exact, bounded.bounds[0]))
    assert found["check"]["wrongElements"] > 1000
    assert not found["check"]["passed"]
    assert found["operations"] == broken.arithmetic()


def test_a_wrong_count_would_not_agree(page):
    agrees = page.evaluate(
        """async () => {
            const { Memory } = await lab.module("memory");
            const memory = new Memory({ q: new Float32Array(10) });
            memory.load("q", 4, 20);
            memory.store("q", 8, new Float32Array(2));
            return memory.counts;
        }"""
    )
    assert agrees == {"q": {"loads": 6, "stores": 2}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"way": "fast", "n": 4, "d": 16}, "way: found fast"),
        ({"way": "fused", "n": 0, "d": 16}, "n: found 0"),
        ({"way": "fused", "n": 1.5, "d": 16}, "n: found 1.5"),
        ({"way": "fused", "n": 4, "d": 24}, "d: found 24, expected one of 16, 32, 64, 128"),
        ({"way": "fused", "n": 4, "d": 16, "keyRows": 0}, "keyRows: found 0"),
    ],
)
def test_a_size_that_no_kernel_serves_is_refused(page, options, message):
    said = page.evaluate(
        """async (options) => {
            const { count } = await lab.module("index");
            return count({ seed: 1, ...options }).catch((reason) => reason.message);
        }""",
        options,
    )
    assert said.startswith(message)


def no_workers_left(page):
    deadline = time.monotonic() + 5
    while page.workers and time.monotonic() < deadline:
        page.wait_for_timeout(20)
    return not page.workers


def test_a_count_is_cancelled_at_once_and_leaves_no_worker(fresh):
    fresh.evaluate(
        """async () => {
            const { count } = await lab.module("index");
            globalThis.controller = new AbortController();
            globalThis.ended = new Promise((resolve) => {
                const size = { way: "fused", n: 16384, d: 128, seed: 1 };
                const watch = { signal: controller.signal };
                count(size, watch).catch((reason) => resolve([reason.name, performance.now()]));
            });
        }"""
    )
    fresh.wait_for_timeout(1000)
    assert fresh.workers
    name, waited = fresh.evaluate(
        """async () => {
            const asked = performance.now();
            controller.abort();
            const late = new Promise((resolve) => setTimeout(resolve, 5000, ["late", Infinity]));
            const [name, at] = await Promise.race([ended, late]);
            return [name, at - asked];
        }"""
    )
    assert name == "AbortError"
    assert waited < 1000
    assert no_workers_left(fresh)


def test_a_count_that_was_cancelled_before_it_began_starts_no_worker(fresh):
    name = fresh.evaluate(
        """async () => {
            const { count } = await lab.module("index");
            const watch = { signal: AbortSignal.abort() };
            const size = { way: "fused", n: 64, d: 16, seed: 1 };
            return count(size, watch).catch((reason) => reason.name);
        }"""
    )
    assert name == "AbortError"
    assert not fresh.workers


def test_no_worker_outlives_its_count(fresh):
    fresh.evaluate(COUNT, {"way": "fused", "n": 300, "d": 64, "seed": 1})
    assert no_workers_left(fresh)


def test_the_page_stays_alive_while_it_counts(fresh):
    ticks = fresh.evaluate(
        """async () => {
            const { count } = await lab.module("index");
            let ticks = 0;
            const timer = setInterval(() => ticks++, 5);
            await count({ way: "fused", n: 1500, d: 64, seed: 1 });
            clearInterval(timer);
            return ticks;
        }"""
    )
    assert ticks > 20


@pytest.mark.parametrize("body", [None, "throw new Error('out of luck')"])
def test_a_worker_that_fails_says_so_plainly(fresh, body):
    answer = {"status": 404} if body is None else {"body": body, "content_type": "text/javascript"}
    fresh.route("**/worker.js", lambda route: route.fulfill(**answer))
    said = fresh.evaluate(
        """async () => {
            const { count } = await lab.module("index");
            const size = { way: "fused", n: 64, d: 16, seed: 1 };
            return count(size).catch((reason) => reason.message);
        }"""
    )
    assert said.startswith("the emulator stopped: ")
    assert ("out of luck" if body else "could not be loaded") in said
    assert no_workers_left(fresh)
