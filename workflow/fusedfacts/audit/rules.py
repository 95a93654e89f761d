"""What a check of the audit is, and how it is run: a fault is a sentence, never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from fusedfacts import errors
from fusedfacts.audit.subject import Subject
from fusedfacts.errors import FactsError

Verdict = Literal["holds", "does not hold", "not verified"]

# What a check may need beside the config, and why it is not made where that is missing.
FOLDER = "no manifest.json beside it: a facts.json alone was given"
FACTS = "facts.json does not fit its schema"
SHIPPED = "they quote the facts of config.yaml, and these are of another config"
# What code that follows a document may run into where the document makes no sense: facts that fit
# their schema can still contradict themselves.
UNFOLLOWABLE = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, StopIteration),
    *(TypeError, ValueError),
)
QUOTED = 120  # characters of a value, or of such a fault, that a sentence quotes


@dataclass
class Tally:
    """Count what one check compares, and collect a sentence for each thing that is not right."""

    checked: int = 0
    faults: list[str] = field(default_factory=list)

    def require(self, right: bool, sentence: str) -> None:
        """Count one thing; `sentence` tells of it where it is not right."""
        self.checked += 1
        if not right:
            self.faults.append(sentence)

    def fault(self, sentence: str) -> None:
        """Count one thing that is not right."""
        self.require(False, sentence)

    def require_entries(self, found: Any, expected: dict[str, Any], where: str) -> None:
        """Count the entries of an object that must equal the expected ones."""
        for key, value in expected.items():
            self.require_equal(found.get(key), value, f"{where}{key}")

    def require_equal(self, found: Any, expected: Any, where: str) -> None:
        """Count one value that must equal another, in type too."""
        same = identical(found, expected)
        self.require(same, f"{where}: found {short(found)}, expected {short(expected)}")


def identical(one: Any, other: Any) -> bool:
    """Compare values and their types all the way down: 64.0 is not 64, nor is True 1.

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


def short(value: Any) -> str:
    """Write a value as a sentence quotes it."""
    text = repr(value)
    return text if len(text) <= QUOTED else text[:QUOTED] + "..."


Run = Callable[[Subject, Tally], None]


@dataclass(frozen=True)
class Check:
    """One thing that the audit compares: `what` against what, of how many `unit`, in the plural."""

    name: str
    what: str
    unit: str
    run: Run
    needs: tuple[str, ...] = ()  # FOLDER, FACTS, SHIPPED: what it is not made without


def check(name: str, what: str, unit: str, *needs: str) -> Callable[[Run], Check]:
    """Make a function the check of that name."""
    return lambda run: Check(name, what, unit, run, needs)


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
        """Judge a check that was made. Its faults may quote a stranger: they are made printable."""
        found = tuple(dict.fromkeys(map(errors.printable, faults)))
        return cls(name, what, unit, checked, "does not hold" if found else "holds", found)


def run_one(check: Check, subject: Subject) -> Result:
    """Run a check; whatever the subject does to it is a fault of the subject."""
    tally = Tally()
    try:
        check.run(subject, tally)
    except FactsError as error:
        tally.faults.append(str(error))
    except UNFOLLOWABLE as fault:
        why = f"{type(fault).__name__}: {fault}".replace("\n", " ")[:QUOTED]
        tally.faults.append(f"{subject.name}: {check.what} cannot be followed ({why})")
    if not tally.checked and not tally.faults:  # who looked at nothing has seen nothing hold
        why = f"there are no {check.unit}"
        return Result(check.name, check.what, check.unit, 0, "not verified", (why,))
    return Result.of(check.name, check.what, check.unit, tally.checked, tally.faults)


def run(checks: Iterable[Check], subject: Subject, facts_fit: bool) -> Iterator[Result]:
    """Run the checks that can be run; the others are not verified, and say why."""
    has = {FOLDER: subject.is_folder, FACTS: facts_fit, SHIPPED: subject.is_shipped}
    for check in checks:
        why = next((need for need in has if need in check.needs and not has[need]), None)
        if why:
            yield Result(check.name, check.what, check.unit, 0, "not verified", (why,))
        else:
            yield run_one(check, subject)
