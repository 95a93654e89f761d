"""What runs would leave to be published, without the runs."""

from fusedfacts.documents import canonical_json, files
from fusedfacts.publishing import manifest as manifests

from support.common import PUBLISHED

# What no fact changes: two runs publish the same bytes.
STATIC = ("js/", "kernels/", "model/", "film.css", "page.css", "icon.svg")


def beside(folder, without=(), **changed):
    """What a run would leave in `folder`: the published files, some of them changed or left out."""
    document = manifests.read(PUBLISHED / "manifest.json")
    for name in list(document["files"]):
        if name in without:
            del document["files"][name]
            continue
        content = changed.get(name) or (PUBLISHED / name).read_bytes()
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)  # no need to wait for the disk, as publishing does
        document["files"][name] = files.sha256(content)
    files.write_json(folder / "manifest.json", document)
    return folder / "manifest.json"


def marked(folder, mark, without=()):
    """What another run would leave: what follows from facts is told apart by a mark."""
    facts = canonical_json.read(PUBLISHED / "facts.json")
    facts["left_out"].append(mark)
    # White space at the end is at home in all of them, JSON included.
    changed = {
        name: (PUBLISHED / name).read_bytes() + b" " * sum(mark.encode())
        for name in manifests.read(PUBLISHED / "manifest.json")["files"]
        if not name.startswith(STATIC)
    }
    changed["facts.json"] = canonical_json.dumps(facts).encode()
    return beside(folder, without, **changed)


def as_published(built):
    """The folder that publishing these makes, by name."""
    document = manifests.read(built)
    return {
        **{name: (built.parent / name).read_bytes() for name in document["files"]},
        "SHA256SUMS": manifests.sums(document).encode(),
        "manifest.json": built.read_bytes(),
    }


def once(validate):
    """Hold a document against its schema the first time alone, for it takes most of a second."""
    valid = set()

    def remembered(*arguments):
        if (key := repr(arguments[:3])) not in valid:
            validate(*arguments)
            valid.add(key)

    return remembered
