"""What a lie is, and the changes that plant one in a copy of the repository."""

from __future__ import annotations

import importlib.util
import json
import py_compile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fusedfacts.documents import canonical_json, files

from support import audits

MEDIA = str(audits.WHERE)
FACTS = f"{MEDIA}/facts.json"
BOUND = "workflow/fusedfacts/attention/error_bound.py"
EVERYTHING = ("claims", "words", "documents", "hashes")


@dataclass(frozen=True)
class Lie:
    """One thing changed, and who must see it.

    Attributes
    ----------
    what : str
        For the table; no digit, since documents quote digits from claims.
    plant : callable
        Changes a copy of the repository.
    named : str
        What the audit's sentence must hold.
    check : str
        The check of the quick audit that sees a careless liar.
    careful : str, optional
        The one that sees a careful liar: the same by default, and none where it is empty.
    full : str
        Where the quick audit sees no careful liar: the class of values, or the part of a fresh
        build, that differs.
    of_source : bool
        Whether the repository itself is changed, and not only what is published.
    remakes : tuple of str
        What a careful liar makes again from the false facts.
    becomes_true : str
        Where even a full audit finds nothing after a careful liar: why it is no lie any more.
    """

    what: str
    plant: Callable[[Path], None]
    named: str
    check: str
    careful: str | None = None
    full: str = ""
    of_source: bool = False
    remakes: tuple[str, ...] = EVERYTHING
    becomes_true: str = ""

    @property
    def careful_check(self):
        return self.check if self.careful is None else self.careful


def text(name, old, new):
    """Replace text in a file of the copy, once."""

    def plant(copy):
        path = copy / name
        found = path.read_text(encoding="utf-8")
        assert old in found, f"{name}: {old}"
        path.write_text(found.replace(old, new, 1), encoding="utf-8", newline="")

    return plant


def content(name, change):
    """Change the bytes of a file of the copy."""
    return lambda copy: (copy / name).write_bytes(change((copy / name).read_bytes()))


def facts(change):
    """Change facts.json as a document, and write it as its writer would."""

    def plant(copy):
        document = canonical_json.read(copy / FACTS)
        change(document)
        files.write_bytes(copy / FACTS, canonical_json.dumps(document).encode())

    return plant


def value(path, by=lambda old: old + 1):
    """Change one value of facts.json; a path is like `traffic.0.fused.bytes`."""

    def change(document):
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in steps:
            document = document[step]
        document[last] = by(document[last])

    return facts(change)


def claims(change):
    """Replace the list of claims and no section."""
    return facts(lambda document: document.update(claims=change(document["claims"])))


def claim(identifier, **changed):
    """Change a claim and not its section."""

    def change(document):
        found = next(c for c in document["claims"] if c["id"] == identifier)
        found.update({k: v(found[k]) if callable(v) else v for k, v in changed.items()})

    return facts(change)


def schema(change):
    """Change the schema of facts.json, form and all."""
    name = "workflow/schemas/facts.schema.json"

    def plant(copy):
        document = json.loads((copy / name).read_text())
        change(document)
        (copy / name).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")

    return plant


def reformed(name):
    """Write a JSON document again in another form: the same values, other bytes."""
    return lambda copy: (copy / name).write_text(json.dumps(canonical_json.read(copy / name)))


def crlf(name):
    return content(name, lambda data: data.replace(b"\n", b"\r\n"))


def flipped(name):
    """Change the first digit of a file of hashes."""
    return content(name, lambda data: (b"1" if data[:1] == b"0" else b"0") + data[1:])


def digit(number):
    """Choose another last digit of those that a rounded number shows.

    >>> digit(1.24e-07), digit(0.802)
    (1.25e-07, 0.803)
    """
    mantissa, _, exponent = repr(number).partition("e")
    other = mantissa[:-1] + str((int(mantissa[-1]) + 1) % 10)
    return float(f"{other}e{exponent}" if exponent else other)


def uncaught(head):
    """Choose figures of a control that saw nothing."""
    wrong = {"rows_wrong": 0, "row_is_wrong": [False] * head["rows"], "elements_wrong": 0}
    return {**head, **wrong, "rows_late_maximum_but_passing": sum(head["row_has_late_maximum"])}


def one_byte(data):
    """Change the byte of one weight that holds its leading digits."""
    size = int.from_bytes(data[:8], "little")
    start = json.loads(data[8 : 8 + size])["query"]["data_offsets"][0]
    at = 8 + size + start + 2
    return data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]


def swapped(data):
    """Make another model's weights: two tensors of one shape change places."""
    from safetensors.numpy import load, save

    size = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + size])["__metadata__"]
    tensors = load(data)
    tensors["query"], tensors["value"] = tensors["value"], tensors["query"]
    return save(tensors, metadata)


def forgiving(copy):
    """Return the library's bound, forgiving twice as much."""
    return (copy / BOUND).read_text().replace("EVALUATION = 1 + 2.0**-20", "EVALUATION = 2.0")


def hidden_module(copy):
    (copy / "more").mkdir()
    (copy / "more/__init__.py").write_text(forgiving(copy))
    (copy / BOUND).with_suffix("").symlink_to(copy / "more")


def byte_code(copy):
    """Compile what Python loads whatever the source says: PEP 552 allows it."""
    forged = copy / "forged.py"
    forged.write_text(forgiving(copy))
    place = Path(importlib.util.cache_from_source(str(copy / BOUND)))
    place.parent.mkdir(exist_ok=True)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(forged), cfile=str(place), invalidation_mode=unchecked)
    forged.unlink()


def link(copy):
    path = copy / MEDIA / "captions.vtt"
    path.rename(copy / "elsewhere.vtt")
    path.symlink_to(copy / "elsewhere.vtt")
