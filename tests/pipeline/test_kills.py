"""The script that kills runs sees what a kill must not leave."""

import pytest
from fusedfacts.documents import files
from fusedfacts.publishing import folder as publish
from support import kills
from support.built_runs import as_published, marked


@pytest.fixture
def runs(tmp_path):
    """A published run and one that is to follow: folder, and the files of both."""
    old = marked(tmp_path / "old", "one")
    new = marked(tmp_path / "new", "two", without=["captions.vtt"])
    publish.publish(old, tmp_path / "out")
    return tmp_path / "out", as_published(old), as_published(new)


def test_whole_states_are_told_apart(runs):
    folder, old, new = runs
    assert kills.state(folder, old, new) == "old"
    assert kills.state(folder, new, old) == "new"
    left = files.stage(folder / "facts.json", b"half")
    assert kills.state(folder, old, new) == "old with temporaries"
    left.unlink()
    (folder / "film.json").write_bytes(new["film.json"])
    assert kills.state(folder, old, new) == "mixture"


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: (folder / "film.json").write_bytes(b"{"), "film.json is neither the old"),
        (lambda folder: (folder / "film.json").unlink(), "film.json is neither the old"),
        (lambda folder: (folder / "more.svg").write_bytes(b""), "more.svg is neither the old"),
    ],
)
def test_a_file_that_is_not_whole_is_seen(runs, capsys, harm, said):
    folder, old, new = runs
    harm(folder)
    with pytest.raises(SystemExit):
        kills.state(folder, old, new)
    assert said in capsys.readouterr().out


def test_a_mixture_that_is_accepted_and_a_whole_state_that_is_refused_are_seen(
    runs, capsys, monkeypatch
):
    folder, old, new = runs
    with monkeypatch.context() as patched:
        patched.setattr(publish, "check", lambda folder: {})
        (folder / "film.json").write_bytes(new["film.json"])
        with pytest.raises(SystemExit):
            kills.state(folder, old, new)
        assert "mixture, []: check said ''" in capsys.readouterr().out
    # Other sums than the manifest's, in both runs: whole, and refused.
    for name, content in old.items():
        files.write_bytes(folder / name, content)
    wrong = {"SHA256SUMS": b"nothing\n"}
    (folder / "SHA256SUMS").write_bytes(wrong["SHA256SUMS"])
    with pytest.raises(SystemExit):
        kills.state(folder, old | wrong, new | wrong)
    assert "old, []: check said" in capsys.readouterr().out


def test_the_new_manifest_beside_a_temporary_is_seen(runs, capsys):
    """It moved before something else did."""
    folder, old, new = runs
    files.stage(folder / "facts.json", b"half")
    with pytest.raises(SystemExit):
        kills.state(folder, new, old)
    assert "the last file moved before another" in capsys.readouterr().out
