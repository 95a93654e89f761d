import os

import pytest
from fusedfacts import files
from fusedfacts.errors import FactsError


def test_a_write_that_dies_midway_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "facts.json"
    files.write_bytes(path, b"old")

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        files.write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_makes_its_folder(tmp_path):
    files.write_json(tmp_path / "a" / "b.json", {"x": 1})
    assert (tmp_path / "a" / "b.json").read_bytes() == b'{\n "x": 1\n}\n'


def test_an_unreadable_input_says_how_to_mend_it(tmp_path):
    with pytest.raises(FactsError, match="No such file or directory\\); restore it"):
        files.read_bytes(tmp_path / "none", "restore it")
