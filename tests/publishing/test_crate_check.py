"""A crate that is wrong does not pass: each fault is planted alone, and named."""

import copy

import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing.crate import check, layout
from support import crated
from support.common import ROOT

FACTS = f"{layout.FOLDER}/facts.json"


@pytest.fixture(scope="module")
def made():
    return crated.document()


@pytest.fixture
def crate(made):
    return copy.deepcopy(made)


def entity(crate, identifier):
    return next(one for one in crate["@graph"] if one["@id"] == identifier)


def remove(crate, identifier):
    crate["@graph"].remove(entity(crate, identifier))


def found(crate, folder=ROOT):
    return check.faults(crate, folder, crated.names())


def test_the_crate_of_this_tree_has_no_fault(crate):
    assert found(crate) == []


def changed_context(crate):
    crate["@context"][0] = "https://w3id.org/ro/crate/1.0/context"


def changed_profile(crate):
    entity(crate, layout.NAME)["conformsTo"].pop()


def changed_about(crate):
    entity(crate, layout.NAME)["about"] = {"@id": "Snakefile"}


def wrong_hash(crate):
    entity(crate, FACTS)["sha256"] = "0" * 64


def wrong_size(crate):
    entity(crate, FACTS)["contentSize"] += "0"


def no_hash(crate):
    del entity(crate, "Snakefile")["sha256"]


def missing_file(crate):
    entity(crate, "config.yaml")["@id"] = "config.yml"


def wrong_type(crate):
    entity(crate, "Snakefile")["@type"] = ["File", "SoftwareSourceCode"]


def wrong_language(crate):
    entity(crate, "Snakefile")["programmingLanguage"] = {"@id": "#run"}


def dangling_reference(crate):
    entity(crate, "./")["author"] = {"@id": "#nobody"}


def dangling_schema(crate):
    entity(crate, FACTS)["conformsTo"] = {"@id": "workflow/schemas/none.schema.json"}


def not_a_part(crate):
    """Taken from the root and from the folders that hold it."""
    for one in crate["@graph"]:
        if "hasPart" in one:
            one["hasPart"] = [part for part in one["hasPart"] if part["@id"] != "LICENSE"]


def outside(crate):
    one = entity(crate, "LICENSE")
    one["@id"] = "../LICENSE"
    entity(crate, "./")["hasPart"].append({"@id": "../LICENSE"})


def absolute(crate):
    entity(crate, "./")["hasPart"].append({"@id": "/etc/passwd"})
    crate["@graph"].append({"@id": "/etc/passwd", "@type": "File"})


def not_a_folder(crate):
    entity(crate, "docs/")["@id"] = "dox/"


def result_left_out(crate):
    results = entity(crate, "#run")["result"]
    results.remove({"@id": FACTS})


def result_too_many(crate):
    entity(crate, "#run")["result"].append({"@id": "LICENSE"})


FAULTS = {
    changed_context: "@context found",
    changed_profile: "ro-crate-metadata.json found another descriptor",
    changed_about: "ro-crate-metadata.json found another descriptor",
    wrong_hash: "facts.json found sha256 and size",
    wrong_size: "facts.json found sha256 and size",
    no_hash: "Snakefile found sha256 and size",
    missing_file: "config.yml not found",
    wrong_type: "Snakefile found another type",
    wrong_language: "Snakefile found no programmingLanguage",
    dangling_reference: "./ found a reference to #nobody",
    dangling_schema: "found a reference to workflow/schemas/none.schema.json",
    not_a_part: "LICENSE found outside every hasPart",
    outside: "../LICENSE found a path that leads out",
    absolute: "/etc/passwd found a path that leads out",
    not_a_folder: "dox/ not found",
    result_left_out: "facts.json found in the manifest alone",
    result_too_many: "LICENSE found in the crate alone",
}


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_named(crate, plant):
    plant(crate)
    assert any(FAULTS[plant] in fault for fault in found(crate)), found(crate)


@pytest.mark.parametrize("key", check.OF_ROOT)
@pytest.mark.parametrize("empty", [None, "", []])
def test_what_every_crate_must_say_is_missed(crate, key, empty):
    entity(crate, "./")[key] = empty
    assert f"./ found no {key}, expected one" in found(crate)


@pytest.mark.parametrize(
    "identifier", ["./", layout.NAME, "Snakefile", "#the-fused-facts-authors", "docs/", FACTS]
)
def test_no_entity_can_be_taken_away(crate, identifier):
    remove(crate, identifier)
    assert found(crate)


def test_an_edited_and_a_missing_file_are_named(made, tmp_path):
    folder = crated.copied(made, tmp_path)
    assert check.check(folder, crated.names()) == len(made["@graph"])
    path = folder / "model" / "probe.txt"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b" ", b"  ", 1))
    with pytest.raises(ClaimError, match=r"model/probe\.txt found sha256 .*; make it again with"):
        check.check(folder, crated.names())
    path.unlink()
    with pytest.raises(ClaimError, match=r"model/probe\.txt not found"):
        check.check(folder, crated.names())
    path.write_bytes(whole)
    check.check(folder, crated.names())


def test_a_folder_in_a_file_s_place_is_named(made, tmp_path):
    folder = crated.copied(made, tmp_path)
    (folder / "LICENSE").unlink()
    (folder / "LICENSE").mkdir()
    with pytest.raises(ClaimError, match="LICENSE not found"):
        check.check(folder, crated.names())


def test_an_entity_twice_is_refused(crate):
    crate["@graph"].append({"@id": "LICENSE", "@type": "File"})
    with pytest.raises(FactsError, match="@id found 'LICENSE', expected one of its own"):
        found(crate)


@pytest.mark.parametrize(
    "document",
    [None, [], "", {}, {"@graph": None}, {"@graph": {}}, {"@graph": [1]}, {"@graph": [{"@id": 1}]}],
)
def test_what_is_no_crate_is_one_sentence(document):
    with pytest.raises(FactsError, match=r"ro-crate-metadata\.json: .* found|found no list"):
        check.faults(document, ROOT, [])


@pytest.mark.parametrize("odd", [None, 1, [], {}, [None], {"@id": None}, "http://[", "\0", [[]]])
@pytest.mark.parametrize("key", ["@type", "hasPart", "mainEntity", "conformsTo", "about", "result"])
def test_an_odd_value_anywhere_is_no_traceback(crate, odd, key):
    for one in crate["@graph"]:
        one[key] = odd
    assert found(crate)


@pytest.mark.parametrize(
    "odd", ["http://[", "\0", "a\0b", "%00", "~", "CON:", "file:///etc/passwd"]
)
def test_an_odd_name_is_no_traceback_and_no_file_elsewhere_is_read(crate, odd):
    crate["@graph"].append({"@id": odd, "@type": "File", "sha256": "0" * 64})
    assert any(odd in fault for fault in found(crate))


def test_no_crate_at_all_is_one_sentence(tmp_path):
    with pytest.raises(FactsError, match=r"ro-crate-metadata\.json: not found"):
        check.check(tmp_path, [])


def test_a_crate_is_read_as_strict_json(tmp_path):
    (tmp_path / layout.NAME).write_text('{"@graph": [], "@graph": []}')
    with pytest.raises(FactsError, match="appears twice"):
        check.check(tmp_path, [])


def test_the_committed_crate_describes_the_committed_tree():
    assert check.check(ROOT, crated.names()) == len(
        canonical_json.read(ROOT / layout.NAME)["@graph"]
    )
