"""The lies, in the order of the table in docs/audit.md."""

from __future__ import annotations

from support.lies import planting
from support.lies.planting import EVERYTHING, MEDIA, Lie

# Name and words; below them the path of a value of facts.json, what sees the lie (a check, or of a
# fresh build alone the class), how the value changes, and what the fault names.
VALUES = """\
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
real_holds: a real kernel said to hold by a recipe by which it does not
    real.calls.mlx_fast_fp16.judged.fp16.holds verdicts true holds, by its ratios
real_ratio: a real kernel's largest ratio, a digit
    real.calls.jax_dot_product_attention_bf16.judged.bf16.output bounded digit output
real_recorded: the hash of what was recorded
    real.recorded_sha256 settings reversed recorded_sha256
rule_alarm: a false alarm of a proved bound
    rules.seen.bf16.none.bound_on_output verdicts +1 false alarms
rule_count: on how many heads a rule sees a fault, one more
    rules.seen.bf16.scores_in_half.mean exact +1 scores_in_half
rule_alone: a head on which a rule alone sees a fault, one more
    rules.seen_by_it_alone.bf16.scores_in_half.mean verdicts +1 scores_in_half
setting: a setting, a digit
    settings.record_rows settings +1 record_rows
source_hash: a source's hash in the facts
    inputs.weights.sha256 settings reversed sha256
"""

# Likewise, of facts in which heads of one's own stand, the second of which cannot show the control.
OWN_HEADS = """\
own_caught: an own head said to catch what it cannot show
    heads.heads.1.control.caught verdicts true heads[1].control.caught
own_cannot_show: an own head said to be unable to show what it shows
    heads.heads.0.control.cannot_show verdicts true heads[0].control.cannot_show
own_wrong: an own head's wrong answers, one more
    heads.heads.0.control.rows_wrong verdicts +1 late_maximum_but_passing
own_scores: an own head's count of scores, one more
    heads.heads.0.overflow.scores verdicts +1 overflow.scores
own_head_gone: an own head left out
    heads.heads settings shorter number of heads
own_causal: own heads said to see every key
    heads.causal settings false heads.causal
own_error: an own head's error, a digit
    heads.heads.0.attention.plain.largest_error bounded digit error
"""

# What is changed, and what a careful liar then makes again.
REMAKES = {
    "facts": ("claims", "words", "hashes"),  # a document may quote a claim that is gone
    "claims": ("words", "documents", "hashes"),  # and not the sections that they follow from
    "rendered": ("hashes",),
    "folder": ("hashes",),
    "manifest": (),
    "crate": (),  # its hashes agree already: to write it anew would be to take the lie back
    "documents": ("words", "hashes"),
    "sources": EVERYTHING,
}
OF_SOURCE = (
    "crate",
    "documents",
    "sources",
)  # these lie at the root, the others in the published folder

# Name and words; below them what is changed, in which file, how (by name, or a text and what
# replaces it), and what the fault names, if not the file. What is changed is also the check that
# sees it, unless others follow: of the careless liar, of the careful one (- where none sees that),
# of a fresh build.
FILES = """\
claim_value: a claim's value, and not its section's
    claims | facts.json | 13 for 31 | control.rows_wrong
unit: a claim's unit
    claims | facts.json | "unit": "bytes" -> "unit": "bits" | bits
statement: a claim's statement
    claims | facts.json | 31 answers are wrong -> 31 answers are right | rows_wrong: statement
class: a claim's class, so that nobody compares it
    claims | facts.json | "class": "bounded" -> "class": "observed" | plain.bound: class
claim_deleted: a claim deleted
    claims | facts.json | unquoted claim gone | operations.fused.exps.n64.d16
id_doubled: an id doubled
    claims ids | facts.json | first claim twice | attention.head0.plain.bound is found 2 times
left_out: a limit left out of what is left out
    facts claims | facts.json | first limit gone | left_out
form: facts.json, another order of keys
    claims schema | facts.json | reformed
duplicate_key: a JSON key twice
    folder schema | facts.json | "id": -> "id": "x", "id": | the key 'id' appears twice
nan: NaN for a number
    folder schema | facts.json | "held_out_loss": 0.802 -> "held_out_loss": NaN | NaN is not
caption: a caption's number
    rendered | captions.vtt | 272.5 -> 275.2
caption_word: a caption's number word
    rendered | captions.vtt | four times: -> five times:
transcript: the transcript's number
    rendered | transcript.md | -->31<!-- -> -->13<!--
film: the film's number
    rendered | film.json | "text": "514" -> "text": "541"
drawn: a number that the film draws
    rendered | drawn.json | "display": "514" -> "display": "541"
page: the page's number
    rendered | index.html | 17,301,504 -> 17,301,540
picture: a picture's number
    rendered | pictures/traffic.svg | >1,024 -> >1,042
readme: the README's table
    documents | README.md | -->17,301,504<!-- -> -->17,301,540<!-- | traffic.fused.n4096.d16
readme_unbound: a number typed into the README
    documents | README.md | MIT licence. -> MIT licence, 8 times. | found the number '8'
crlf: CRLF in a published text
    folder rendered | captions.vtt | CRLF
crlf_kernel: CRLF in a kernel
    sources | kernels/fused.wgsl | CRLF
missing: a published file deleted
    folder | captions.vtt | deleted
stray: a file too many
    folder | more.md | made
link: a link in place of a file
    folder | captions.vtt | linked
hidden: a hidden file too many
    folder | .more | made
empty_folder: an empty folder
    folder | more | folder made | fused/more: found a link or an empty folder
manifest_config: a setting in the manifest
    manifest sources | manifest.json | "seed": 23 -> "seed": 32 | manifest.json: config.seed
manifest_type: a setting of the manifest, of another type
    manifest sources | manifest.json | "seed": 23 -> "seed": 23.0 | manifest.json: config.seed
manifest_form: the manifest, in another form
    manifest folder | manifest.json | reformed | manifest.json: found other bytes
size_missing: a size left out of the sweep
    facts counts | facts.json | first size gone | traffic: (d, n)
order: the claims in another order
    claims | facts.json | claims reversed | claims: found out of order
document: a number of a document under docs
    documents | docs/counts.md | -->438<!-- -> -->483<!-- | docs/counts.md:
other_digits: a number typed in digits of another script
    documents | README.md | MIT licence. -> MIT licence, \uff18 times. | found the number
source_more: a file more in the library
    sources sources - | workflow/fusedfacts/more.py | made
source_link: a link to a package that hides a module of the library
    sources | workflow/fusedfacts/attention/error_bound.py | hidden | error_bound: found a link
byte_code: byte code that says something else than its source
    sources | workflow/fusedfacts/attention/error_bound.py | byte code | .pyc: found byte code
required: a property of the schema made optional
    sources closed | workflow/schemas/facts.schema.json | properties optional
crate: the RO-Crate, another licence, its hashes made to agree
    crate | ro-crate-metadata.json | false crate | found another description
sums: a hash in `SHA256SUMS`
    manifest folder | SHA256SUMS | first digit
weights_swapped: a swapped weights file
    sources model - build | model/weights.safetensors | tensors swapped
weight_byte: one byte of one weight
    sources model - build | model/weights.safetensors | one byte
kernel_tile: a kernel's tile size
    sources sources - build | kernels/manifest.json | "BC": 64 -> "BC": 32
schema: a schema loosened
    sources closed | workflow/schemas/facts.schema.json | properties more
library: the library: a bound that forgives more
    sources sources - bounded | workflow/fusedfacts/attention/error_bound.py | forgiving
seed: the config's seed
    sources settings - exact | config.yaml | seed: 23 -> seed: 32 | seed
lock: a package of the lock
    sources sources - packages | requirements.txt | numpy==2 -> numpy==1
"""
BECOMES_TRUE = {"source_more": "what nothing imports says nothing false; the history shows it"}


def rows(table):
    """Split a table: the name of each lie, its words, and what stands below them."""
    lines = table.splitlines()
    for head, row in zip(lines[::2], lines[1::2], strict=True):
        yield *head.split(": ", 1), row.strip()


def of_values(table, **of):
    """Lies about one value each; claims and words follow it."""
    for key, what, row in rows(table):
        path, seen, change, named = row.split(maxsplit=3)
        # Where only a fresh build sees a careful liar, the claims give a careless one away.
        checks = ("claims", "", seen) if seen in ("exact", "bounded") else (seen,)
        yield key, Lie(what, planting.value(path, change), named, *checks, **of)


def of_files():
    """Lies about what a file says or is."""
    for key, what, row in rows(FILES):
        kinds, name, change, *named = row.split(" | ")
        kind, *checks = kinds.split()
        of_source = kind in OF_SOURCE
        yield (
            key,
            Lie(
                what,
                planting.changed(name if of_source else f"{MEDIA}/{name}", change),
                *(named or [name]),
                *("" if check == "-" else check for check in checks or [kind]),
                of_source=of_source,
                remakes=REMAKES[kind],
                becomes_true=BECOMES_TRUE.get(key, ""),
            ),
        )


LIES = dict([*of_values(VALUES), *of_values(OWN_HEADS, of_heads=True), *of_files()])
