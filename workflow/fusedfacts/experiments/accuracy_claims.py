"""Claims about the model, one-pass softmax and attention on the model's own tensors."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import MILAKOV, MODEL_INPUTS, Group

MODEL = Group(
    "fusedfacts.model.qkv.results",
    MODEL_INPUTS,
    "The model's files are held against their hashes, then it is run on the held-out sentences.",
    "It describes this small model alone; no other model's scores follow from it.",
)
ONE_PASS = Group(
    "fusedfacts.experiments.online_softmax.kind_results",
    ("settings.seed", "settings.online_rows", "settings.online_length"),
    "Every share is held against a float64 softmax, within a bound derived for that share.",
    "It holds for these seeded rows; the method is theirs, the bound and check are ours.",
    MILAKOV,
)
RECORDS = Group(
    "fusedfacts.experiments.online_softmax.record_results",
    ("settings.seed", "settings.record_rows", "settings.record_lengths"),
    "The mean over seeded rows is held against the law, within a few of its standard errors.",
    "The law is for values in random order; a model's scores need not follow it.",
)
ONE_PASS_MODEL = Group(
    "fusedfacts.experiments.attention.one_pass_results",
    MODEL_INPUTS,
    "Every share is held against a float64 softmax, within a bound derived for that share.",
    "It holds for this model's held-out rows in this order of arithmetic.",
    MILAKOV,
)
RECORDS_MODEL = Group(
    "fusedfacts.experiments.attention.one_pass_results",
    MODEL_INPUTS,
    "The rises are counted as they come; what the law expects is exact arithmetic on fractions.",
    "The law is for scores in random order; how far the model is from it says nothing about any"
    " other model.",
)
ATTENTION = Group(
    "fusedfacts.experiments.attention.attention_results",
    (*MODEL_INPUTS, "settings.model_key_rows"),
    "Every element is held against a float64 answer, within the bound derived for that element.",
    "It holds for a single sentence of this model; the bound is a worst case derived here.",
)
LABELS = {"plain": "unfused attention", "tiled": "attention in key tiles of {} rows"}


def model_claims(model: dict[str, Any]) -> list[dict[str, Any]]:
    """Sizes and losses of the model."""
    whole = (
        ("heads", "The model's attention layer has {} heads.", "heads"),
        ("head_dim", "Each head of the model holds {} numbers a word.", "numbers"),
        ("vocabulary_words", "The model's vocabulary has {} words.", "words"),
        ("sentence_words", "A sentence of the model has {} words.", "words"),
        ("held_out_sentences", "{} sentences were held out from training.", "sentences"),
    )
    losses = (
        ("held_out_loss", "The model's loss on held-out sentences is about {} nats a word."),
        (
            "held_out_loss_without_attention",
            "Without attention the loss is about {} nats a word.",
        ),
    )
    return [
        *(MODEL.claim(f"model.{key}", words, model[key], unit) for key, words, unit in whole),
        *(
            MODEL.claim(f"model.{key}", words, model[key], "nats", "bounded")
            for key, words in losses
        ),
    ]


def one_pass_claims(online: dict[str, Any]) -> list[dict[str, Any]]:
    """Seeded kinds, the model's rows and the record law."""
    claims: list[dict[str, Any]] = []
    for kind, figures in online["kinds"].items():
        words = f"one-pass softmax on {kind.replace('_', ' ')} rows"
        claims += ONE_PASS.checked(f"online.{kind}", words, figures)
        claims.append(
            ONE_PASS.claim(
                f"online.{kind}.rises",
                f"In {words} the running maximum rises {{}} times.",
                figures["rises"],
                "rises",
            )
        )
    figures = online["model_rows"]
    claims += ONE_PASS_MODEL.checked(
        "online.model", "one-pass softmax on the model's held-out rows", figures
    )
    for key, words in (("rows", "goes over {} rows"), ("rises", "sees the maximum rise {} times")):
        claims.append(
            ONE_PASS_MODEL.claim(
                f"online.model.{key}",
                f"One-pass softmax on the model's held-out rows {words}.",
                figures[key],
                key,
            )
        )
    claims.append(
        RECORDS_MODEL.claim(
            "online.model.rises_by_record_law",
            "Were the scores of each held-out row in random order, about {} rises would be"
            " expected.",
            figures["rises_by_record_law"],
            "rises",
        )
    )
    for law in online["record_law"]:
        n = law["n"]
        claims.append(
            RECORDS.claim(
                f"online.records.mean.n{n}",
                f"Rows of {n:,} random scores set about {{}} maxima each, the first included.",
                law["mean_records"],
                "records",
            )
        )
        claims.append(
            RECORDS.claim(
                f"online.records.law.n{n}",
                f"The record law expects about {{}} maxima set in {n:,} scores.",
                law["harmonic_number"],
                "records",
            )
        )
    return claims


def attention_claims(attention: dict[str, Any]) -> list[dict[str, Any]]:
    """Plain and tiled attention on each head of the probe."""
    claims: list[dict[str, Any]] = []
    for h, head in enumerate(attention["heads"]):
        for label, figures in head.items():
            way, *rows = label.split("_")
            words = f"{LABELS[way]} on head {h} of the probe".format(*rows)
            identifier = f"attention.head{h}.{label}"
            claims += ATTENTION.checked(identifier, words, figures)
            claims += ATTENTION.faults_seen(identifier, words, figures["smallest_fault_seen"])
    every = [figures for head in attention["heads"] for figures in head.values()]
    for name, statement in (
        (
            "largest_error",
            "No error of attention on the probe, on any head either way, exceeds {}.",
        ),
        (
            "largest_ratio",
            "No error of attention on the probe, on any head either way, exceeds {} of its own"
            " bound.",
        ),
    ):
        worst = max(figures[name] for figures in every)
        claims.append(ATTENTION.claim(f"attention.{name}", statement, worst, "1", "bounded"))
    return claims
