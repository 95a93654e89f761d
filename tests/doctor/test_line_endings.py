"""Line endings that something changed: named, and mended without losing an edit."""

import subprocess

import pytest
from fusedfacts.doctor import line_endings
from support.common import ROOT
from support.doctor_clones import command_of, mend, write

TEXT = "one\ntwo\n"


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(params=["a clone", "an archive"])
def tree(request, tmp_path):
    root = tmp_path / "tree"
    for name in ("a.py", "docs/b.md", "c d.txt", *(f"many/{i}.txt" for i in range(9))):
        write(root / name, TEXT)
    write(root / ".gitattributes", "* text=auto eol=lf\nkept.txt -text\n")
    (root / "binary").write_bytes(b"\0\r\n")
    if request.param == "a clone":
        git(root, "init", "-q")
        git(root, "add", "-A")
    return root


def spoil(path):
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def test_lf_is_fine(tree):
    assert line_endings.look(tree) == []


def test_one_file_is_named_and_mended_and_its_edit_kept(tree):
    write(tree / "c d.txt", "edited\n" + TEXT)
    spoil(tree / "c d.txt")
    (finding,) = line_endings.look(tree)
    assert finding.sentence == (
        "c d.txt: found lines that end in CRLF, expected LF; run `sed -i 's/\\r$//' 'c d.txt'`"
    )
    mend(finding, tree)
    assert line_endings.look(tree) == []
    assert (tree / "c d.txt").read_bytes() == b"edited\n" + TEXT.encode()


def test_a_whole_checkout_is_one_sentence_and_mended_at_once(tree):
    names = [path for path in tree.rglob("*.*") if path.is_file() and ".git" not in path.parts]
    for path in names:
        spoil(path)
    write(tree / "results/of_a_run.txt", "left\r\nalone\r\n")
    (finding,) = line_endings.look(tree)
    assert finding.where.endswith("and 8 more")
    assert len(command_of(finding)) < 130
    write(tree / "docs/b.md", "edited\n" + TEXT)
    spoil(tree / "docs/b.md")
    mend(finding, tree)
    assert line_endings.look(tree) == []
    assert (tree / "docs/b.md").read_bytes() == b"edited\n" + TEXT.encode()
    assert (tree / "binary").read_bytes() == b"\0\r\n"
    assert b"\r" in (tree / "results/of_a_run.txt").read_bytes()


def test_a_mixture_is_seen(tree):
    (tree / "a.py").write_bytes(b"one\ntwo\r\n")
    assert len(line_endings.look(tree)) == 1


def test_the_setting_that_did_it_is_mended_too(tmp_path):
    write(tmp_path / "a.txt", TEXT)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", "true")
    git(tmp_path, "add", "a.txt")
    (tmp_path / "a.txt").unlink()
    git(tmp_path, "checkout", "a.txt")
    assert b"\r\n" in (tmp_path / "a.txt").read_bytes()
    (finding,) = line_endings.look(tmp_path)
    assert finding.mend.endswith("then `git config core.autocrlf false`")
    assert command_of(finding) == "sed -i 's/\\r$//' a.txt"


def test_what_git_leaves_alone_is_left_alone(tmp_path):
    write(tmp_path / ".gitattributes", "kept.txt -text\n")
    (tmp_path / "kept.txt").write_bytes(b"one\r\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    assert line_endings.look(tmp_path) == []


def test_this_repository_has_none():
    assert list(line_endings.changed(ROOT)) == []
