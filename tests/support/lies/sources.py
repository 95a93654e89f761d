"""The lies about what the facts were computed from; and all of them, in the table's order."""

from __future__ import annotations

from support.lies import planting
from support.lies.catalogue import CLAIMS, FILES, VALUES, of_folder, of_source
from support.lies.planting import BOUND, MEDIA

WEIGHTS = "model/weights.safetensors"
SOURCES = {
    "source_more": of_source(
        "a file more in the library",
        lambda copy: (copy / "workflow/fusedfacts/more.py").write_text("x = 1\n"),
        *("workflow/fusedfacts/more.py", "sources", ""),
        becomes_true="what nothing imports says nothing false; the history shows it",
    ),
    "source_link": of_source(
        "a link to a package that hides a module of the library",
        planting.hidden_module,
        *("attention/error_bound: found a link", "sources"),
    ),
    "byte_code": of_source(
        "byte code that says something else than its source",
        planting.byte_code,
        *(".pyc: found byte code", "sources"),
    ),
    "required": of_source(
        "a property of the schema made optional",
        planting.schema(lambda document: document.update(required=["claims"])),
        *("facts.schema.json", "closed"),
    ),
    "sums": of_folder(
        "a hash in `SHA256SUMS`", planting.flipped(f"{MEDIA}/SHA256SUMS"), "SHA256SUMS", remakes=()
    ),
    "weights_swapped": of_source(
        "a swapped weights file",
        planting.content(WEIGHTS, planting.swapped),
        *(WEIGHTS, "model", "", "build"),
    ),
    "weight_byte": of_source(
        "one byte of one weight",
        planting.content(WEIGHTS, planting.one_byte),
        *(WEIGHTS, "model", "", "build"),
    ),
    "kernel_tile": of_source(
        "a kernel's tile size",
        planting.text("kernels/manifest.json", '"BC": 64', '"BC": 32'),
        *("kernels/manifest.json", "sources", "", "build"),
    ),
    "schema": of_source(
        "a schema loosened",
        planting.schema(lambda document: document.update(additionalProperties=True)),
        *("facts.schema.json", "closed"),
    ),
    "library": of_source(
        "the library: a bound that forgives more",
        planting.text(BOUND, "EVALUATION = 1 + 2.0**-20", "EVALUATION = 2.0"),
        *(BOUND, "sources", "", "bounded"),
    ),
    "seed": of_source(
        "the config's seed",
        planting.text("config.yaml", "seed: 23", "seed: 32"),
        *("seed", "settings", "", "exact"),
    ),
    "lock": of_source(
        "a package of the lock",
        planting.text("requirements.txt", "numpy==2", "numpy==1"),
        *("requirements.txt", "sources", "", "packages"),
    ),
}
LIES = {**VALUES, **CLAIMS, **FILES, **SOURCES}
