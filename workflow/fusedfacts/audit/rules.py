"""What a check of the audit is, and how it is run: a fault is a sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from fusedfacts import errors
from fusedfacts.audit.subject import Subject
from fusedfacts.errors import FactsError

Verdict = Literal["holds", "does not hold", "not verified"]

# What code that follows a document may run into where the document makes no sense: facts that fit
# their schema can still contradict themselves.
CANNOT_BE_FOLLOWED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
SHOWN = 120  # characters of such a fault


@dataclass
class Tally:
    """What one check looked at, as it goes on.

    Attributes
    ----------
    checked : int
        Things that were held against something.
    faults : list of str
        A sentence for each that did not hold.
    """

    checked: int = 0
    faults: list[str] = field(default_factory=list)

    def hold(self, right: bool, sentence: str) -> None:
        """Count one thing; `sentence` tells of it where it is not right."""
        self.checked += 1
        if not right:
            self.faults.append(sentence)

    def equal(self, found: Any, expected: Any, where: str) -> None:
        """Count one value that must equal another, in type too."""
        self.hold(
            identical(found, expected),
            f"{where}: found {_short(found)}, expected {_short(expected)}",
        )


def identical(one: Any, other: Any) -> bool:
    """Equal, and of the same types all the way down: 64.0 is not 64, nor is True 1.

    >>> identical({"a": [64, None]}, {"a": [64, None]}), identical([64.0], [64])
    (True, False)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(identical(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


@dataclass(frozen=True)
class Check:
    """One thing that the audit looks at.

    Attributes
    ----------
    name : str
        Short, for tables.
    what : str
        What is held against what.
    unit : str
        What `Tally.checked` counts.
    run : callable
        Looks at the subject and tells the tally.
    needs_facts, needs_folder, needs_shipped_config : bool
        Not run where facts.json does not fit its schema, where it was given alone, or where it was
        built with another config than the repository's.
    """

    name: str
    what: str
    unit: str
    run: Callable[[Subject, Tally], None]
    needs_facts: bool = True
    needs_folder: bool = False
    needs_shipped_config: bool = False


@dataclass(frozen=True)
class Result:
    """A check's verdict."""

    name: str
    what: str
    unit: str
    checked: int
    verdict: Verdict
    faults: tuple[str, ...]

    @classmethod
    def of(cls, name: str, what: str, unit: str, checked: int, faults: Iterable[str]) -> Result:
        """A check that was made. Its faults may quote a stranger, so they are made printable."""
        told = tuple(dict.fromkeys(map(errors.printable, faults)))
        return cls(name, what, unit, checked, "does not hold" if told else "holds", told)


def run_one(check: Check, subject: Subject) -> Result:
    """Run a check; whatever the subject does to it is a fault of the subject."""
    tally = Tally()
    try:
        check.run(subject, tally)
    except FactsError as error:
        tally.faults.append(str(error))
    except CANNOT_BE_FOLLOWED as fault:
        said = f"{type(fault).__name__}: {fault}".replace("\n", " ")[:SHOWN]
        tally.faults.append(f"{subject.name}: {check.what} cannot be followed ({said})")
    return Result.of(check.name, check.what, check.unit, tally.checked, tally.faults)


def run(checks: Iterable[Check], subject: Subject, facts_fit: bool) -> Iterator[Result]:
    """Run the checks that can be run; the others are not verified, and say why."""
    for check in checks:
        why = ""
        if check.needs_folder and not subject.is_folder:
            why = "no manifest.json beside it: a facts.json alone was given"
        elif check.needs_facts and not facts_fit:
            why = "facts.json does not fit its schema"
        elif check.needs_shipped_config and not subject.is_shipped:
            why = "they quote the facts of config.yaml, and these are of another config"
        if why:
            yield Result(check.name, check.what, check.unit, 0, "not verified", (why,))
        else:
            yield run_one(check, subject)
