"""Every picture in Chromium: no text cut off or over another, readable, and nothing fetched."""

import pytest
from fusedfacts.figures.gallery import GALLERY
from support import drawn, shots
from support.colours import CONTRAST, contrast, luminance

# A text's box has room above and below its letters; lines may touch there.
TOLERANCE = 1.5

TEXTS = """() => [...document.querySelectorAll('svg')].map(svg => {
  const edge = svg.getBoundingClientRect();
  const paper = getComputedStyle(svg.querySelector('rect.paper:not(pattern *)')).fill;
  const texts = [...svg.querySelectorAll('text')].map(text => {
    const b = text.getBBox(), m = text.getScreenCTM();
    const corners = [[b.x, b.y], [b.x + b.width, b.y], [b.x + b.width, b.y + b.height],
      [b.x, b.y + b.height]];
    return {words: text.textContent, fill: getComputedStyle(text).fill,
      corners: corners.map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f])};
  });
  return {edge: [edge.left, edge.top, edge.right, edge.bottom], paper, texts};
})"""


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


def faults(seen):
    """What a reader would stumble over, in words."""
    left, top, right, bottom = seen["edge"]
    found = []
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_can_be_read_and_nothing_is_fetched(chromium, facts, scheme):
    pictures = {
        f"{name} of {variant}": picture.draw(change(facts))
        for variant, change in drawn.VARIANTS.items()
        for name, picture in GALLERY.items()
    }
    pictures |= drawn.error_maps()
    requested, text = [], "".join(pictures.values())
    with shots.shown(chromium, text, shots.View("test", width=480), requested) as page:
        page.emulate_media(color_scheme=scheme)
        seen = dict(zip(pictures, page.evaluate(TEXTS), strict=True))
    assert requested == []
    for name, picture in seen.items():
        assert faults(picture) == [], name
        paper = luminance(picture["paper"])
        assert paper > 0.9 if scheme == "light" else paper < 0.05
