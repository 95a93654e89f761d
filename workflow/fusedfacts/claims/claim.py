"""A claim: one number with all that is needed to check and to doubt it; sections make claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fusedfacts.errors import ClaimError

Value = bool | int | float | str
PROJECT, DAO, MILAKOV = "project", "arXiv:2205.14135", "arXiv:1805.02867"

PROBE = ("probe.q", "probe.k", "probe.v")
MODEL_INPUTS = ("inputs.weights", "inputs.vocabulary", "inputs.held_out", "inputs.probe")


# `n`, `d`, `br` and `bc` are the words, the numbers a head and the rows of a query and a key tile;
# `x^` is what float32 computed and `x` what float64 did; `#{..}` counts. Where a formula is closed,
# a test evaluates it for every claim that has it.
CHOSEN, ROWS = "as chosen", "#{rows}"
ERROR, RATIO = "max |x^ - x|", "max (|x^ - x| / bound)"
FUSED_BYTES = "4 d (2 n + 2 n ceil(n / br))"
UNFUSED_BYTES = f"{FUSED_BYTES} + 16 n^2"
# n ceil(n / bc) is how often a row meets a key tile.
FUSED_OPERATIONS = {
    "multiplications": "n d + 2 n^2 d + n ceil(n / bc) (1 + d)",
    "additions": "2 n^2 d + 2 n^2 + n ceil(n / bc)",
    "exps": "n^2 + n ceil(n / bc)",
    "divisions": "n d",
    "comparisons": "n^2 - n",
}
UNFUSED_OPERATIONS = {
    "multiplications": "n d + 2 n^2 d",
    "additions": "2 n^2 d + 2 n^2 - n",
    "exps": "n^2",
    "divisions": "n^2",
    "comparisons": "n^2 - n",
}
Row = tuple[str, str, str, str]


@dataclass(frozen=True)
class Claim:
    """What facts.json holds of one number, and the formula of its value."""

    record: dict[str, Any]
    formula: str

    @property
    def id(self) -> str:
        """Give the claim's id."""
        return str(self.record["id"])


@dataclass(frozen=True)
class Group:
    """What the claims of one computation share.

    Attributes
    ----------
    computed_by : str
        Module and function, importable as they stand.
    inputs : tuple of str
        Paths within facts.json of the inputs and settings that the value follows from.
    checked_by : str
        How the value was checked, in a sentence.
    does_not_prove : str
        What a reader must not conclude.
    source : str
        Id of an entry of `sources`.
    """

    computed_by: str
    inputs: tuple[str, ...]
    checked_by: str
    does_not_prove: str
    source: str = PROJECT

    def claim(
        self,
        identifier: str,
        statement: str,
        value: Value,
        unit: str,
        formula: str,
        kind: str = "exact",
    ) -> Claim:
        """Make one claim. `{}` in the statement stands for the displayed value."""
        display = show(value)
        record = {
            "id": identifier,
            "statement": statement.replace("{}", display),
            "value": value,
            "unit": unit,
            "display": display,
            "class": kind,
            "computed_by": self.computed_by,
            "checked_by": self.checked_by,
            "inputs": list(self.inputs),
            "source": self.source,
            "does_not_prove": self.does_not_prove,
        }
        return Claim(record, formula)

    def table(
        self, prefix: str, values: Mapping[str, Value], rows: Iterable[Row], kind: str = "exact"
    ) -> list[Claim]:
        """Make a claim of each row: the key of a value, statement, unit and formula."""
        return [
            self.claim(f"{prefix}.{key}", statement, values[key], unit, formula, kind)
            for key, statement, unit, formula in rows
        ]

    def compared(self, identifier: str, what: str, figures: dict[str, Any]) -> list[Claim]:
        """Claim error, bound, ratio and verdict of a comparison that passed."""
        parts = (
            ("error", f"The largest error of {what} is at most {{}}.", "largest_error", ERROR),
            (
                "bound",
                f"Where {what} errs most, its bound is at most {{}}.",
                "bound_there",
                "bound where |x^ - x| is largest",
            ),
            ("ratio", f"No error of {what} exceeds {{}} of its own bound.", "largest_ratio", RATIO),
        )
        verdict = self.claim(
            f"{identifier}.within_bound",
            f"Every element of {what} lies within its bound: {{}}.",
            figures["within_bound"],
            "verdict",
            "|x^ - x| <= bound for every element",
        )
        return [
            *(
                self.claim(f"{identifier}.{name}", statement, figures[key], "1", formula, "bounded")
                for name, statement, key, formula in parts
            ),
            verdict,
        ]

    def faults_seen(self, identifier: str, what: str, seen: dict[str, Any]) -> list[Claim]:
        """Claim how small a planted error of every row's total the comparison still sees."""
        rows = {"in_some_row": "some row", "in_every_row": "each row"}
        return [
            self.claim(
                f"{identifier}.fault_{where}",
                f"In {what}, the smallest planted error of a row's total that is seen"
                f" {where.replace('_', ' ')} is two to the minus {{}} of the total.",
                exponent,
                "binary exponent",
                f"largest k: total (1 - 2^-k) seen in {rows[where]}",
                "bounded",
            )
            for where, exponent in seen.items()
            if exponent is not None
        ]


@dataclass(frozen=True)
class Section:
    """One section of facts.json: how it is computed, and what is claimed of it.

    Attributes
    ----------
    compute : callable
        Takes the tensors in their order and the settings by name; gives what stands in facts.json.
    claims : callable
        The claims that follow from it.
    tensors : tuple of str
        Names in results/qkv.safetensors.
    settings : tuple of str
        Keys of the config.
    files : tuple of str
        Patterns of files of the repository that it reads.
    """

    compute: Callable[..., Any]
    claims: Callable[[Any], list[Claim]]
    tensors: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def chosen(setting: str) -> Group:
    """Give the group of a claim that repeats a setting, which rests on itself."""
    return Group(
        "fusedfacts.pipeline.config.settings",
        (f"settings.{setting}",),
        "The config was held against its schema before anything ran.",
        "It was chosen, not found: nothing follows from it alone.",
    )


def show(value: Value) -> str:
    """Write a value as prose shows it.

    >>> show(270532608), show(True), show(1.5e-07), show(16.5152), show(14720.0), show(4751.5)
    ('270,532,608', 'yes', '1.5e-07', '16.5152', '14,720', '4,751.5')
    """
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{int(value):,}" if value.is_integer() else f"{value:,}"
    return value


def in_order(claims: list[Claim]) -> list[dict[str, Any]]:
    """Sort the claims by id, and raise a ClaimError if two share one."""
    ordered = sorted((claim.record for claim in claims), key=lambda record: str(record["id"]))
    for one, other in pairwise(ordered):
        if one["id"] == other["id"]:
            raise ClaimError(f"claims: the id {one['id']} appears twice, expected once")
    return ordered
