"""Lies that somebody could plant, each in a scratch copy of the repository, and who sees them.

    PYTHONPATH=tests python -m support.lies           # write the table of docs/audit.md anew
    PYTHONPATH=tests python -m support.lies unit nan  # plant these, and say what is seen

A careless liar changes one thing. A careful one then makes everything else agree: claims, words,
pictures, page and documents are made again from the false facts, hashes in config and facts are
corrected, manifest and SHA256SUMS are written anew. What still gives a careful liar away is a
contradiction within what was published, or a fresh computation.
"""

from __future__ import annotations

import importlib.util
import json
import py_compile
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from fusedfacts.audit import documents
from fusedfacts.audit import rendered as told
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.kernels import manifest as kernels
from fusedfacts.lesson import assets
from fusedfacts.pipeline import config as settings
from fusedfacts.prose import forms, spans
from fusedfacts.publishing import manifest as publish

from support import audits
from support.common import ROOT
from support.workflow_runs import SMALL, copy_of_repository, run

FACTS = audits.WHERE / "facts.json"


@dataclass(frozen=True)
class Lie:
    """One thing changed.

    Attributes
    ----------
    what : str
        For the table; no digit, since documents quote digits from claims.
    plant : callable
        Changes a copy of the repository.
    named : str
        A pattern that the audit's sentence must hold.
    of_source : bool
        Whether the repository itself is changed, and not only what is published.
    shapes_a_build : bool
        Whether what is changed is read by a build.
    remakes : tuple of str
        What a careful liar makes again from the false facts: claims, words.
    becomes_true : str
        Where even a full audit finds nothing after a careful liar: why it is no lie any more.
    """

    what: str
    plant: Callable[[Path], None]
    named: str
    of_source: bool = False
    shapes_a_build: bool = True
    remakes: tuple[str, ...] = ("claims", "words")
    becomes_true: str = ""


def text(name, old, new, count=1):
    """Replace text in a file of the copy."""

    def plant(copy):
        path = copy / name
        found = path.read_text(encoding="utf-8")
        assert old in found, f"{name}: {old}"
        path.write_text(found.replace(old, new, count), encoding="utf-8", newline="")

    return plant


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


def claim(identifier, **changed):
    """Change a claim and not its section."""

    def change(document):
        found = next(c for c in document["claims"] if c["id"] == identifier)
        found.update({k: v(found[k]) if callable(v) else v for k, v in changed.items()})

    return facts(change)


def digit(number):
    """Another last digit of those that a rounded number shows.

    >>> digit(1.24e-07), digit(0.802)
    (1.25e-07, 0.803)
    """
    mantissa, _, exponent = repr(number).partition("e")
    other = mantissa[:-1] + str((int(mantissa[-1]) + 1) % 10)
    return float(f"{other}e{exponent}" if exponent else other)


def _claims(change):
    return facts(lambda document: document.update(claims=change(document["claims"])))


def _not_caught(document):
    head = document["control"]["heads"][0]
    head.update(rows_wrong=0, row_is_wrong=[False] * head["rows"], elements_wrong=0)
    head["rows_late_maximum_but_passing"] = sum(head["row_has_late_maximum"])


def _crlf(name):
    def plant(copy):
        path = copy / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    return plant


def _one_byte(copy):
    """The byte of one weight that holds its leading digits."""
    path = copy / "model/weights.safetensors"
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[:8], "little")
    start = json.loads(data[8 : 8 + size])["query"]["data_offsets"][0]
    data[8 + size + start + 2] ^= 0x40
    path.write_bytes(data)


def _swapped(copy):
    """Another model's weights: two tensors of one shape change places."""
    from safetensors.numpy import load, save

    path = copy / "model/weights.safetensors"
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + size])["__metadata__"]
    tensors = load(content)
    tensors["query"], tensors["value"] = tensors["value"], tensors["query"]
    path.write_bytes(save(tensors, metadata))


def _loosened(copy):
    """A schema that lets anything through beside what it knows."""
    path = copy / "workflow/schemas/facts.schema.json"
    document = json.loads(path.read_text())
    document["additionalProperties"] = True
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _optional(copy):
    path = copy / "workflow/schemas/facts.schema.json"
    document = json.loads(path.read_text())
    document["required"] = [key for key in document["properties"] if key != "left_out"]
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _forgiving(copy):
    """The library's bound, forgiving twice as much."""
    honest = (copy / "workflow/fusedfacts/attention/error_bound.py").read_text()
    return honest.replace("EVALUATION = 1 + 2.0**-20", "EVALUATION = 2.0")


def _hidden_module(copy):
    (copy / "more").mkdir()
    (copy / "more/__init__.py").write_text(_forgiving(copy))
    (copy / "workflow/fusedfacts/bound").symlink_to(copy / "more")


def _byte_code(copy):
    """Loaded whatever the source says: PEP 552 allows it."""
    forged = copy / "forged.py"
    forged.write_text(_forgiving(copy))
    place = Path(
        importlib.util.cache_from_source(str(copy / "workflow/fusedfacts/attention/error_bound.py"))
    )
    place.parent.mkdir(exist_ok=True)
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(forged), cfile=str(place), invalidation_mode=unchecked)
    forged.unlink()


def _link(copy):
    path = copy / audits.WHERE / "captions.vtt"
    path.rename(copy / "elsewhere.vtt")
    path.symlink_to(copy / "elsewhere.vtt")


def _config_seed(copy):
    text("config.yaml", "seed: 23", "seed: 32")(copy)


def _delete(copy):
    (copy / audits.WHERE / "captions.vtt").unlink()


def _stray(copy):
    (copy / audits.WHERE / "more.md").write_text("It is much faster.\n")


MEDIA = str(audits.WHERE)
UNQUOTED = "operations.fused.exps.n64.d16"  # by no word, so that nothing else misses it
LIES = {
    "bytes": Lie("a byte count, a digit", value("traffic.0.fused.bytes"), r"fused\.bytes"),
    "elements": Lie(
        "a count of one buffer, a digit",
        value("traffic.3.unfused.elements.mix.v.loads"),
        r"unfused\.elements\.mix\.v",
    ),
    "operations": Lie(
        "a count of operations, a digit", value("traffic.3.fused.operations.exps"), r"exps"
    ),
    "ratio": Lie("a ratio of bytes, a digit", value("traffic.6.ratio", digit), r"ratio"),
    "error": Lie(
        "an error, a digit", value("traffic.6.fused.largest_error", digit), r"largest_error|error"
    ),
    "bound_times_100": Lie(
        "a bound, multiplied by a hundred",
        value("traffic.6.fused.bound_there", lambda old: float(f"{old * 100:.3g}")),
        r"bound",
    ),
    "ratio_of_bound": Lie(
        "a ratio of error to bound, a digit",
        value("attention.heads.0.plain.largest_ratio", digit),
        r"largest_ratio|ratio",
    ),
    "fault_seen": Lie(
        "the smallest fault seen, one power of two",
        value("traffic.6.fused.smallest_fault_seen.in_every_row"),
        r"in_every_row",
    ),
    "loss": Lie("the model's loss, a digit", value("model.held_out_loss", digit), r"held_out_loss"),
    "rises": Lie(
        "how often a maximum rises, a digit", value("online_softmax.model_rows.rises"), r"rises"
    ),
    "control": Lie(
        "wrong answers of the control, one more", value("control.heads.0.rows_wrong"), r"rows_wrong"
    ),
    "not_caught": Lie(
        "the control marked caught when it was not", facts(_not_caught), r"caught|row_is_wrong"
    ),
    "mutant": Lie(
        "a fault's figure, a digit",
        value("mutants.matrix.key_dropped.random.largest_ratio", digit),
        r"key_dropped",
    ),
    "mutant_unseen": Lie(
        "a fault seen where it was not",
        value("mutants.matrix.key_dropped.constant_values.seen", lambda _: True),
        r"key_dropped",
    ),
    "overflow": Lie(
        "a count of overflowing scores, a digit",
        value("overflow.held_out.infinite_terms"),
        r"infinite_terms",
    ),
    "threshold": Lie(
        "a threshold of fp16, a digit", value("overflow.fp16.ln_largest", digit), r"ln_largest"
    ),
    "kernels": Lie(
        "a kernel's workgroup memory, a digit",
        value("kernels.kernels.0.sizes.0.workgroup_bytes"),
        r"workgroup_bytes",
    ),
    "contract": Lie("a constant of the contract, a digit", value("contract.vanished"), r"vanished"),
    "worked": Lie(
        "the worked case, a digit", value("worked.answer", lambda old: old + 0.25), r"answer"
    ),
    "setting": Lie("a setting, a digit", value("settings.record_rows"), r"record_rows"),
    "claim_value": Lie(
        "a claim's value, and not its section's",
        claim(
            "control.rows_wrong", value=13, display="13", statement=lambda s: s.replace("31", "13")
        ),
        r"control\.rows_wrong",
        remakes=("words",),
    ),
    "unit": Lie(
        "a claim's unit",
        claim("traffic.fused.n4096.d64", unit="bits"),
        r"traffic\.fused\.n4096\.d64.*(unit|bits)|index\.html",
        remakes=("words",),
    ),
    "statement": Lie(
        "a claim's statement",
        claim("control.rows_wrong", statement=lambda s: s.replace("wrong", "right")),
        r"control\.rows_wrong.*statement|facts\.json",
        remakes=("words",),
    ),
    "class": Lie(
        "a claim's class, so that nobody compares it",
        claim("control.rows_wrong", **{"class": "observed"}),
        r"control\.rows_wrong.*class|facts\.json",
        remakes=("words",),
    ),
    "claim_deleted": Lie(
        "a claim deleted",
        _claims(lambda claims: [c for c in claims if c["id"] != UNQUOTED]),
        rf"{re.escape(UNQUOTED)}",
        remakes=("words",),
    ),
    "id_doubled": Lie(
        "an id doubled",
        _claims(lambda claims: [claims[0], *claims]),
        r"attention\.head0\.plain\.bound is found 2 times|facts\.json",
        remakes=("words",),
    ),
    "source_hash": Lie(
        "a source's hash in the facts",
        value("inputs.weights.sha256", lambda old: old[:-1] + ("0" if old[-1] != "0" else "1")),
        r"inputs\.weights\.sha256",
    ),
    "left_out": Lie(
        "a limit left out of what is left out",
        facts(lambda document: document["left_out"].pop(0)),
        r"left_out",
    ),
    "timings": Lie(
        "facts.json, another order of keys",
        lambda copy: (copy / FACTS).write_text(json.dumps(canonical_json.read(copy / FACTS))),
        r"facts\.json",
        remakes=("words",),
    ),
    "duplicate_key": Lie(
        "a JSON key twice",
        text(str(FACTS), '"class": "exact",', '"class": "exact",\n   "class": "exact",'),
        r"the key 'class' appears twice",
        remakes=(),
    ),
    "nan": Lie(
        "NaN for a number",
        text(str(FACTS), '"held_out_loss": 0.802', '"held_out_loss": NaN'),
        r"NaN is not a JSON number",
        remakes=(),
    ),
    "caption": Lie(
        "a caption's number",
        text(f"{MEDIA}/captions.vtt", "272.5", "275.2"),
        r"captions\.vtt",
        remakes=(),
    ),
    "caption_word": Lie(
        "a caption's number word",
        text(f"{MEDIA}/captions.vtt", "four times:", "five times:"),
        r"captions\.vtt",
        remakes=(),
    ),
    "transcript": Lie(
        "the transcript's number",
        text(f"{MEDIA}/transcript.md", "-->31<!--", "-->13<!--"),
        r"transcript\.md",
        remakes=(),
    ),
    "film": Lie(
        "the film's number",
        text(f"{MEDIA}/film.json", '"text": "514"', '"text": "541"'),
        r"film\.json",
        remakes=(),
    ),
    "page": Lie(
        "the page's number",
        text(f"{MEDIA}/index.html", "17,301,504", "17,301,540"),
        r"index\.html",
        remakes=(),
    ),
    "picture": Lie(
        "a picture's number",
        text(f"{MEDIA}/pictures/traffic.svg", ">1,024", ">1,042"),
        r"traffic\.svg",
        remakes=(),
    ),
    "readme": Lie(
        "the README's table",
        text("README.md", "-->17,301,504<!--", "-->17,301,540<!--"),
        r"README\.md:\d+: traffic\.fused\.n4096\.d16",
        of_source=True,
        shapes_a_build=False,
        remakes=("no documents",),
    ),
    "readme_unbound": Lie(
        "a number typed into the README",
        text("README.md", "MIT licence.", "MIT licence, 8 times faster."),
        r"README\.md:\d+: found the number '8'",
        of_source=True,
        shapes_a_build=False,
        remakes=("no documents",),
    ),
    "crlf": Lie(
        "CRLF in a published text", _crlf(f"{MEDIA}/captions.vtt"), r"captions\.vtt", remakes=()
    ),
    "crlf_kernel": Lie(
        "CRLF in a kernel", _crlf("kernels/fused.wgsl"), r"kernels/fused\.wgsl", of_source=True
    ),
    "missing": Lie("a published file deleted", _delete, r"captions\.vtt", remakes=()),
    "stray": Lie("a file too many", _stray, r"more\.md", remakes=()),
    "link": Lie("a link in place of a file", _link, r"captions\.vtt", remakes=()),
    "hidden": Lie(
        "a hidden file too many",
        lambda copy: (copy / MEDIA / ".more").write_text("faster\n"),
        r"\.more",
        remakes=(),
    ),
    "empty_folder": Lie(
        "an empty folder",
        lambda copy: (copy / MEDIA / "more").mkdir(),
        r"fused/more: found a link or an empty folder",
        remakes=(),
    ),
    "manifest_config": Lie(
        "a setting in the manifest",
        text(f"{MEDIA}/manifest.json", '"seed": 23', '"seed": 32'),
        r"manifest\.json: config\.seed",
        remakes=("no hashes",),
    ),
    "manifest_type": Lie(
        "a setting of the manifest, of another type",
        text(f"{MEDIA}/manifest.json", "   16,\n", "   16.0,\n"),
        r"manifest\.json: config\.|SHA256SUMS",
        remakes=("no hashes",),
    ),
    "manifest_form": Lie(
        "the manifest, in another form",
        lambda copy: (copy / MEDIA / "manifest.json").write_text(
            json.dumps(canonical_json.read(copy / MEDIA / "manifest.json"))
        ),
        r"manifest\.json: found other bytes",
        remakes=("no hashes",),
    ),
    "size_missing": Lie(
        "a size left out of the sweep",
        facts(lambda document: document["traffic"].pop(0)),
        r"traffic: \(d, n\)",
        remakes=("claims", "no documents"),
    ),
    "order": Lie(
        "the claims in another order",
        _claims(lambda claims: claims[::-1]),
        r"claims: found out of order",
        remakes=("words",),
    ),
    "document": Lie(
        "a number of a document under docs",
        text("docs/counts.md", "-->438<!--", "-->483<!--"),
        r"docs/counts\.md:\d+: ",
        of_source=True,
        shapes_a_build=False,
        remakes=("no documents",),
    ),
    "other_digits": Lie(
        "a number typed in digits of another script",
        text("README.md", "MIT licence.", "MIT licence, \uff18 times faster."),
        r"README\.md:\d+: found the number",
        of_source=True,
        shapes_a_build=False,
        remakes=("no documents",),
    ),
    "source_more": Lie(
        "a file more in the library",
        lambda copy: (copy / "workflow/fusedfacts/more.py").write_text("x = 1\n"),
        r"workflow/fusedfacts/more\.py",
        of_source=True,
        becomes_true="what nothing imports says nothing false; the history shows it",
    ),
    "source_link": Lie(
        "a link to a package that hides a module of the library",
        _hidden_module,
        r"fusedfacts/bound: found a link",
        of_source=True,
    ),
    "byte_code": Lie(
        "byte code that says something else than its source",
        _byte_code,
        r"bound\.\S+\.pyc: found byte code",
        of_source=True,
    ),
    "required": Lie(
        "a property of the schema made optional",
        _optional,
        r"facts\.schema\.json",
        of_source=True,
    ),
    "sums": Lie(
        "a hash in `SHA256SUMS`",
        lambda copy: _flip(copy / MEDIA / "SHA256SUMS"),
        r"SHA256SUMS",
        remakes=("no hashes",),
    ),
    "weights_swapped": Lie(
        "a swapped weights file", _swapped, r"weights\.safetensors", of_source=True
    ),
    "weight_byte": Lie(
        "one byte of one weight", _one_byte, r"weights\.safetensors", of_source=True
    ),
    "kernel_tile": Lie(
        "a kernel's tile size",
        text("kernels/manifest.json", '"BC": 64', '"BC": 32'),
        r"kernels/manifest\.json",
        of_source=True,
    ),
    "schema": Lie(
        "a schema loosened",
        _loosened,
        r"facts\.schema\.json",
        of_source=True,
    ),
    "library": Lie(
        "the library: a bound that forgives more",
        text(
            "workflow/fusedfacts/attention/error_bound.py",
            "EVALUATION = 1 + 2.0**-20",
            "EVALUATION = 2.0",
        ),
        r"workflow/fusedfacts/attention/error_bound\.py",
        of_source=True,
    ),
    "seed": Lie("the config's seed", _config_seed, r"seed", of_source=True),
    "lock": Lie(
        "a package of the lock",
        text("requirements.txt", "numpy==2", "numpy==1"),
        r"requirements\.txt",
        of_source=True,
    ),
}


def _flip(path):
    found = path.read_text()
    path.write_text(("1" if found[0] == "0" else "0") + found[1:])


def mended(lie, copy):
    """The careful liar: everything made to agree, short of computing anything."""
    if "no hashes" in lie.remakes:
        return
    _mend_config(copy)
    config = settings.read(copy)
    folder = copy / audits.WHERE
    if lie.remakes:
        document = canonical_json.read(copy / FACTS)
        for part in settings.MODEL_PARTS:
            document["inputs"][part]["sha256"] = (
                config[f"{part}_sha256"] if lie.of_source else document["inputs"][part]["sha256"]
            )
        if lie.of_source:
            for entry in document["kernels"]["kernels"]:
                entry["sha256"] = _digest(copy / "kernels" / f"{entry['name']}.wgsl")
            document["kernels"]["manifest_sha256"] = _digest(copy / "kernels" / kernels.MANIFEST)
            document["settings"] = settings.settings(config)
        if "claims" in lie.remakes:
            document["claims"] = assemble.claims(document)
        if lie.what != "facts.json, another order of keys":
            files.write_bytes(copy / FACTS, canonical_json.dumps(document).encode())
        for name, data in told.rendered(document, config).items():
            files.write_bytes(folder / name, data)
        if "no documents" not in lie.remakes:
            _mend_documents(copy, document)
    if config["film"]:
        model = [copy / config[part] for part in settings.MODEL_PARTS]
        for name, path in assets.copies(copy, model).items():
            shutil.copyfile(path, folder / name)
    _mend_hashes(copy, config)


def _digest(path):
    return files.sha256(path.read_bytes())


def _mend_config(copy):
    path = copy / "config.yaml"
    found = path.read_text()
    config = yaml.safe_load(found)
    for part in settings.MODEL_PARTS:
        found = found.replace(config[f"{part}_sha256"], _digest(copy / config[part]))
    path.write_text(found)


def _mend_documents(copy, document):
    claims = forms.by_id(document)
    for path in documents.paths(copy):
        path.write_text(spans.mended(path.read_text(encoding="utf-8"), claims), encoding="utf-8")


def _mend_hashes(copy, config):
    folder = copy / audits.WHERE
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    names -= {publish.MANIFEST, publish.SUMS}
    names = {name for name in names if publish.NAME.fullmatch(name)}  # no manifest lists others
    model = {config[part]: str(copy / config[part]) for part in settings.MODEL_PARTS}
    old = canonical_json.read(folder / publish.MANIFEST)
    try:
        sources = publish.inputs(copy, model)
    except FactsError:  # a link, of which no manifest can speak
        sources = {name: copy / name for name in old["inputs"]}
    built = {name: folder / name for name in names}
    document = publish.build(built, sources, publish.effective(config))
    document |= {"crate": old["crate"]} if "crate" in old else {}
    files.write_json(folder / publish.MANIFEST, document)
    files.write_bytes(folder / publish.SUMS, publish.sums(document).encode())


# What a fresh build alone can tell; the other checks of a full audit are those of the quick one.
FRESH = ("packages: ", "build: ", "exact: ", "bounded: ", "rebuilt: ")


def small_copy(folder):
    """A copy with a small sweep of its own, published, in which fresh builds take seconds."""
    copy_of_repository(folder)
    config = yaml.safe_load((folder / "config.yaml").read_text())
    (folder / "config.yaml").write_text(yaml.safe_dump({**config, **SMALL}))
    done = run(folder, "--cores", "2")
    assert done.returncode == 0, done.stdout[-3000:]
    return folder


@contextmanager
def restored(folder):
    """Afterwards every file is as it was, its time included, so that nothing recompiles."""
    skip = shutil.ignore_patterns("__pycache__", "results", ".snakemake")
    with tempfile.TemporaryDirectory() as name:
        kept = Path(name) / "kept"
        shutil.copytree(folder, kept, ignore=skip)
        try:
            yield
        finally:
            for path in kept.rglob("*"):
                place = folder / path.relative_to(kept)
                if path.is_file() and not _alike(path, place):
                    shutil.copy2(path, place)


def _alike(one, other):
    return other.is_file() and one.read_bytes() == other.read_bytes()


@dataclass(frozen=True)
class Seen:
    """The faults that each audit found: quick and full, of a careless and of a careful liar."""

    careless: list[str]
    careful: list[str]
    full: list[str]

    def cells(self):
        """Whether each saw something."""
        return bool(self.careless), bool(self.careful), bool(self.full)


def seen(lie, copy, small):
    """Plant a lie and let the audits look.

    Parameters
    ----------
    lie : Lie
    copy : Path
        A copy of the repository, spoiled by this.
    small : Path
        One with a small sweep, left as it was; for fresh builds of a false source.
    """
    folder = copy / audits.WHERE

    def quick():
        # A false source may be the library itself, so it is the copy's that must look.
        return audits.by_command(copy) if lie.of_source else audits.quickly(folder, copy)

    lie.plant(copy)
    careless = quick()
    mended(lie, copy)
    careful = quick()
    if not lie.of_source:
        return Seen(careless, careful, careful + audits.against(folder))
    if careful or not lie.shapes_a_build:
        return Seen(careless, careful, careful)
    with restored(small):
        lie.plant(small)
        mended(lie, small)
        full = audits.by_command(small, "--full")
    return Seen(careless, careful, [fault for fault in full if fault.startswith(FRESH)])


HEAD = """\
| fault | quick, careless | quick, careful | full, careful |
|---|---|---|---|
"""
TABLE = re.compile(r"(?<=<!-- lies -->\n).*?(?=<!-- end of lies -->)", re.DOTALL)
WORDS = {True: "caught", False: "not caught"}
DOCUMENT = ROOT / "docs" / "audit.md"


def row(lie, cells):
    """A line of the table."""
    careless, careful, full = (WORDS[cell] for cell in cells)
    note = f": {lie.becomes_true}" if lie.becomes_true else ""
    return f"| {lie.what} | {careless} | {careful} | {full}{note} |\n"


def main(names):
    """Plant every lie, or those that are named, and write what was seen into the document."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        small = small_copy(Path(name) / "small")
        for key in names or LIES:
            found = seen(LIES[key], copy_of_repository(Path(name) / key), small)
            rows.append(row(LIES[key], found.cells()))
            print(key, *found.cells(), *(found.full or found.careless)[:1])
    if names:
        return
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(TABLE.sub(lambda _: HEAD + "".join(rows), text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
