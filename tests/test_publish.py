import json
from contextlib import contextmanager

import pytest
from conftest import PUBLISHED
from fusedfacts import audit, canonical_json, files, publish, table
from fusedfacts.errors import ClaimError, FactsError

HOSTILE = ("manifest.json", "../x", "/x", "a/../../x", "a\\x", "./x", "a//x")


@pytest.fixture
def folder(tmp_path):
    """A published folder of its own."""
    publish.publish(PUBLISHED / "manifest.json", tmp_path / "out")
    return tmp_path / "out"


def change_digit(path, old=b"270532608", new=b"270532609"):
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


def relisted(folder):
    """Write the hashes of whatever lies there into the manifest, as a careful liar would."""
    names = publish.listed(folder / "manifest.json")
    built = {name: folder / name for name in names if (folder / name).exists()}
    files.write_json(folder / "manifest.json", publish.manifest(built))


@contextmanager
def killed_before_the_manifest(monkeypatch):
    """A run that dies when everything but the manifest is in place."""
    write = files.write_bytes

    def killed(path, content):
        if path.name == "manifest.json":
            raise KeyboardInterrupt
        write(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(files, "write_bytes", killed)
        with pytest.raises(KeyboardInterrupt):
            yield


def beside(folder, **changed):
    """What a run would leave in `folder`: the published files, some of them changed."""
    names = publish.listed(PUBLISHED / "manifest.json")
    for name in names:
        content = (PUBLISHED / name).read_bytes()
        files.write_bytes(folder / name, changed.get(name.partition(".")[0], content))
    files.write_json(
        folder / "manifest.json", publish.manifest({name: folder / name for name in names})
    )
    return folder / "manifest.json"


def test_the_committed_folder_is_whole():
    assert publish.check(PUBLISHED)["timings"] is None


def test_what_is_published_is_checked(folder):
    assert publish.check(folder) == json.loads((PUBLISHED / "facts.json").read_text())


def test_a_one_digit_edit_is_seen(folder):
    change_digit(folder / "facts.json")
    with pytest.raises(ClaimError, match="it was edited, or a run was killed"):
        publish.check(folder)


def test_an_edit_that_mends_the_manifest_too_is_seen_by_the_audit(folder):
    change_digit(folder / "facts.json")
    relisted(folder)
    publish.check(folder)
    with pytest.raises(ClaimError, match="published 270532609, computed 270532608"):
        audit.audit(folder, PUBLISHED / "manifest.json")


def test_the_audit_passes_what_follows(folder):
    claims = json.loads((folder / "facts.json").read_text())["claims"]
    assert audit.audit(folder, PUBLISHED / "manifest.json") == len(claims)


def test_other_bytes_of_the_same_values_are_seen(folder):
    path = folder / "facts.json"
    path.write_bytes(json.dumps(json.loads(path.read_text())).encode())
    with pytest.raises(ClaimError):
        audit.audit(folder, PUBLISHED / "manifest.json")


@pytest.mark.parametrize(
    ("one", "other", "line"),
    [
        ({"a": 1}, {"a": 1.0}, "a: published 1, computed 1.0"),
        ({"a": True}, {"a": 1}, "a: published True, computed 1"),
        ({"a": 1}, {}, "a: only published"),
        ({}, {"a": 1}, "a: only computed"),
        ([1], [1, 2], ": published 1 items, computed 2 items"),
        ({"a": None}, {"a": 0}, "a: published None, computed 0"),
    ],
)
def test_differences_tell_types_apart(one, other, line):
    assert audit.differences(one, other) == [line]


def test_a_kill_between_two_files_is_named(folder, tmp_path, monkeypatch):
    changed = json.loads((PUBLISHED / "facts.json").read_text())
    changed["left_out"].append("And more.")
    built = beside(tmp_path / "built", facts=canonical_json.dumps(changed).encode())
    with killed_before_the_manifest(monkeypatch):
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


def test_a_file_that_changed_after_it_was_built_is_not_published(folder, tmp_path):
    built = beside(tmp_path / "built")
    (tmp_path / "built" / "captions.vtt").write_text("WEBVTT\n")
    with pytest.raises(FactsError, match=r"captions\.vtt: changed since .* was written"):
        publish.publish(built, folder)


def test_what_is_published_no_more_is_deleted_and_nothing_else(folder, tmp_path):
    """A run without the film leaves no old captions behind, and keeps what is not its own."""
    (folder / "notes.txt").write_text("mine")
    names = publish.listed(PUBLISHED / "manifest.json")
    kept = {name: PUBLISHED / name for name in names if "caption" not in name}
    for name, path in kept.items():
        files.write_bytes(tmp_path / "built" / name, path.read_bytes())
    files.write_json(tmp_path / "built" / "manifest.json", publish.manifest(kept))
    publish.publish(tmp_path / "built" / "manifest.json", folder)
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


def test_what_is_left_behind_is_deleted_after_the_manifest_moved(folder, monkeypatch):
    names = publish.listed(folder / "manifest.json")
    files.write_bytes(folder / "old.md", b"old")
    files.write_json(
        folder / "manifest.json",
        publish.manifest({name: folder / name for name in [*names, "old.md"]}),
    )
    with killed_before_the_manifest(monkeypatch):
        publish.publish(PUBLISHED / "manifest.json", folder)
    assert (folder / "old.md").exists()
    publish.publish(PUBLISHED / "manifest.json", folder)
    assert not (folder / "old.md").exists()


def test_the_audit_sees_a_file_that_nobody_lists(folder):
    (folder / "pictures" / "old.svg").write_text("<svg/>")
    with pytest.raises(
        ClaimError, match=r"old\.svg: found a file that manifest\.json does not list"
    ):
        audit.audit(folder, PUBLISHED / "manifest.json")


def test_the_audit_sees_a_manifest_with_a_wrong_hash(folder):
    listed = publish.listed(folder / "manifest.json")
    files.write_json(folder / "manifest.json", {"files": {**listed, "captions.vtt": "0" * 64}})
    with pytest.raises(ClaimError, match=r"captions\.vtt: sha256 found"):
        audit.audit(folder, PUBLISHED / "manifest.json")


@pytest.mark.parametrize("arguments", [[], ["media"], ["a", "b", "c"]])
def test_wrong_arguments_are_one_sentence(arguments):
    with pytest.raises(FactsError, match="expected a published folder and the manifest"):
        audit.main(arguments)


def test_the_repository_publishes_what_the_manifest_lists():
    found = {
        path.relative_to(PUBLISHED).as_posix() for path in PUBLISHED.rglob("*") if path.is_file()
    }
    assert found == {*publish.listed(PUBLISHED / "manifest.json"), "manifest.json"}


@pytest.mark.parametrize(
    "manifest",
    [
        "{}",
        "[]",
        '{"files": {}}',
        *(json.dumps({"files": {"facts.json": "0", name: "0"}}) for name in HOSTILE),
    ],
)
def test_a_hostile_manifest_is_refused(folder, manifest):
    (folder / "manifest.json").write_text(manifest)
    with pytest.raises(FactsError, match=r"expected hashes|is not a plain file name"):
        publish.check(folder)


@pytest.mark.parametrize(
    "spoil", [change_digit, lambda path: path.unlink(), lambda path: path.write_text("{}")]
)
def test_the_stamp_goes_with_an_edit_and_not_before(folder, tmp_path, spoil):
    stamp = tmp_path / "published.ok"
    publish.drop_stale_stamp(folder, stamp)
    stamp.write_text(publish.publish(PUBLISHED / "manifest.json", folder) + "\n")
    publish.drop_stale_stamp(folder, stamp)
    assert stamp.exists()
    spoil(folder / "facts.json")
    publish.drop_stale_stamp(folder, stamp)
    assert not stamp.exists()


def test_the_table_shows_the_headline_numbers(facts):
    text = "\n".join(" ".join(row) for row in table.rows(facts))
    for number in ("538,968,064", "270,532,608", "285,736,960", "17,301,504", "16.5152"):
        assert number in text
