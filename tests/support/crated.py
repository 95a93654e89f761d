"""The crate of this very tree, for the tests of crates."""

import shutil

import yaml
from fusedfacts.documents import canonical_json
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import provenance
from fusedfacts.publishing.crate import layout, tree

from support.common import PUBLISHED, ROOT


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
