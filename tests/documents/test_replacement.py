"""Files that are replaced together: all staged, all moved, the last one last."""

import errno
import os

import pytest
from fusedfacts.documents import files, replacement
from fusedfacts.errors import FactsError

OLD = {"a": b"1", "b/c": b"1", "b/gone": b"1", "z/gone": b"1", "last": b"1"}
NEW = {"a": b"2", "b/c": b"2", "d/e/f": b"2", "last": b"2"}
GONE = set(OLD) - set(NEW)


@pytest.fixture
def folder(tmp_path):
    for name, content in OLD.items():
        files.write_bytes(tmp_path / name, content)
    return tmp_path


def found(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def listed(path):
    """Of these files, each speaks of all names of the new state."""
    return {name: files.sha256(content) for name, content in NEW.items()}


def test_the_new_files_are_all_that_is_there(folder):
    replacement.replace(folder, NEW, "last", GONE)
    assert found(folder) == NEW
    assert not (folder / "z").exists()


def test_what_is_there_already_is_left_alone(folder):
    before = (folder / "a").stat()
    replacement.replace(folder, {**NEW, "a": OLD["a"]}, "last", GONE)
    assert (folder / "a").stat() == before
    assert found(folder) == {**NEW, "a": OLD["a"]}


def test_a_link_to_the_same_bytes_is_replaced_by_a_file(folder):
    (folder / "a").unlink()
    (folder / "away").write_bytes(NEW["a"])
    (folder / "a").symlink_to(folder / "away")
    replacement.replace(folder, NEW, "last", GONE)
    assert not (folder / "a").is_symlink()


def test_all_is_on_the_disk_before_the_last_file_moves(folder, monkeypatch):
    """The order of what the system is asked for, by which a power cut is survived."""
    asked = []
    move, sync, unlink = files.move, files.sync, type(folder).unlink

    def told(kind, real):
        def call(*arguments, **options):
            asked.append((kind, arguments[-1].relative_to(folder).as_posix()))
            return real(*arguments, **options)

        return call

    monkeypatch.setattr(files, "move", told("move", move))
    monkeypatch.setattr(files, "sync", told("sync", sync))
    monkeypatch.setattr(type(folder), "unlink", told("delete", unlink))
    replacement.replace(folder, NEW, "last", GONE)
    at = asked.index(("move", "last"))
    assert asked[at + 1 :] == [("sync", ".")]
    assert {name for kind, name in asked[:at] if kind == "move"} == set(NEW) - {"last"}
    assert {name for kind, name in asked[:at] if kind == "delete"} == GONE
    syncs = [entry for entry in asked[:at] if entry[0] == "sync"]
    assert asked[at - len(syncs) : at] == syncs
    assert {name for _, name in syncs} == {"d/e", "d", "b", "."}


def every_step(monkeypatch, number, fault):
    """Make the `number`th call of the system that a write needs fail; False where there is none."""
    count = iter(range(1, 10_000))
    reached = []

    def failing(real):
        def call(*arguments, **options):
            if next(count) == number:
                reached.append(True)
                raise fault
            return real(*arguments, **options)

        return call

    for module, name in ((files.tempfile, "mkstemp"), (os, "fsync"), (os, "chmod")):
        monkeypatch.setattr(module, name, failing(getattr(module, name)))
    monkeypatch.setattr(files.os, "fdopen", failing(os.fdopen))
    monkeypatch.setattr(files.os, "replace", failing(os.replace))
    return reached


STAGING = 4 * len(NEW)  # mkstemp, fdopen, fsync, chmod of each


@pytest.mark.parametrize("number", range(1, STAGING + 1))
def test_a_fault_while_staging_changes_nothing(folder, monkeypatch, number):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with monkeypatch.context() as patched:
        assert not every_step(patched, number, full)
        with pytest.raises(FactsError, match=r"cannot be written \(No space left on device\)"):
            replacement.replace(folder, NEW, "last", GONE)
    assert found(folder) == OLD
    assert not (folder / "d").exists()
    replacement.replace(folder, NEW, "last", GONE)
    assert found(folder) == NEW


def test_a_fault_while_moving_leaves_each_file_whole_and_is_mended(folder, monkeypatch):
    """At every call after the staging, until one too many is asked for."""
    number = STAGING
    while True:
        number += 1
        with monkeypatch.context() as patched:
            reached = every_step(patched, number, OSError(errno.EIO, "broken"))
            try:
                replacement.replace(folder, NEW, "last", GONE)
            except FactsError:
                assert reached
            else:
                assert not reached
                break
        left = {name: data for name, data in found(folder).items() if not name.startswith(".")}
        for name, data in left.items():
            assert data in (OLD.get(name), NEW.get(name)), name
        replacement.recover(folder, "last", set(OLD), listed)
        replacement.replace(folder, OLD, "last", set(NEW) - set(OLD))
        assert found(folder) == OLD
    assert number > STAGING + len(NEW)


def test_what_a_killed_run_put_there_is_taken_away_and_nothing_else(folder):
    """By the last file that it staged: of its files, those that no other speaks for."""
    files.stage(folder / "last", b"2")
    files.stage(folder / "b" / "c", b"half")
    files.write_bytes(folder / "d/e/f", NEW["d/e/f"])
    files.write_bytes(folder / "a", NEW["a"])
    files.write_bytes(folder / ".hidden.part", b"mine")
    files.write_bytes(folder / "b" / "mine.abcdefgh.part", b"mine")
    replacement.recover(folder, "last", set(OLD), listed)
    mine = {".hidden.part": b"mine", "b/mine.abcdefgh.part": b"mine"}
    assert found(folder) == {**OLD, "a": NEW["a"], **mine}
    assert not (folder / "d").exists()


def test_a_file_of_somebody_else_is_kept_whatever_a_killed_run_meant_to_write(folder):
    files.stage(folder / "last", b"2")
    files.write_bytes(folder / "d/e/f", b"mine")
    replacement.recover(folder, "last", set(OLD), listed)
    assert found(folder) == {**OLD, "d/e/f": b"mine"}


def test_a_staged_file_that_nobody_can_read_is_taken_away_too(folder):
    def spoiled(path):
        raise FactsError("half a file")

    files.stage(folder / "last", b"2")
    replacement.recover(folder, "last", set(OLD), spoiled)
    assert found(folder) == OLD


def test_a_folder_where_a_file_shall_be_is_one_sentence(folder):
    (folder / "a").unlink()
    (folder / "a").mkdir()
    with pytest.raises(FactsError, match=r"a: cannot be written \(Is a directory\)"):
        replacement.replace(folder, NEW, "last", ())
    (folder / "a").rmdir()
    replacement.recover(folder, "last", set(OLD), listed)
    replacement.replace(folder, NEW, "last", GONE)
    assert found(folder) == NEW
