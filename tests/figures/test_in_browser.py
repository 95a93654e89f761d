"""Every picture in Chromium: no text cut off or over another, readable, and nothing fetched."""

from __future__ import annotations

import re

import pytest
from fusedfacts.figures.gallery import GALLERY
from support import drawn, shots

# A text's box has room above and below its letters; lines may touch there.
TOLERANCE = 1.5
CONTRAST = 4.5  # WCAG 2.2, level AA, for text of any size

TEXTS = """() => {
  const svg = document.querySelector('svg'), edge = svg.getBoundingClientRect();
  const paper = getComputedStyle(svg.querySelector('rect.paper:not(pattern *)')).fill;
  const texts = [...svg.querySelectorAll('text')].map(text => {
    const b = text.getBBox(), m = text.getScreenCTM();
    const corners = [[b.x, b.y], [b.x + b.width, b.y], [b.x + b.width, b.y + b.height],
      [b.x, b.y + b.height]];
    return {words: text.textContent, fill: getComputedStyle(text).fill,
      corners: corners.map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f])};
  });
  return {edge: [edge.left, edge.top, edge.right, edge.bottom], paper, texts};
}"""


def separate(a, b, tolerance=TOLERANCE):
    """Whether two rectangles, turned or not, lie apart: some side of one has the other beyond."""
    for shape in (a, b):
        for (x0, y0), (x1, y1) in zip(shape, shape[1:] + shape[:1], strict=True):
            length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1
            along = [[((y1 - y0) * x - (x1 - x0) * y) / length for x, y in s] for s in (a, b)]
            overlap = min(max(along[0]), max(along[1])) - max(min(along[0]), min(along[1]))
            if overlap <= tolerance:
                return True
    return False


def luminance(colour):
    channels = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def faults(seen):
    """What a reader would stumble over, in words."""
    left, top, right, bottom = seen["edge"]
    found = [f"fetched: {url}" for url in seen["fetched"]]
    for i, text in enumerate(seen["texts"]):
        if not all(left <= x <= right and top <= y <= bottom for x, y in text["corners"]):
            found.append(f"outside: {text['words']}")
        if contrast(text["fill"], seen["paper"]) < CONTRAST:
            found.append(f"faint: {text['words']}")
        found += [
            f"over each other: {text['words']} / {other['words']}"
            for other in seen["texts"][:i]
            if not separate(text["corners"], other["corners"])
        ]
    return found


def look(chromium, text):
    """What a reader meets on a light page and on a dark one."""
    requested, seen = [], {}
    with shots.shown(chromium, text, shots.View("test", width=480), requested) as page:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            seen[scheme] = {**page.evaluate(TEXTS), "fetched": requested}
    return seen


@pytest.mark.parametrize("variant", drawn.VARIANTS)
@pytest.mark.parametrize("name", GALLERY)
def test_every_word_can_be_read(chromium, facts, name, variant):
    text = GALLERY[name].draw(drawn.VARIANTS[variant](facts))
    for scheme, seen in look(chromium, text).items():
        assert faults(seen) == [], scheme


def test_a_dark_page_is_dark(chromium, facts):
    text = GALLERY["traffic"].draw(facts)
    light, dark = (luminance(seen["paper"]) for seen in look(chromium, text).values())
    assert light > 0.9
    assert dark < 0.05


@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        ('<text class="ink" x="470" y="30">cut off here</text>', "outside: cut off here"),
        ('<text class="ink" x="20" y="30">over</text>', "over each other: over / Bytes moved"),
        ('<text class="ink" x="20" y="30" transform="rotate(20 20 30)">over</text>', "over each"),
        ('<text class="paper" x="300" y="12">pale</text>', "faint: pale"),
        ('<image href="http://127.0.0.1:9/x.png" width="1" height="1"/>', "fetched: http://127"),
    ],
)
def test_the_reader_sees_planted_faults(chromium, facts, planted, complaint):
    text = GALLERY["traffic"].draw(facts).replace("</svg>", planted + "</svg>")
    assert any(fault.startswith(complaint) for fault in faults(look(chromium, text)["light"]))


def test_pictures_side_by_side_keep_their_patterns(chromium, facts):
    """Inlined into one page no id occurs twice."""
    together = "".join(drawn.drawn(facts).values())
    with shots.shown(chromium, together, shots.View("test")) as page:
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert ids
    assert len(ids) == len(set(ids))


def test_shots_come_in_every_view(chromium, facts, tmp_path):
    picture, page = tmp_path / "records.svg", tmp_path / "page.html"
    picture.write_text(GALLERY["records"].draw(facts), encoding="utf-8")
    page.write_text("<!doctype html><title>a page</title><p>words", encoding="utf-8")
    for source in (picture, page):
        made = shots.shoot(chromium, source, tmp_path / "shots")
        assert [path.name for path in made] == [
            f"{source.stem}-{view}.png" for view in ("light", "dark", "grey", "narrow")
        ]
        assert len({path.read_bytes() for path in made}) >= (4 if source is picture else 2)


@pytest.mark.parametrize("named", ["", "/nowhere/chromium"])
def test_without_chromium_one_sentence_says_how_to_get_it(monkeypatch, tmp_path, named):
    monkeypatch.setenv("CHROMIUM", named)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(shots.NoBrowser, match="apt-get install chromium") as raised:
        shots.executable()
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)
