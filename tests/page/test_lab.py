"""The lab in a browser: counts, the broken switch, times, links, cancel, and what can go wrong."""

import json

import pytest
from fusedfacts.attention import traffic
from fusedfacts.device import consistent
from fusedfacts.documents import canonical_json, schema
from support.common import PUBLISHED

LONGEST_TASK_MS = 100  # 50 is what a visitor feels; a machine that computes besides may double it
LONG_MS = 400_000  # for what a busy machine computes


@pytest.fixture
def lab(chromium, site):
    """The page, with a clipboard and a list of complaints."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            page.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.goto(site + "index.html")
    yield page
    context.close()
    assert page.complaints == []


def choose(lab, n, d, way="fused", causal=False, broken=False):
    lab.check(f"input[name=way][value={way}]")
    lab.fill("#lab-n", str(n))
    lab.select_option("#lab-d", str(d))
    lab.set_checked("input[name=causal]", causal)
    lab.set_checked("input[name=broken]", broken)


def result(lab, heading):
    """The article of a result, once it is there."""
    article = lab.locator(".result", has=lab.get_by_role("heading", name=heading)).first
    article.wait_for(timeout=LONG_MS)
    return article


def copied(lab, article):
    article.get_by_role("button", name="Copy as JSON").click()
    article.get_by_text("Copied the result as JSON.").wait_for()
    return json.loads(lab.evaluate("navigator.clipboard.readText()"))


def total(elements):
    return 4 * sum(
        access["loads"] + access["stores"]
        for buffers in elements.values()
        for access in buffers.values()
    )


@pytest.mark.parametrize(("n", "d"), [(4096, 64), (4096, 16)])
@pytest.mark.parametrize("way", ["fused", "unfused"])
def test_the_published_counts(lab, way, n, d):
    choose(lab, n, d, way)
    lab.get_by_role("button", name="Count").click()
    article = result(lab, f"Counted: {way}, {n:,} words, {d} numbers a head")
    expected = traffic.total_bytes(getattr(traffic, way)(n, d))
    assert f"{expected:,} bytes" in article.inner_text()
    assert "lie within their bounds" in article.inner_text()
    assert "The closed formula says the same for every buffer." in article.inner_text()
    told = copied(lab, article)
    assert told["elements"] == getattr(traffic, way)(n, d)
    assert told["check"]["passed"] is True
    assert total(told["elements"]) == told["bytes"] == expected


def test_the_broken_switch_marks_the_wrong_answers(lab):
    choose(lab, 200, 16, causal=True, broken=True)
    lab.get_by_role("button", name="Count").click()
    article = result(lab, "the total left unshrunk")
    assert "answers are wrong, and the checker saw it" in article.inner_text()
    told = copied(lab, article)
    wrong = told["check"]["wrongRows"]
    assert wrong
    assert article.locator("svg.rows rect.wrong").count() == len(wrong)
    assert article.locator("svg.rows rect.right").count() == 200 - len(wrong)


def test_forgetting_is_for_fused_and_says_so(lab):
    choose(lab, 64, 16, way="unfused", broken=True)
    lab.get_by_role("button", name="Count").click()
    lab.get_by_role("alert").filter(has_text="Unfused keeps no running total").wait_for()
    choose(lab, 64, 16)
    lab.get_by_role("button", name="Count").click()
    result(lab, "Counted: fused, 64 words")


def test_a_count_can_be_cancelled_and_the_page_stays_alive(lab):
    choose(lab, 16384, 128)
    lab.get_by_role("button", name="Count").click()
    lab.get_by_role("button", name="Cancel").click()
    lab.get_by_text("Cancelled; nothing was kept.").wait_for()
    assert lab.locator(".result").count() == 0
    choose(lab, 64, 16)
    lab.get_by_role("button", name="Count").click()
    result(lab, "Counted: fused, 64 words")


def test_the_real_kernels_count_check_and_are_timed(lab):
    """At the film's size: the kernel on the device counts what was published."""
    choose(lab, 4096, 16)
    lab.get_by_role("button", name="Time on my chip").click()
    article = result(lab, "Timed: all ways, 4,096 words, 16 numbers a head")
    text = article.inner_text()
    assert "17,301,504" in text
    assert "285,736,960" in text
    assert text.count("equal in every buffer") == 3
    assert "Every number of every way lies within its bound." in text
    assert "swiftshader" in text.lower()
    assert "its step is" in text
    report = copied(lab, article)
    schema.validate(report, "device", "the page's report", "mend the page")
    consistent.check(report, "the page's report")
    assert report["runner"]["name"] == "page"


def test_the_broken_kernel_on_the_chip_is_seen(lab):
    choose(lab, 200, 16, broken=True)
    lab.get_by_role("button", name="Time on my chip").click()
    article = result(lab, "On your chip: fused, 200 words")
    assert "answers are wrong, and the checker saw it" in article.inner_text()


def test_a_chip_that_answers_wrongly_is_shown_and_has_no_report(lab):
    """Planted in the kernel's text on its way to the page: a key in four misses the total."""
    line = "if j + 3u < seen { tile_total += four.w; }"

    def spoiled(route):
        text = route.fetch().text()
        assert line in text
        route.fulfill(body=text.replace(line, ""), content_type="text/plain")

    lab.route("**/kernels/fused.wgsl", spoiled)
    choose(lab, 64, 16)
    lab.get_by_role("button", name="Time on my chip").click()
    text = result(lab, "Timed: all ways, 64 words").inner_text()
    assert "The way fused:" in text
    assert "64 of 64 answers are wrong, and the checker saw it." in text
    assert text.count("equal in every buffer") == 3
    assert "There is no report to copy:" in text
    assert "Copy as JSON" not in text


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "Found nothing, but the number of words is a whole number from 1 to 16,384."),
        ("0", "Found “0”, but"),
        ("-3", "Found “-3”, but"),
        ("1e9", "Found “1e9”, but"),
        ("2.5", "Found “2.5”, but"),
        ("99999999", "Found “99999999”, but"),
        ("<b>x</b>", "Found “<b>x</b>”, but"),
    ],
)
def test_a_size_outside_the_limits_says_why_and_runs_nothing(lab, typed, sentence):
    choose(lab, 64, 16)
    lab.fill("#lab-n", typed)
    lab.get_by_role("button", name="Count").click()
    lab.get_by_text(sentence).wait_for()
    assert lab.locator("#lab-n").get_attribute("aria-invalid") == "true"
    assert lab.evaluate("document.activeElement.id") == "lab-n"
    assert lab.locator(".result").count() == 0


def test_a_number_may_be_typed_with_separators(lab):
    choose(lab, "1,0 2_4", 16)
    lab.get_by_role("button", name="Count").click()
    result(lab, "Counted: fused, 1,024 words")


def test_a_link_reproduces_the_choice(lab, site):
    choose(lab, 77, 32, way="unfused", causal=True)
    lab.fill("#lab-seed", "5")
    lab.get_by_role("button", name="Count").click()
    article = result(lab, "Counted: unfused, 77 words, 32 numbers a head, looking only backwards")
    article.get_by_role("button", name="Copy link").click()
    article.get_by_text("Copied a link to these sizes.").wait_for()
    link = lab.evaluate("navigator.clipboard.readText()")
    lab.goto("about:blank")
    lab.goto(link)
    assert lab.locator("#lab-n").input_value() == "77"
    assert lab.locator("#lab-d").input_value() == "32"
    assert lab.locator("#lab-seed").input_value() == "5"
    assert lab.is_checked("input[name=way][value=unfused]")
    assert lab.is_checked("input[name=causal]")
    assert not lab.is_checked("input[name=broken]")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("#lab?n=abc&d=17", ["The link's n, “abc”", "The link's d, “17”"]),
        (
            "#lab?way=voodoo&causal=maybe",
            ["The link's way, “voodoo”", "The link's causal, “maybe”"],
        ),
        ("#lab?<img src=x onerror=alert()>=1", ["was not understood"]),
        ("#lab?n=%F0%9F&seed=99999999999999999999", ["The link's seed"]),
        ("#nonsense", []),
    ],
)
def test_a_link_with_nonsense_is_told_and_changes_nothing(lab, site, link, said):
    lab.goto("about:blank")
    lab.goto(site + "index.html" + link)
    for sentence in said:
        lab.get_by_text(sentence).wait_for()
    assert lab.locator("#lab-n").input_value() == "4096"
    assert lab.locator("#lab-link-says *").count() == 0  # text, never markup


def test_without_webgpu_the_lab_says_how_to_get_it_and_still_counts(chromium, site):
    page = chromium.new_page()
    page.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'gpu', {get: () => undefined})"
    )
    page.goto(site + "index.html")
    page.fill("#lab-n", "64")
    page.get_by_role("button", name="Time on my chip").click()
    page.get_by_role("alert").filter(has_text="This browser does not offer WebGPU").wait_for()
    page.get_by_role("button", name="Count").click()
    page.locator(".result").first.wait_for(timeout=LONG_MS)
    page.close()


def test_a_lost_device_is_told_and_the_next_try_works(lab):
    lab.evaluate(
        "() => { const ask = GPUAdapter.prototype.requestDevice;"
        " GPUAdapter.prototype.requestDevice = async function (...of) {"
        " window.opened = await ask.apply(this, of); return window.opened; }; }"
    )
    choose(lab, 2048, 64)
    lab.get_by_role("button", name="Time on my chip").click()
    while not lab.evaluate("Boolean(window.opened)"):  # the page's policy forbids to wait by eval
        lab.wait_for_timeout(100)
    lab.wait_for_timeout(1500)
    lab.evaluate("window.opened.destroy()")
    lab.locator("#lab-message:not(:empty)").wait_for(timeout=LONG_MS)
    assert "The graphics device was closed" in lab.locator("#lab-message").inner_text()
    choose(lab, 64, 16)
    lab.get_by_role("button", name="Time on my chip").click()
    result(lab, "Timed: all ways, 64 words")


def test_the_lab_works_by_keyboard_alone(lab):
    lab.locator("input[name=way][value=fused]").focus()
    lab.keyboard.press("ArrowRight")
    lab.keyboard.press("Tab")
    lab.keyboard.press("Control+a")
    lab.keyboard.type("65")
    lab.keyboard.press("Enter")
    result(lab, "Counted: unfused, 65 words")


def test_the_page_stays_alive_while_it_counts(lab):
    """No task of the main thread is long enough to be felt."""
    lab.evaluate(
        "() => { window.long = []; new PerformanceObserver((list) =>"
        " window.long.push(...list.getEntries().map((task) => task.duration))"
        ").observe({entryTypes: ['longtask']}); }"
    )
    choose(lab, 2048, 16)
    lab.get_by_role("button", name="Count").click()
    result(lab, "Counted: fused, 2,048 words")
    assert [task for task in lab.evaluate("window.long") if task > LONGEST_TASK_MS] == []


def test_every_number_of_the_published_sizes_is_the_facts(facts):
    """What the lab is held to above is what was published."""
    published = {
        c["id"]: c["value"] for c in canonical_json.read(PUBLISHED / "facts.json")["claims"]
    }
    for d in (16, 64):
        for way in ("fused", "unfused"):
            expected = traffic.total_bytes(getattr(traffic, way)(4096, d))
            assert published[f"traffic.{way}.n4096.d{d}"] == expected
