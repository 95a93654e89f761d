"""What a run says: a line a job in a log, one line in a terminal, and each failure whole."""

import io
import logging
import re

import pytest
from fusedfacts import terminal
from fusedfacts.pipeline.progress import Progress, with_reason

LOG = "results/logs/overflow.log"
COMMAND = "CalledProcessError in file x.smk, line 4:\nCommand 'set -e; python x' "
JOB = {"jobid": 7, "rule_name": "section", "wildcards": {"section": "overflow"}}
FAILED = {**JOB, "event": "job_error", "rule_msg": None, "log": [LOG], "aux": {}, "indent": False}
RUN = [
    ("", {"event": "run_info", "stats": {"section": 1, "total": 12}}),
    ("", {"event": "job_info", **JOB}),
]


@pytest.fixture(autouse=True)
def _terminal_that_clears_lines(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def said(*records, stream=None, quiet=False):
    """What is written of records, each a text and what Snakemake files it under."""
    stream = stream or io.StringIO()
    handler = Progress(stream, quiet=quiet)
    for text, extra in records:
        level = extra.pop("level", logging.INFO) if extra else logging.INFO
        record = logging.LogRecord("snakemake", level, "", 0, text, (), None)
        record.__dict__.update(extra or {})
        handler.handle(record)
    handler.close()
    return re.sub(r"\d:\d\d:\d\d", "TIME", stream.getvalue())


def test_a_log_has_a_line_a_job_and_none_of_snakemake_s_own_affairs():
    inner = [(text, None) for text in ("Select jobs to execute...", "Using shell: /bin/bash")]
    finished = ("Finished jobid: 7", {"event": "job_finished", "job_id": 7})
    progress = (None, {"event": "progress", "done": 1, "total": 12})
    assert said(
        *inner, *RUN, ("Execute 1 jobs...", {"event": "job_started"}), finished, progress
    ) == ("12 jobs to run\n 1 of 12  TIME  section overflow\n")


def test_a_terminal_has_one_line_which_leaves_room_for_what_is_said():
    warned = ("the clock is behind", {"level": logging.WARNING})
    line = "\r\x1b[K0 of 12 jobs  TIME  section overflow"
    assert said(*RUN, warned, stream=Terminal()) == (
        f"{line}\r\r\x1b[Kthe clock is behind\n{line}\r{line}\n"
    )


def test_a_run_that_stops_ends_with_where_everything_stands():
    ended = [
        ("Complete log(s): run.log", None),
        ("WorkflowError:\nAt least one job did not complete successfully.", {"event": "error"}),
    ]
    stopped = "stopped after TIME; Snakemake's own log: run.log\n"
    assert said(*RUN, *ended) == f"12 jobs to run\n{stopped}"
    assert said(*RUN, *ended, stream=Terminal()).endswith(f"\r\x1b[K{stopped}")


def test_a_job_that_is_interrupted_shows_nobody_a_traceback(capsys):
    with pytest.raises(SystemExit, match=str(terminal.INTERRUPTED)), terminal.reporting():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("quiet", [False, True])
def test_whatever_is_quiet_a_failure_names_job_end_and_log(quiet):
    """Snakemake files the failure of a job under the words about rules, which are left out."""
    texts = [
        *RUN,
        (f"{COMMAND}died with <Signals.SIGKILL: 9>.", {"event": "error", "level": logging.ERROR}),
        ("Error in rule section, jobid: 7", {**FAILED, "level": logging.ERROR}),
        ("Trying to restart job 7.", None),
    ]
    failed = (
        f"section overflow failed: its command died with <Signals.SIGKILL: 9>; its log: {LOG}\n"
    )
    again = "Trying to restart section overflow.\n"
    assert said(*texts, quiet=quiet) == (failed if quiet else f"12 jobs to run\n{failed}{again}")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("error: x: found 1, expected 2; mend it\n", "error: x: found 1, expected 2; mend it"),
        ("  x\nnumpy.linalg.LinAlgError: no\nWorkflowError:\nAt\n", "numpy.linalg.LinAlgError: no"),
        ("slurmstepd: error: oom_kill\x1b[2J\n", r"slurmstepd: error: oom_kill\x1b[2J"),
        (
            "slurmstepd-n1: error: JOB 9 CANCELLED\nsrun: error: Exited with exit code 1\n",
            "slurmstepd-n1: error: JOB 9 CANCELLED",
        ),
        ("all is well\n", ""),
    ],
)
def test_what_a_job_elsewhere_wrote_is_told(tmp_path, written, why):
    log = tmp_path / "job.log"
    log.write_text(written)
    told = {"aux": {"external_jobid": "9"}, "log": ["missing", str(log)]}
    where = f"; its log: missing, {log}\n"
    text = said(*RUN, ("", {**FAILED, **told}), quiet=True)
    assert text == f"section overflow failed (external_jobid: 9){f': {why}' if why else ''}{where}"


def test_in_a_workflow_that_imports_snakemake_says_why_a_job_elsewhere_failed(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "job.log").write_text("srun: error: Unable to create step\n")
    told = {**FAILED, "log": [str(tmp_path / "empty"), str(tmp_path / "job.log")]}
    for aux, why in (({}, None), ({"external_jobid": "9"}, "srun: error: Unable to create step")):
        record = logging.makeLogRecord({**told, "aux": aux})
        assert with_reason(record)
        assert record.rule_msg == why


def test_of_a_group_that_failed_those_are_told_that_wrote_why(tmp_path):
    log = tmp_path / "job.log"
    log.write_text("error: x\n")
    inner = {**FAILED, "indent": True}
    group = {"event": "group_error", "aux_logs": ["slurm.log"], "job_error_info": [inner]}
    other = {**inner, "jobid": 8, "log": ["missing"]}
    text = said(*RUN, ("", group), ("", other), ("", {**inner, "log": [str(log)]}), quiet=True)
    assert text == (
        "a group of jobs failed (section overflow); its log: slurm.log\n"
        f"section overflow failed: error: x; its log: {log}\n"
    )
