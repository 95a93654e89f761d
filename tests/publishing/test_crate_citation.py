import copy

import pytest
from fusedfacts.errors import FactsError
from fusedfacts.publishing.crate import citation, tree
from support.common import ROOT


@pytest.fixture
def document():
    return copy.deepcopy(tree.parsed(ROOT / citation.NAME))


def test_what_a_registry_shows_is_read(document):
    found = citation.citation(document)
    assert found.title == document["title"]
    assert found.released == document["date-released"].isoformat()
    assert found.licence == "MIT"
    assert "\n" not in found.abstract
    assert found.repository is None


def test_an_address_is_read_where_there_is_one(document):
    document["repository-code"] = "https://example.org/fused-facts"
    assert citation.citation(document).repository == "https://example.org/fused-facts"


def test_a_person_has_a_name_of_two_parts_and_an_organization_one():
    person = citation.agent({"given-names": "Christopher", "family-names": "Ré"}, "authors[0]")
    assert (person["@type"], person["@id"], person["name"]) == (
        "Person",
        "#christopher-ré",
        "Christopher Ré",
    )
    assert citation.agent({"name": "We"}, "authors[0]")["@type"] == "Organization"


def test_one_author_is_a_reference_and_more_are_a_list(document):
    article, authors = citation.work(document["references"][1], "references[1]")
    assert article["author"] == [{"@id": one["@id"]} for one in authors]
    document["references"][1]["authors"].pop()
    article, authors = citation.work(document["references"][1], "references[1]")
    assert article["author"] == {"@id": authors[0]["@id"]}


@pytest.mark.parametrize(
    "key",
    "title abstract version date-released license keywords authors references".split(),
)
def test_a_missing_field_is_named(document, key):
    del document[key]
    with pytest.raises(FactsError, match=rf"CITATION\.cff: {key} found None, expected"):
        citation.citation(document)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("version", 0.1),
        ("date-released", "soon"),
        ("authors", "me"),
        ("title", ""),
        ("authors", []),
    ],
)
def test_a_wrong_field_is_named(document, key, wrong):
    document[key] = wrong
    with pytest.raises(FactsError, match=rf"CITATION\.cff: {key} found .*, expected a? ?\w+;"):
        citation.citation(document)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda work: work.pop("year"), r"references\[0\]\.year found None, expected a year"),
        (
            lambda work: work["authors"][1].pop("given-names"),
            r"references\[0\]\.authors\[1\]\.given-names found None, expected text",
        ),
        (
            lambda work: work.update(identifiers=[{"type": "doi", "value": "10.1/1"}]),
            r"identifiers found \['10\.1/1'\], expected one that begins with arXiv:",
        ),
    ],
)
def test_a_faulty_reference_is_named(document, change, sentence):
    change(document["references"][0])
    with pytest.raises(FactsError, match=sentence):
        citation.citation(document)


@pytest.mark.parametrize("document", [None, [], "text", {"authors": [None]}])
def test_what_is_no_citation_file_is_refused(document):
    with pytest.raises(FactsError, match=r"CITATION\.cff: .* found"):
        citation.citation(document)
