"""Wrong ways of computing attention, and which input sees which.

Each mutant has an input on which the checker must see it and one on which no checker could,
with the reason. Both are enforced: a checker that misses one it should see fails the build, and
so does a fault that changes a single bit where it provably cannot.
"""

from __future__ import annotations

from string import Template
from typing import Any

import numpy as np

from fusedfacts.attention.compare import Comparison
from fusedfacts.attention.problem import Rows
from fusedfacts.attention.tiled import Faults, tiled
from fusedfacts.claims.claim import Claim, Group, Section, cells
from fusedfacts.errors import ClaimError
from fusedfacts.experiments.control import right_answer
from fusedfacts.experiments.mutant_inputs import KEY_ROWS, D, inputs
from fusedfacts.numerics import rounding

RATIO_DIGITS = 2
FAULTS = {
    "total_not_rescaled": Faults(total_factor="omitted"),
    "output_not_rescaled": Faults(output_factor="omitted"),
    "neither_rescaled": Faults(total_factor="omitted", output_factor="omitted"),
    "factor_inverted": Faults(total_factor="inverted", output_factor="inverted"),
    "maximum_of_current_tile": Faults(tile_maximum=True),
    "no_tail_guard": Faults(tail_guard=False),
    "key_dropped": Faults(dropped_key=5),
    "mask_one_more": Faults(mask_shift=1),
    "mask_one_fewer": Faults(mask_shift=-1),
    "scale_forgotten": Faults(scaled=False),
}
# What it does; the input that must see it, and why; the input that cannot, and why.
KEYS = ("what", "must_be_seen_by", "sees_because", "cannot_be_seen_by", "cannot_because")
TABLE = """
total_not_rescaled | the running total keeps its old scale when the maximum rises (the control)
    | ascending | $rises | descending | $factor_one
output_not_rescaled | the running output keeps its old scale when the maximum rises
    | ascending | $rises | descending | $factor_one
neither_rescaled | total and output both keep their old scale
    | ascending | $rises | constant_values | $ones
factor_inverted | the factor is exp(new - old) instead of exp(old - new)
    | ascending | $rises | all_equal | the maximum never changes, and exp(0) is its own inverse
maximum_of_current_tile | each tile subtracts its own maximum instead of the running one
    | large_descending
    | the factor between two tiles exceeds float32, and infinity / infinity is no number
    | ascending | each tile's maximum is the running maximum
no_tail_guard | the last tile is read to its end, zeros past the last key
    | random | n is not a whole number of tiles, so keys that do not exist join the total
    | random_aligned | n is a whole number of tiles, so there is no tail
key_dropped | one key is left out
    | random | a share of the answer is missing | constant_values | $ones
mask_one_more | a causal query looks at the key after its own too
    | causal | the first answer must be its own value alone
    | random | attention is full, so the mask is not used
mask_one_fewer | a causal query does not look at its own key
    | causal | the first query is left without any key
    | random | attention is full, so the mask is not used
scale_forgotten | scores are not divided by sqrt(d)
    | random | shares grow too sharp | zero_queries | every score is 0, scaled or not
"""
REASONS = {
    "rises": "the maximum rises on every tile, so every factor differs from 1",
    "factor_one": "the first key has the largest score, so every factor is exp(0), exactly 1",
    "ones": "every value is 1, so output and total are the same sum and their quotient is 1",
}
MUTANTS = {
    name: dict(zip(KEYS, texts, strict=True))
    for name, *texts in cells(Template(TABLE).substitute(REASONS))
}


def enforce(mutant: str, name: str, seen: Comparison, bit_equal: bool) -> None:
    """Stop the build where the matrix contradicts what was proved about it.

    Raises
    ------
    ClaimError
        If the checker misses what it must see, or the fault shows where it cannot.
    """
    facts = MUTANTS[mutant]
    if name == facts["must_be_seen_by"] and seen.passed:
        raise ClaimError(
            f"mutants: the checker missed {mutant} on {name}, expected it to be seen because"
            f" {facts['sees_because']}; mend the bound or the checker"
        )
    if name == facts["cannot_be_seen_by"] and not bit_equal:
        raise ClaimError(
            f"mutants: {mutant} changed bits on {name}, expected none because"
            f" {facts['cannot_because']}; mend the input or the proof"
        )


def _cell(mutant: str, name: str, wrong: Rows, right: Rows, seen: Comparison) -> dict[str, Any]:
    bit_equal = wrong.tobytes() == right.tobytes()
    enforce(mutant, name, seen, bit_equal)
    where, finite = f"mutants: {mutant} on {name}", bool(np.isfinite(wrong).all())
    return {
        "seen": not seen.passed,
        "rows_wrong": int(seen.wrong_rows.sum()),
        "bit_equal_to_right_answer": bit_equal,
        "finite": finite,
        "largest_ratio": rounding.up(seen.largest_ratio, where, RATIO_DIGITS) if finite else None,
    }


def compute(seed: int) -> dict[str, Any]:
    """Compute the whole matrix: {mutant: {input: cell}} with what each mutant and input is for.

    Raises
    ------
    ClaimError
        As `enforce` does, and if an input's right answer does not pass.
    """
    given = inputs(seed)
    matrix: dict[str, dict[str, Any]] = {mutant: {} for mutant in MUTANTS}
    for name, tensors in given.items():
        options = {**tensors._asdict(), "key_rows": KEY_ROWS}
        right, compared = right_answer(**options, name=f"mutants: {name}")
        for mutant, faults in FAULTS.items():
            wrong = tiled(**options, faults=faults).output
            matrix[mutant][name] = _cell(mutant, name, wrong, right.output, compared(wrong))
    return {
        "key_rows": KEY_ROWS,
        "head_dim": D,
        "inputs": {name: {"n": len(x.q), "causal": x.causal} for name, x in given.items()},
        "mutants": MUTANTS,
        "matrix": matrix,
    }


GROUP = Group(
    "fusedfacts.experiments.mutants.compute",
    ("settings.seed",),
    "Each fault is run on each input; the input made for it must see it, and an input that "
    "cannot see it must keep every bit.",
    "It shows which of these inputs sees which of these faults, not that every fault is seen.",
)


MUTANT = """
inputs_seeing_it | Fault: $what. It is seen on {} of $inputs inputs. | inputs
    | #{inputs with an element |x^ - x| > bound}
seen | Fault: $what. The checker sees it on $must_be_seen_by input: {}. | verdict
    | an element with |x^ - x| > bound
invisible | Fault: $what. It changes no bit on $cannot_be_seen_by input, because $cannot_because:
    {}. | verdict | every bit as without the fault
"""


def claims(section: dict[str, Any]) -> list[Claim]:
    """Claim of each mutant how many inputs see it; the matrix itself stands in `mutants`."""
    found: list[Claim] = []
    for name, row in section["matrix"].items():
        words = {**section["mutants"][name], "inputs": len(row)}
        values = {
            "inputs_seeing_it": sum(cell["seen"] for cell in row.values()),
            "seen": row[words["must_be_seen_by"]]["seen"],
            "invisible": row[words["cannot_be_seen_by"]]["bit_equal_to_right_answer"],
        }
        found += GROUP.table(f"mutants.{name}.{{}}", MUTANT, values, words)
    return found


SECTION = Section(compute, claims, settings=("seed",))
