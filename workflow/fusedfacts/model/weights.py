"""The attention model: loading that trusts nothing, and Q, K, V with the same bits anywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from fusedfacts.attention import reference
from fusedfacts.attention.problem import HEAD_DIMS
from fusedfacts.documents import canonical_json, files
from fusedfacts.errors import FactsError, printable
from fusedfacts.pipeline.config import mend_file
from fusedfacts.terminal import listed

Floats = NDArray[np.float32]
Tokens = NDArray[np.int64]  # of shape (sentences, words)
PARTS = ("weights", "vocabulary", "held_out", "probe")
FORMAT = "docs/own-model.md says what such a file holds"
SENTENCE_WORDS = 24
HELD_OUT_SENTENCES = 256
HEADS_MOST = 64  # each makes dozens of claims
SAID_MOST = 80  # characters of a stranger's file that a message quotes


@dataclass(frozen=True)
class Model:
    """One causal attention layer with its vocabulary.

    Attributes
    ----------
    tensors : dict of str to ndarray of float32
        embedding (vocabulary, width), position (words, width); query, key, value, output
        (width, width); unembedding (width, vocabulary).
    heads, head_dim : int
    vocabulary : list of str
    """

    tensors: dict[str, Floats]
    heads: int
    head_dim: int
    vocabulary: list[str]


def checked_bytes(path: Path, expected: str, key: str) -> bytes:
    """Read a model file; FactsError if it is missing or its hash is not the one in the config."""
    content = files.read_bytes(path, mend_file(str(path)))
    found = files.sha256(content)
    if found != expected:
        raise FactsError(
            f"{path}: sha256 found {found}, expected {expected} ({key}_sha256 in config.yaml);"
            f" {mend_file(str(path))}, or put the new hash there"
        )
    return content


def _mend(path: str) -> str:
    return f"{mend_file(path)}: {FORMAT}"


def parse_vocabulary(content: bytes, path: str) -> list[str]:
    """Parse the list of words, each once."""
    words = canonical_json.loads(content.decode("utf-8", errors="replace"), path, _mend(path))
    if not isinstance(words, list) or not all(type(word) is str for word in words):
        raise FactsError(f"{path}: expected a JSON list of words; {_mend(path)}")
    if len(set(words)) != len(words) or not words:
        raise FactsError(f"{path}: expected each word once and at least one; {_mend(path)}")
    return words


def parse_weights(content: bytes, path: str, vocabulary: list[str]) -> Model:
    """Parse the model in a safetensors file.

    Raises
    ------
    FactsError
        If it is not safetensors, or a tensor is missing, unknown, of another shape or dtype
        than the vocabulary and the heads require, or not finite.
    """
    try:
        tensors = safetensors.load(content)
    except (SafetensorError, KeyError, TypeError) as fault:  # of a dtype that NumPy lacks
        said = printable(str(fault), SAID_MOST)
        raise FactsError(f"{path}: found no safetensors file ({said}); {_mend(path)}") from None
    size = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + size]).get("__metadata__", {})
    try:
        heads, head_dim = int(metadata["heads"]), int(metadata["head_dim"])
    except (KeyError, ValueError):
        raise FactsError(
            f"{path}: metadata found {printable(str(metadata), SAID_MOST)}, expected whole numbers"
            f" `heads` and `head_dim` in text; {_mend(path)}"
        ) from None
    if not (1 <= heads <= HEADS_MOST and head_dim in HEAD_DIMS):
        raise FactsError(
            f"{path}: metadata found heads {heads}, head_dim {head_dim}, expected 1 to {HEADS_MOST}"
            f" heads of one of {', '.join(map(str, HEAD_DIMS))} numbers; {_mend(path)}"
        )
    width = heads * head_dim
    shapes = {
        "embedding": (len(vocabulary), width),
        "position": (SENTENCE_WORDS, width),
        **dict.fromkeys(("query", "key", "value", "output"), (width, width)),
        "unembedding": (width, len(vocabulary)),
    }
    if tensors.keys() != shapes.keys():
        missing = [f"no {name}" for name in shapes if name not in tensors]
        strange = [printable(repr(name), SAID_MOST) for name in sorted(tensors.keys() - shapes)]
        raise FactsError(
            f"{path}: found {listed(missing + strange)}, expected the tensors"
            f" {', '.join(shapes)}; {_mend(path)}"
        )
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape or tensor.dtype != np.float32:
            raise FactsError(
                f"{path}: tensor {name} found {tensor.dtype} {tensor.shape}, expected float32"
                f" {shape}; {_mend(path)}"
            )
        if not np.isfinite(tensor).all():
            raise FactsError(
                f"{path}: tensor {name} holds a value that is not finite; {_mend(path)}"
            )
    return Model(tensors, heads, head_dim, vocabulary)


def parse_sentences(content: bytes, path: str, vocabulary: list[str], count: int) -> Tokens:
    """Parse `count` lines of 24 known words to token ids, shape (count, 24)."""
    ids = {word: index for index, word in enumerate(vocabulary)}
    lines = content.decode("utf-8", errors="replace").splitlines()
    if len(lines) != count:
        raise FactsError(f"{path}: found {len(lines)} lines, expected {count}; {_mend(path)}")
    tokens = np.zeros((count, SENTENCE_WORDS), dtype=np.int64)
    for number, line in enumerate(lines):
        words = line.split(" ")
        unknown = [word for word in words if word not in ids]
        if unknown or len(words) != SENTENCE_WORDS:
            fault = f"the word {unknown[0]!r}" if unknown else f"{len(words)} words"
            raise FactsError(
                f"{path}: line {number + 1} found {fault}, expected {SENTENCE_WORDS} words of"
                f" the vocabulary; {_mend(path)}"
            )
        tokens[number] = [ids[word] for word in words]
    return tokens


def project(x: Floats, matrix: Floats) -> Floats:
    """Multiply x @ matrix in float32, terms in order of the inner index: no BLAS, one set of bits.

    >>> project(np.float32([[1, 2]]), np.float32([[3], [4]])).tolist()
    [[11.0]]
    """
    result: Floats = x[..., 0:1] * matrix[0]
    for c in range(1, matrix.shape[0]):
        result = result + x[..., c : c + 1] * matrix[c]
    return result


def embed(model: Model, tokens: Tokens) -> Floats:
    """Add embedding and position, shape (sentences, words, width)."""
    result: Floats = model.tensors["embedding"][tokens] + model.tensors["position"]
    return result


def extract_qkv(model: Model, tokens: Tokens) -> dict[str, Floats]:
    """Compute queries, keys and values, each of shape (sentences, heads, words, head_dim)."""
    x = embed(model, tokens)
    shape = (*tokens.shape, model.heads, model.head_dim)
    return {
        short: np.ascontiguousarray(
            project(x, model.tensors[name]).reshape(shape).transpose(0, 2, 1, 3)
        )
        for short, name in (("q", "query"), ("k", "key"), ("v", "value"))
    }


def next_word_loss(model: Model, tokens: Tokens, *, attend: bool = True) -> float:
    """Compute the mean cross-entropy of each word but the first, in nats, in float64.

    With `attend` false the attention's output is left out: what the model knows without it.
    """
    x = embed(model, tokens).astype(np.float64)
    if attend:
        qkv = extract_qkv(model, tokens)
        mixed = np.stack(
            [
                [reference.attention(q, k, v, causal=True) for q, k, v in zip(*heads, strict=True)]
                for heads in zip(qkv["q"], qkv["k"], qkv["v"], strict=True)
            ]
        )
        mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + mixed @ model.tensors["output"].astype(np.float64)
    logits = (x @ model.tensors["unembedding"].astype(np.float64))[:, :-1]
    probabilities = reference.softmax(logits)
    right = np.take_along_axis(probabilities, tokens[:, 1:, None], axis=-1)
    return float(-np.log(right).mean())
