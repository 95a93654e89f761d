"""A config of one's own: what is wrong with it is one sentence."""

import pytest
from fusedfacts.errors import FactsError
from fusedfacts.pipeline import config as settings
from support.common import ROOT


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", r"config\.yaml: found no YAML \(.*\), expected settings"),
        ("film: 2026-99-99", r"config\.yaml: found no YAML \(month must be"),
        ("a: !!python/object:os.system x", r"config\.yaml: found no YAML"),
        ("words", r"config\.yaml: found no settings, expected `key: value` lines"),
        ("fused: {seed: 7}", r"config\.yaml: found settings below 'fused', as a workflow that imp"),
        ("seed: x", "config: seed found 'x', expected a value of type integer"),
    ],
)
def test_what_is_no_config_is_refused(tmp_path, text, sentence):
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(FactsError, match=sentence):
        settings.read(tmp_path)


def test_a_missing_config_is_one_sentence(tmp_path):
    with pytest.raises(FactsError, match=r"config\.yaml: cannot be read .*; name an existing"):
        settings.read(tmp_path)


def test_a_pattern_ends_where_the_text_ends(config):
    """Python's `$` would let a newline through behind it."""
    for key in ("weights_sha256", "probe_sha256"):
        with pytest.raises(FactsError, match=f"config: {key} found"):
            settings.checked({**config, key: config[key] + "\n"})


@pytest.mark.parametrize("path", ["a\0b", "a\nb", "\x1b[2J"])
def test_a_path_with_a_control_character_is_refused(config, path):
    with pytest.raises(FactsError, match=r"config: probe found .* expected text matching"):
        settings.checked({**config, "probe": path})


@pytest.mark.parametrize("path", ["x" * 5000, "../" * 900 + "x", "é", "model"])
def test_a_path_without_a_file_is_one_sentence(path):
    with pytest.raises(FactsError, match="not found, expected the file that `probe` names"):
        settings.require_files({"probe": settings.model_file(path, ROOT)})
