"""From the model's files to Q, K and V of the held-out set and the probe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import numpy as safetensors

from fusedfacts.errors import FactsError
from fusedfacts.model import probe
from fusedfacts.model import weights as models
from fusedfacts.model.weights import HELD_OUT_SENTENCES, PARTS, SENTENCE_WORDS, Model, Tokens
from fusedfacts.numerics import rounding

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Loaded:
    """The checked model with its sentences as token ids."""

    model: Model
    held_out: Tokens
    probe: Tokens


def load(paths: Mapping[str, str], hashes: Mapping[str, str]) -> Loaded:
    """Load the model's files; `paths` and `hashes` have the keys of `PARTS`."""
    content = {part: models.checked_bytes(Path(paths[part]), hashes[part], part) for part in PARTS}
    vocabulary = models.parse_vocabulary(content["vocabulary"], paths["vocabulary"])
    sentences = (
        models.parse_sentences(content[part], paths[part], vocabulary, count)
        for part, count in (("held_out", HELD_OUT_SENTENCES), ("probe", 1))
    )
    model = models.parse_weights(content["weights"], paths["weights"], vocabulary)
    return Loaded(model, *sentences)


def tensors(loaded: Loaded, key_rows: int) -> dict[str, Floats]:
    """Compute Q, K and V of the held-out set, (256, heads, 24, head_dim), and of the probe.

    Raises
    ------
    FactsError
        If the committed probe is not the sentence that the rule picks.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a score that is not finite is refused
        held_out = models.extract_qkv(loaded.model, loaded.held_out)
        picked = probe.pick(held_out["q"], held_out["k"], key_rows)
    if not np.array_equal(loaded.held_out[picked], loaded.probe[0]):
        raise FactsError(
            f"probe: found another sentence than line {picked + 1} of held_out, expected"
            f" {probe.RULE} (control_key_rows {key_rows}); copy that line into the probe file and"
            " put its hash into config.yaml"
        )
    found = {f"held_out.{name}": tensor for name, tensor in held_out.items()}
    return found | {f"probe.{name}": tensor[picked].copy() for name, tensor in held_out.items()}


def refuse(paths: Mapping[str, str], config: Mapping[str, Any]) -> None:
    """Refuse a model that the run could not use, before anything runs: all that `extract` asks."""
    loaded = load(paths, {part: config[f"{part}_sha256"] for part in PARTS})
    tensors(loaded, config["control_key_rows"])


def results(loaded: Loaded, key_rows: int) -> dict[str, Any]:
    """Compute the section `model` of facts.json."""
    model = loaded.model
    held_out = models.extract_qkv(model, loaded.held_out)
    picked = probe.pick(held_out["q"], held_out["k"], key_rows)
    loss = models.next_word_loss(model, loaded.held_out)
    without = models.next_word_loss(model, loaded.held_out, attend=False)
    return {
        "heads": model.heads,
        "head_dim": model.head_dim,
        "vocabulary_words": len(model.vocabulary),
        "sentence_words": SENTENCE_WORDS,
        "held_out_sentences": HELD_OUT_SENTENCES,
        "held_out_loss": rounding.nearest(loss, "held_out_loss"),
        "held_out_loss_without_attention": rounding.nearest(without, "held_out_loss"),
        "probe": {
            "index": picked,
            "rule": probe.RULE,
            "sentence": " ".join(model.vocabulary[token] for token in loaded.probe[0]),
        },
    }


def save(found: Mapping[str, Floats]) -> bytes:
    """Write the tensors as safetensors, always the same bytes."""
    return safetensors.save({name: found[name] for name in sorted(found)})


def read(path: str) -> dict[str, Floats]:
    """Read the tensors that `save` wrote."""
    return safetensors.load(Path(path).read_bytes())
