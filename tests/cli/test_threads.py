"""Where a machine grants no thread more, the command still answers."""

import os
import threading

import pytest
from fusedfacts.cli import threads


@pytest.fixture
def granted(monkeypatch):
    """A machine that grants some threads; how many run at once is counted."""
    running, most = [], []
    start = threading.Thread.start

    def counted(thread):
        if len(running) >= most[0]:
            raise RuntimeError("can't start new thread")
        running.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counted)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4))
    for variable in (threads.VARIABLE, threads.ALL):
        monkeypatch.setenv(variable, "")  # so that what is set is taken back
        monkeypatch.delenv(variable)
    return most.append


@pytest.mark.parametrize(("most", "asked"), [(0, "1"), (2, "1"), (3, None)])
def test_openblas_is_asked_for_one_thread_where_it_could_not_start_its_own(granted, most, asked):
    granted(most)
    before = threading.active_count()
    threads.limit()
    assert os.environ.pop(threads.VARIABLE, None) == asked
    assert threading.active_count() == before


def test_what_the_user_chose_stands(granted, monkeypatch):
    granted(0)
    monkeypatch.setenv(threads.VARIABLE, "3")
    threads.limit()
    assert os.environ[threads.VARIABLE] == "3"


def test_where_no_thread_starts_the_command_has_none_of_its_own(granted):
    granted(0)
    threads.limit()
    assert (os.environ[threads.VARIABLE], os.environ[threads.ALL]) == ("1", "1")
