"""Spans in documents: each says what its claim says, and no number stands beside them."""

import re
import subprocess
import sys

import pytest
from fusedfacts.audit import rendered
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.prose import forms, spans
from support.common import PUBLISHED, ROOT

AUDITED = rendered.documents(ROOT)
DOCUMENTS = [*AUDITED, PUBLISHED / "transcript.md"]
WITHOUT_NUMBERS = {"audit.md"}
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


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("README.md", "-->17,301,504<!--", "-->17,301,540<!--"),
        ("README.md", "claim control.rows -->", "claim control.lines -->"),
        ("docs/counts.md", "-->438<!--", "-->483<!--"),
        ("docs/error-bound.md", "-->104<!--", "-->140<!--"),
        ("kernels/README.md", "-->5,792<!--", "-->5,729<!--"),
        ("model/README.md", "-->0.802<!--", "-->0.208<!--"),
    ],
)
def test_a_number_changed_in_a_document_is_named(facts, name, old, new):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert old in text
    faults = spans.stale(text.replace(old, new), forms.by_id(facts), name)
    assert faults
    for fault in faults:
        assert re.match(rf"{name}:\d+: .*(expected|found no claim)", fault)


def test_make_corrects_every_document_that_the_audit_reads():
    made = subprocess.run(
        ["make", "--no-print-directory", "-n", "spans"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = made.stdout.split("facts.json ")[-1].split()
    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in AUDITED)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("1,024<", "1,025<"), "x.md:1: a.b found '1,025', expected '1,024'"),
        ((">four<", ">five<"), "x.md:2: c.d found 'five', expected 'four'"),
        (("claim a.b", "claim a.x"), "x.md:1: found no claim a.x, expected one that exists"),
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
        ("It moves 17 bytes.", ["17"]),
        ("It moves `17` bytes.", ["17"]),
        ("In float32, `4 d (2 n)` and\n\n    16 n^2\n\nof it.", []),
        ("A [link](https://a.example/2024/1) says so.", []),
        ("# Heading\n\n| a | 3 |", ["3"]),
        ("- item\n\n  a second paragraph of it, 5 lines", ["5"]),
        ("text\n    a line that only looks like code 6\n", ["6"]),
        ("It is `514 MiB`.", ["514"]),
        ("It is `285,736,961 B` or `2 of 96`.", ["285,736,961", "2"]),
        ("Text\n\n    unfused 285,736,961\n", ["285,736,961"]),
        ("- item\n\n    It moves 17 MiB.\n", ["17"]),
        ("- item\n\n     - 17 within\n", ["17"]),
        ("It is (4:10) long, Algorithm 3, 2018 of them.", ["4:10", "2018"]),
        ("```\n285,736,961\n```", ["285,736,961"]),
        ("½ of it, x² and Ⅳ.", ["½", "x²", "Ⅳ"]),
    ],
)
def test_a_number_is_found_in_prose_and_a_count_in_code_lists_and_signs(prose, found):
    assert [line.split("'")[1] for line in spans.unbound(prose, "x.md")] == found


def test_stale_spans_are_corrected_and_the_rest_left_alone(tmp_path, capsys):
    path = tmp_path / "x.md"
    right = (ROOT / "README.md").read_text(encoding="utf-8")
    path.write_text(right.replace("17,301,504", "17,301,505", 1), encoding="utf-8")
    facts = str(PUBLISHED / "facts.json")
    with pytest.raises(ClaimError, match="expected '17,301,504'"):
        spans.main([facts, str(path)])
    spans.main(["--write", facts, str(path)])
    assert path.read_text(encoding="utf-8") == right
    assert "mended" in capsys.readouterr().out


def test_as_a_command_it_is_one_sentence_and_exit_code_1(tmp_path):
    path = tmp_path / "x.md"
    path.write_text("Seventeen, or 17.\n", encoding="utf-8")
    facts = str(PUBLISHED / "facts.json")
    done = subprocess.run(
        [sys.executable, "-m", "fusedfacts.prose.spans", facts, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT / "workflow")},
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {path}:1: found the number '17' in no span")
    assert done.stderr.count("\n") == 1


def test_a_number_s_line_is_right_after_code_spans_and_blocks():
    text = f"{TEXT}\n\n```\na\nb\n```\n\n`a\nb` and\n\nIt is 17.\n"
    (complaint,) = spans.unbound(text, "x.md")
    assert complaint.startswith(f"x.md:{text.count(chr(10))}: found the number '17'")


def test_every_document_is_checked_and_not_the_last_alone(tmp_path):
    facts, stale, good = PUBLISHED / "facts.json", tmp_path / "a.md", tmp_path / "b.md"
    stale.write_text("It is 17.\n")
    good.write_text("It is good.\n")
    with pytest.raises(ClaimError, match=r"a\.md:1"):
        spans.main([str(facts), str(stale), str(good)])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "spans: found nothing, expected"),
        (["facts.json"], "spans: found facts.json, expected"),
        (["--writ", "facts.json", "x.md"], "expected [--write] facts.json"),
    ],
)
def test_wrong_arguments_are_one_sentence(arguments, sentence):
    with pytest.raises(FactsError, match=re.escape(sentence)):
        spans.main(arguments)


@pytest.mark.parametrize("content", ["[]", '{"claims": [{}]}', "{}"])
def test_facts_that_are_none_are_one_sentence(tmp_path, content):
    (tmp_path / "facts.json").write_text(content)
    (tmp_path / "x.md").write_text("x\n")
    with pytest.raises(FactsError, match=r"facts\.json: "):
        spans.main([str(tmp_path / "facts.json"), str(tmp_path / "x.md")])


def test_a_document_that_is_no_text_is_one_sentence(tmp_path):
    (tmp_path / "x.md").write_bytes(b"a\xff")
    with pytest.raises(FactsError, match="byte 1 is no UTF-8"):
        spans.main([str(PUBLISHED / "facts.json"), str(tmp_path / "x.md")])
