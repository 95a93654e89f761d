"""Spans in documents: each says what its claim says, and no number stands beside them."""

import re
import subprocess
import sys

import pytest
from fusedfacts.audit import rendered
from fusedfacts.errors import ClaimError
from fusedfacts.prose import forms, spans
from support.common import PUBLISHED, ROOT

AUDITED = rendered.documents(ROOT)
DOCUMENTS = [*AUDITED, PUBLISHED / "transcript.md"]
WITHOUT_NUMBERS = {"api.md", "audit.md", "cluster.md", "judge.md", "own-model.md"}
CLAIMS = {
    "a.b": {"display": "1,024", "value": 1024},
    "c.d": {"display": "4", "value": 4, "statement": "There are 4."},
}
TEXT = "It is <!-- claim a.b -->1,024<!-- end --> and\n<!-- claim c.d word -->four<!-- end -->."


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_number_in_a_document_is_quoted_from_a_claim(path, facts):
    text = path.read_text(encoding="utf-8")
    assert spans.SPAN.search(text) or path.name in WITHOUT_NUMBERS
    assert spans.stale(text, forms.by_id(facts), path.name) == []
    assert spans.unbound(text, path.name) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_span_begins_a_line_where_its_comment_would_end_the_paragraph(path):
    """Markdown takes a comment there for a block of HTML, and shows what follows as it stands."""
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^(?: {0,3}|[ >*-]+ )<!-- claim .*", text, re.MULTILINE) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("README.md", "-->17,301,504<!--", "-->17,301,540<!--"),
        ("docs/counts.md", "-->438<!--", "-->483<!--"),
    ],
)
def test_a_number_changed_in_a_document_is_named(facts, name, old, new):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert old in text
    faults = spans.stale(text.replace(old, new), forms.by_id(facts), name)
    assert faults
    assert all(re.match(rf"{name}:\d+: .*expected", fault) for fault in faults)


def test_make_corrects_every_document_that_the_audit_reads():
    command = ["make", "--no-print-directory", "-n", "spans"]
    made = subprocess.check_output(command, cwd=ROOT, text=True)
    listed = made.split("facts.json ")[-1].split()
    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in AUDITED)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("1,024<", "1,025<"), "x.md:1: a.b found '1,025', expected '1,024'"),
        ((">four<", ">five<"), "x.md:2: c.d found 'five', expected 'four'"),
        (
            ("claim a.b", "claim a.x"),
            "x.md:1: found no claim a.x (did you mean a.b?), expected",
        ),
        ((" word -->four", " places=0 -->four"), "x.md:2: c.d found 'four', expected '4'"),
        ((" word -->", " roman -->"), "x.md:2: c.d: cannot quote 4 in the form 'roman'"),
    ],
)
def test_a_changed_digit_word_id_or_form_is_named_with_its_line(change, complaint):
    assert spans.stale(TEXT, CLAIMS, "x.md") == []
    (found,) = spans.stale(TEXT.replace(*change), CLAIMS, "x.md")
    assert found.startswith(complaint)


def test_a_span_without_an_end_is_named():
    assert "opened and not ended" in spans.stale(TEXT + " <!-- claim a.b -->3", CLAIMS, "x.md")[0]


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("It moves 17 bytes, or `16`.", ["17", "16"]),
        ("In float32, `4 d (2 n)` and\n\n```\n16 n^2\n```\n\nof it.", []),
        ("A [link](https://a.example/2024/1) says so.", []),
        ("# Heading\n\n| a | 3 |", ["3"]),
        ('<img width="340" src="a.svg" alt="4 heads">, width="3"', ["4", "3"]),
        ("text\n\n    a line that only looks like code 6\n", ["6"]),
        ("It is `514 MiB`, `285,736,961 B` or `2 of 96`.", ["514", "285,736,961", "2"]),
        ("It is (4:10) long, Algorithm 3, 2018 of them.", ["4:10", "2018"]),
        ("```\n285,736,961\n```", ["285,736,961"]),
        ("½ of it, x² and Ⅳ.", ["½", "x²", "Ⅳ"]),
    ],
)
def test_a_number_is_found_in_prose_and_a_count_in_code_lists_and_signs(prose, found):
    assert [line.split("'")[1] for line in spans.unbound(prose, "x.md")] == found


def test_stale_spans_are_corrected_and_the_rest_left_alone(tmp_path, capsys):
    path, good = tmp_path / "x.md", tmp_path / "good.md"
    right = (ROOT / "README.md").read_text(encoding="utf-8")
    path.write_text(right.replace("17,301,504", "17,301,505", 1), encoding="utf-8")
    good.write_text("It is good.\n")
    arguments = [str(PUBLISHED / "facts.json"), str(path), str(good)]
    with pytest.raises(ClaimError, match="expected '17,301,504'"):
        spans.main(arguments)
    spans.main(["--write", *arguments])
    assert path.read_text(encoding="utf-8") == right
    assert capsys.readouterr().out == f"corrected {path}\n"


def test_as_a_command_it_is_one_sentence_and_exit_code_1(tmp_path):
    path = tmp_path / "x.md"
    path.write_text("Seventeen, or 17.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "fusedfacts.prose.spans", str(PUBLISHED / "facts.json"), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"does not hold: {path}:1: found the number '17' in no span")
    assert done.stderr.count("\n") == 1


def test_a_number_s_line_is_right_after_code_spans_and_blocks():
    text = f"{TEXT}\n\n```\na\nb\n```\n\n`a\nb` and\n\nIt is 17.\n"
    (complaint,) = spans.unbound(text, "x.md")
    assert complaint.startswith(f"x.md:{text.count(chr(10))}: found the number '17'")
