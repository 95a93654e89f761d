"""The RO-Crate of this repository, read back with the package that registries use."""

import os
import random
import re
import socket
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError
from fusedfacts.publishing.crate import citation, content, document, layout, tree
from rocrate.model import metadata, root_dataset
from rocrate.rocrate import ROCrate
from support import crated
from support.common import PUBLISHED, ROOT

# Every term that the crate may use: each was looked up in the JSON-LD context of RO-Crate 1.1.
TERMS_OF_CONTEXT = set(
    """
    ComputationalWorkflow ComputerLanguage CreateAction CreativeWork Dataset File FormalParameter
    Organization Person ScholarlyArticle SoftwareSourceCode
    about additionalType author citation conformsTo contentSize creator dateCreated datePublished
    defaultValue description encodingFormat familyName givenName hasPart identifier input instrument
    keywords license mainEntity mentions multipleValues name object output programmingLanguage
    publisher result sdPublisher softwareRequirements url valueRequired version workExample
    """.split()
)


@pytest.fixture(scope="module")
def crate():
    return crated.document()


@pytest.fixture(scope="module")
def text(crate):
    return canonical_json.dumps(crate)


@pytest.fixture(scope="module")
def by_id(crate):
    return {entity["@id"]: entity for entity in crate["@graph"]}


@pytest.fixture(scope="module")
def about():
    return citation.citation(tree.parsed(ROOT / citation.NAME))


@pytest.fixture(scope="module")
def folder(crate, tmp_path_factory):
    return crated.copied(crate, tmp_path_factory.mktemp("crate"))


@pytest.fixture(scope="module")
def read(folder):
    return ROCrate(folder)


def small(about, **changed):
    """A crate of two files."""
    given = {
        "published": {"facts.json": content.of(b"{}")},
        "inputs": {"Snakefile": content.of(b"rule all:"), "model/probe.txt": content.of(b"words")},
        "about": about,
        "requirements": "snakemake==9.0.1\n",
        "config": {"seed": 23},
        "schemas": {
            "config": {"properties": {"seed": {"type": "integer", "description": "of all"}}},
            "facts": {"description": "every number"},
        },
        "folder": "out",
    }
    return document.crate(**{**given, **changed})


def test_the_main_entity_is_the_workflow_with_the_pinned_language(read):
    assert read.mainEntity.id == "Snakefile"
    assert read.mainEntity.type == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    language = read.mainEntity["programmingLanguage"]
    assert language.id == "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
    pin = re.search(r"^snakemake==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert language["version"] == pin[1]


def test_both_profiles_are_named(read):
    assert read.version == "1.1"
    assert read.metadata["conformsTo"] == [
        "https://w3id.org/ro/crate/1.1",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
    ]


def test_the_root_says_what_citation_cff_says(read, about):
    root = read.root_dataset
    assert (root["name"], root["description"]) == (about.title, about.abstract)
    assert (root["version"], root["datePublished"]) == (about.version, about.released)
    assert root["license"].id == "https://spdx.org/licenses/MIT"
    assert root["author"]["name"] == "The fused-facts authors"
    assert (ROOT / "LICENSE").read_text().startswith(f"{root['license']['name']} License")


def test_the_two_papers_are_cited_with_their_authors(read):
    cited = {article.id: article for article in read.root_dataset["citation"]}
    assert {key: [one["familyName"] for one in cited[key]["author"]] for key in cited} == {
        "https://arxiv.org/abs/2205.14135": ["Dao", "Fu", "Ermon", "Rudra", "Ré"],
        "https://arxiv.org/abs/1805.02867": ["Milakov", "Gimelshein"],
    }
    assert {article.type for article in cited.values()} == {"ScholarlyArticle"}


def test_every_published_file_is_a_result_with_hash_size_and_media_type(by_id):
    results = [one["@id"] for one in by_id["#run"]["result"]]
    assert results == sorted(f"{layout.FOLDER}/{name}" for name in crated.names())
    for path in results:
        data = (ROOT / path).read_bytes()
        entity = by_id[path]
        assert (entity["sha256"], entity["contentSize"]) == (files.sha256(data), str(len(data)))
        assert "/" in entity["encodingFormat"]


def test_the_run_reads_data_and_the_workflow_holds_its_steps(by_id):
    objects = {one["@id"] for one in by_id["#run"]["object"]}
    assert {"config.yaml", "model/weights.safetensors", "kernels/fused.wgsl"} <= objects
    steps = {one["@id"] for one in by_id["Snakefile"]["hasPart"]}
    assert "workflow/rules/sweep.smk" in steps
    assert "workflow/scripts/sweep.py" in steps
    code = {path for path in crated.inputs() if path.startswith("workflow/")}
    assert not objects & code
    assert {*objects, *code, "Snakefile", "requirements.txt"} == set(crated.inputs())


def test_what_is_written_after_the_crate_is_named_without_a_hash(by_id):
    for name in layout.WRITTEN_AFTER:
        assert not {"sha256", "contentSize"} & set(by_id[f"{layout.FOLDER}/{name}"])
        assert (PUBLISHED / name).is_file()


def test_the_readme_is_about_the_whole(by_id):
    assert by_id["README.md"]["about"] == {"@id": "./"}
    assert by_id["README.md"]["encodingFormat"] == "text/markdown"


def test_a_file_conforms_to_the_schema_that_it_is_said_to(by_id):
    said = {
        key: entity["conformsTo"]["@id"]
        for key, entity in by_id.items()
        if entity["@type"] == "File" and "conformsTo" in entity
    }
    assert f"{layout.FOLDER}/facts.json" in said
    for path, held_to in said.items():
        found = (
            tree.parsed(ROOT / path) if path.endswith(".yaml") else canonical_json.read(ROOT / path)
        )
        name = held_to.removeprefix("workflow/schemas/").removesuffix(".schema.json")
        schema.validate(found, name, path, "mend")


def test_every_term_is_in_the_context(crate):
    used = set()
    for entity in crate["@graph"]:
        kinds = entity["@type"]
        used |= {key for key in entity if not key.startswith("@")}
        used |= set(kinds if isinstance(kinds, list) else [kinds])
    assert used <= TERMS_OF_CONTEXT | set(layout.TERMS)


def test_a_registry_s_zip_holds_every_file(read, folder, tmp_path):
    """WorkflowHub takes a zipped crate; packing it copies each file that the crate names."""
    read.write_zip(tmp_path / "fused.crate.zip")
    with zipfile.ZipFile(tmp_path / "fused.crate.zip") as packed:
        packed_names = set(packed.namelist())
    for entity in read.data_entities:
        if "File" in entity.type:
            assert entity.id in packed_names
    assert ROCrate(tmp_path / "fused.crate.zip").mainEntity.id == "Snakefile"


def test_no_machine_shows(text):
    assert str(ROOT) not in text
    assert not re.search(r'"/|[A-Z]:\\|\d\d:\d\d:\d\d', text)
    assert socket.gethostname() not in text


def test_the_clock_does_not_count(text, monkeypatch):
    monkeypatch.setattr(root_dataset, "iso_now", lambda: "1999-12-31T23:59:59+00:00")
    assert canonical_json.dumps(crated.document()) == text


def test_the_only_date_is_that_of_the_release(about):
    made = canonical_json.dumps(small(replace(about, released="1999-12-31")))
    assert set(re.findall(r"\d{4}-\d\d-\d\d", made)) == {"1999-12-31"}


def test_the_order_of_what_is_given_does_not_count(text):
    def shuffled(mapping):
        items = list(mapping.items())
        random.Random(1).shuffle(items)
        return dict(items)

    made = tree.crate(
        ROOT, tree.contents(shuffled(crated.published())), shuffled(crated.inputs()), layout.FOLDER
    )
    assert canonical_json.dumps(made) == text


@pytest.mark.parametrize(("seed", "zone", "locale"), [("1", "Asia/Tokyo", "C"), ("2", "UTC", "")])
def test_another_interpreter_makes_the_same_bytes(text, tmp_path, seed, zone, locale):
    """Another hash seed, time zone, locale and working directory."""
    program = (
        "import sys; from support import crated; from fusedfacts.documents import canonical_json;"
        "sys.stdout.buffer.write(canonical_json.dumps(crated.document()).encode())"
    )
    made = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "workflow"), str(ROOT / "tests")]),
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "LC_ALL": locale,
        },
        capture_output=True,
        check=True,
    )
    assert made.stdout == text.encode()


def test_the_committed_crate_is_the_one_that_follows(text):
    assert (ROOT / layout.NAME).read_text(encoding="utf-8") == text


def test_bioschemas_is_claimed_only_with_the_address_that_it_asks_for(about):
    def workflow(about):
        made = small(about)["@graph"]
        return next(entity for entity in made if entity["@id"] == "Snakefile")

    assert not {"conformsTo", "url"} & set(workflow(replace(about, repository=None)))
    found = workflow(replace(about, repository="https://example.org/fused-facts"))
    assert found["url"] == "https://example.org/fused-facts"
    assert found["conformsTo"] == {"@id": document.WORKFLOW_PROFILE}


def test_a_lock_without_snakemake_is_refused(about):
    with pytest.raises(FactsError, match=r"requirements\.txt: found no pinned snakemake"):
        small(about, requirements="snakemake-interface-common==1.0\n")


def test_a_file_of_an_unknown_kind_is_refused(about):
    with pytest.raises(FactsError, match=r"out/notes\.docx: found a file of a kind"):
        small(about, published={"notes.docx": content.of(b"")})


def test_a_missing_file_is_refused(tmp_path):
    published = {"facts.json": tmp_path / "facts.json"}
    with pytest.raises(FactsError, match=r"facts\.json: cannot be read .*; restore it"):
        tree.crate(ROOT, tree.contents(published), crated.inputs(), layout.FOLDER)


@pytest.mark.parametrize("spoilt", [b"a: [", b"a: \x80", b"a: !!python/object:os.system x"])
def test_yaml_that_is_none_is_one_sentence(tmp_path, spoilt):
    (tmp_path / "config.yaml").write_bytes(spoilt)
    with pytest.raises(FactsError, match=r"config\.yaml: found no YAML .*, expected keys"):
        tree.parsed(tmp_path / "config.yaml")


def test_the_package_still_knows_the_versions_by_these_names():
    """The profile's version comes from the package: a new one must not change it unseen."""
    assert metadata.WROC_VERSION_MAP[layout.VERSION] == "1.0"
