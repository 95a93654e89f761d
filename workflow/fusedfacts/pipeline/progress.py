"""What a run tells whoever started it: in a terminal one line that moves, in a log a line a job.

Snakemake's own words (which jobs it selects, dates, ids) go to its log under `.snakemake/log/` as
ever. Warnings and errors are always shown, whatever `--quiet` says: to Snakemake, that a job failed
is a word about rules.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TextIO

from fusedfacts.errors import printable
from fusedfacts.terminal import CLEARED, counted

REPLACED = "DefaultStreamHandler"  # Snakemake's name of what it writes to a terminal with
TICK_S = 1.0  # how often the time on the line moves
# Said without an event at every run, and of no use to whoever waits. What is unknown is shown.
PASSED_OVER = re.compile(
    "Assuming unrestricted|Building DAG|Using shell|Conda environments|Singularity containers|"
    "Group jobs|Select jobs|Touching output|Removing output files of failed|Shutting down|"
    "Some jobs were triggered|Rules with|[0-9]+ jobs have (missing|outdated)|Elapsed time|"
    "Exiting because a job execution failed"
)
STOPPED = re.compile("WorkflowError:\nAt least one job did not complete")
FINAL = re.compile("Complete log.*?: (.*)")
JOB = re.compile(r"\bjob ([0-9]+)\b", re.IGNORECASE)  # Snakemake's number, which nobody knows
ELSEWHERE = re.compile("For further error details see the cluster/cloud.*")  # names no file
ENDED = re.compile("Command '.*' ((?:returned|died) .*?)\\.?$", re.DOTALL)
# A sentence of ours, `slurmstepd: error:` and its like, the end of a traceback; not what Snakemake
# says of them in a job that an executor started.
WHY = re.compile(
    # That a step exited is the last that a scheduler says, after why.
    r"^(?:(?:[\w.-]+: )?error: (?!.*Exited with exit code).+|does not hold: .+|"
    r"(?!WorkflowError|RuleException|CalledProcessError)[\w.]+Error\b.*)",
    re.MULTILINE,
)
QUIET = {"ALL", "PROGRESS", "RULES"}  # of Snakemake's kinds of quiet


def name_of(rule: str, wildcards: Mapping[str, Any]) -> str:
    """Name a job by its rule and wildcards.

    >>> name_of("section", {"section": "overflow"}), name_of("sweep", {"d": "16", "n": "64"})
    ('section overflow', 'sweep d=16 n=64')
    """
    values = [f"{key}={value}" if len(wildcards) > 1 else value for key, value in wildcards.items()]
    return " ".join([rule, *map(str, values)])


def sentence_in(logs: Sequence[str]) -> str:
    """Find why a job that ran elsewhere failed: its own last word, or its executor's."""
    for log in logs:
        try:
            text = Path(log).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if found := WHY.findall(text):
            return printable(found[-1].strip())
    return ""


def with_reason(record: Any) -> bool:
    """Add to the failure of a job that ran elsewhere why it failed; a filter, which all pass.

    Snakemake itself shows logs up to the first empty one, as a killed job's own is, and passes over
    the scheduler's, in which the reason stands.
    """
    if getattr(record, "event", None) == "job_error" and record.aux:
        record.rule_msg = " ".join(filter(None, [record.rule_msg, sentence_in(record.log)]))
    return True


class Progress(logging.Handler):
    """The handler; `quiet` leaves warnings and errors alone."""

    def __init__(self, stream: TextIO, *, quiet: bool = False) -> None:
        super().__init__()
        self.stream, self.quiet = stream, quiet
        self.moves = stream.isatty() and os.environ.get("TERM") != "dumb" and not quiet
        self.begun = time.monotonic()
        self.done = self.total = 0
        self.names: dict[int, str] = {}
        self.running: dict[int, None] = {}  # in the order in which they began
        self.log = ""
        self.ends: dict[Any, str] = {}  # how a command ended, by the thread that says so
        self.closing = threading.Event()
        if self.moves:
            threading.Thread(target=self._tick, daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Tell what one record of Snakemake's says."""
        event = getattr(record, "event", None)
        said = getattr(self, f"_{event or 'words'}", None)
        try:
            if said is not None:
                said(record)
            elif record.levelno >= logging.WARNING:
                self._say(record.getMessage())
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the line that moves."""
        self.acquire()
        if not self.closing.is_set():
            self.closing.set()
            self._line("\n")
        self.release()
        super().close()

    def _say(self, text: str) -> None:
        self.stream.write(f"{CLEARED if self.moves else ''}{text}\n")
        self._line()
        self.stream.flush()

    def _line(self, end: str = "\r") -> None:
        """Draw the line, and leave the cursor where a job's own words may write over it."""
        if self.moves and self.total:
            names = ", ".join(self.names[job] for job in self.running)
            line = f"{self.done} of {counted(self.total, 'job')}  {self.time}  {names}"
            self.stream.write(f"{CLEARED}{line[: shutil.get_terminal_size().columns - 1]}{end}")
            self.stream.flush()

    @property
    def time(self) -> str:
        """The time since the run began."""
        return str(timedelta(seconds=int(time.monotonic() - self.begun)))

    def _tick(self) -> None:
        while not self.closing.wait(TICK_S):
            self.acquire()  # as whoever hands a record over does
            self._line()
            self.release()

    def _words(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if final := FINAL.match(text):
            self.log = final[1]
        elif not PASSED_OVER.match(text) and not (self.quiet and record.levelno < logging.WARNING):
            self._say(JOB.sub(lambda job: self.names.get(int(job[1]), job[0]), text))

    def _run_info(self, record: Any) -> None:
        self.total = record.stats["total"]
        if not (self.moves or self.quiet):
            self._say(f"{counted(self.total, 'job')} to run")

    def _job_info(self, record: Any) -> None:
        self.names[record.jobid] = name_of(record.rule_name, record.wildcards or {})
        self.running[record.jobid] = None
        self._line()

    def _job_finished(self, record: Any) -> None:
        self.done += 1
        self.running.pop(record.job_id, None)
        if not (self.moves or self.quiet):
            number = f"{self.done:{len(str(self.total))}} of {self.total}"
            self._say(f"{number}  {self.time}  {self.names.get(record.job_id, '')}".rstrip())
        self._line()

    def _progress(self, record: Any) -> None:
        self.done, self.total = record.done, record.total

    def _error(self, record: logging.LogRecord) -> None:
        text = record.getMessage().rstrip()
        if ended := ENDED.search(text):
            # What is told next, by the same thread, is which job that was.
            self.ends[record.thread] = f"its command {ended[1]}"
        elif STOPPED.match(text):
            done = f": {self.done} of {counted(self.total, 'job')} done" if self.done else ""
            self.total = 0  # there is no more to draw
            self._say(f"stopped after {self.time}{done}; Snakemake's own log: {self.log}")
        else:
            self._words(record)

    def _job_error(self, record: Any) -> None:
        self.running.pop(record.jobid, None)
        elsewhere = bool(record.aux)  # an executor's id: what the job wrote is in files alone
        found = sentence_in(record.log) if elsewhere or record.indent else ""
        if record.indent and not found:
            return  # of a group that failed, a job that did not
        end = self.ends.pop(record.thread, "")
        message = ELSEWHERE.sub("", record.rule_msg or "").strip()
        why = "; ".join(filter(None, [end, message, found]))
        name = self.names.get(record.jobid, record.rule_name)
        ids = ", ".join(f"{key}: {value}" for key, value in record.aux.items())
        logs = f"; its log: {', '.join(record.log)}" if record.log else ""
        self._say(f"{name} failed{f' ({ids})' if ids else ''}{f': {why}' if why else ''}{logs}")

    def _group_error(self, record: Any) -> None:
        jobs = [self.names.get(job["jobid"], job["rule_name"]) for job in record.job_error_info]
        logs = f"; its log: {', '.join(record.aux_logs)}" if record.aux_logs else ""
        self._say(f"a group of jobs failed ({', '.join(jobs)}){logs}")

    def _silent(self, record: logging.LogRecord) -> None:
        """What happens inside Snakemake, which its log tells."""

    _workflow_started = _job_started = _resources_info = _group_info = _silent
    _shellcmd = _debug_dag = _rulegraph = _silent


def attach(workflow: Any) -> None:
    """Tell a run's progress in Snakemake's place, unless it was asked for more or for a plan."""
    asked = workflow.output_settings
    if asked.dryrun or asked.verbose or asked.debug_dag or asked.printshellcmds:
        return
    logger = workflow.logger_manager.logger
    for handler in [each for each in logger.handlers if each.name == REPLACED]:
        if workflow.exec_mode.name == "DEFAULT":  # not a job that an executor started
            logger.removeHandler(handler)
            quiet = bool(QUIET & {kind.name for kind in asked.quiet or ()})
            logger.addHandler(Progress(sys.stderr, quiet=quiet))
