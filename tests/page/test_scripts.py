"""The page's scripts under node, against golden vectors that are Python's."""

import json

import pytest
from support import golden, node
from support.common import ROOT


def same(found, wanted, where):
    """Equal, but for the last digits of doubles, which depend on a machine's BLAS."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), where
        for key in wanted:
            same(found[key], wanted[key], (*where, key))
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for place, pair in enumerate(zip(found, wanted, strict=True)):
            same(*pair, (*where, place))
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-6, abs=1e-15), where
    else:
        assert found == wanted, where


def test_golden_vectors_are_what_python_computes():
    written = json.loads(golden.FILE.read_text(encoding="utf-8"))
    same(json.loads(golden.text(golden.vectors())), written, ())


@pytest.mark.parametrize("name", ["emulator", "device", "film"])
def test_scripts_compute_the_golden_vectors(name):
    node.run("--test", str(ROOT / "tests" / "page" / f"{name}.test.js"))
