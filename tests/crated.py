"""The crate of this very tree, for the tests of crates."""

import shutil

import yaml
from conftest import PUBLISHED, ROOT
from fusedfacts import canonical_json, provenance, publish
from fusedfacts import config as settings
from fusedfacts.crate import layout, tree


def names():
    """What a run publishes."""
    return publish.listed(PUBLISHED / "manifest.json")


def published():
    return {name: PUBLISHED / name for name in names()}


def inputs():
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    return provenance.inputs(
        ROOT, {config[part]: str(ROOT / config[part]) for part in settings.MODEL_PARTS}
    )


def document():
    return tree.crate(ROOT, tree.contents(published()), inputs(), layout.FOLDER)


def copied(crate, folder):
    """A folder with everything that a crate describes, and the crate."""
    for entity in crate["@graph"]:
        if "File" in entity["@type"]:
            (folder / entity["@id"]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / entity["@id"], folder / entity["@id"])
    for name in layout.FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / layout.NAME).write_text(canonical_json.dumps(crate), encoding="utf-8")
    return folder
