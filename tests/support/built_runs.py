"""What runs would leave to be published, without the runs."""

import json

from fusedfacts.documents import canonical_json, files
from fusedfacts.publishing import manifest as manifests

from support.common import PUBLISHED


def beside(folder, without=(), **changed):
    """What a run would leave in `folder`: the published files, some of them changed or left out."""
    document = manifests.read(PUBLISHED / "manifest.json")
    for name in list(document["files"]):
        if name in without:
            del document["files"][name]
            continue
        content = changed.get(name.partition(".")[0], (PUBLISHED / name).read_bytes())
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)  # no need to wait for the disk, as publishing does
        document["files"][name] = files.sha256(content)
    files.write_json(folder / "manifest.json", document)
    return folder / "manifest.json"


# What no fact changes: two runs publish the same bytes.
STATIC = ("js/", "kernels/", "model/", "film.css", "page.css", "icon.svg")


def marked(folder, mark, without=()):
    """What another run would leave: what follows from facts is told apart by a mark."""
    facts = json.loads((PUBLISHED / "facts.json").read_text())
    facts["left_out"].append(mark)
    built = beside(folder, without, facts=canonical_json.dumps(facts).encode())
    document = manifests.read(built)
    for name in set(document["files"]) - {"facts.json"}:
        if not name.startswith(STATIC):
            # White space at the end is at home in all of them, JSON included.
            content = (folder / name).read_bytes() + b" " * sum(mark.encode())
            (folder / name).write_bytes(content)
            document["files"][name] = files.sha256(content)
    files.write_json(built, document)
    return built


def as_published(built):
    """The folder that publishing these makes, by name."""
    document = manifests.read(built)
    hashes = {**document["files"], "manifest.json": files.sha256(built.read_bytes())}
    sums = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    return {
        **{name: (built.parent / name).read_bytes() for name in document["files"]},
        "SHA256SUMS": sums.encode(),
        "manifest.json": built.read_bytes(),
    }
