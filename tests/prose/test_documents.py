"""Formulas and tables of the documents, evaluated and held against the code that they describe."""

import math
import re

import pytest
from fusedfacts.attention import error_bound, problem, traffic
from fusedfacts.prose import spans
from support.common import ROOT
from support.formulas import evaluate

SIZES = [(n, d) for n in (1, 3, 100, 128, 129, 4096) for d in problem.HEAD_DIMS]
COUNTS = (ROOT / "docs" / "counts.md").read_text(encoding="utf-8")
BOUND = " ".join((ROOT / "docs" / "error-bound.md").read_text(encoding="utf-8").split())
README = (ROOT / "README.md").read_text(encoding="utf-8")


def line_of(text, beginning):
    """What follows a beginning on its line, up to a wide gap."""
    found = re.search(rf"^ *{re.escape(beginning)} +(.+?)(?:  |$)", text, re.MULTILINE)
    assert found, beginning
    return found[1]


def names(n, d):
    return {"n": n, "d": d, "br": problem.query_rows(d)}


@pytest.mark.parametrize("text", [README, COUNTS], ids=["README", "counts"])
def test_the_tile_formulas(text):
    for d in problem.HEAD_DIMS:
        query = re.search(r"br = ([^\n]+)", text)[1]
        assert evaluate(query, d=d) == problem.query_rows(d)
    key = re.search(r"bc = ([^\n]+)", COUNTS)[1]
    assert [evaluate(key, d=d) for d in problem.HEAD_DIMS] == [
        problem.fused_key_rows(d) for d in problem.HEAD_DIMS
    ]


@pytest.mark.parametrize(
    ("text", "fused", "unfused"),
    [
        (README, line_of(README, "fused"), line_of(README, "unfused")),
        (COUNTS, *re.findall(r"^ *bytes +(.+)$", COUNTS, re.MULTILINE)),
    ],
    ids=["README", "counts"],
)
def test_the_byte_formulas(text, fused, unfused):
    for n, d in SIZES:
        moved = traffic.total_bytes(traffic.fused(n, d))
        assert evaluate(fused, **names(n, d)) == moved
        whole = traffic.total_bytes(traffic.unfused(n, d))
        assert evaluate(unfused, fused=moved, **names(n, d)) == whole


def test_the_causal_formulas():
    keys = re.search(r"^(d \(br F.+)$", COUNTS, re.MULTILINE)[1]
    whole = re.search(r"`F = ([^`]+)`", COUNTS)[1]
    table = re.search(r"crossing moves exactly `([^`]+)`", COUNTS)[1]
    for n, d in SIZES:
        known = names(n, d)
        known["F"] = evaluate(whole, **known)
        assert evaluate(keys, **known) == traffic.key_elements(n, d, causal=True)
        assert evaluate(table, **known) == traffic.pairs(n, causal=True)


def test_the_ratio_s_limit():
    limit = re.search(r"tends to\n?\s*`([^`]+)`", COUNTS)[1]
    n = 2**40
    for d in problem.HEAD_DIMS:
        ratio = traffic.total_bytes(traffic.unfused(n, d)) / traffic.total_bytes(
            traffic.fused(n, d)
        )
        assert math.isclose(evaluate(limit, d=d), ratio, rel_tol=1e-6)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("method", ["fused", "unfused"])
def test_the_arithmetic_table(method, causal):
    rows = re.findall(r"^\| (\w+) \| (`.+?) \| (`.+?) \|$", COUNTS, re.MULTILINE)
    assert {kind for kind, *_ in rows} == set(traffic.fused_arithmetic(1, 16))
    for n, d in SIZES:
        pairs, tiles = traffic.pairs(n, causal), problem.fused_key_rows(d)
        known = {"n": n, "d": d, "N": pairs, "M": traffic.row_tiles(n, tiles, causal)}
        found = getattr(traffic, f"{method}_arithmetic")(n, d, causal)
        for kind, *cells in rows:
            # Words in brackets say what a term is for.
            formula = re.sub(r"\([a-z ]+\)", "", cells[method == "unfused"].replace("`", ""))
            assert evaluate(formula, **known) == found[kind], (kind, n, d)


def test_a_table_s_columns_quote_what_their_heads_say():
    """README's table: a cell under `fused` quotes a claim about fused, at the row's n and d."""
    rows = [line for line in README.splitlines() if line.startswith("| bytes at n = ")]
    assert len(rows) == 2
    for row in rows:
        at, *cells = [spans.SPAN.findall(cell) for cell in row.strip("|").split("|")]
        n, d = (identifier.removeprefix("sizes.") for identifier, *_ in at)
        assert [cell[0][0] for cell in cells] == [
            f"traffic.{column}.{n}.{d}" for column in ("unfused", "fused", "ratio")
        ]


def test_the_constants_of_the_bound_are_those_of_the_code():
    """Where a formula holds a constant of its own."""
    vanished = re.search(r"- delta_m > (\d+)`", BOUND)[1]
    assert int(vanished) == error_bound.VANISHED
    assert re.search(r"multiplied by `1 \+ 2\^-(\d+)`", BOUND)[1] == "20"
    assert error_bound.EVALUATION == 1 + 2.0**-20
    lanes = set(re.findall(r"w / (\d+)\)|min\(w, (\d+)\)", BOUND))
    assert {int(a or b) for a, b in lanes} == {problem.SOFTMAX_LANES}


def test_the_crossings_in_words_are_the_formula_s():
    assert traffic.TABLE_CROSSINGS == 4
    for text in (README, COUNTS):
        assert re.search(r"four (?:times|crossings)", text)
        assert not re.search(r"(?:three|five|six|twelve|two) (?:times|crossings)", text)
