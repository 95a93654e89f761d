"""The RO-Crate of this repository, read back with the package that registries use."""

import copy
import json
import re
import socket
import zipfile

import pytest
import yaml
from fusedfacts.documents import canonical_json, files, repository, schema
from fusedfacts.errors import FactsError
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import crate as crates
from fusedfacts.publishing import manifest as manifests
from rocrate.model.computerlanguage import get_lang
from rocrate.rocrate import ROCrate
from support.common import PUBLISHED, ROOT
from support.workflow_runs import finished, planned, small_copy

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
FACTS = f"{repository.FOLDER}/facts.json"


@pytest.fixture(scope="module")
def inputs(config):
    model = {config[part]: str(ROOT / config[part]) for part in settings.MODEL_PARTS}
    return manifests.inputs(ROOT, model)


@pytest.fixture(scope="module")
def published():
    names = manifests.built_by_run(manifests.read(PUBLISHED / "manifest.json"))
    return {name: (PUBLISHED / name).read_bytes() for name in names}


@pytest.fixture(scope="module")
def crate(published, inputs):
    return crates.render(ROOT, published, inputs)


@pytest.fixture(scope="module")
def by_id(crate):
    return {entity["@id"]: entity for entity in crate["@graph"]}


@pytest.fixture(scope="module")
def about():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def read(by_id, crate, tmp_path_factory):
    """What a registry is given: every file that the crate describes, and the crate."""
    folder = tmp_path_factory.mktemp("crate")
    for path, entity in by_id.items():
        if "File" in entity["@type"]:
            files.write_bytes(folder / path, (ROOT / path).read_bytes())
    files.write_json(folder / manifests.CRATE, crate)
    return ROCrate(folder)


def listed(value):
    return value if isinstance(value, list) else [value]


def references(entity):
    values = [one for value in entity.values() for one in listed(value)]
    return [one["@id"] for one in values if isinstance(one, dict) and "@id" in one]


# --- the graph -------------------------------------------------------------------------------


def test_every_reference_leads_to_an_entity_and_every_file_hangs_on_the_root(crate, by_id):
    assert len(by_id) == len(crate["@graph"])
    profiles = ("https://bioschemas.org/", "https://doi.org/", "https://snakemake", "https://w3id")
    for identifier, entity in by_id.items():
        for target in references(entity):
            assert target in by_id or target.startswith(profiles), (identifier, target)
    parts = {part["@id"] for part in by_id["./"]["hasPart"]}
    data = {
        key for key, entity in by_id.items() if {"File", "Dataset"} & {*listed(entity["@type"])}
    }
    assert data - {"./"} == parts


def test_every_term_is_in_the_context(crate):
    used = {key for entity in crate["@graph"] for key in entity if not key.startswith("@")}
    used |= {kind for entity in crate["@graph"] for kind in listed(entity["@type"])}
    assert used <= TERMS_OF_CONTEXT | set(crates.TERMS)


def test_the_main_entity_is_the_workflow_with_the_pinned_language(read):
    assert read.version == "1.1"
    assert read.metadata["conformsTo"] == [crates.SPECIFICATION, crates.PROFILE]
    assert read.mainEntity.id == "Snakefile"
    assert read.mainEntity.type == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    language, known = read.mainEntity["programmingLanguage"], get_lang(ROCrate(), "snakemake")
    assert (language.id, language["name"]) == (known.id, known["name"])
    assert f"\nsnakemake=={language['version']} " in (ROOT / "requirements.txt").read_text()


def test_a_registry_s_zip_holds_every_file(read, tmp_path):
    """WorkflowHub takes a zipped crate; packing it copies each file that the crate names."""
    read.write_zip(tmp_path / "fused.crate.zip")
    with zipfile.ZipFile(tmp_path / "fused.crate.zip") as packed:
        names = set(packed.namelist())
    assert {entity.id for entity in read.data_entities if "File" in entity.type} <= names
    assert ROCrate(tmp_path / "fused.crate.zip").mainEntity.id == "Snakefile"


def test_no_machine_and_no_clock_show(crate, about):
    text = canonical_json.dumps(crate)
    assert str(ROOT) not in text
    assert socket.gethostname() not in text
    assert not re.search(r'"/|[A-Z]:\\|\d\d:\d\d:\d\d', text)
    assert set(re.findall(r"\d{4}-\d\d-\d\d", text)) == {str(about["date-released"])}


# --- files -----------------------------------------------------------------------------------


def test_every_published_file_is_a_result_with_hash_size_and_media_type(by_id, published):
    results = [one["@id"] for one in by_id["#run"]["result"]]
    assert results == sorted(f"{repository.FOLDER}/{name}" for name in published)
    for path in results:
        data = (ROOT / path).read_bytes()
        entity = by_id[path]
        assert (entity["sha256"], entity["contentSize"]) == (files.sha256(data), str(len(data)))
        assert "/" in entity["encodingFormat"]
    described = {key for key in by_id if key.startswith("#result-")}
    assert described == {"#result-facts.json", "#result-film.json"}
    assert not any("sha256" in by_id[path] for path in crates.WRITTEN_AFTER)


def test_the_run_reads_data_and_the_workflow_holds_its_steps(by_id, inputs):
    objects = {one["@id"] for one in by_id["#run"]["object"]}
    assert {"config.yaml", "model/weights.safetensors", "kernels/fused.wgsl"} <= objects
    steps = {one["@id"] for one in by_id["Snakefile"]["hasPart"]}
    assert {"workflow/rules/sections.smk", "workflow/scripts/facts.py"} <= steps
    code = {path for path in inputs if path.startswith("workflow/")}
    assert not objects & code
    assert {*objects, *code, "Snakefile", "requirements.txt"} == set(inputs)


def test_a_file_conforms_to_the_schema_that_it_is_said_to(by_id):
    said = {
        key: entity["conformsTo"]["@id"]
        for key, entity in by_id.items()
        if entity["@type"] == "File" and "conformsTo" in entity
    }
    assert {FACTS, "config.yaml", "kernels/manifest.json"} <= set(said)
    assert f"{repository.FOLDER}/manifest.json" not in said
    for path, held_to in said.items():
        found = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))  # JSON is YAML
        name = held_to.removeprefix("workflow/schemas/").removesuffix(".schema.json")
        schema.validate(found, name, path, "mend")


# --- who and what ----------------------------------------------------------------------------


def test_the_root_says_what_citation_cff_says(read, by_id, about):
    root = read.root_dataset
    assert (root["name"], root["description"]) == (about["title"], about["abstract"].strip())
    assert (root["version"], root["datePublished"]) == ("0.1.0", str(about["date-released"]))
    assert root["license"].id == "https://spdx.org/licenses/MIT"
    assert root["author"]["name"] == "The fused-facts authors"
    assert by_id["README.md"]["about"] == {"@id": "./"}


def test_the_two_papers_are_cited_with_their_authors(read):
    cited = {article.id: article for article in read.root_dataset["citation"]}
    assert {key: [one["familyName"] for one in cited[key]["author"]] for key in cited} == {
        "https://arxiv.org/abs/2205.14135": ["Dao", "Fu", "Ermon", "Rudra", "Ré"],
        "https://arxiv.org/abs/1805.02867": ["Milakov", "Gimelshein"],
    }


@pytest.mark.parametrize(
    ("lose", "field"),
    [
        (lambda about: about.pop("title"), "title"),
        (lambda about: about["references"][0]["authors"][1].pop("given-names"), "given-names"),
        (lambda about: about["references"][0].update(identifiers=[{"value": "10.1/1"}]), "arXiv"),
    ],
)
def test_a_lost_field_of_the_citation_is_named(tmp_path, about, lose, field):
    document = copy.deepcopy(about)
    lose(document)
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(document))
    with pytest.raises(FactsError, match=rf"CITATION\.cff: found no '{field}', expected a value"):
        crates.render(tmp_path, {}, {})


# --- parameters ------------------------------------------------------------------------------


def test_every_key_of_the_config_is_a_parameter_with_its_default(by_id, config):
    declared = schema.load("config")["properties"]
    for key, value in config.items():
        parameter = by_id[f"#config-{key}"]
        assert parameter["description"] == declared[key]["description"]
        default = parameter["defaultValue"]
        text = f"[{', '.join(default)}]" if isinstance(default, list) else default
        assert (text if isinstance(value, str) else json.loads(text)) == value


def test_a_parameter_has_the_type_of_its_default_and_a_file_an_example(by_id):
    kinds = {"n_values": "Integer", "film_wide": "Integer", "film": "Boolean"}
    kinds |= {"publish_to": "Text", "weights": "File"}
    for key, kind in kinds.items():
        parameter = by_id[f"#config-{key}"]
        assert parameter["additionalType"] == kind
        assert ("multipleValues" in parameter) == (key == "n_values")
        assert ("workExample" in parameter) == (kind == "File")


# --- the rule --------------------------------------------------------------------------------


def test_a_run_is_the_repository_s_own_only_with_its_own_files(inputs, tmp_path):
    assert crates.describes(ROOT, PUBLISHED, inputs)
    assert not crates.describes(ROOT, tmp_path, inputs)
    foreign = {**inputs, "model/probe.txt": tmp_path / "probe.txt"}
    assert not crates.describes(ROOT, PUBLISHED, foreign)


@pytest.mark.workflow
@pytest.mark.slow
def test_a_run_of_the_repository_leaves_its_crate_at_the_root_and_mends_it(tmp_path):
    """And a run that publishes elsewhere makes none."""
    copied = small_copy(tmp_path / "copy")
    assert "crate" not in planned(copied, "--config", "publish_to=results/mine")
    finished(copied)
    path = copied / manifests.CRATE
    made = path.read_bytes()
    manifest = manifests.read(copied / repository.FOLDER / "manifest.json")
    assert manifest["crate"] == files.sha256(made)
    assert "publish" not in planned(copied)
    path.write_text("{}")
    assert set(planned(copied)) == {"publish", "all"}
    finished(copied)
    assert path.read_bytes() == made
    citation = copied / "CITATION.cff"
    citation.write_text(citation.read_text().replace("\nversion: 0.", "\nversion: 9."))
    assert set(planned(copied)) == {"crate", "manifest", "publish", "all"}
