"""The crate is put at the root, and what lies there is the one that the manifest names."""

import pytest
from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing.crate import layout, placed
from support import crated
from support.common import PUBLISHED, ROOT


@pytest.fixture
def root(tmp_path):
    """What the crate tells of, with a manifest that names it."""
    folder = crated.copied(crated.document(), tmp_path / "root")
    return named(folder, folder / layout.FOLDER / "manifest.json")


def named(folder, manifest):
    """Write the crate's hash into a manifest."""
    digest = files.sha256((folder / layout.NAME).read_bytes())
    files.write_json(manifest, {**publish.read(manifest), "crate": digest})
    return folder


@pytest.fixture
def built(tmp_path):
    """The manifest that a run leaves, with a crate beside it."""
    made = publish.read(PUBLISHED / "manifest.json")
    files.write_bytes(tmp_path / "results" / layout.NAME, b"{}")
    files.write_json(tmp_path / "results" / "manifest.json", {**made, "crate": files.sha256(b"{}")})
    return tmp_path / "results" / "manifest.json"


def test_a_run_is_the_repository_s_own_only_with_its_own_files(tmp_path):
    assert placed.describes(ROOT, PUBLISHED, crated.inputs())
    assert not placed.describes(ROOT, tmp_path, crated.inputs())
    foreign = {**crated.inputs(), "model/probe.txt": tmp_path / "probe.txt"}
    assert not placed.describes(ROOT, PUBLISHED, foreign)


def test_a_crate_is_put_at_the_root(built, tmp_path):
    placed.place(built, tmp_path)
    assert (tmp_path / layout.NAME).read_bytes() == b"{}"


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_bytes(b"{ }"), lambda path: path.unlink()]
)
def test_a_crate_that_changed_after_it_was_built_replaces_nothing(built, tmp_path, spoil):
    files.write_bytes(tmp_path / layout.NAME, b"old")
    spoil(built.parent / layout.NAME)
    with pytest.raises(
        FactsError, match=r"ro-crate-metadata\.json: (changed since|cannot be read)"
    ):
        placed.place(built, tmp_path)
    assert (tmp_path / layout.NAME).read_bytes() == b"old"


def test_a_crate_that_no_manifest_names_is_not_placed(built, tmp_path):
    made = publish.read(built)
    del made["crate"]
    files.write_json(built, made)
    with pytest.raises(FactsError, match="changed since"):
        placed.place(built, tmp_path)


def test_the_crate_in_its_place_is_whole(root):
    assert placed.check(root, root / layout.FOLDER) > len(crated.names())


def edited(root):
    path = root / layout.NAME
    path.write_bytes(path.read_bytes().replace(b"0.1.0", b"0.2.0"))


def unnamed(root):
    path = root / layout.FOLDER / "manifest.json"
    made = publish.read(path)
    del made["crate"]
    files.write_json(path, made)


@pytest.mark.parametrize("plant", [edited, unnamed])
def test_a_crate_that_the_manifest_does_not_name_is_seen(root, plant):
    plant(root)
    with pytest.raises(
        ClaimError, match=r"ro-crate-metadata\.json: sha256 found .*manifest\.json says"
    ):
        placed.check(root, root / layout.FOLDER)


def test_a_careful_liar_who_mends_the_manifest_too_is_seen_by_the_tree(root):
    path = root / layout.NAME
    digest = files.sha256((root / "config.yaml").read_bytes())
    path.write_text(path.read_text().replace(digest, "0" * 64))
    named(root, root / layout.FOLDER / "manifest.json")
    with pytest.raises(ClaimError, match=r"config\.yaml found sha256"):
        placed.check(root, root / layout.FOLDER)


def test_a_missing_crate_is_one_sentence(root):
    (root / layout.NAME).unlink()
    with pytest.raises(
        FactsError, match=r"ro-crate-metadata\.json: cannot be read .*; publish again"
    ):
        placed.check(root, root / layout.FOLDER)


@pytest.mark.parametrize("spoil", [edited, unnamed, lambda root: (root / layout.NAME).unlink()])
def test_the_stamp_goes_with_an_edit_and_not_before(root, tmp_path, spoil):
    stamp = tmp_path / "published.ok"
    placed.drop_stale_stamp(root, root / layout.FOLDER, stamp)
    stamp.write_text("")
    placed.drop_stale_stamp(root, root / layout.FOLDER, stamp)
    assert stamp.exists()
    spoil(root)
    placed.drop_stale_stamp(root, root / layout.FOLDER, stamp)
    assert not stamp.exists()


def test_the_committed_crate_is_the_one_that_the_committed_manifest_names():
    placed.check(ROOT, PUBLISHED)
