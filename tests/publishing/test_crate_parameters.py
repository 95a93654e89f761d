import pytest
import yaml
from fusedfacts.documents import canonical_json, schema
from fusedfacts.publishing.crate import layout, parameters
from support.common import PUBLISHED, ROOT


@pytest.fixture
def inputs(config):
    paths = ["model/weights.safetensors", "model/probe.txt"]
    return {key["name"]: key for key in parameters.inputs(schema.load("config"), config, paths)}


def test_every_key_of_the_config_is_a_parameter_with_its_description(inputs, config):
    declared = schema.load("config")["properties"]
    assert set(inputs) == set(declared) == set(config)
    for key, parameter in inputs.items():
        assert parameter["description"] == declared[key]["description"]
        assert parameter["valueRequired"] is False


def test_a_default_is_what_the_shipped_config_says(inputs, config):
    """Read back as YAML, each default is the value again."""
    for key, parameter in inputs.items():
        told = parameter["defaultValue"]
        again = [yaml.safe_load(item) for item in told] if type(told) is list else told
        if type(config[key]) is not str and type(told) is str:
            again = yaml.safe_load(told)
        assert again == config[key], key


@pytest.mark.parametrize(
    ("key", "kind", "many"),
    [
        ("n_values", "Integer", True),
        ("head_dims", "Integer", True),
        ("seed", "Integer", False),
        ("film_wide", "Integer", False),
        ("film", "Boolean", False),
        ("adapter", "Text", False),
        ("publish_to", "Text", False),
        ("weights_sha256", "Text", False),
        ("weights", "File", False),
    ],
)
def test_a_type_follows_from_the_schema(inputs, key, kind, many):
    assert inputs[key]["additionalType"] == kind
    assert inputs[key].get("multipleValues", False) is many


def test_a_file_s_example_is_the_file_itself_if_the_crate_has_it(inputs):
    assert inputs["probe"]["workExample"] == {"@id": "model/probe.txt"}
    assert inputs["probe"]["encodingFormat"] == "text/plain"
    assert "workExample" not in inputs["held_out"]


def test_the_results_are_those_with_a_schema():
    schemas = {name: schema.load(name) for name in ("facts", "film")}
    made = parameters.outputs(schemas, ["facts.json", "page.css"], layout.FOLDER)
    assert [one["name"] for one in made] == ["facts.json"]
    assert (
        made[0]["description"]
        == canonical_json.read(ROOT / "workflow" / "schemas" / "facts.schema.json")["description"]
    )
    assert (ROOT / made[0]["workExample"]["@id"]).samefile(PUBLISHED / "facts.json")
