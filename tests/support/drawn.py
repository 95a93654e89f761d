"""The pictures of the published facts and of made-up ones, and what is drawn in them."""

import copy
import re
from xml.etree import ElementTree

import numpy as np
from fusedfacts import error_map, judge
from fusedfacts.attention import traffic
from fusedfacts.figures.gallery import GALLERY


def drawn(facts):
    """SVG text by name."""
    return {name: picture.draw(facts) for name, picture in GALLERY.items()}


def size(n, d, error=1e-7, bound=1e-5, sees=12):
    """An entry of the sweep with the formulas' counts."""
    entry = {"n": n, "d": d, "compulsory_bytes": traffic.compulsory_bytes(n, d)}
    for method in ("fused", "unfused"):
        entry[method] = {
            "bytes": traffic.total_bytes(getattr(traffic, method)(n, d)),
            "largest_error": error,
            "bound_there": bound,
            "largest_ratio": round(error / bound, 6),
            "smallest_fault_seen": {"in_every_row": sees},
        }
    return entry


def swept(facts, lengths, dims, **figures):
    """Facts of another sweep."""
    other = copy.deepcopy(facts)
    other["traffic"] = [size(n, d, **figures) for d in dims for n in lengths]
    return other


def calm(facts):
    """Facts in which nothing goes wrong: no late maximum, no infinite score."""
    other = swept(facts, [3], [32], sees=None)
    for head in other["control"]["heads"]:
        head["row_is_wrong"] = head["row_has_late_maximum"] = [False] * head["rows"]
        head["rows_wrong"] = 0
    other["control"]["key_rows"] = 1
    other["overflow"]["histogram"] = {"edges": [-2, -1, 0, 1], "counts": [1, 0, 7]}
    held_out = {"scores": 8, "infinite_terms": 0, "rows_with_infinite_term": 0}
    other["overflow"]["held_out"].update(held_out, largest_score=0.5)
    law = {"n": 1, "rows": 9, "mean_records": 1.0, "harmonic_number": 1.0}
    other["online_softmax"]["record_law"] = [law]
    return other


def passing(facts):
    """Facts in which late maxima pass, and a check that sees a fault in other bits only."""
    other = swept(facts, [1, 5000, 700], [128, 16, 32, 64], error=0.0)
    for head in other["control"]["heads"]:
        head["row_is_wrong"] = [False] * head["rows"]
        head.update(rows_wrong=0, rows_late_maximum_but_passing=sum(head["row_has_late_maximum"]))
    other["control"]["key_rows"] = 23
    other["overflow"]["histogram"] = {"edges": [11, 12], "counts": [3]}
    other["overflow"]["held_out"].update(scores=3, largest_score=11.5, infinite_terms=2)
    other["online_softmax"]["record_law"] = [
        {"n": n, "rows": 2, "mean_records": mean, "harmonic_number": law}
        for n, mean, law in ((65536, 11.5, 11.668), (1, 1.0, 1.0))
    ]
    return other


VARIANTS = {
    "published": lambda facts: facts,
    "calm": calm,
    "passing": passing,
    "one word": lambda facts: swept(facts, [1], [64, 16], error=0.0),
    "few": lambda facts: swept(facts, [3, 2], [128]),
    "long": lambda facts: swept(facts, [64, 2**16], [16, 32, 64, 128]),
}


def error_maps():
    """Maps of judged answers: right ones, and some with a row and half of the keys at fault."""
    draw = np.random.default_rng(5)
    maps = {}
    for n, d in ((200, 64), (600, 16), (5, 3)):
        q, k, v = (draw.standard_normal((n, size)).astype(np.float32) for size in (d, d, d))
        p = np.exp(q @ k.T * np.float32(d**-0.5))
        right = p @ v / p.sum(axis=1, keepdims=True)
        p[:, n // 2 :] *= np.float32(0.9)
        wrong = p @ v / p.sum(axis=1, keepdims=True)
        wrong[n // 3, 1] = np.nan
        maps[f"map of {n} rows, right"] = error_map(judge(q, k, v, right))
        maps[f"map of {n} rows, wrong"] = error_map(judge(q, k, v, wrong))
    return maps


def parsed(text):
    """The picture as a tree without namespaces."""
    return ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1))


def having(root, tag, kind):
    """Elements of a tag that have a class."""
    return [e for e in root.iter(tag) if kind in e.get("class", "").split()]


def words(root, kind=""):
    """Every text, in order; of a class if one is named."""
    return [e.text for e in root.iter("text") if not kind or kind in e.get("class").split()]


def place(root, text, anchor=""):
    """Where a text stands; with an anchor, if it occurs with others."""
    found = [e for e in root.iter("text") if e.text == text]
    (only,) = (e for e in found if anchor in ("", e.get("text-anchor")))
    return float(only.get("x")), float(only.get("y"))


def corners(path):
    """Points of a path."""
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d"))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def centre(shape):
    """The middle of a circle, of a rectangle or of a path's corners."""
    if shape.tag == "circle":
        return float(shape.get("cx")), float(shape.get("cy"))
    if shape.tag == "rect":
        left, top, width, height = box(shape)
        return left + width / 2, top + height / 2
    xs, ys = zip(*corners(shape), strict=True)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def box(shape):
    """Left, top, width and height of a rectangle."""
    return tuple(float(shape.get(key)) for key in ("x", "y", "width", "height"))


def boxes(root, kind):
    """The boxes of the rectangles of a class, those of patterns left out."""
    return [box(shape) for shape in having(root, "rect", kind) if shape.get("x")]
