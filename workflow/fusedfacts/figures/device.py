"""A device report as two pictures: times beside counts, and the accuracy of exp."""

from __future__ import annotations

from typing import Any

from fusedfacts.device import measure
from fusedfacts.figures import svg
from fusedfacts.figures.chart import Axis, Panel, legend, spanning
from fusedfacts.figures.words import duration, whole

WIDTH = 640
ROW = 270  # pixels of one head dimension
LEAST_SHOWN = 0.1  # ULP; a logarithmic axis has no place for 0
# Series 0, 1, 2. Not kv_outer: one workgroup leaves a chip idle, so its times are of another kind.
METHODS = ("unfused", "fused", "fused_fast")


def _times(timings: dict[str, Any], d: int, top: float) -> list[str]:
    sizes = [size for size in timings["sizes"] if size["d"] == d]
    timed = [[(size["n"], size[name]["sum"]) for size in sizes if size[name]] for name in METHODS]
    medians = [[(n, spread["median"]) for n, spread in series] for series in timed]
    x = spanning([size["n"] for size in sizes], 2, whole)
    y = spanning([median for series in medians for _, median in series], 10, duration)
    panel = Panel(60, top, 310, top + ROW - 90, x, y)
    parts = panel.frame(f"d = {d}: time", "words n", "median, with quartiles")
    for number, series in enumerate(timed):
        if series:
            parts += panel.series(medians[number], number)
        for n, spread in series:
            quartiles = [(n, spread[f"{side}_quartile"]) for side in ("lower", "upper")]
            parts.append(panel.line(quartiles, f"s{number}"))
    return parts


def _ratios(timings: dict[str, Any], d: int, top: float) -> list[str]:
    ratios = [entry for entry in timings["ratios"] if entry["d"] == d]
    entries = [entry for entry in ratios if entry["way"] in METHODS]
    if not entries:
        return [svg.label(400, top + 40, "unfused not served at these sizes", "faint")]
    values = [entry[key] for entry in entries for key in ("time", "bytes")]
    x = spanning([entry["n"] for entry in entries], 2, whole)
    panel = Panel(375, top, 615, top + ROW - 90, x, spanning([*values, 1], 2, whole))
    parts = panel.frame("unfused over fused", "words n", "times as much")
    counted = [(entry["n"], entry["bytes"]) for entry in entries if entry["way"] == "fused"]
    parts += panel.series(counted, 3)
    for number, name in enumerate(METHODS[1:], 1):
        timed = [(entry["n"], entry["time"]) for entry in entries if entry["way"] == name]
        parts += panel.series(timed, number)
    return parts


def times(report: dict[str, Any]) -> str:
    """Draw measured times over n, of all methods, beside ratios of times and of bytes counted."""
    timings = report["timings"]
    dims = sorted({size["d"] for size in timings["sizes"]})
    parts = [svg.label(20, 26, f"Times on {report['adapter']['name']}", "ink title")]
    parts += legend(20, 52, [*METHODS, "bytes counted"], 152)
    for i, d in enumerate(dims):
        top = 110 + i * ROW
        parts += _times(timings, d, top) + _ratios(timings, d, top)
    height = 104 + len(dims) * ROW
    # Two lines of what it does not prove, below everything.
    words = timings["does_not_prove"].split()
    middle = len(words) // 2
    for i, line in enumerate((words[:middle], words[middle:])):
        parts.append(svg.label(20, height - 26 + 16 * i, " ".join(line), "faint tick"))
    description = (
        "Left: median time of unfused and fused attention over the number of words. Right: how many"
        " times as long unfused took, beside how many times as many bytes it moves. "
        + timings["does_not_prove"]
    )
    return svg.document(height, "Times beside counts", description, parts, WIDTH)


def exp_accuracy(report: dict[str, Any]) -> str:
    """Draw the device's largest error of exp over the argument, beside what WGSL promises."""
    exp = report["self_test"]["exp"]
    curve = exp["curve"]
    # The first range reaches down to 0, which a logarithmic axis cannot: it starts an octave below.
    ranges = [(-part["to"] or -part["from"] / 2, -part["from"]) for part in curve]
    errors = [max(part["largest_error_ulp"], LEAST_SHOWN) for part in curve]
    measured = [(x, y) for ends, y in zip(ranges, errors, strict=True) for x in ends]
    promised = [(x, measure.PROMISED_EXP + measure.PROMISED_EXP_SLOPE * x) for x, _ in measured]
    x = Axis(ranges[0][0], ranges[-1][1], 2, lambda x: f"-{x:g}" if x >= 1 else f"-1/{1 / x:g}")
    y = spanning([value for _, value in measured + promised], 10, whole)
    panel = Panel(60, 96, 610, 306, x, y)
    parts = [svg.label(20, 26, f"exp on {report['adapter']['name']}", "ink title")]
    promise = f"WGSL's promise, {exp['promised_ulp']} ULP"
    parts += legend(20, 50, ["largest error measured", promise], 200)
    parts += panel.frame("", "argument x", "units in the last place (ULP)")
    parts.append(panel.line(measured, "s0"))
    for (low, high), error in zip(ranges, errors, strict=True):
        parts.append(svg.marker(*panel.at((low * high) ** 0.5, error), 0))
    parts.append(panel.line(promised, "s1"))
    worst = max(curve, key=lambda part: float(part["over_promised"]))
    words = (
        f"Largest error over promise: {exp['largest_over_promised']:g}, for x from"
        f" {worst['from']:g} to {worst['to']:g}."
    )
    parts.append(svg.label(20, 372, words, "faint tick"))
    return svg.document(390, "Accuracy of the device's exp", words, parts, WIDTH)
