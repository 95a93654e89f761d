"""Each claim's formula, evaluated where it is closed."""

import re
from fractions import Fraction

import pytest
from fusedfacts.attention import problem
from fusedfacts.experiments import facts as assemble
from support.formulas import evaluate

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


@pytest.fixture(scope="module")
def claims(facts):
    """All claims with their formulas."""
    return [
        claim
        for name, section in assemble.SECTIONS.items()
        for claim in section.claims(facts[name])
    ]


def closed(claim):
    return not CLOSED.sub("", claim.formula).strip()


def test_every_closed_formula_gives_its_claim_s_value(claims, facts):
    found = [claim for claim in claims if closed(claim)]
    assert len(found) > 300
    for claim in found:
        n, d, br, bc = sizes(claim.id, facts)
        value = evaluate(claim.formula, n=n, d=d, br=br, bc=bc)
        if claim.record["unit"] in ROUNDED:
            off = abs(Fraction(value) - Fraction(str(claim.record["value"])))
            assert off <= LARGEST_ROUNDING, claim.id
        else:
            assert value == claim.record["value"], claim.id


def test_bytes_and_operations_of_the_sweep_all_have_closed_formulas(claims):
    for claim in claims:
        if re.fullmatch(r"(traffic|operations|tiles)\..*\d", claim.id):
            assert closed(claim), claim.id


def test_every_claim_has_a_formula(claims):
    assert all(claim.formula for claim in claims)
