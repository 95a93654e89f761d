"""The model's own figures: its sizes, and its losses on the sentences that were held out."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import MODEL_INPUTS, Claim, Group, Section
from fusedfacts.model import qkv

MODEL = Group(
    "fusedfacts.model.qkv.results",
    MODEL_INPUTS,
    "The model's files are held against their hashes, then it is run on the held-out sentences.",
    "It describes this small model alone; no other model's scores follow from it.",
)
FORMULAS = {
    "size": "a size of the model's files",
    "loss": "mean of -ln(share of the right next word)",
}
SIZES = """
heads | The model's attention layer has {} heads. | heads | $size
head_dim | Each head of the model holds {} numbers a word. | numbers | $size
vocabulary_words | The model's vocabulary has {} words. | words | $size
sentence_words | A sentence of the model has {} words. | words | $size
held_out_sentences | {} sentences were held out from training. | sentences | $size
"""
LOSSES = """
held_out_loss | The model's loss on held-out sentences is about {} nats a word. | nats | $loss
held_out_loss_without_attention | Without attention the loss is about {} nats a word. | nats | $loss
"""


def claims(model: dict[str, Any]) -> list[Claim]:
    """Claim sizes and losses of the model."""
    sizes = MODEL.table("model.{}", SIZES, model, FORMULAS)
    return sizes + MODEL.table("model.{}", LOSSES, model, FORMULAS, bounded=True)


# Computed where the model's files are read, with the tensors that other sections need.
SECTION = Section(qkv.results, claims)
