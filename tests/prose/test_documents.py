"""Formulas and tables of the documents, evaluated and held against the code that they describe."""

import math
import re

import pytest
import yaml
from fusedfacts.attention import error_bound, problem, row_terms, traffic
from fusedfacts.audit import rendered
from fusedfacts.pipeline import jobs
from fusedfacts.prose import spans
from fusedfacts.publishing import summary
from support.common import PUBLISHED, ROOT
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


FORMULAS = re.findall(r"^ *bytes +(.+)$", COUNTS, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "fused", "unfused"),
    [
        (README, line_of(README, "fused"), line_of(README, "unfused")),
        (COUNTS, *FORMULAS[:2]),
    ],
    ids=["README", "counts"],
)
def test_the_byte_formulas(text, fused, unfused):
    for n, d in SIZES:
        moved = traffic.total_bytes(traffic.fused(n, d))
        assert evaluate(fused, **names(n, d)) == moved
        whole = traffic.total_bytes(traffic.unfused(n, d))
        assert evaluate(unfused, fused=moved, **names(n, d)) == whole


def test_the_byte_formula_of_the_other_loop_order():
    for n, d in SIZES:
        tiles = problem.ceil_div(n, problem.fused_key_rows(d))
        moved = traffic.total_bytes(traffic.kv_outer(n, d))
        assert evaluate(FORMULAS[2], T=tiles, **names(n, d)) == moved


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
@pytest.mark.parametrize("method", traffic.ELEMENTS)
def test_the_arithmetic_table(method, causal):
    rows = re.findall(r"^\| (\w+) \| (`.+?) \| (`.+?) \| (`.+?) \|$", COUNTS, re.MULTILINE)
    assert {kind for kind, *_ in rows} == set(traffic.fused_arithmetic(1, 16))
    column = list(traffic.ELEMENTS).index(method)
    assert f"| kind | {' | '.join(traffic.ELEMENTS)} |" in COUNTS
    for n, d in SIZES:
        pairs, tiles = traffic.pairs(n, causal), problem.fused_key_rows(d)
        known = {"n": n, "d": d, "N": pairs, "M": traffic.row_tiles(n, tiles, causal)}
        found = getattr(traffic, f"{method}_arithmetic")(n, d, causal)
        for kind, *cells in rows:
            # Words in brackets say what a term is for.
            formula = re.sub(r"\([a-z ]+\)", "", cells[column].replace("`", ""))
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
    assert int(vanished) == row_terms.VANISHED
    assert re.search(r"multiplied by `1 \+ 2\^-(\d+)`", BOUND)[1] == "20"
    assert error_bound.EVALUATION == 1 + 2.0**-20
    lanes = set(re.findall(r"w / (\d+)\)|min\(w, (\d+)\)", BOUND))
    assert {int(a or b) for a, b in lanes} == {problem.SOFTMAX_LANES}


def test_the_crossings_in_words_are_the_formula_s():
    assert traffic.TABLE_CROSSINGS == 4
    for text in (README, COUNTS):
        assert re.search(r"four (?:times|crossings)", text)
        assert not re.search(r"(?:three|five|six|twelve|two) (?:times|crossings)", text)


# --- what README promises --------------------------------------------------------------------

SHOWN = re.sub(r"<!-- .*? -->|<img [^>]*>", "", README)


def test_the_first_screen_has_why_a_picture_and_the_two_commands():
    screen = README.splitlines()[:30]
    assert len(README.splitlines()) <= 230
    for word in ("## Why", "<img ", "make facts ", "make test "):
        assert any(line.startswith(word) for line in screen), word


def test_what_make_facts_is_said_to_print_is_what_it_prints(capsys):
    shown = re.search(r"<pre>\n(.+?)\n</pre>", SHOWN, re.DOTALL)[1].splitlines()
    summary.main([str(PUBLISHED)])
    printed = capsys.readouterr().out.splitlines()
    assert printed.pop().endswith(shown.pop())
    assert [line for line in shown if line not in printed] == []


def test_every_link_leads_to_a_file_and_every_document_is_linked():
    links = set(re.findall(r"\]\(([^):]+)\)|src=\"([^\"]+)\"", README))
    found = {a or b for a, b in links}
    assert [path for path in found if not (ROOT / path).is_file()] == []
    read = {path.relative_to(ROOT).as_posix() for path in rendered.documents(ROOT)}
    assert read - {"README.md"} <= found


def test_the_terms_stand_in_the_order_in_which_they_are_met():
    before, after = SHOWN.split("## Ten terms")
    terms = re.findall(r"^\| ([a-z ,-]+) \|", after.split("\n## ")[0], re.MULTILINE)
    assert len(terms[1:]) == 10  # the first is the head of the table
    met = [before.find(term.split(", ")[-1]) for term in terms[1:]]
    assert met[0] >= 0
    met = [place for place in met if place >= 0]  # those met further down come last, and are few
    assert met == sorted(met)
    assert len(met) > 5


def test_the_block_to_cite_says_what_the_citation_file_says():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    for said in (cited["title"], cited["version"], cited["authors"][0]["name"]):
        assert f"{{{said}}}" in README
    assert f"{{{cited['date-released'].year}}}" in README


def test_the_larger_sweep_makes_as_many_jobs_as_are_said():
    lists = [re.search(rf"`{key}: (\[[\d, ]+\])`", SHOWN)[1] for key in ("n_values", "head_dims")]
    parts = jobs.sweep_parts(*map(yaml.safe_load, lists))
    assert len(parts) == 20
    assert re.search(r"makes\s+twenty jobs", SHOWN)
