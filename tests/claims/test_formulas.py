"""Each claim's formula, evaluated where it is closed."""

import re
from fractions import Fraction

import pytest
from fusedfacts.attention import problem
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import formulas
from support import formulas as support_formulas

SIZE = re.compile(r"(?:\.n(\d+))?(?:\.d(\d+))?$")
CLOSED = re.compile(r"[0-9nd \^()+*/-]|ceil|br|bc")
ROUNDED = {"MiB", "1"}  # values with a declared rounding to four decimals
LARGEST_ROUNDING = Fraction(1, 20_000)


def sizes(identifier, facts):
    """n and d that an id names; those of the worked case where it is of that case."""
    if identifier.startswith("worked."):
        worked = facts["worked"]
        return worked["n"], worked["d"], worked["query_rows"], worked["key_rows"]
    n, d = (int(x) if x else None for x in SIZE.search(identifier).groups())
    rows = (problem.query_rows(d), problem.fused_key_rows(d)) if d else (None, None)
    return n, d, *rows


def closed(claim):
    return not CLOSED.sub("", formulas.of(claim["id"])).strip()


def test_every_closed_formula_gives_its_claim_s_value(facts):
    found = [claim for claim in facts["claims"] if closed(claim)]
    assert len(found) > 300
    for claim in found:
        n, d, br, bc = sizes(claim["id"], facts)
        value = support_formulas.evaluate(formulas.of(claim["id"]), n=n, d=d, br=br, bc=bc)
        if claim["unit"] in ROUNDED:
            off = abs(Fraction(value) - Fraction(str(claim["value"])))
            assert off <= LARGEST_ROUNDING, claim["id"]
        else:
            assert value == claim["value"], claim["id"]


def test_bytes_and_operations_of_the_sweep_all_have_closed_formulas(facts):
    for claim in facts["claims"]:
        if re.fullmatch(r"(traffic|operations|tiles)\..*\d", claim["id"]):
            assert closed(claim), claim["id"]


def test_no_pattern_of_the_table_is_idle(facts):
    identifiers = [claim["id"] for claim in facts["claims"]]
    for pattern, formula in formulas.TABLE:
        used = [i for i in identifiers if re.fullmatch(pattern, i) and formulas.of(i) == formula]
        # Some exist at other sizes only: fewer multiplications, say.
        assert used or ".extra" in pattern or ".fewer" in pattern, pattern


def test_a_claim_without_a_formula_is_refused():
    with pytest.raises(ClaimError, match=r"claims: made\.up has no formula"):
        formulas.of("made.up")
