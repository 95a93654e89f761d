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


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FactsError, match=r"facts\.json: cannot be written .*; make the folder"):
        files.write_bytes(tmp_path / "file" / "facts.json", b"x")


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "facts.json"
    files.write_bytes(path, b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FactsError, match="No space left on device"):
        files.write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
