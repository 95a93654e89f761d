"""SVG text with reproducible bytes: rounded coordinates, no date, no random ids, one style sheet.

Series differ in colour, dash and marker, so that they are told apart in grey and by colour-blind
readers (the palette is Okabe and Ito's); a dark page gets light ink.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

STYLE = """
.paper{fill:#fff}.ink{fill:#1a1a1a}.faint{fill:#595959}
.axis{stroke:#1a1a1a;fill:none}.grid{stroke:#d9d9d9;fill:none}
.s0,.s1,.s2,.s3{fill:none;stroke-width:2}
.s0{stroke:#d55e00}.s1{stroke:#0072b2;stroke-dasharray:7 3}
.s2{stroke:#007a59;stroke-dasharray:2 3}.s3{stroke:#1a1a1a;stroke-dasharray:9 3 2 3}
.m0{fill:#d55e00}.m1{fill:#0072b2}.m2{fill:#007a59}.m3{fill:#1a1a1a}
text{font:13px system-ui,sans-serif}.title{font-size:15px;font-weight:600}.tick{font-size:11px}
@media (prefers-color-scheme:dark){.paper{fill:#14171c}.ink{fill:#eee}.faint{fill:#a8a8a8}
.axis{stroke:#eee}.grid{stroke:#3a3f47}.s0{stroke:#ff8c42}.s1{stroke:#5ab4f0}.s2{stroke:#3fc79a}
.s3{stroke:#eee}.m0{fill:#ff8c42}.m1{fill:#5ab4f0}.m2{fill:#3fc79a}.m3{fill:#eee}}
""".strip().replace("\n", "")
MARKER = 4.0  # half the size of a marker, in pixels


def number(value: float) -> str:
    """A coordinate with at most one decimal: a tenth of a pixel cannot be seen.

    >>> number(3.0), number(2.249), number(-0.01)
    ('3', '2.2', '0')
    """
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def label(x: float, y: float, words: str, kind: str = "ink", anchor: str = "start") -> str:
    """Text at a point."""
    return (
        f'<text class="{kind}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">'
        f"{escape(words, quote=False)}</text>"
    )


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    """A line through points."""
    steps = " L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path class="{kind}" d="M{steps}"/>'


def marker(x: float, y: float, series: int) -> str:
    """The mark of a series: a disc, a square, a triangle, a diamond."""
    m = MARKER
    if series == 0:
        return f'<circle class="m0" cx="{number(x)}" cy="{number(y)}" r="{number(m)}"/>'
    corners = {
        1: [(-m, -m), (m, -m), (m, m), (-m, m)],
        2: [(0, -m - 1), (m + 1, m), (-m - 1, m)],
        3: [(0, -m - 1), (m + 1, 0), (0, m + 1), (-m - 1, 0)],
    }[series]
    steps = " L".join(f"{number(x + dx)} {number(y + dy)}" for dx, dy in corners)
    return f'<path class="m{series}" d="M{steps}Z"/>'


def document(width: int, height: int, title: str, description: str, parts: Iterable[str]) -> str:
    """A whole picture; its description is what a screen reader says."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img">\n'
        f"<title>{escape(title, quote=False)}</title>\n"
        f"<desc>{escape(description, quote=False)}</desc>\n<style>{STYLE}</style>\n"
        f'<rect class="paper" width="{width}" height="{height}"/>\n{body}\n</svg>\n'
    )
