"""How long the page's emulator takes to count and check, in workers, in Chromium.

PYTHONPATH=workflow python tests/benchmarks/in_the_page.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import shots, site_server

WAYS = ("fused", "unfused")
SIZES = [(4096, 16), (4096, 64)]
REPEATS = 3

COUNT = """async (options) => {
    const { count } = await import(`${location.origin}/js/emulator/index.js`);
    const start = performance.now();
    const { check, formulaAgrees } = await count(options);
    if (!check.passed || !formulaAgrees) throw new Error("a count or a check failed");
    return (performance.now() - start) / 1000;
}"""


def seconds(page, way: str, n: int, d: int, repeats: int = REPEATS) -> float:
    """The least wall seconds of one count with its check: other work only adds to them."""
    options = {"way": way, "n": n, "d": d, "seed": 23}
    return min(page.evaluate(COUNT, options) for _ in range(repeats))


def report(page, sizes=SIZES, repeats: int = REPEATS) -> None:
    """A line for each size and way."""
    workers = page.evaluate("navigator.hardwareConcurrency")
    print(f"the page's emulator: count and check, least of {repeats}, {workers} cores")
    for n, d in sizes:
        for way in WAYS:
            took = seconds(page, way, n, d, repeats)
            pairs = n * n * d / took / 1e6
            print(f"  n {n:>5} d {d:>3}  {way:<8} {took:7.2f} s wall  {pairs:6.0f} M n^2 d / s")


def on_a_page(sizes=SIZES, repeats: int = REPEATS) -> None:
    """Serve the page's sources, open a browser and report; say so where there is none."""
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            site_server.served(site_server.assemble(Path(folder))) as address,
            shots.browser() as chromium,
        ):
            page = chromium.new_page()
            page.goto(address + "js/emulator/index.js")
            report(page, sizes, repeats)
    except shots.NoBrowser as reason:
        print(f"  not measured: {reason}")


if __name__ == "__main__":
    on_a_page()
