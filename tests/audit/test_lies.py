"""A lie cannot pass: each is planted, carelessly and carefully, and the check it names is red.

`PYTHONPATH=tests python -m support.lies` asks the whole audits of every lie, and writes what they
see into docs/audit.md.
"""

import shutil

import pytest
from fusedfacts.audit import fresh, rendered, rules, run
from fusedfacts.documents import canonical_json
from support import audits
from support.common import PUBLISHED, ROOT
from support.lies import planted
from support.lies.catalogue import LIES
from support.lies.planting import Lie
from support.workflow_runs import copy_of_repository, finished, small_copy

CHECKS = {check.name: check for check in run.CHECKS}
WHOLE = ["bytes", "error", "caption"]
BUILT = ["weight_byte", "library", "source_more"]  # of a model, of code, and one that lies not


@pytest.fixture(scope="module")
def table():
    """The lines of docs/audit.md's table, by the words for each lie."""
    text = planted.TABLE.search(planted.DOCUMENT.read_text(encoding="utf-8"))[0]
    assert text.startswith(planted.HEAD)
    return {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines(True)[2:]}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A copy with a small sweep of its own, published, in which fresh builds take seconds."""
    folder = small_copy(tmp_path_factory.mktemp("small") / "copy")
    finished(folder)
    return folder


@pytest.fixture(scope="module")
def headed(tmp_path_factory):
    """A copy whose facts tell of heads of one's own."""
    return planted.copy_with_heads(tmp_path_factory.mktemp("headed") / "copy")


@pytest.fixture(autouse=True, scope="module")
def rendered_once():
    """Lies about words leave the facts as they are, so what follows from them is rendered once."""
    render, known = rendered.rendered, {}

    def remembered(facts, config):
        key = canonical_json.dumps([facts, config["film"]])
        if key not in known:
            known[key] = render(facts, config)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendered, "rendered", remembered)
        yield


def named(lie, faults):
    return any(lie.named in fault for fault in faults)


def found_by(name, folder, root):
    return audits.faults([rules.run_one(CHECKS[name], audits.read(folder, root))])


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_seen_by_the_check_that_it_names(name, tmp_path, monkeypatch, table, headed):
    lie, computed = LIES[name], PUBLISHED
    if lie.of_heads:
        copy = root = shutil.copytree(headed, tmp_path / "copy")
        computed = headed / audits.WHERE
    elif lie.of_source:
        copy = root = copy_of_repository(tmp_path / "copy")
        monkeypatch.chdir(copy)  # else the model's files are those of the repository
    else:
        copy, root = tmp_path, ROOT
        shutil.copytree(PUBLISHED, copy / audits.WHERE)
    folder = copy / audits.WHERE
    lie.plant(copy)
    assert named(lie, found_by(lie.check, folder, root))
    planted.mend(lie, copy, root, words=False)
    careful = lie.careful_check
    if careful:
        assert named(lie, found_by(careful, folder, root))
    elif not lie.of_source:
        compared = fresh.compare_values(audits.read(folder, root), computed)
        assert named(lie, audits.faults(r for r in compared if r.name == lie.full))
    assert table[lie.what] == planted.row(lie, (True, bool(careful), not lie.becomes_true))


def test_every_lie_stands_in_the_table_once(table):
    assert list(table) == [lie.what for lie in LIES.values()]


def test_without_a_lie_own_heads_hold(headed):
    assert audits.quickly(headed / audits.WHERE, headed) == []


@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_audit_sees_a_lie_as_the_table_says(name, tmp_path, table):
    lie = LIES[name]
    found = planted.seen(lie, copy_of_repository(tmp_path / "copy"), None)
    assert named(lie, found.careless)
    assert named(lie, found.full)
    assert planted.row(lie, found.cells()) == table[lie.what]


def test_a_careful_liar_without_a_lie_changes_nothing(tmp_path):
    """What `mend` does is no lie of its own."""
    copy = copy_of_repository(tmp_path / "copy")
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    planted.mend(Lie("nothing", lambda _: None, "", "claims", of_source=True), copy)
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == before


def test_a_package_of_another_version_than_the_lock_s_is_a_fault(tmp_path):
    copy = copy_of_repository(tmp_path / "copy")
    LIES["lock"].plant(copy)
    given = audits.read(copy / audits.WHERE, copy)
    assert "numpy" in audits.faults([rules.run_one(fresh.check_packages, given)])[0]


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.parametrize("name", BUILT)
def test_a_fresh_build_sees_a_false_source(name, small):
    """And finds nothing where the source says nothing false."""
    lie = LIES[name]
    found = planted.rebuilt(lie, small)
    assert bool(found) == (not lie.becomes_true)
