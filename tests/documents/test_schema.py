"""The schemas themselves, and the sentences that their complaints become."""

import copy
import json

import pytest
from fusedfacts.documents import schema
from fusedfacts.errors import FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import config as settings
from jsonschema import Draft202012Validator
from support.common import ROOT

SCHEMAS = sorted(path.name for path in (ROOT / "workflow" / "schemas").glob("*.schema.json"))
CLASSES = {"exact", "bounded", "observed", "see class"}


def properties(node, top, path="$"):
    """Every property of a schema, with its path and what its `$ref` adds."""
    if isinstance(node, dict):
        for group in ("properties", "patternProperties"):
            for name, item in node.get(group, {}).items():
                yield from whole(item, top, f"{path}.{name}")
        for key in ("items", "additionalProperties"):
            if isinstance(node.get(key), dict):
                yield from whole(node[key], top, f"{path}.{key}")


def whole(node, top, path):
    while "$ref" in node:
        shared = top["$defs"][node["$ref"].removeprefix("#/$defs/")]
        node = {**shared, **{key: value for key, value in node.items() if key != "$ref"}}
    yield path, node
    yield from properties(node, top, path)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_a_schema(name):
    Draft202012Validator.check_schema(json.loads((ROOT / "workflow/schemas" / name).read_text()))


@pytest.mark.parametrize(
    ("name", "at_least"), [("facts", 100), ("device", 100), ("check", 50), ("count", 20)]
)
def test_every_property_has_a_description_a_unit_and_a_class(name, at_least):
    top = schema.load(name)
    found = list(properties(top, top))
    assert len(found) > at_least
    for path, node in found:
        assert node.get("description"), path
        if {"properties", "patternProperties", "items", "additionalProperties"}.isdisjoint(node):
            assert node.get("unit"), path
            assert node.get("class") in CLASSES, path


def test_the_shipped_config_is_valid_and_every_key_is_explained(config):
    assert settings.checked(config) == config
    lines = (ROOT / "config.yaml").read_text().splitlines()
    for key in settings.SETTINGS:
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{key}:"))
        assert any(line.startswith("# ") for line in lines[max(0, at - 3) : at]), key


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("traffic", 0, "fused", "bytes"), 1.0),
        (("traffic", 0, "fused", "within_bound"), False),
        (("timings",), {}),
        (("overflow", "fp16", "largest"), 65505),
        (("claims", 0, "class"), "certain"),
        (("extra",), 1),
    ],
)
def test_facts_that_do_not_fit_are_refused(facts, path, value):
    document = copy.deepcopy(facts)
    node = document
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    with pytest.raises(FactsError, match=r"facts\.json: .* found .* expected .*; rebuild it"):
        assemble.validate(document, "facts.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_values": [0]}, "n_values[0] found 0, expected at least 1"),
        ({"n_values": []}, "n_values found [], expected at least 1 item"),
        ({"n_values": [64.0]}, "n_values[0] found 64.0, expected a value of type integer"),
        ({"n_values": [64, 64]}, "n_values found [64, 64], expected each item once"),
        ({"n_values": 64}, "n_values found 64, expected a value of type array"),
        ({"head_dims": [20]}, "head_dims[0] found 20, expected one of [16, 32, 64, 128]"),
        ({"seed": "1e-3"}, "seed found '1e-3', expected a value of type integer"),
        ({"control_key_rows": 24}, "control_key_rows found 24, expected at most 23"),
        ({"weights_sha256": "x"}, "weights_sha256 found 'x', expected text matching"),
        (
            {"weight": "x"},
            "the document found an unknown key 'weight' (did you mean weights",
        ),
    ],
)
def test_a_wrong_config_is_one_sentence(config, change, message):
    with pytest.raises(FactsError) as caught:
        settings.checked({**config, **change})
    assert str(caught.value).startswith(f"config: {message}")
    assert str(caught.value).endswith(settings.MEND)
    assert "\n" not in str(caught.value)


def test_a_missing_key_is_named(config):
    rest = {key: value for key, value in config.items() if key != "seed"}
    with pytest.raises(FactsError, match="config: the document found no seed, expected all of"):
        settings.checked(rest)


@pytest.mark.parametrize("key", ["statement", "checked_by"])
@pytest.mark.parametrize("text", ["a | b", "-->96<!--", "a\nb", "`a`", "a\ue000b"])
def test_a_claim_s_words_hold_nothing_that_a_document_would_take_for_markup(facts, key, text):
    changed = copy.deepcopy(facts)
    changed["claims"][0][key] = text
    with pytest.raises(FactsError, match=rf"claims\[0\]\.{key} found"):
        assemble.validate(changed, "facts.json")
