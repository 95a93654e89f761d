"""The published folder: all or nothing of a run, and whatever else lies there is named."""

import os
import re
import subprocess

import pytest
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import manifest as manifests
from fusedfacts.publishing import summary
from support.built_runs import as_published, beside, marked, once
from support.common import PUBLISHED, change_digit, content

BUILT = PUBLISHED / "manifest.json"


@pytest.fixture(autouse=True, scope="module")
def _each_document_validated_once():
    """The facts take most of a second, and few of these tests change them."""
    validate = schema.validate
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema, "validate", once(validate))
        yield


@pytest.fixture
def folder(tmp_path):
    """A published folder of its own."""
    publish.publish(BUILT, tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def two(tmp_path):
    """Manifests of two runs whose facts differ; each has a file that the other has not."""
    return (
        marked(tmp_path / "old", "one", without=["model/probe.txt"]),
        marked(tmp_path / "new", "two", without=["captions.vtt"]),
    )


@pytest.fixture
def crated(tmp_path):
    """A built run with a crate beside it, published with the crate: root, built, folder."""
    built = beside(tmp_path / "results")
    files.write_bytes(built.parent / manifests.CRATE, b"{}")
    files.write_json(built, {**manifests.read(built), "crate": files.sha256(b"{}")})
    root, folder = tmp_path / "root", tmp_path / "root" / "out"
    publish.publish(built, folder, root)
    return root, built, folder


def test_the_new_run_is_all_that_is_there_and_what_is_not_its_own_stays(tmp_path, two):
    old, new = two
    folder = tmp_path / "out"
    publish.publish(old, folder)
    (folder / "notes.txt").write_text("mine")
    kept = (folder / "page.css").stat().st_ino
    assert publish.publish(new, folder) == files.sha256(new.read_bytes())
    assert content(folder) == {**as_published(new), "notes.txt": b"mine"}
    assert (folder / "page.css").stat().st_ino == kept  # the same bytes are left alone
    publish.publish(beside(tmp_path / "flat", without=["film.css"]), folder)
    publish.check(folder)


def test_a_folder_with_somebody_else_s_manifest_is_left_alone(tmp_path):
    (tmp_path / "manifest.json").write_text('{"kernels": {}}')
    with pytest.raises(FactsError, match="found a manifest that is not of this pipeline"):
        publish.publish(BUILT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_a_spoiled_manifest_of_our_own_is_replaced(folder):
    (folder / "manifest.json").write_text("{")
    publish.publish(BUILT, folder)
    publish.check(folder)


# --- what may not be published ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda facts: {}, "the document found no"),
        (lambda facts: {**facts, "timings": {}}, "timings found"),
    ],
)
def test_facts_that_do_not_fit_replace_nothing(folder, tmp_path, facts, change, sentence):
    before = content(folder)
    changed = {"facts.json": canonical_json.dumps(change(facts)).encode()}
    with pytest.raises(FactsError, match=rf"facts\.json: {sentence}"):
        publish.publish(beside(tmp_path / "built", **changed), folder)
    assert content(folder) == before


def test_half_a_result_is_never_published(folder, tmp_path):
    """Whatever a run that still goes on, or one that was killed, does to results/."""
    before = content(folder)
    built = beside(tmp_path / "built")
    for name in ("facts.json", "js/main.js"):
        path = tmp_path / "built" / name
        right = path.read_bytes()
        path.write_bytes(right[:-1])
        with pytest.raises(FactsError, match=rf"{re.escape(name)}: changed since .* was written"):
            publish.publish(built, folder)
        path.write_bytes(right)
    assert content(folder) == before


def test_a_kept_report_that_does_not_fit_replaces_nothing(folder, two):
    files.write_bytes(folder / "devices" / "made-up.json", b"{}")
    before = content(folder)
    with pytest.raises(FactsError, match=r"made-up\.json: .*; delete it, or copy it again"):
        publish.publish(two[1], folder)
    assert content(folder) == before


# --- what fails or is killed -----------------------------------------------------------------


def test_a_fault_while_moving_is_named_and_mended(tmp_path, two, monkeypatch):
    old, new = two
    folder = tmp_path / "out"
    publish.publish(old, folder)
    move, moved = files.move, []

    def breaking(temporary, path):
        if len(moved) == 5:
            raise FactsError("broken")
        moved.append(path)
        move(temporary, path)

    with monkeypatch.context() as patched:
        patched.setattr(files, "move", breaking)
        with pytest.raises(FactsError, match="broken"):
            publish.publish(new, folder)
    assert files.temporaries(folder) == []
    with pytest.raises(ClaimError, match="it was edited, or a run was killed while publishing"):
        publish.check(folder)
    publish.publish(new, folder)
    assert content(folder) == as_published(new)


def test_a_temporary_that_a_kill_left_is_refused_and_swept(folder):
    left = [files.stage(folder / name, b"half") for name in ("facts.json", "more/x.js")]
    files.write_bytes(folder / ".hidden.part", b"mine")
    with pytest.raises(ClaimError, match=r"\.part: found what a run left that was killed"):
        publish.check(folder)
    publish.publish(BUILT, folder)
    assert not any(path.exists() for path in left)
    assert not (folder / "more").exists()
    assert (folder / ".hidden.part").exists()
    publish.check(folder)


# --- what is noticed later -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spoil", "sentence"),
    [
        ("out/facts.json", change_digit, "it was edited, or a run"),
        ("out/facts.json", os.unlink, "cannot be read"),
        ("out/SHA256SUMS", lambda path: path.write_text("x"), "SHA256SUMS: sha256"),
        (manifests.CRATE, lambda path: path.write_text("x"), r"metadata\.json: sha256 found"),
        (manifests.CRATE, os.unlink, r"metadata\.json: cannot be read"),
    ],
)
def test_an_edit_is_refused_and_the_stamp_of_the_run_goes_with_it(crated, name, spoil, sentence):
    root, built, folder = crated
    left = root / "published.ok"
    publish.drop_stale_stamp(folder, left, root)
    left.write_text(publish.publish(built, folder, root) + "\n")
    publish.drop_stale_stamp(folder, left, root)
    assert left.exists()
    spoil(root / name)
    with pytest.raises(FactsError, match=sentence):
        publish.check(folder, root)
    publish.drop_stale_stamp(folder, left, root)
    assert not left.exists()


def test_sha256sum_itself_accepts_the_folder_and_sees_a_change(folder):
    command = ["sha256sum", "--strict", "-c", "SHA256SUMS"]
    environment = {**os.environ, "LC_ALL": "C"}

    def sha256sum():
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    done = sha256sum()
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": OK\n") == len(manifests.read(folder / "manifest.json")["files"]) + 1
    change_digit(folder / "facts.json")
    assert "facts.json: FAILED\n" in sha256sum().stdout


def test_the_table_shows_the_headline_numbers(facts):
    text = "\n".join(" ".join(row) for row in summary.rows(facts))
    for number in ("538,968,064", "270,532,608", "285,736,960", "17,301,504", "16.5152"):
        assert number in text


# --- the crate at the root -------------------------------------------------------------------


def test_a_crate_lies_at_the_root_and_not_in_the_folder(crated):
    root, _, folder = crated
    publish.check(folder, root)
    assert (root / manifests.CRATE).read_bytes() == b"{}"
    assert manifests.CRATE not in (folder / "SHA256SUMS").read_text()
    assert not (folder / manifests.CRATE).exists()


def test_a_crate_that_changed_after_it_was_built_replaces_nothing(crated):
    root, built, folder = crated
    before = content(root)
    (built.parent / manifests.CRATE).write_bytes(b"{ }")
    with pytest.raises(FactsError, match=r"metadata\.json: changed since"):
        publish.publish(built, folder, root)
    assert content(root) == before
