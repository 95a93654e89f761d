"""All pictures: valid XML, the same bytes each time, and no number that the facts do not carry."""

from __future__ import annotations

import copy
import json
import math
import re
import subprocess
import sys

import pytest
from fusedfacts.figures import records
from fusedfacts.figures.gallery import GALLERY
from fusedfacts.figures.words import UNITS
from support import drawn

NAMES = ("traffic", "bars", "accuracy", "control", "faults", "scores", "records")
# fp16 and float32 are names.
NUMBER = re.compile(r"(?<![A-Za-z\d.])-?\d[\d,]*(?:\.\d+)?")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def numbers(value):
    """Every number of a document."""
    if isinstance(value, dict):
        return set().union(*map(numbers, value.values()))
    if isinstance(value, list):
        return set().union(set(), *map(numbers, value))
    return {float(value)} if isinstance(value, int | float) else set()


def amounts(sizes):
    """Bytes in every unit, to four digits."""
    return {float(f"{size / one:.4g}") for size in sizes for one in (1, *dict(UNITS).values())}


def followed(facts):
    """Numbers that follow from the facts and are not in them, computed apart from the pictures."""
    found, largest = set(), max(size["n"] for size in facts["traffic"])
    for size in facts["traffic"]:
        fused, unfused = size["fused"]["bytes"], size["unfused"]["bytes"]
        found |= amounts({fused, unfused, size["compulsory_bytes"], unfused - fused})
        if size["n"] == largest:
            table, qo = 4 * largest**2, 4 * largest * size["d"]
            found |= amounts({table, qo, 2 * qo, (fused - 2 * qo) // 2})
    faults = [
        size[way]["smallest_fault_seen"]["in_every_row"]
        for size in facts["traffic"]
        for way in ("fused", "unfused")
    ]
    found |= {2.0**exponent for exponent in faults if exponent}
    heads = facts["control"]["heads"]
    found |= {float(h) for h in range(len(heads))}
    tiles = math.ceil(heads[0]["rows"] / facts["control"]["key_rows"])
    found |= {float(tile) for tile in range(1, tiles + 1)}
    wrong = sum(head["rows_wrong"] for head in heads)
    late = sum(head["rows_late_maximum_but_passing"] for head in heads)
    found |= {wrong, late, sum(head["rows"] for head in heads) - wrong - late}
    cells = [cell for row in facts["mutants"]["matrix"].values() for cell in row.values()]
    found |= {len(cells), len(facts["mutants"]["matrix"]), len(facts["mutants"]["inputs"])}
    found |= {sum(cell["seen"] for cell in cells)}
    largest_power = math.floor(math.log10(max(cell["largest_ratio"] or 0 for cell in cells)))
    found |= {1.0, 10.0, float(largest_power), float(largest_power // 2)}
    found |= set(map(float, records.BANDS))
    law = records.law([entry["n"] for entry in facts["online_softmax"]["record_law"]])
    for entry in facts["online_softmax"]["record_law"]:
        mean, variance = law[entry["n"]]
        error = math.sqrt(variance / entry["rows"])
        found.add(round(abs(entry["mean_records"] - mean) / error, 1) if error else 0.0)
    return found


def test_the_gallery_holds_the_lessons_pictures_in_order():
    assert tuple(GALLERY) == NAMES


@pytest.mark.parametrize("variant", drawn.VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_every_number_in_words_follows_from_the_facts(facts, name, variant):
    facts = drawn.VARIANTS[variant](facts)
    known = numbers(facts) | followed(facts)
    root = drawn.parsed(GALLERY[name].draw(facts))
    said = [e.text for e in root.iter("text") if "scale" not in e.get("class").split()]
    for text in (*said, root.find("title").text, root.find("desc").text):
        spaced = re.sub("([⁻⁰¹²³⁴-⁹]+)", lambda m: " " + m[1].translate(RAISED), text)
        for number in NUMBER.findall(spaced):
            assert float(number.rstrip(",").replace(",", "")) in known, (number, text)


@pytest.mark.parametrize("variant", drawn.VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_whole(facts, name, variant):
    text = GALLERY[name].draw(drawn.VARIANTS[variant](facts))
    root = drawn.parsed(text)
    assert root.find("title").text == GALLERY[name].TITLE
    # Who cannot see the picture hears what it shows.
    assert len(root.find("desc").text) > 60
    assert NUMBER.search(root.find("desc").text)
    assert "nan" not in text.lower().replace("finan", "")
    assert "inf " not in text
    width, height = (float(n) for n in root.get("viewBox").split()[2:])
    for left, top, wide, high in [
        b for kind in ("m0", "m1", "frame") for b in drawn.boxes(root, kind)
    ]:
        assert 0 <= left <= left + wide <= width
        assert 0 <= top <= top + high <= height
    for path in root.iter("path"):
        for x, y in drawn.corners(path) if "V" not in path.get("d") else []:
            assert 0 <= x <= width
            assert 0 <= y <= height


def shuffled(value):
    """The same document with every key order reversed."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(list(value))}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def test_the_order_of_keys_decides_nothing(facts):
    assert drawn.drawn(shuffled(facts)) == drawn.drawn(facts)


def test_drawing_leaves_the_facts_alone(facts):
    before = copy.deepcopy(facts)
    drawn.drawn(facts)
    assert facts == before


def test_another_process_draws_the_same_bytes(facts):
    """Neither hash seed nor locale shows."""
    code = (
        "import json, sys; from fusedfacts.figures.gallery import GALLERY;"
        "facts = json.load(sys.stdin); print(json.dumps([p.draw(facts) for p in GALLERY.values()]))"
    )
    again = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(facts),
        capture_output=True,
        text=True,
        check=True,
        cwd=drawn.ROOT,
        env={"PYTHONPATH": "workflow", "PYTHONHASHSEED": "7", "LC_ALL": "C.UTF-8"},
    )
    assert json.loads(again.stdout) == list(drawn.drawn(facts).values())
