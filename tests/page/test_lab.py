"""The lab in a browser: counts, the broken switch, times, links, cancel, and what can go wrong."""

import json

import pytest
from fusedfacts.attention import traffic
from fusedfacts.device import consistent
from fusedfacts.documents import schema
from fusedfacts.emulator.methods import METHODS
from support import device_page

LONG_MS = 400_000  # for what a busy machine computes


@pytest.fixture
def lab(chromium, site):
    """The page, with a clipboard."""
    clipboard = ["clipboard-read", "clipboard-write"]
    size = {"width": 1280, "height": 900}
    with device_page.opened(chromium, viewport=size, permissions=clipboard) as page:
        page.goto(site + "index.html")
        yield page


def choose(lab, n, d, way="fused", causal=False, broken=False):
    lab.check(f"input[name=way][value={way}]")
    lab.fill("#lab-n", str(n))
    lab.select_option("#lab-d", str(d))
    lab.set_checked("input[name=causal]", causal)
    lab.set_checked("input[name=broken]", broken)


def press(lab, name, heading):
    """The article that a button leads to, once it is there."""
    lab.get_by_role("button", name=name).click()
    article = lab.locator(".result", has=lab.get_by_role("heading", name=heading)).first
    article.wait_for(timeout=LONG_MS)
    return article


def copied(lab, article):
    article.get_by_role("button", name="Copy as JSON").click()
    article.get_by_text("Copied the result as JSON.").wait_for()
    return json.loads(lab.evaluate("navigator.clipboard.readText()"))


def test_the_published_count(lab, facts):
    choose(lab, 4096, 16)
    article = press(lab, "Count", "Counted: fused, 4,096 words, 16 numbers a head")
    [claim] = [c for c in facts["claims"] if c["id"] == "traffic.fused.n4096.d16"]
    text = article.inner_text()
    assert f"{claim['value']:,} bytes" in text
    assert "lie within their bounds" in text
    assert "The closed formula says the same for every buffer." in text
    found = copied(lab, article)
    assert found["elements"] == traffic.fused(4096, 16)
    assert found["check"]["passed"] is True
    assert traffic.total_bytes(found["elements"]) == found["bytes"] == claim["value"]


@pytest.mark.parametrize("causal", [False, True])
def test_the_other_loop_order_is_counted_and_drawn_beside_the_others(lab, causal):
    """One worker walks the key tiles in turn; then all of them check the answer."""
    choose(lab, 300, 32, way="kv_outer", causal=causal)
    article = press(lab, "Count", "Counted: kv_outer, 300 words, 32 numbers a head")
    text = article.inner_text()
    assert "All 9,600 numbers of the answer lie within their bounds." in text
    assert "The closed formula says the same for every buffer." in text
    assert copied(lab, article)["elements"] == traffic.kv_outer(300, 32, causal)
    bars = article.locator("svg.bars").get_attribute("aria-label")
    assert all(f"{way} " in bars for way in (*traffic.ELEMENTS, "compulsory"))


def test_the_broken_switch_marks_the_wrong_answers_and_is_for_fused_alone(lab):
    choose(lab, 200, 16, causal=True, broken=True)
    article = press(lab, "Count", "the total left unshrunk")
    assert "answers are wrong, and the checker saw it" in article.inner_text()
    wrong = copied(lab, article)["check"]["wrongRows"]
    assert wrong
    assert article.locator("svg.rows rect.wrong").count() == len(wrong)
    assert article.locator("svg.rows rect.right").count() == 200 - len(wrong)
    choose(lab, 64, 16, way="unfused", broken=True)
    lab.get_by_role("button", name="Count").click()
    lab.get_by_role("alert").filter(has_text="Unfused keeps no running total").wait_for()


def test_a_count_can_be_cancelled_and_the_next_one_runs(lab):
    choose(lab, 16384, 128)
    lab.get_by_role("button", name="Count").click()
    lab.get_by_role("button", name="Cancel").click()
    lab.get_by_text("Cancelled; nothing was kept.").wait_for()
    assert lab.locator(".result").count() == 0
    choose(lab, 64, 16)
    press(lab, "Count", "Counted: fused, 64 words")


@pytest.mark.slow
def test_the_real_kernels_count_check_and_are_timed(lab):
    choose(lab, 300, 16)
    article = press(lab, "Time on my chip", "Timed: all methods, 300 words, 16 numbers a head")
    text = article.inner_text()
    for moved in traffic.ELEMENTS.values():
        assert f"{traffic.total_bytes(moved(300, 16)):,}" in text
    assert text.count("equal in every buffer") == len(METHODS)
    assert "Every number of every method lies within its bound." in text
    assert "swiftshader" in text.lower()
    assert "its step is" in text
    report = copied(lab, article)
    schema.validate(report, "device", "the page's report", "")
    consistent.check(report, "the page's report")
    assert report["runner"]["name"] == "page"


def test_the_broken_kernel_on_the_chip_is_seen(lab):
    choose(lab, 200, 16, broken=True)
    article = press(lab, "Time on my chip", "On your chip: fused, 200 words")
    assert "answers are wrong, and the checker saw it" in article.inner_text()


@pytest.mark.slow
def test_a_chip_that_answers_wrongly_is_shown_and_has_no_report(lab):
    """Planted in the kernel's text on its way to the page: a key in four misses the total."""
    line = "if j + 3u < seen { tile_total += four.w; }"

    def spoiled(route):
        text = route.fetch().text()
        assert line in text
        route.fulfill(body=text.replace(line, ""), content_type="text/plain")

    lab.route("**/kernels/fused.wgsl", spoiled)
    choose(lab, 64, 16)
    text = press(lab, "Time on my chip", "Timed: all methods, 64 words").inner_text()
    assert "The method fused:" in text
    assert "64 of 64 answers are wrong, and the checker saw it." in text
    assert text.count("equal in every buffer") == len(METHODS)
    assert "There is no report to copy:" in text
    assert "Copy as JSON" not in text


TYPED = {
    "": "Found nothing, but the number of words is a whole number from 1 to 16,384.",
    "0": "Found “0”, but",
    "1e9": "Found “1e9”, but",
    "99999999": "Found “99999999”, but",
    "<b>x</b>": "Found “<b>x</b>”, but",
}


def test_a_size_outside_the_limits_says_why_and_runs_nothing(lab):
    for typed, sentence in TYPED.items():
        lab.fill("#lab-n", typed)
        lab.get_by_role("button", name="Count").click()
        lab.get_by_text(sentence).wait_for()
        assert lab.locator("#lab-n").get_attribute("aria-invalid") == "true"
        assert lab.evaluate("document.activeElement.id") == "lab-n"
    assert lab.locator(".result").count() == 0


def test_a_link_reproduces_the_choice(lab):
    choose(lab, "2 5_7", 32, way="unfused", causal=True)  # separators are taken
    lab.fill("#lab-seed", "5")
    heading = "Counted: unfused, 257 words, 32 numbers a head, looking only backwards"
    article = press(lab, "Count", heading)
    article.get_by_role("button", name="Copy link").click()
    article.get_by_text("Copied a link to these sizes.").wait_for()
    link = lab.evaluate("navigator.clipboard.readText()")
    lab.goto("about:blank")
    lab.goto(link)
    for field, value in {"n": "257", "d": "32", "seed": "5"}.items():
        assert lab.locator(f"#lab-{field}").input_value() == value
    assert lab.is_checked("input[name=way][value=unfused]")
    assert lab.is_checked("input[name=causal]")
    assert not lab.is_checked("input[name=broken]")


NONSENSE = {
    "#lab?n=abc&d=17": ["The link's n, “abc”", "The link's d, “17”"],
    "#lab?way=voodoo&causal=maybe": ["The link's way, “voodoo”", "The link's causal, “maybe”"],
    "#lab?<img src=x onerror=alert()>=1": ["was not understood"],
    "#lab?n=%F0%9F&seed=99999999999999999999": ["The link's seed"],
}


def test_a_link_with_nonsense_is_told_and_changes_nothing(lab, site):
    for link, told in NONSENSE.items():
        lab.goto("about:blank")
        lab.goto(site + "index.html" + link)
        for sentence in told:
            lab.get_by_text(sentence).wait_for()
        assert lab.locator("#lab-n").input_value() == "4096"
        assert lab.locator("#lab-link-says *").count() == 0  # text, never markup


def test_without_webgpu_the_lab_says_how_to_get_it_and_still_counts(lab):
    lab.add_init_script("Object.defineProperty(Navigator.prototype, 'gpu', {get: () => undefined})")
    lab.reload()
    lab.fill("#lab-n", "64")
    lab.get_by_role("button", name="Time on my chip").click()
    lab.get_by_role("alert").filter(has_text="This browser does not offer WebGPU").wait_for()
    press(lab, "Count", "Counted: fused, 64 words")


LOST_ONCE = """() => {
  const ask = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...of) {
    GPUAdapter.prototype.requestDevice = ask;
    const device = await ask.apply(this, of), submit = device.queue.submit.bind(device.queue);
    device.queue.submit = (all) => { submit(all); setTimeout(() => device.destroy()); };
    return device;
  };
}"""


@pytest.mark.slow
def test_a_lost_device_is_told_and_the_next_try_works(lab):
    """Lost the first time that it is asked whether its work is done."""
    lab.evaluate(LOST_ONCE)
    choose(lab, 64, 16, broken=True)
    lab.get_by_role("button", name="Time on my chip").click()
    lab.locator("#lab-message:not(:empty)").wait_for(timeout=LONG_MS)
    assert "The graphics device was closed" in lab.locator("#lab-message").inner_text()
    press(lab, "Time on my chip", "On your chip: fused, 64 words")


def test_the_lab_works_by_keyboard_alone(lab):
    lab.locator("input[name=way][value=fused]").focus()
    lab.keyboard.press("ArrowRight")
    lab.keyboard.press("Tab")
    lab.keyboard.press("Control+a")
    lab.keyboard.type("65")
    lab.keyboard.press("Enter")
    lab.get_by_role("heading", name="Counted: unfused, 65 words").wait_for(timeout=LONG_MS)
