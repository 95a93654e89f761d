"""Golden vectors of the model: what the page computes of its sentences, and of forgotten steps."""

import numpy as np
from fusedfacts.attention import reference
from fusedfacts.attention.tiled import Faults, tiled
from fusedfacts.documents import canonical_json
from fusedfacts.emulator import execute
from fusedfacts.model import weights
from fusedfacts.numerics import fp16, rounding

from support.common import ROOT

FOLDER = ROOT / "model"
HELD_OUT = (0, 100, 255)  # sentences, beside the probe
TILES = (1, 4, 5, 24)
FORGOTTEN = {
    "": Faults(),
    "total": Faults(total_factor="omitted"),
    "answer": Faults(output_factor="omitted"),
    "total answer": Faults(total_factor="omitted", output_factor="omitted"),
}


def loaded():
    """The model, the probe and some held-out sentences as words."""
    vocabulary = canonical_json.read(FOLDER / "vocabulary.json")
    content = (FOLDER / "weights.safetensors").read_bytes()
    model = weights.parse_weights(content, "weights", vocabulary)
    held_out = (FOLDER / "held_out.txt").read_text(encoding="utf-8").splitlines()
    lines = [(FOLDER / "probe.txt").read_text(encoding="utf-8"), *(held_out[i] for i in HELD_OUT)]
    return model, [line.split() for line in lines]


def next_words(model, x, heads=()):
    """Shares of each next word in float64, as `next_word_loss` has them; no heads, no attention."""
    x = x.astype(np.float64)
    if heads:
        mixed = np.stack([reference.attention(*head, causal=True) for head in heads], axis=1)
        x = x + mixed.reshape(x.shape) @ model.tensors["output"].astype(np.float64)
    logits = x @ model.tensors["unembedding"].astype(np.float64)
    return reference.softmax(logits).ravel().tolist()


def sentence(digest, model, words):
    """What the page must find of one sentence."""
    tokens = np.array([[model.vocabulary.index(word) for word in words]])
    x = weights.embed(model, tokens)[0]
    qkv = weights.extract_qkv(model, tokens)
    heads = list(zip(*(qkv[name][0] for name in "qkv"), strict=True))
    return {
        "words": words,
        "heads": [head_vectors(digest, *head) for head in heads],
        "with": next_words(model, x, heads),
        "without": next_words(model, x),
    }


def head_vectors(digest, q, k, v):
    """Q, K, V, score table, share table and answer."""
    plain = execute.unfused(q, k, v, causal=True, keep_tables=True)
    tensors = {"q": q, "k": k, "v": v, "scores": plain.tables["s"], "shares": plain.tables["p"]}
    return {name: digest(array) for name, array in {**tensors, "output": plain.output}.items()}


def walks(digest, model, words):
    """Tiled answers of each head, with steps forgotten, by key tile."""
    tokens = np.array([[model.vocabulary.index(word) for word in words]])
    qkv = weights.extract_qkv(model, tokens)
    return [
        {"head": h, "forget": name, "tile": rows, "output": digest(answer.output)}
        for h, head in enumerate(zip(*(qkv[name][0] for name in "qkv"), strict=True))
        for name, faults in FORGOTTEN.items()
        for rows in TILES
        for answer in [tiled(*head, key_rows=rows, causal=True, faults=faults)]
    ]


def rounded():
    """Figures rounded up and to the nearest in three digits, and to four decimals."""
    values = [1.23421e-7, 0.5003, 3.0712e-5, 9.9951, 0.32411, 19.27736, 2.2171]
    return {
        "values": values,
        "up": [rounding.up(x, "up") for x in values],
        "nearest": [rounding.nearest(x, "nearest") for x in values],
        "decimals": [rounding.decimals(x) for x in values],
    }


def vectors(digest):
    """All of them."""
    model, lines = loaded()
    scores = np.linspace(-18, 12, 400).astype(np.float32)
    return {
        "sentences": [sentence(digest, model, words) for words in lines],
        "walks": walks(digest, model, lines[0]),
        # As text: JSON knows no infinity.
        "halves": {"scores": scores.tolist(), "exps": [str(float(x)) for x in fp16.exp16(scores)]},
        "rounded": rounded(),
    }
