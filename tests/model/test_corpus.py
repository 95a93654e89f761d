import json
from itertools import islice

import corpus
import ordered
import safetensors.numpy
from support.common import ROOT

MODEL = ROOT / "model"


def lines():
    return (MODEL / "held_out.txt").read_text(encoding="utf-8").splitlines()


def test_the_committed_files_are_the_generator_s():
    assert lines() == [" ".join(sentence) for sentence in corpus.held_out_sentences()]
    assert json.loads((MODEL / "vocabulary.json").read_text()) == corpus.vocabulary()


def test_held_out_and_training_sentences_are_disjoint_by_construction():
    """Every held-out sentence carries the mark that no training sentence may carry."""
    assert all(corpus.is_held_out(line.split(" ")) for line in lines())
    training = list(islice(corpus.sentences(corpus.SEED, held_out=False), 3000))
    assert not any(corpus.is_held_out(sentence) for sentence in training)
    assert not {" ".join(sentence) for sentence in training} & set(lines())


def test_held_out_sentences_are_different_and_of_24_words():
    assert len(set(lines())) == len(lines()) == corpus.HELD_OUT
    assert {len(line.split(" ")) for line in lines()} == {corpus.WORDS}


def test_the_grammar_says_every_word_of_the_vocabulary():
    said = {word for line in lines() for word in line.split(" ")}
    for sentence in islice(corpus.sentences(1, held_out=False), 2000):
        said.update(sentence)
    assert said == set(corpus.vocabulary())


def test_later_words_repeat_what_was_said_first():
    for line in lines():
        words = line.split(" ")
        home = words[words.index("from") + 1]
        for i, word in enumerate(words):
            if word in ("return", "returns"):
                assert words[i + 2] == home
            if word in ("count", "counts"):
                assert words[i + 1 : i + 3] == words[words.index("of") - 2 : words.index("of")]


def test_the_committed_weights_have_the_bytes_that_a_retraining_writes():
    path = MODEL / "weights.safetensors"
    with safetensors.safe_open(path, "numpy") as opened:
        metadata = opened.metadata()
    assert {"heads", "head_dim", "seed", "steps", "training_sentences"} <= metadata.keys()
    tensors = safetensors.numpy.load_file(path)
    shuffled = safetensors.numpy.save(tensors, dict(reversed(metadata.items())))
    assert ordered.canonical_weights(shuffled) == path.read_bytes()
