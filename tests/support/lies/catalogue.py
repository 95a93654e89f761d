"""The lies, in the order of the table in docs/audit.md."""

from __future__ import annotations

from support.lies import planting
from support.lies.planting import EVERYTHING, FACTS, MEDIA, Lie

README = "README.md"
UNQUOTED = "operations.fused.exps.n64.d16"  # by no word, so that nothing else misses it
NO_CLAIMS = ("words", "documents", "hashes")


def of_claims(what, plant, named, check="claims"):
    """Claims, and not the section that they follow from."""
    return Lie(what, plant, named, check, remakes=NO_CLAIMS)


def of_words(what, name, old, new):
    """Something that is told of the facts, and not the facts."""
    plant = planting.text(f"{MEDIA}/{name}", old, new)
    return Lie(what, plant, name, "told", remakes=("hashes",))


def of_folder(what, plant, named, check="folder", remakes=("hashes",)):
    """What a published file or the manifest is."""
    return Lie(what, plant, named, check, remakes=remakes)


def of_document(what, name, old, new, named):
    """A number of a document."""
    plant = planting.text(name, old, new)
    return Lie(what, plant, named, "documents", of_source=True, remakes=("words", "hashes"))


def of_source(what, plant, named, *checks, becomes_true=""):
    """A file that the facts were computed from."""
    return Lie(what, plant, named, *checks, of_source=True, becomes_true=becomes_true)


# Name and words; below them the path of a value of facts.json, what sees the lie (a check, or of a
# fresh build alone the class), how the value changes, and what the fault names.
TABLE = """\
bytes: a byte count, a digit
    traffic.0.fused.bytes counts +1 bytes
elements: a count of one buffer, a digit
    traffic.3.unfused.elements.mix.v.loads counts +1 elements.mix.v
operations: a count of operations, a digit
    traffic.3.fused.operations.exps counts +1 exps
ratio: a ratio of bytes, a digit
    traffic.6.ratio counts digit ratio
error: an error, a digit
    traffic.6.fused.largest_error bounded digit error
bound_times_100: a bound, multiplied by a hundred
    traffic.6.fused.bound_there bounded x100 bound
ratio_of_bound: a ratio of error to bound, a digit
    attention.heads.0.plain.largest_ratio bounded digit ratio
fault_seen: the smallest fault seen, one power of two
    traffic.6.fused.smallest_fault_seen.in_every_row bounded +1 in_every_row
loss: the model's loss, a digit
    model.held_out_loss bounded digit held_out_loss
rises: how often a maximum rises, a digit
    online_softmax.model_rows.rises exact +1 rises
control: wrong answers of the control, one more
    control.heads.0.rows_wrong verdicts +1 rows_wrong
not_caught: the control marked caught when it was not
    control.heads.0 verdicts uncaught caught
mutant: a fault's figure, a digit
    mutants.matrix.key_dropped.random.largest_ratio verdicts digit key_dropped
mutant_unseen: a fault seen where it was not
    mutants.matrix.key_dropped.constant_values.seen verdicts true key_dropped
overflow: a count of overflowing scores, a digit
    overflow.held_out.infinite_terms verdicts +1 infinite_terms
threshold: a threshold of fp16, a digit
    overflow.fp16.ln_largest verdicts digit ln_largest
kernels: a kernel's workgroup memory, a digit
    kernels.kernels.0.sizes.0.workgroup_bytes schema +1 workgroup_bytes
contract: a constant of the contract, a digit
    contract.vanished exact +1 vanished
worked: the worked case, a digit
    worked.answer exact +1/4 answer
setting: a setting, a digit
    settings.record_rows settings +1 record_rows
"""
CHANGES = {
    "+1": lambda old: old + 1,
    "+1/4": lambda old: old + 0.25,
    "x100": lambda old: float(f"{old * 100:.3g}"),
    "true": lambda _: True,
    "digit": planting.digit,
    "uncaught": planting.uncaught,
}


def of_table():
    """Lies about one value each; claims and words follow it."""
    lines = TABLE.splitlines()
    for (key, what), row in zip(
        (line.split(": ") for line in lines[::2]), lines[1::2], strict=True
    ):
        path, seen, change, named = row.split()
        # Where only a fresh build sees a careful liar, the claims give a careless one away.
        checks = ("claims", "", seen) if seen in ("exact", "bounded") else (seen,)
        yield key, Lie(what, planting.value(path, CHANGES[change]), named, *checks)


VALUES = dict(of_table())
CLAIMS = {
    "claim_value": of_claims(
        "a claim's value, and not its section's",
        planting.claim("control.rows_wrong", value=13, display="13"),
        "control.rows_wrong",
    ),
    "unit": of_claims(
        "a claim's unit", planting.claim("traffic.fused.n4096.d64", unit="bits"), "bits"
    ),
    "statement": of_claims(
        "a claim's statement",
        planting.claim("control.rows_wrong", statement=lambda s: s.replace("wrong", "right")),
        "control.rows_wrong: statement",
    ),
    "class": of_claims(
        "a claim's class, so that nobody compares it",
        planting.claim("control.rows_wrong", **{"class": "observed"}),
        "control.rows_wrong: class",
    ),
    "claim_deleted": of_claims(
        "a claim deleted",
        planting.claims(lambda claims: [c for c in claims if c["id"] != UNQUOTED]),
        UNQUOTED,
    ),
    "id_doubled": of_claims(
        "an id doubled",
        planting.claims(lambda claims: [claims[0], *claims]),
        "attention.head0.plain.bound is found 2 times",
        "ids",
    ),
    "source_hash": Lie(
        "a source's hash in the facts",
        planting.value("inputs.weights.sha256", lambda old: old[::-1]),
        *("sha256", "settings"),
    ),
    "left_out": Lie(
        "a limit left out of what is left out",
        planting.facts(lambda document: document["left_out"].pop(0)),
        "left_out",
        "claims",
    ),
    "form": of_claims(
        "facts.json, another order of keys", planting.reformed(FACTS), "facts.json", "schema"
    ),
    "duplicate_key": of_folder(
        "a JSON key twice",
        planting.text(FACTS, '"class": "exact",', '"class": "exact",\n   "class": "exact",'),
        *("the key 'class' appears twice", "schema"),
    ),
    "nan": of_folder(
        "NaN for a number",
        planting.text(FACTS, '"held_out_loss": 0.802', '"held_out_loss": NaN'),
        *("NaN is not a JSON number", "schema"),
    ),
}
FILES = {
    "caption": of_words("a caption's number", "captions.vtt", "272.5", "275.2"),
    "caption_word": of_words(
        "a caption's number word", "captions.vtt", "four times:", "five times:"
    ),
    "transcript": of_words("the transcript's number", "transcript.md", "-->31<!--", "-->13<!--"),
    "film": of_words("the film's number", "film.json", '"text": "514"', '"text": "541"'),
    "page": of_words("the page's number", "index.html", "17,301,504", "17,301,540"),
    "picture": of_words("a picture's number", "pictures/traffic.svg", ">1,024", ">1,042"),
    "readme": of_document(
        *("the README's table", README, "-->17,301,504<!--", "-->17,301,540<!--"),
        "traffic.fused.n4096.d16",
    ),
    "readme_unbound": of_document(
        *("a number typed into the README", README, "MIT licence.", "MIT licence, 8 times."),
        "found the number '8'",
    ),
    "crlf": of_folder(
        "CRLF in a published text", planting.crlf(f"{MEDIA}/captions.vtt"), "captions.vtt", "told"
    ),
    "crlf_kernel": of_source(
        "CRLF in a kernel", planting.crlf("kernels/fused.wgsl"), "kernels/fused.wgsl", "sources"
    ),
    "missing": of_folder(
        "a published file deleted",
        lambda copy: (copy / MEDIA / "captions.vtt").unlink(),
        "captions.vtt",
    ),
    "stray": of_folder(
        "a file too many",
        lambda copy: (copy / MEDIA / "more.md").write_text("It is much faster.\n"),
        "more.md",
    ),
    "link": of_folder("a link in place of a file", planting.link, "captions.vtt"),
    "hidden": of_folder(
        "a hidden file too many",
        lambda copy: (copy / MEDIA / ".more").write_text("faster\n"),
        ".more",
    ),
    "empty_folder": of_folder(
        "an empty folder",
        lambda copy: (copy / MEDIA / "more").mkdir(),
        "fused/more: found a link or an empty folder",
    ),
    "manifest_config": of_folder(
        "a setting in the manifest",
        planting.text(f"{MEDIA}/manifest.json", '"seed": 23', '"seed": 32'),
        *("manifest.json: config.seed", "sources", ()),
    ),
    "manifest_type": of_folder(
        "a setting of the manifest, of another type",
        planting.text(f"{MEDIA}/manifest.json", "   16,\n", "   16.0,\n"),
        *("manifest.json: config.", "sources", ()),
    ),
    "manifest_form": of_folder(
        "the manifest, in another form",
        planting.reformed(f"{MEDIA}/manifest.json"),
        "manifest.json: found other bytes",
        remakes=(),
    ),
    "size_missing": Lie(
        "a size left out of the sweep",
        planting.facts(lambda document: document["traffic"].pop(0)),
        "traffic: (d, n)",
        "counts",
        remakes=tuple(part for part in EVERYTHING if part != "documents"),
    ),
    "order": of_claims(
        "the claims in another order",
        planting.claims(lambda claims: claims[::-1]),
        "claims: found out of order",
    ),
    "document": of_document(
        *("a number of a document under docs", "docs/counts.md", "-->438<!--", "-->483<!--"),
        "docs/counts.md:",
    ),
    "other_digits": of_document(
        *("a number typed in digits of another script", README, "MIT licence."),
        *("MIT licence, \uff18 times.", "found the number"),
    ),
}
