"""SVG text with reproducible bytes: rounded coordinates, no date, no random ids, one style sheet.

Series differ in colour, dash and marker, so that they are told apart in grey and by colour-blind
readers (the palette is Okabe and Ito's); a dark page gets light ink. A page inlines several
pictures, so every picture carries the same rules, and ids start with the picture's name.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from html import escape

DASHES = ("", ";stroke-dasharray:7 3", ";stroke-dasharray:2 3", ";stroke-dasharray:9 3 2 3")
LIGHT = ("#d55e00", "#0072b2", "#007a59", "#1a1a1a")
DARK = ("#ff8c42", "#5ab4f0", "#3fc79a", "#eeeeee")
WIDTH = 480  # pixels of a picture on the page
TEXT, SMALL, TITLE = 13, 12, 15  # sizes of type, in pixels
LEADING = 17  # from one line of text to the next
# Mean advance of a letter, in ems, in DejaVu Sans, as wide a face as a reader is likely to have.
ADVANCE = 0.56
MARKER = 4.0  # half the size of a marker, in pixels
HATCH = 5  # pixels from one line of a hatching to the next


def _rules(rules: Iterable[tuple[str, str]]) -> str:
    """Write rules that hold within a picture only: a page's own classes keep their looks."""
    return "".join(
        ",".join(f"svg {kind}" for kind in kinds.split()) + f"{{{body}}}" for kinds, body in rules
    )


def _inks(series: Sequence[str], paper: str, faint: str, grid: str) -> str:
    """Write the rules that name a colour: strokes s, hatchings o, fills m, and the rest."""
    fills = ((".paper", paper), (".ink .band", series[3]), (".faint", faint))
    strokes = ((".axis .frame .edge", series[3]), (".grid", grid), (".gap .halo", paper))
    rules = [(kinds, f"fill:{colour}") for kinds, colour in fills]
    rules += [(kinds, f"stroke:{colour}") for kinds, colour in strokes]
    for i, colour in enumerate(series):
        rules += [(f".s{i}", f"stroke:{colour}{DASHES[i]}"), (f".o{i}", f"stroke:{colour}")]
        rules.append((f".m{i}", f"fill:{colour}"))
    return _rules(rules)


SHAPES = _rules(
    [
        (".axis .grid .edge .frame .gap .s0 .s1 .s2 .s3 .o0 .o1 .o2 .o3", "fill:none"),
        (".s0 .s1 .s2 .s3 .gap", "stroke-width:2"),
        (".o0 .o1 .o2 .o3", f"stroke-width:{HATCH / 2}"),
        (".edge", "stroke-dasharray:4 3"),
        (".frame", "stroke-width:1.5"),
        (".band", "opacity:.13"),
        (".halo", "stroke-width:4;paint-order:stroke;stroke-linejoin:round"),
        ("text", f"font:{TEXT}px system-ui,sans-serif"),
        (".tick", f"font-size:{SMALL}px"),
        (".title", f"font-size:{TITLE}px"),
        (".title .strong", "font-weight:600"),
    ]
)
STYLE = (
    SHAPES
    + _inks(LIGHT, "#ffffff", "#595959", "#d9d9d9")
    + f"@media (prefers-color-scheme:dark){{{_inks(DARK, '#14171c', '#a8a8a8', '#3a3f47')}}}"
)


def number(value: float) -> str:
    """Write a coordinate with at most one decimal: a tenth of a pixel cannot be seen.

    A logarithm's last digit differs between machines; rounding twice keeps it from deciding a tie.

    >>> number(3.0), number(2.249), number(-0.01), number(2.2500000001)
    ('3', '2.2', '0', '2.2')
    """
    text = f"{round(value, 6):.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def breadth(words: str, size: float = TEXT) -> float:
    """Estimate how many pixels a line of text takes.

    >>> round(breadth("abcde", 10))
    28
    """
    return ADVANCE * size * len(words)


def label(
    x: float, y: float, words: str, kind: str = "ink", anchor: str = "start", turn: float = 0
) -> str:
    """Write text at a point, turned about it by some degrees."""
    turned = f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
    return (
        f'<text class="{kind}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{turned}>'
        f"{escape(words, quote=False)}</text>"
    )


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    """Draw a line through points."""
    steps = " L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path class="{kind}" d="M{steps}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, fill: str = "") -> str:
    """Draw a rectangle, filled by its class or by a pattern's id."""
    pattern = f' fill="url(#{fill})"' if fill else ""
    return (
        f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}"'
        f' height="{number(height)}"{pattern}/>'
    )


def hatching(name: str, series: int, angle: int) -> str:
    """Define a pattern of slanted lines in a series' colour, on paper."""
    return (
        f'<pattern id="{name}" width="{HATCH}" height="{HATCH}" patternUnits="userSpaceOnUse"'
        f' patternTransform="rotate({angle})">'
        f'<rect class="paper" width="{HATCH}" height="{HATCH}"/>'
        f'<path class="o{series}" d="M{number(HATCH / 2)} 0V{HATCH}"/></pattern>'
    )


def ring(x: float, y: float, radius: float, kind: str) -> str:
    """Draw a circle, filled by its class."""
    return f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'


def crossed(x: float, y: float, half: float, arm: float) -> str:
    """Draw a filled square with a cross in it."""
    return (
        box(x - half, y - half, 2 * half, 2 * half, "m0")
        + path([(x - arm, y - arm), (x + arm, y + arm)], "gap")
        + path([(x - arm, y + arm), (x + arm, y - arm)], "gap")
    )


def marker(x: float, y: float, series: int, half: float = MARKER) -> str:
    """Draw the mark of a series: a disc, a square, a triangle, a diamond."""
    m = half
    if series == 0:
        return ring(x, y, m, "m0")
    corners = {
        1: [(-m, -m), (m, -m), (m, m), (-m, m)],
        2: [(0, -m - 1), (m + 1, m), (-m - 1, m)],
        3: [(0, -m - 1), (m + 1, 0), (0, m + 1), (-m - 1, 0)],
    }[series]
    steps = " L".join(f"{number(x + dx)} {number(y + dy)}" for dx, dy in corners)
    return f'<path class="m{series}" d="M{steps}Z"/>'


def heading(title: str, about: str) -> tuple[list[str], float]:
    """Write a title and what is shown; return them, and where the drawing may start."""
    letters = int((WIDTH - 2 * 16) / breadth("m"))
    lines = textwrap.wrap(about, letters, break_long_words=False, break_on_hyphens=False)
    heights = [48 + LEADING * i for i in range(len(lines))]
    words = [label(16, y, line, "faint") for y, line in zip(heights, lines, strict=True)]
    return [label(16, 26, title, "ink title"), *words], heights[-1]


def document(
    height: float, title: str, description: str, parts: Iterable[str], width: int = WIDTH
) -> str:
    """Write a whole picture; its description is what a screen reader says."""
    body, w, h = "\n".join(parts), width, math.ceil(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}"'
        f' height="{h}" role="img">\n'
        f"<title>{escape(title, quote=False)}</title>\n"
        f"<desc>{escape(description, quote=False)}</desc>\n<style>{STYLE}</style>\n"
        f'<rect class="paper" width="{w}" height="{h}"/>\n{body}\n</svg>\n'
    )
