import errno
import fcntl
import os
import stat

import pytest
from fusedfacts.documents import files
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


@pytest.mark.parametrize(
    ("name", "why"), [("none", "No such file or directory"), ("pipe", "not a regular file")]
)
def test_an_unreadable_input_says_how_to_mend_it_and_a_pipe_is_not_waited_for(tmp_path, name, why):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FactsError, match=rf"{name}: cannot be read \({why}\); restore it"):
        files.read_bytes(tmp_path / name, "restore it")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FactsError, match=r"facts\.json: cannot be written .*; make the folder"):
        files.write_bytes(tmp_path / "file" / "facts.json", b"x")


def test_what_is_staged_is_beside_and_whole_and_no_one_s_name(tmp_path):
    temporary = files.stage(tmp_path / "a" / "facts.json", b"new")
    assert temporary.parent == tmp_path / "a"
    assert temporary.read_bytes() == b"new"
    assert files.temporaries(tmp_path) == [temporary]
    files.move(temporary, tmp_path / "a" / "facts.json")
    assert files.temporaries(tmp_path) == []


@pytest.mark.parametrize(("mask", "wanted"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_gets_its_mode_by_the_umask_which_stays(tmp_path, mask, wanted):
    before = os.umask(mask)
    try:
        files.write_bytes(tmp_path / "new", b"new")
    finally:
        assert os.umask(before) == mask
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == wanted


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o664])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "old").chmod(mode)
    files.write_bytes(tmp_path / "old", b"new")
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == mode
    assert (tmp_path / "old").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["x.part", ".x.part", ".x.ABCDEFGH.part", ".abcdefgh"])
def test_a_file_of_somebody_else_is_no_temporary(tmp_path, name):
    (tmp_path / name).write_bytes(b"mine")
    assert files.temporaries(tmp_path) == []


# --- locks: two openings of a folder are two holders, in one process as in two -----------------


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(files, "WAIT_S", 0.1)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [(False, False, True), (False, True, False), (True, False, False), (True, True, False)],
)
def test_readers_share_and_a_writer_is_alone(tmp_path, impatient, one, other, together):
    opened = len(os.listdir("/proc/self/fd"))
    with files.locked(tmp_path, exclusive=one):
        if together:
            with files.locked(tmp_path, exclusive=other):
                pass
        else:
            with pytest.raises(FactsError, match=r"found another run .*; wait until it is done"):
                files.locked(tmp_path, exclusive=other).__enter__()
    with files.locked(tmp_path, exclusive=other):
        pass
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == opened


def test_a_folder_that_is_none_is_a_sentence_for_a_writer_and_no_matter_for_a_reader(tmp_path):
    with pytest.raises(FactsError, match=r"none: cannot be written \(No such file"):
        files.locked(tmp_path / "none", exclusive=True).__enter__()
    with files.locked(tmp_path / "none", exclusive=False):
        pass


def test_a_file_system_without_locks_lets_everybody_in(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with files.locked(tmp_path, exclusive=True), files.locked(tmp_path, exclusive=True):
        pass
