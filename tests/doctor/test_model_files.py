"""A file of the model that is not the one whose hash the config gives."""

import builtins
import hashlib

import pytest
from fusedfacts.doctor import model_files, place
from fusedfacts.pipeline import config
from support.common import ROOT
from support.doctor_clones import elsewhere, healthy, write

HASHES = {text: hashlib.sha256(text.encode()).hexdigest() for text in ("right", "wrong")}


@pytest.fixture
def clone(tmp_path):
    seen = healthy(tmp_path)
    write(seen.root / "model/probe.txt", "right")
    write(
        seen.root / "config.yaml",
        f"probe: model/probe.txt\nprobe_sha256: {HASHES['right']}\nseed: 23\n",
    )
    return seen


def sentences(seen):
    return [finding.sentence for finding in model_files.look(seen)]


def test_the_shipped_ones_are_as_the_config_says():
    assert sentences(elsewhere(place.here(), working=ROOT)) == []
    assert model_files.PARTS == config.MODEL_PARTS


def test_another_file_is_named_with_its_hash(clone):
    assert sentences(clone) == []
    write(clone.root / "model/probe.txt", "wrong")
    assert sentences(clone) == [
        f"model/probe.txt: found sha256 {HASHES['wrong'][:12]}..., expected"
        f" {HASHES['right'][:12]}... as config.yaml says; run `git checkout model`, or put"
        f" `probe_sha256: {HASHES['wrong']}` into config.yaml"
    ]


def test_a_file_that_is_not_there(clone):
    (clone.root / "model/probe.txt").unlink()
    (sentence,) = sentences(clone)
    assert sentence.startswith("model/probe.txt: found no file, expected the one that `probe`")


def test_one_in_the_working_directory_comes_first_as_in_a_run(clone, tmp_path):
    write(tmp_path / "mine/model/probe.txt", "wrong")
    assert len(sentences(elsewhere(clone, working=tmp_path / "mine"))) == 1


@pytest.mark.parametrize("text", ["a: [", "", "- a", "a: !!bool x", "a: \0", "[" * 10**5])
def test_a_config_that_is_none(clone, text):
    write(clone.root / "config.yaml", text)
    (sentence,) = sentences(clone)
    assert sentence.startswith("config.yaml: found what cannot be read (")
    (clone.root / "config.yaml").unlink()
    assert len(sentences(clone)) == 1


def test_settings_of_another_type_are_for_the_run_to_refuse(clone):
    write(clone.root / "config.yaml", "probe: 3\nweights: [a]\n")
    assert sentences(clone) == []


def test_without_packages_nothing_is_said(clone, monkeypatch):
    write(clone.root / "model/probe.txt", "wrong")
    real = builtins.__import__

    def bare(name, *rest):
        if name == "yaml":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", bare)
    assert model_files.look(clone) == []
