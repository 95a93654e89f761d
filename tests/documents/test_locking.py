"""Who waits for whom at the published folder."""

import errno
import fcntl
import os

import pytest
from fusedfacts.documents import locking
from fusedfacts.errors import FactsError

# Two openings of a folder are two holders, in one process as in two.


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(locking, "WAIT_S", 0.1)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (locking.shared, locking.shared, True),
        (locking.shared, locking.exclusive, False),
        (locking.exclusive, locking.shared, False),
        (locking.exclusive, locking.exclusive, False),
    ],
)
def test_readers_share_and_a_writer_is_alone(tmp_path, one, other, together):
    with one(tmp_path):
        if together:
            with other(tmp_path):
                pass
            return
        with pytest.raises(FactsError, match=r"found another run .*; wait until it is done"):
            other(tmp_path).__enter__()
    with other(tmp_path):
        pass


@pytest.mark.parametrize("way", [locking.shared, locking.exclusive])
def test_nothing_is_left_of_a_lock(tmp_path, way):
    opened = len(os.listdir("/proc/self/fd"))
    with pytest.raises(KeyboardInterrupt), way(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == opened


def test_a_folder_that_was_replaced_while_waiting_is_locked_anew(tmp_path, monkeypatch):
    """Else two runs would each hold a lock, on two folders of one name."""
    folder = tmp_path / "out"
    folder.mkdir()
    lock, locked = fcntl.flock, []

    def replaced(descriptor, operation):
        lock(descriptor, operation)
        if not locked:
            folder.rename(tmp_path / "away")
            folder.mkdir()
        locked.append(os.fstat(descriptor).st_ino)

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", replaced)
        with locking.exclusive(folder):
            assert locked[-1] == folder.stat().st_ino
    assert len(locked) == 2


def test_a_folder_that_is_none_is_a_sentence_for_a_writer_and_no_matter_for_a_reader(tmp_path):
    with pytest.raises(FactsError, match=r"none: cannot be opened \(No such file"):
        locking.exclusive(tmp_path / "none").__enter__()
    with locking.shared(tmp_path / "none"):
        pass


@pytest.mark.parametrize("fault", sorted(locking.WITHOUT_LOCKS))
def test_a_file_system_without_locks_lets_everybody_in(tmp_path, monkeypatch, fault):
    def none(*_):
        raise OSError(fault, os.strerror(fault))

    monkeypatch.setattr(fcntl, "flock", none)
    with locking.exclusive(tmp_path), locking.exclusive(tmp_path):
        pass


def test_another_fault_of_a_lock_is_not_passed_over(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(FactsError, match=r"cannot be opened \(Input/output error\)"):
        locking.exclusive(tmp_path).__enter__()
