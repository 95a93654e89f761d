"""Screenshots of the page: every scene of the film, and the lab in each of its states.

PYTHONPATH=tests python -m support.page_shots [width ...]
"""

import json
import sys
import tempfile
from pathlib import Path

from support import shots, site_server

WIDTHS = (360, 1280, 1920)
HEIGHT = 900
SETTLES_MS = 400


def film(page, scenes, name: str) -> None:
    """Each scene, in the middle of each of its cues' last halves."""
    page.get_by_role("button", name="Play the film").click()
    slider = page.locator("#film-stage .film-range")
    slider.wait_for()
    for number, scene in enumerate(scenes, 1):
        for place, cue in enumerate(scene["cues"], 1):
            at = (cue["start_ms"] + 3 * cue["end_ms"]) // 4
            slider.fill(str(at))
            page.wait_for_timeout(SETTLES_MS)
            target = shots.SHOTS / f"film-{number:02d}-{place:02d}-{name}.png"
            page.locator("#film-stage").screenshot(path=target)


def lab(page, name: str) -> None:
    """A count, a wrong size, the broken switch, and the times."""
    results = page.locator(".result")
    states = [("wrong-size", "many", "Count"), ("counted", "300", "Count")]
    states += [("broken", "300", "Count"), ("timed", "300", "Time on my chip")]
    for state, size, button in states:
        page.fill("#lab-n", size)
        page.set_checked("input[name=broken]", state == "broken")
        before = results.count()
        page.get_by_role("button", name=button).click()
        if state != "wrong-size":
            results.nth(before).wait_for(timeout=0)
        page.locator("#lab").screenshot(path=shots.SHOTS / f"lab-{state}-{name}.png")


def main(arguments: list[str]) -> None:
    """All scenes and states at each width, light and dark."""
    shots.SHOTS.mkdir(parents=True, exist_ok=True)
    folder = site_server.assemble(Path(tempfile.mkdtemp()))
    scenes = json.loads((folder / "film.json").read_text(encoding="utf-8"))["scenes"]
    with site_server.served(folder) as address, shots.browser(*shots.WEBGPU) as chromium:
        for width in map(int, arguments or WIDTHS):
            for scheme in ("light", "dark"):
                size = {"width": width, "height": HEIGHT}
                page = chromium.new_page(viewport=size, color_scheme=scheme)
                page.goto(f"{address}index.html")
                name = f"{width}-{scheme}"
                page.screenshot(path=shots.SHOTS / f"page-{name}.png", full_page=True)
                lab(page, name)
                film(page, scenes, name)
                page.close()
                print(f"{shots.SHOTS}/*-{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
