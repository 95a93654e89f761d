"""The published facts: what they say, and whether each claim can be followed."""

import importlib
import re
from fractions import Fraction

import pytest
from fusedfacts.attention import problem, row_terms, traffic
from fusedfacts.claims.claim import BYTES, Group, in_order, show
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError
from fusedfacts.experiments import attention, control, mutants, sweep
from fusedfacts.experiments import facts as assemble
from support.common import PUBLISHED, tensors
from support.formulas import closed, evaluate

FORBIDDEN = re.compile(r"/(home|root|tmp|work|usr)/|localhost|\bNaN\b|Infinity|\d{4}-\d\d-\d\dT")


SIZE = re.compile(r"(?:\.n(\d+))?(?:\.d(\d+))?$")
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
    return {claim["id"]: claim for claim in facts["claims"]}


@pytest.fixture(scope="module")
def made(facts):
    """All claims with their formulas."""
    sections = assemble.sections_of(facts).items()
    return [claim for name, section in sections for claim in section.claims(facts[name])]


def resolve(document, path):
    for step in path.split("."):
        document = document[step]
    return document


@pytest.mark.parametrize(
    ("identifier", "value"),
    [
        ("traffic.unfused.n4096.d64", 538_968_064),
        ("traffic.fused.n4096.d64", 270_532_608),
        ("traffic.unfused.mib.n4096.d16", 272.5),
        ("traffic.table.crossings", 4),
        ("kernels.unfused", 3),
        ("kernels.fused", 1),
        ("overflow.fp16.ln_largest", 11.0899),
        ("overflow.fp16.ln_rounds_to_infinity_from", 11.0901),
        ("overflow.held_out.scores", 307_200),
        ("control.heads_caught", 4),
    ],
)
def test_what_the_design_fixes(claims, identifier, value):
    assert claims[identifier]["value"] == value
    assert type(claims[identifier]["value"]) is type(value)


def test_a_claim_s_statement_holds_its_displayed_value(claims):
    for claim in claims.values():
        assert claim["display"] == show(claim["value"])
        assert claim["display"] in claim["statement"], claim["id"]
        assert "{" not in claim["statement"], claim["id"]


def test_a_claim_can_be_followed_to_its_code_inputs_and_source(claims, facts):
    sources = {source["id"] for source in facts["sources"]}
    for claim in claims.values():
        module, _, function = claim["computed_by"].rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
        for path in claim["inputs"]:
            resolve(facts, path)
        assert claim["source"] in sources


def test_every_stage_refuses_a_bound_that_is_not_certified(monkeypatch):
    monkeypatch.setattr(row_terms, "CERTIFIED_THETA", 0.0)
    q, k, v = tensors(24, 16)
    for stage in (
        lambda: sweep.size_results(8, 16, 1),
        lambda: control.head_results(q, k, v, 8, "head"),
        lambda: attention.head_attention(q, k, v, [8], "head"),
        lambda: mutants.compute(1),
    ):
        with pytest.raises(ClaimError, match="not certified"):
            stage()


def test_the_published_bytes_are_canonical(facts):
    text = (PUBLISHED / "facts.json").read_text(encoding="utf-8")
    assert text == canonical_json.dumps(facts)
    assert not FORBIDDEN.search(text)
    assert facts["timings"] is None


def test_a_size_was_chosen_and_is_not_told_as_a_count(claims, facts):
    for key, prefix in (("n_values", "n"), ("head_dims", "d")):
        for size in facts["settings"][key]:
            claim = claims[f"sizes.{prefix}{size}"]
            assert claim["inputs"] == [f"settings.{key}"]
            assert claim["does_not_prove"].startswith("It was chosen, not found")


def test_two_claims_with_one_id_are_refused():
    group = Group("fusedfacts.experiments.sweep.size_results", ("settings.seed",), "x", "y")
    with pytest.raises(ClaimError, match=r"the id a\.b appears twice"):
        in_order(group.table("a.b", "x | {} | 1 | x\ny | {} | 1 | x", {"x": 1, "y": 2}))


def test_facts_assembled_from_their_own_sections_are_the_same(facts):
    sections = {name: facts[name] for name in ("model", *assemble.WITH_A_JOB)}
    again = assemble.facts(facts["inputs"], facts["settings"], sections, facts["traffic"][::-1])
    assert again == facts


@pytest.mark.parametrize("n", [65_536, 2**20])
def test_claims_about_a_large_size_are_exact_to_the_unit(facts, n):
    """No count passes through a float, or is more than what int64 and JavaScript hold exactly."""
    d = 128
    size = {
        **facts["traffic"][-1],
        "n": n,
        "d": d,
        "compulsory_bytes": traffic.compulsory_bytes(n, d),
        "table_bytes": traffic.table_bytes(n),
    }
    for way in BYTES:
        moved = getattr(traffic, way)(n, d)
        size[way] = {
            **size[way],
            "bytes": traffic.total_bytes(moved),
            "elements": moved,
            "operations": getattr(traffic, f"{way}_arithmetic")(n, d),
        }
    found = {claim.id: claim.record for claim in sweep.claims([size])}
    whole = [claim for claim in found.values() if type(claim["value"]) is int]
    assert len(whole) > 20
    for claim in whole:
        assert claim["display"].replace(",", "") == str(claim["value"])
        assert abs(claim["value"]) < 2**53
    shown = found[f"traffic.unfused.n{n}.d{d}"]["value"]
    assert shown == 4 * d * (2 * n + 2 * n * (n // 16)) + 16 * n**2
    assert found[f"operations.unfused.multiplications.n{n}.d{d}"]["value"] == n * d + 2 * n * n * d


def test_every_closed_formula_gives_its_claim_s_value(made, facts):
    found = [claim for claim in made if closed(claim)]
    assert len(found) > 300
    for claim in found:
        n, d, br, bc = sizes(claim.id, facts)
        value = evaluate(claim.formula, n=n, d=d, br=br, bc=bc)
        if claim.record["unit"] in ROUNDED:
            off = abs(Fraction(value) - Fraction(str(claim.record["value"])))
            assert off <= LARGEST_ROUNDING, claim.id
        else:
            assert value == claim.record["value"], claim.id


def test_bytes_and_operations_of_the_sweep_all_have_closed_formulas(made):
    for claim in made:
        if re.fullmatch(r"(traffic|operations|tiles)\..*\d", claim.id):
            assert closed(claim), claim.id
