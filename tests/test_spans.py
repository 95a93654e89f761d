import pytest
from conftest import PUBLISHED, ROOT
from fusedfacts import spans
from fusedfacts.errors import ClaimError

DOCUMENTS = [ROOT / "README.md", ROOT / "model" / "README.md"]
SHOWN = {"a.b": "1,024", "c.d": "yes"}
TEXT = "It is <!-- claim a.b -->1,024<!-- end --> and\n<!-- claim c.d -->yes<!-- end -->."


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.parent.name)
def test_every_number_that_a_document_quotes_is_its_claim_s(path, facts):
    text = path.read_text(encoding="utf-8")
    assert spans.SPAN.search(text)
    assert spans.stale(text, spans.displays(facts), path.name) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("1,024<", "1,025<"), "x.md:1: a.b found '1,025', expected '1,024'"),
        (("yes<", "no<"), "x.md:2: c.d found 'no', expected 'yes'"),
        (("claim a.b", "claim a.x"), "x.md:1: found no claim a.x, expected one that exists"),
    ],
)
def test_a_changed_digit_word_or_id_is_named_with_its_line(change, complaint):
    assert spans.stale(TEXT, SHOWN, "x.md") == []
    assert spans.stale(TEXT.replace(*change), SHOWN, "x.md") == [complaint]


def test_a_span_without_an_end_is_named():
    assert "opened and not ended" in spans.stale(TEXT + " <!-- claim a.b -->3", SHOWN, "x.md")[0]


def test_stale_spans_are_mended_and_the_rest_left_alone(tmp_path, capsys):
    path = tmp_path / "x.md"
    right = (ROOT / "README.md").read_text(encoding="utf-8")
    path.write_text(right.replace("17,301,504", "17,301,505", 1), encoding="utf-8")
    facts = str(PUBLISHED / "facts.json")
    with pytest.raises(ClaimError, match="expected '17,301,504'"):
        spans.main([facts, str(path)])
    spans.main(["--write", facts, str(path)])
    assert path.read_text(encoding="utf-8") == right
    assert "mended" in capsys.readouterr().out
