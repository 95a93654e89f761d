"""Render pictures and pages to PNG: light, dark, in grey, and on a narrow screen.

PYTHONPATH=tests python -m support.shots [FILE.svg or FILE.html ...]
"""

import os
import shutil
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "results" / "shots"
PICTURES = ROOT / "media" / "school" / "fused" / "pictures"
NAMES = ("chromium", "chromium-browser", "google-chrome")
# A software device for WebGPU, which every machine has.
WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
# A picture as wide as the window, inlined as the lesson inlines it.
PAGE = (
    "<!doctype html><meta charset=utf-8><title>picture</title><style>"
    ":root{{color-scheme:light dark}}body{{margin:0}}"
    "svg{{display:block;width:100%;height:auto}}</style>{}"
)


class NoBrowser(SystemExit):
    """There is no browser; the message, a script's last, says how to get one."""


@dataclass(frozen=True)
class View:
    """How a reader may look at a page."""

    name: str
    width: int = 600
    scheme: str = "light"
    filter: str = "none"


GREY = View("grey", filter="grayscale(1)")
VIEWS = (View("light"), View("dark", scheme="dark"), GREY, View("narrow", width=360))


def launched(kind, *arguments: str):
    """A browser of a kind, to close when done: $CHROMIUM, or the first found on the path."""
    named = os.environ.get("CHROMIUM")
    path = next(filter(None, map(shutil.which, [named] if named else NAMES)), None)
    if not path:
        raise NoBrowser(
            f"Chromium: found no {named or 'browser'}, expected one to render pictures with;"
            " run: sudo apt-get install chromium, or name one with CHROMIUM=/path/to/chromium"
        )
    # Chromium's sandbox refuses to run as root.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return kind.launch(executable_path=path, args=[*sandbox, *arguments])


@contextmanager
def browser(*arguments: str):
    """A running Chromium."""
    from playwright.sync_api import sync_playwright

    from support import node

    try:
        node.executable()  # without it Playwright says only that a connection was closed
    except node.NoNodeError as reason:
        raise NoBrowser(str(reason)) from None
    with sync_playwright() as playwright, launched(playwright.chromium, *arguments) as chromium:
        yield chromium


@contextmanager
def shown(chromium, source: Path | str, view: View, requested: list[str] | None = None):
    """A browser page with a picture (SVG text or file) or a page (an HTML file) loaded.

    What it asks for, itself included, is added to `requested`.
    """
    size = {"width": view.width, "height": 100}
    with chromium.new_context(viewport=size, color_scheme=view.scheme) as context:
        page = context.new_page()
        if requested is not None:
            page.on("request", lambda request: requested.append(request.url))
        if isinstance(source, Path) and source.suffix != ".svg":
            page.goto(source.resolve().as_uri())
        else:
            text = source if isinstance(source, str) else source.read_text(encoding="utf-8")
            page.set_content(PAGE.format(text))
        page.add_style_tag(content=f"html{{filter:{view.filter}}}")
        yield page


def shoot(chromium, source: Path) -> None:
    """Write and name PNG files of all views of a picture or page."""
    for view in VIEWS:
        target = SHOTS / f"{source.stem}-{view.name}.png"
        with shown(chromium, source, view) as page:
            page.screenshot(path=target, full_page=True)
        print(target)


def main(arguments: list[str]) -> None:
    """Shoot the files named, or every published picture."""
    sources = [Path(name) for name in arguments] or sorted(PICTURES.glob("*.svg"))
    SHOTS.mkdir(parents=True, exist_ok=True)
    with browser() as chromium:
        for source in sources:
            shoot(chromium, source)


if __name__ == "__main__":
    main(sys.argv[1:])
