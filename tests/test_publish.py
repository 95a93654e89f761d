import json

import pytest
from conftest import PUBLISHED
from fusedfacts import audit, files, publish, table
from fusedfacts.errors import ClaimError, FactsError


@pytest.fixture
def folder(tmp_path):
    """A published folder of its own."""
    publish.publish(PUBLISHED / "facts.json", tmp_path / "out")
    return tmp_path / "out"


def change_digit(path, old=b"270532608", new=b"270532609"):
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


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
    manifest = {"files": {"facts.json": files.sha256((folder / "facts.json").read_bytes())}}
    files.write_json(folder / "manifest.json", manifest)
    publish.check(folder)
    with pytest.raises(ClaimError, match="published 270532609, computed 270532608"):
        audit.audit(folder, PUBLISHED / "facts.json")


def test_the_audit_passes_what_follows(folder):
    claims = json.loads((folder / "facts.json").read_text())["claims"]
    assert audit.audit(folder, PUBLISHED / "facts.json") == len(claims)


def test_other_bytes_of_the_same_values_are_seen(folder):
    path = folder / "facts.json"
    path.write_bytes(json.dumps(json.loads(path.read_text())).encode())
    with pytest.raises(ClaimError):
        audit.audit(folder, PUBLISHED / "facts.json")


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


def test_a_kill_between_two_files_is_named(tmp_path, monkeypatch):
    publish.publish(PUBLISHED / "facts.json", tmp_path)
    changed = json.loads((PUBLISHED / "facts.json").read_text())
    changed["left_out"].append("One more.")
    files.write_json(tmp_path / "new.json", changed)
    write = files.write_bytes

    def killed(path, content):
        if path.name == "manifest.json":
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(files, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        publish.publish(tmp_path / "new.json", tmp_path)
    monkeypatch.undo()
    with pytest.raises(ClaimError, match="publish again with `make facts`"):
        publish.check(tmp_path)
    publish.publish(tmp_path / "new.json", tmp_path)
    assert publish.check(tmp_path) == changed


def test_facts_that_do_not_fit_replace_nothing(folder, tmp_path):
    before = (folder / "facts.json").read_bytes()
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(FactsError, match=r"bad\.json: the document found no"):
        publish.publish(tmp_path / "bad.json", folder)
    assert (folder / "facts.json").read_bytes() == before


@pytest.mark.parametrize("manifest", ["{}", "[]", '{"files": {}}', '{"files": {"../x": "0"}}'])
def test_a_hostile_manifest_is_refused(folder, manifest):
    (folder / "manifest.json").write_text(manifest)
    with pytest.raises(FactsError):
        publish.check(folder)


@pytest.mark.parametrize(
    "spoil", [change_digit, lambda path: path.unlink(), lambda path: path.write_text("{}")]
)
def test_the_stamp_goes_with_an_edit_and_not_before(folder, tmp_path, spoil):
    stamp = tmp_path / "published.ok"
    publish.drop_stale_stamp(folder, stamp)
    stamp.write_text(publish.publish(PUBLISHED / "facts.json", folder) + "\n")
    publish.drop_stale_stamp(folder, stamp)
    assert stamp.exists()
    spoil(folder / "facts.json")
    publish.drop_stale_stamp(folder, stamp)
    assert not stamp.exists()


def test_the_table_shows_the_headline_numbers(facts):
    text = "\n".join(" ".join(row) for row in table.rows(facts))
    for number in ("538,968,064", "270,532,608", "285,736,960", "17,301,504", "16.5152"):
        assert number in text
