"""All pictures: no number typed into their words, whole, and the same bytes each time."""

import ast
import inspect
import json
import re
import subprocess
import sys

import pytest
from fusedfacts.figures.gallery import GALLERY
from fusedfacts.prose import names, numerals
from support import drawn
from support.common import ROOT

CLASS_OR_FORMAT = re.compile(r"(?:\w+ )?[mso]\d|\.\df")


@pytest.mark.parametrize("name", GALLERY)
def test_no_number_is_typed_into_a_picture_s_words(name):
    tree = ast.parse(inspect.getsource(GALLERY[name]))
    documented = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    _, phrases = names.read()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is str and node not in documented:
            found = numerals.numbers(numerals.masked(node.value, phrases))
            assert not found or CLASS_OR_FORMAT.fullmatch(node.value), node.value


@pytest.mark.parametrize("variant", drawn.VARIANTS)
@pytest.mark.parametrize("name", GALLERY)
def test_pictures_are_whole(facts, name, variant):
    text = GALLERY[name].draw(drawn.VARIANTS[variant](facts))
    root = drawn.parsed(text)
    assert root.find("title").text == GALLERY[name].TITLE
    # Who cannot see the picture hears what it shows.
    assert re.search(r"\d", root.find("desc").text)
    assert "href" not in text
    assert not re.search(r"\b(?:nan|inf)\b", text)
    width, height = (float(n) for n in root.get("viewBox").split()[2:])
    for kind in ("m0", "m1", "frame"):
        for left, top, wide, high in drawn.boxes(root, kind):
            assert 0 <= left <= left + wide <= width
            assert 0 <= top <= top + high <= height
    for path in root.iter("path"):
        for x, y in drawn.corners(path) if "V" not in path.get("d") else []:
            assert 0 <= x <= width
            assert 0 <= y <= height


def test_pictures_side_by_side_keep_their_patterns(facts):
    """Inlined into one page no id occurs twice."""
    ids = re.findall(r' id="([^"]+)"', "".join(drawn.drawn(facts).values()))
    assert ids
    assert len(ids) == len(set(ids))


def shuffled(value):
    """The same document with every key order reversed."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(list(value))}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def test_another_process_draws_the_same_bytes(facts):
    """Neither the order of keys nor hash seed nor locale shows."""
    code = (
        "import json, sys; from fusedfacts.figures.gallery import GALLERY;"
        "facts = json.load(sys.stdin); print(json.dumps([p.draw(facts) for p in GALLERY.values()]))"
    )
    again = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(shuffled(facts)),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"PYTHONPATH": "workflow", "PYTHONHASHSEED": "7", "LC_ALL": "C.UTF-8"},
    )
    assert json.loads(again.stdout) == list(drawn.drawn(facts).values())
