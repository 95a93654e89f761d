"""What a lie is, and the changes that plant one in a copy of the repository."""

from __future__ import annotations

import importlib.util
import json
import py_compile
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fusedfacts.documents import canonical_json, files

from support import audits

MEDIA = str(audits.WHERE)
FACTS = f"{MEDIA}/facts.json"
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
    of_heads : bool
        Whether it is told of heads of one's own, which what is shipped has not.
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
    of_heads: bool = False
    remakes: tuple[str, ...] = EVERYTHING
    becomes_true: str = ""

    @property
    def careful_check(self):
        return self.check if self.careful is None else self.careful


# --- values of facts.json -------------------------------------------------------------------------


def value(place, by):
    """Change one value, in a way that has a name; its place is like `traffic.0.fused.bytes`."""

    def change(below):
        *steps, last = [int(step) if step.isdigit() else step for step in place.split(".")]
        for step in steps:
            below = below[step]
        below[last] = VALUES[by](below[last])

    return lambda copy: document(change)(copy / FACTS)


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


VALUES = {
    "+1": lambda old: old + 1,
    "+1/4": lambda old: old + 0.25,
    "x100": lambda old: float(f"{old * 100:.3g}"),
    "true": lambda _: True,
    "false": lambda _: False,
    "shorter": lambda old: old[:-1],
    "reversed": lambda old: old[::-1],
    "digit": digit,
    "uncaught": uncaught,
}


# --- files ----------------------------------------------------------------------------------------


def changed(name, change):
    """Change a file of the copy: in a way that has a name, or a text for another, once."""
    old, arrow, new = change.partition(" -> ")
    return lambda copy: (text(old, new) if arrow else CHANGES[change])(copy / name)


def text(old, new):
    def plant(path):
        found = path.read_text(encoding="utf-8")
        assert old in found, f"{path}: {old}"
        path.write_text(found.replace(old, new, 1), encoding="utf-8", newline="")

    return plant


def content(change):
    """Change a file's bytes."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def document(change):
    """Change a JSON document, and write it as its writer would."""

    def plant(path):
        found = canonical_json.read(path)
        change(found)
        files.write_bytes(path, canonical_json.dumps(found).encode())

    return plant


def claims(change):
    """Change the list of claims and no section."""
    return document(lambda facts: facts.update(claims=change(facts["claims"])))


def thirteen(claim):
    wrong = {"value": 13, "display": "13"}
    return {**claim, **wrong} if claim["id"] == "control.rows_wrong" else claim


def reformed(path):
    """Write a JSON document again in another form: the same values, other bytes."""
    path.write_text(json.dumps(canonical_json.read(path)))


def false_crate(path):
    """Describe another licence in the crate, and make the hashes round it agree."""
    data = path.read_bytes().replace(b"licenses/MIT", b"licenses/GPL-3.0-only")
    path.write_bytes(data)
    folder = path.parent / MEDIA
    manifest = canonical_json.read(folder / "manifest.json") | {"crate": files.sha256(data)}
    files.write_json(folder / "manifest.json", manifest)
    sums = folder / "SHA256SUMS"
    digest = files.sha256((folder / "manifest.json").read_bytes())
    lines = sums.read_text().splitlines()
    lines = [f"{digest}  {x.split()[1]}" if x.endswith("manifest.json") else x for x in lines]
    sums.write_text("\n".join(lines) + "\n")


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


# The library's bound, forgiving twice as much.
forgiving = text("EVALUATION = 1 + 2.0**-20", "EVALUATION = 2.0")


def hidden(path):
    """Hide a module behind a package of its name, which forgives."""
    package = path.parents[3] / "more"
    package.mkdir()
    forgiving(shutil.copy(path, package / "__init__.py"))
    path.with_suffix("").symlink_to(package)


def byte_code(path):
    """Compile what Python loads whatever the source says: PEP 552 allows it."""
    forged = path.parents[3] / "forged.py"
    forgiving(shutil.copy(path, forged))
    place = Path(importlib.util.cache_from_source(str(path)))
    place.parent.mkdir(exist_ok=True)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(forged), cfile=str(place), invalidation_mode=unchecked)
    forged.unlink()


def linked(path):
    elsewhere = path.rename(path.parents[3] / "elsewhere")
    path.symlink_to(elsewhere)


UNQUOTED = "operations.fused.exps.n64.d16"  # by no word, so that nothing else misses it
CHANGES = {
    "13 for 31": claims(lambda found: [thirteen(claim) for claim in found]),
    "unquoted claim gone": claims(lambda found: [c for c in found if c["id"] != UNQUOTED]),
    "first claim twice": claims(lambda found: [found[0], *found]),
    "claims reversed": claims(lambda found: found[::-1]),
    "first limit gone": document(lambda facts: facts["left_out"].pop(0)),
    "first size gone": document(lambda facts: facts["traffic"].pop(0)),
    "properties optional": text('"type": "object",', '"type": "object", "required": ["claims"],'),
    "properties more": text('"type": "object",', '"type": "object", "additionalProperties": true,'),
    "reformed": reformed,
    "false crate": false_crate,
    "CRLF": content(lambda data: data.replace(b"\n", b"\r\n")),
    "first digit": content(lambda data: (b"1" if data[:1] == b"0" else b"0") + data[1:]),
    "one byte": content(one_byte),
    "tensors swapped": content(swapped),
    "deleted": Path.unlink,
    "made": lambda path: path.write_text("faster = True\n"),
    "folder made": Path.mkdir,
    "linked": linked,
    "forgiving": forgiving,
    "hidden": hidden,
    "byte code": byte_code,
}
