"""A claim: one number with all that is needed to check and to doubt it; sections make claims."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from string import Template
from typing import Any

from fusedfacts.errors import ClaimError

Value = bool | int | float | str
PROJECT, DAO, MILAKOV = "project", "arXiv:2205.14135", "arXiv:1805.02867"
PROBE = ("probe.q", "probe.k", "probe.v")
MODEL_INPUTS = ("inputs.weights", "inputs.vocabulary", "inputs.held_out", "inputs.probe")

# `n`, `d`, `br` and `bc` are the words, the numbers a head and the rows of a query and a key tile;
# `x^` is what float32 computed and `x` what float64 did; `#{..}` counts. Where a formula is closed,
# a test evaluates it for every claim that has it.
CHOSEN = "as chosen"
BYTES = {
    "fused": "4 d (2 n + 2 n ceil(n / br))",
    "unfused": "4 d (2 n + 2 n ceil(n / br)) + 16 n^2",
}
# n ceil(n / bc) is how often a row meets a key tile.
OPERATIONS = {
    "fused": {
        "multiplications": "n d + 2 n^2 d + n ceil(n / bc) (1 + d)",
        "additions": "2 n^2 d + 2 n^2 + n ceil(n / bc)",
        "exps": "n^2 + n ceil(n / bc)",
        "divisions": "n d",
        "comparisons": "n^2 - n",
    },
    "unfused": {
        "multiplications": "n d + 2 n^2 d",
        "additions": "2 n^2 d + 2 n^2 - n",
        "exps": "n^2",
        "divisions": "n^2",
        "comparisons": "n^2 - n",
    },
}
COMPARED = """
error | The largest error of $what is at most {}. | 1 | max |x^ - x|
bound | Where $what errs most, its bound is at most {}. | 1 | bound where |x^ - x| is largest
ratio | No error of $what exceeds {} of its own bound. | 1 | max (|x^ - x| / bound)
"""
VERDICT = """
within_bound | Every element of $what lies within its bound: {}. | verdict
    | |x^ - x| <= bound for every element
"""
FAULTS = """
in_some_row | In $what, the smallest planted error of a row's total that is seen in some row is two
    to the minus {} of the total. | binary exponent
    | largest k: total (1 - 2^-k) seen in some row
in_every_row | In $what, the smallest planted error of a row's total that is seen in every row is
    two to the minus {} of the total. | binary exponent
    | largest k: total (1 - 2^-k) seen in each row
"""


def cells(table: str) -> list[list[str]]:
    """Split a table of text into rows of cells; an indented line continues a row.

    >>> cells('''
    ... rows | {} answers were checked | rows | #{rows}
    ... bound | Their largest error
    ...     is at most {} | 1 | max |x^ - x|
    ... ''')[1]
    ['bound', 'Their largest error is at most {}', '1', 'max |x^ - x|']
    """
    rows = re.split(r"\n+(?! )", table.strip())
    return [[" ".join(cell.split()) for cell in re.split(r"\s\|\s", row)] for row in rows]


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

    def table(
        self,
        identifier: str,
        rows: str,
        values: Mapping[str, Any],
        words: Mapping[str, object] | None = None,
        *,
        bounded: bool = False,
    ) -> list[Claim]:
        """Make a claim of each row of a table: key of its value, statement, unit and formula.

        `{}` stands in the identifier for the key, in the statement for the displayed value; `$word`
        stands anywhere in the table for one of the words. Nothing is claimed of a value None.
        """
        found = []
        for key, statement, unit, formula in cells(Template(rows).substitute(words or {})):
            if values[key] is None:
                continue
            display = show(values[key])
            record = {
                "id": identifier.replace("{}", key),
                "statement": statement.replace("{}", display),
                "value": values[key],
                "unit": unit,
                "display": display,
                "class": "bounded" if bounded else "exact",
                "computed_by": self.computed_by,
                "checked_by": self.checked_by,
                "inputs": list(self.inputs),
                "source": self.source,
                "does_not_prove": self.does_not_prove,
            }
            found.append(Claim(record, formula))
        return found

    def compared(self, identifier: str, what: str, figures: dict[str, Any]) -> list[Claim]:
        """Claim what a comparison that passed gave, and how small a planted fault it still sees."""
        values = {
            "error": figures["largest_error"],
            "bound": figures["bound_there"],
            "ratio": figures["largest_ratio"],
        }
        words = {"what": what}
        made = self.table(f"{identifier}.{{}}", COMPARED, values, words, bounded=True)
        made += self.table(f"{identifier}.{{}}", VERDICT, figures, words)
        if "smallest_fault_seen" in figures:
            seen = figures["smallest_fault_seen"]
            made += self.table(f"{identifier}.fault_{{}}", FAULTS, seen, words, bounded=True)
        return made


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


def in_order(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """Sort the claims by id, and raise a ClaimError if two share one."""
    ordered = sorted((claim.record for claim in claims), key=lambda record: str(record["id"]))
    for one, other in pairwise(ordered):
        if one["id"] == other["id"]:
            raise ClaimError(f"claims: the id {one['id']} appears twice, expected once")
    return ordered
