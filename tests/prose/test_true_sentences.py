"""A quoted number in a false sentence is still false: what sentences around numbers must say."""

import re

import pytest
from fusedfacts.attention import problem, traffic
from fusedfacts.claims.sources import LEFT_OUT
from fusedfacts.experiments import facts as experiments
from support.common import ROOT

TEXTS = [ROOT / "README.md", *sorted((ROOT / "workflow" / "templates").glob("*.j2"))]
INFINITE = "overflow.held_out.infinite_terms"


@pytest.fixture(scope="module")
def claims(facts):
    """What is claimed of the published results."""
    return experiments.claims(facts)


def test_it_is_e_to_a_score_that_is_infinite_and_not_the_score(claims):
    """The largest score is below twenty."""
    said = [
        part
        for path in TEXTS
        for part in re.split(r"\n(?:\n|- |#)", path.read_text(encoding="utf-8"))
        if INFINITE in part
    ]
    said += [claim["statement"] for claim in claims if claim["id"].endswith(".infinite_terms")]
    assert len(said) >= 5
    assert [text for text in said if not re.search(r"\be(?: to|\^)", text)] == []


def test_what_a_claim_does_not_prove_is_of_its_own_kind(claims):
    """A limit on accesses says nothing of operations, tiles or how many kernels there are."""
    for claim in claims:
        if claim["unit"] in {"operations", "kernels", "rows"}:
            assert "accesses" not in claim["does_not_prove"], claim["id"]


def test_where_a_causal_kernel_moves_less(facts):
    """As `what is left out` has it: everywhere but fused where all queries fit a single tile."""
    assert any("where all queries fit a single tile" in sentence for sentence in LEFT_OUT)
    for size in facts["traffic"]:
        n, d = size["n"], size["d"]
        for name, method in (("fused", traffic.fused), ("unfused", traffic.unfused)):
            full, causal = (traffic.total_bytes(method(n, d, looks)) for looks in (False, True))
            single = name == "fused" and n <= problem.query_rows(d)
            assert (causal == full) if single else (causal < full), (name, n, d)
