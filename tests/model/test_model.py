"""Loading trusts nothing: each damaged file is refused with its name, the fault and the mend."""

import dataclasses

import numpy as np
import pytest
from fusedfacts.documents.files import sha256
from fusedfacts.errors import FactsError
from fusedfacts.model import qkv as extract
from fusedfacts.model import weights as model
from safetensors.numpy import save

METADATA = {"heads": "4", "head_dim": "16"}


def weights(loaded, **changes):
    tensors = {**loaded.model.tensors, **changes}
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


def parse(content, loaded, path="w.safetensors"):
    return model.parse_weights(content, path, loaded.model.vocabulary)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("query", None, "found no query, expected the tensors"),
        ("extra", lambda t: np.zeros(3, np.float32), "found 'extra', expected the tensors"),
        ("query", lambda t: t[:-1].copy(), r"query found float32 \(63, 64\), expected float32"),
        ("key", lambda t: t.astype(np.float64), r"key found float64"),
        ("value", lambda t: np.where(t == t.max(), np.nan, t), "value holds a value that is not"),
    ],
)
def test_a_wrong_tensor_is_named(loaded, name, change, message):
    changed = change(loaded.model.tensors.get(name)) if change else None
    if changed is not None:
        changed = np.ascontiguousarray(changed)
    with pytest.raises(FactsError, match=message):
        parse(save(weights(loaded, **{name: changed}), METADATA), loaded)


@pytest.mark.parametrize("metadata", [None, {}, {"heads": "4"}, {"heads": "x", "head_dim": "16"}])
def test_metadata_must_say_the_heads(loaded, metadata):
    with pytest.raises(FactsError, match=r"metadata found .*, expected whole numbers"):
        parse(save(weights(loaded), metadata), loaded)


@pytest.mark.parametrize("length", [0, 7, 100, -1])
def test_a_cut_file_is_refused(loaded, length):
    with pytest.raises(FactsError, match="found no safetensors file"):
        parse(save(weights(loaded), METADATA)[:length], loaded)


def test_another_hash_than_the_config_s_is_refused(tmp_path):
    path = tmp_path / "held_out.txt"
    path.write_bytes(b"x")
    with pytest.raises(FactsError, match=r"held_out\.txt: sha256 found 2d71.*, expected 00.*"):
        model.checked_bytes(path, "00", "held_out")
    assert model.checked_bytes(path, sha256(b"x"), "held_out") == b"x"


@pytest.mark.parametrize(
    ("words", "message"),
    [('{"a": 1}', "JSON list"), ('["a", 1]', "JSON list"), ('["a", "a"]', "once"), ("[]", "one")],
)
def test_a_wrong_vocabulary_is_refused(words, message):
    with pytest.raises(FactsError, match=message):
        model.parse_vocabulary(words.encode(), "vocabulary.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the\n", "line 1 found 1 words, expected 24"),
        ("the " * 23 + "dragon\n", "line 1 found the word 'dragon'"),
        ("", "found 0 lines, expected 1"),
    ],
)
def test_a_wrong_sentence_is_named(loaded, text, message):
    with pytest.raises(FactsError, match=message):
        model.parse_sentences(text.encode(), "probe.txt", loaded.model.vocabulary, 1)


def test_projection_adds_its_terms_in_order():
    x = np.float32([[1, 1e8, -1e8, 1]])
    assert model.project(x, np.ones((4, 1), np.float32))[0, 0] == np.float32(1)


def test_heads_are_consecutive_columns(loaded):
    found = model.extract_qkv(loaded.model, loaded.held_out[:2])
    assert found["q"].shape == (2, 4, 24, 16)
    flat = model.project(
        model.embed(loaded.model, loaded.held_out[:2]), loaded.model.tensors["query"]
    )
    assert np.array_equal(found["q"][1, 2], flat[1, :, 32:48])


def test_attention_has_work_to_do(loaded):
    with_it = model.next_word_loss(loaded.model, loaded.held_out)
    without = model.next_word_loss(loaded.model, loaded.held_out, attend=False)
    assert with_it < without / 2


def test_the_probe_is_the_sentence_that_the_rule_picks(loaded, config):
    other = dataclasses.replace(loaded, probe=loaded.held_out[3:4])
    with pytest.raises(FactsError, match="probe: found another sentence than line 1 of held_out"):
        extract.tensors(other, config["control_key_rows"])


def test_a_tile_as_wide_as_the_sentence_leaves_no_probe(loaded):
    with pytest.raises(FactsError, match="no sentence qualifies as probe"):
        extract.tensors(loaded, 24)
