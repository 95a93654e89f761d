import json
import os
import re
import subprocess
from contextlib import contextmanager

import pytest
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import provenance, summary
from support.built_runs import beside
from support.common import PUBLISHED, change_digit

HOSTILE = (
    *("manifest.json", "SHA256SUMS", "ro-crate-metadata.json"),
    *("../x", "/x", "a/../../x", "a\\x", "./x", "a//x", "a/", "", ".x", "a/.x"),
    *("a b", "a\n", "a\nb", "\x00", "é.svg"),
)


@pytest.fixture
def folder(tmp_path):
    """A published folder of its own."""
    publish.publish(PUBLISHED / "manifest.json", tmp_path / "out")
    return tmp_path / "out"


@contextmanager
def killed_before_the_manifest(folder, monkeypatch):
    """A run that dies when everything but the manifest is in place."""
    move = files.move

    def killed(temporary, path):
        if path == folder / "manifest.json":
            raise KeyboardInterrupt
        move(temporary, path)

    with monkeypatch.context() as patched:
        patched.setattr(files, "move", killed)
        with pytest.raises(KeyboardInterrupt):
            yield


def test_the_committed_folder_is_whole():
    assert publish.check(PUBLISHED)["timings"] is None


def test_what_is_published_is_checked(folder):
    assert publish.check(folder) == json.loads((PUBLISHED / "facts.json").read_text())


def test_a_one_digit_edit_is_seen(folder):
    change_digit(folder / "facts.json")
    with pytest.raises(ClaimError, match="it was edited, or a run was killed"):
        publish.check(folder)


def test_a_kill_between_two_files_is_named(folder, tmp_path, monkeypatch):
    changed = json.loads((PUBLISHED / "facts.json").read_text())
    changed["left_out"].append("And more.")
    built = beside(tmp_path / "built", facts=canonical_json.dumps(changed).encode())
    with killed_before_the_manifest(folder, monkeypatch):
        publish.publish(built, folder)
    with pytest.raises(ClaimError, match="publish again with `make facts`"):
        publish.check(folder)
    publish.publish(built, folder)
    assert publish.check(folder) == changed


def test_facts_that_do_not_fit_replace_nothing(folder, tmp_path):
    before = (folder / "facts.json").read_bytes()
    built = beside(tmp_path / "built", facts=b"{}")
    with pytest.raises(FactsError, match=r"facts\.json: the document found no"):
        publish.publish(built, folder)
    assert (folder / "facts.json").read_bytes() == before


def test_what_is_published_no_more_is_deleted_and_nothing_else(folder, tmp_path):
    """A run without the film leaves no old captions behind, and keeps what is not its own."""
    (folder / "notes.txt").write_text("mine")
    publish.publish(beside(tmp_path / "built", without=["captions.vtt"]), folder)
    assert not (folder / "captions.vtt").exists()
    assert (folder / "notes.txt").exists()
    publish.check(folder)


def test_a_folder_with_somebody_else_s_manifest_is_left_alone(tmp_path):
    (tmp_path / "manifest.json").write_text('{"kernels": {}}')
    with pytest.raises(FactsError, match="found a manifest that is not of this pipeline"):
        publish.publish(PUBLISHED / "manifest.json", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_a_spoiled_manifest_of_our_own_is_replaced(folder):
    (folder / "manifest.json").write_text("{")
    publish.publish(PUBLISHED / "manifest.json", folder)
    publish.check(folder)


def test_a_temporary_that_a_kill_left_is_refused_swept_and_never_published(folder, tmp_path):
    left = [files.stage(folder / name, b"half") for name in ("facts.json", "js/film/x.js")]
    with pytest.raises(ClaimError, match=r"\.part: found what a run left that was killed"):
        publish.check(folder)
    publish.publish(PUBLISHED / "manifest.json", folder)
    assert not any(path.exists() for path in left)
    publish.check(folder)
    with pytest.raises(FactsError, match="is not a plain file name"):
        publish.manifest({left[0].name: tmp_path / "x"}, {}, {})


def test_half_a_result_is_never_published(folder, tmp_path):
    """Whatever a run that still goes on, or one that was killed, does to results/."""
    before = publish.listed(folder / "manifest.json")
    built = beside(tmp_path / "built")
    for name in before:
        path = tmp_path / "built" / name
        right = path.read_bytes()
        path.write_bytes(right[:-1])
        with pytest.raises(FactsError, match=rf"{re.escape(name)}: changed since .* was written"):
            publish.publish(built, folder)
        path.write_bytes(right)
    publish.check(folder)
    assert publish.listed(folder / "manifest.json") == before


def test_what_is_no_more_goes_before_the_manifest_that_lists_it(folder, monkeypatch):
    """So a run killed in between leaves a manifest that misses it: seen, and mended by the next."""
    document = publish.read(folder / "manifest.json")
    files.write_bytes(folder / "notes" / "old.md", b"old")
    document["files"]["notes/old.md"] = files.sha256(b"old")
    files.write_json(folder / "manifest.json", document)
    with killed_before_the_manifest(folder, monkeypatch):
        publish.publish(PUBLISHED / "manifest.json", folder)
    with pytest.raises(FactsError, match=r"old\.md: cannot be read .*; publish again with"):
        publish.check(folder)
    publish.publish(PUBLISHED / "manifest.json", folder)
    assert not (folder / "notes").exists()
    publish.check(folder)


def test_a_kept_report_that_does_not_fit_replaces_nothing(folder, tmp_path):
    before = (folder / "facts.json").read_bytes()
    files.write_bytes(folder / "devices" / "made-up.json", b"{}")
    changed = json.loads(before)
    changed["left_out"].append("And more.")
    built = beside(tmp_path / "built", facts=canonical_json.dumps(changed).encode())
    with pytest.raises(FactsError, match=r"made-up\.json: .*; delete it, or copy it again"):
        publish.publish(built, folder)
    assert (folder / "facts.json").read_bytes() == before


def test_the_repository_publishes_what_the_manifest_lists():
    found = {
        path.relative_to(PUBLISHED).as_posix() for path in PUBLISHED.rglob("*") if path.is_file()
    }
    assert found == {*publish.listed(PUBLISHED / "manifest.json"), "manifest.json", "SHA256SUMS"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_manifest_with_a_hostile_name_is_refused(folder, name):
    document = publish.read(folder / "manifest.json")
    document["files"][name] = "0" * 64
    files.write_json(folder / "manifest.json", document)
    with pytest.raises(FactsError, match=r"is not a plain file name|files found '.*', expected"):
        publish.check(folder)
    with pytest.raises(FactsError, match="is not a plain file name: expected letters"):
        publish.require_names([name])


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a\\x", "x\n"])
def test_an_input_lies_in_the_repository(folder, name):
    document = publish.read(folder / "manifest.json")
    document["inputs"][name] = "0" * 64
    files.write_json(folder / "manifest.json", document)
    with pytest.raises(FactsError, match=r"found the input|inputs found '.*', expected"):
        publish.check(folder)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: [], "the document found [], expected a value of type object"),
        (lambda m: {}, "the document found no files, expected all of files, inputs, config"),
        (lambda m: {"files": m["files"]}, "the document found no inputs"),
        (lambda m: {**m, "files": {}}, "files found no facts.json"),
        (lambda m: {**m, "more": 1}, "the document found an unknown key 'more'"),
        (lambda m: {**m, "crate": "0"}, "crate found '0', expected text matching"),
        (
            lambda m: {**m, "files": {**m["files"], "x": "F" * 64}},
            "files.x found 'FFFFF",
        ),
        (lambda m: {**m, "files": {**m["files"], "x": 7}}, "files.x found 7"),
        (lambda m: {**m, "files": {**m["files"], "x": "0" * 64 + "\n"}}, "files.x found '0000"),
        (lambda m: {**m, "config": {}}, "config found no n_values"),
        (lambda m: {**m, "inputs": {**m["inputs"], "x": "0" * 63}}, "inputs.x found '0000"),
    ],
)
def test_what_is_no_manifest_is_refused_in_a_sentence(folder, change, sentence):
    path = folder / "manifest.json"
    files.write_json(path, change(publish.read(path)))
    with pytest.raises(FactsError) as refused:
        publish.check(folder)
    assert str(refused.value).startswith(f"{path}: {sentence}")
    assert str(refused.value).endswith(publish.MEND)


def test_the_schema_and_the_code_allow_the_same_names():
    pattern = schema.load("manifest")["properties"]["files"]["propertyNames"]["pattern"]
    assert pattern == rf"^{publish.NAME.pattern}$(?!\n)"
    assert not re.search(pattern, "facts.json\n")
    assert re.search(pattern, "js/film/main.js")


def test_sha256sum_itself_accepts_the_published_folder(folder):
    done = sha256sum(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": OK\n") == len(publish.listed(folder / "manifest.json")) + 1


def test_sha256sum_itself_sees_a_change(folder):
    change_digit(folder / "facts.json")
    done = sha256sum(folder)
    assert done.returncode == 1
    assert "facts.json: FAILED\n" in done.stdout


def sha256sum(folder):
    return subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("spoil", [lambda sums: sums.replace(b"a", b"b", 1), lambda sums: b""])
def test_sums_that_say_something_else_than_the_manifest_are_seen(folder, spoil):
    path = folder / "SHA256SUMS"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ClaimError, match="SHA256SUMS: sha256 found"):
        publish.check(folder)


def test_a_crate_lies_at_the_root_and_not_in_the_folder(folder, tmp_path):
    """It tells of the manifest's files and more, so it is none of them (see test_crate_placed)."""
    files.write_bytes(tmp_path / "ro-crate-metadata.json", b"{}")
    document = publish.read(folder / "manifest.json")
    built = {name: folder / name for name in document["files"]}
    crate = tmp_path / "ro-crate-metadata.json"
    made = publish.manifest(built, {}, document["config"], crate)
    assert made["crate"] == files.sha256(b"{}")
    made["inputs"] = document["inputs"]
    files.write_json(folder / "manifest.json", made)
    files.write_bytes(folder / "SHA256SUMS", provenance.sums(made).encode())
    publish.check(folder)
    assert "ro-crate-metadata.json" not in (folder / "SHA256SUMS").read_text()


def test_the_table_shows_the_headline_numbers(facts):
    text = "\n".join(" ".join(row) for row in summary.rows(facts))
    for number in ("538,968,064", "270,532,608", "285,736,960", "17,301,504", "16.5152"):
        assert number in text
