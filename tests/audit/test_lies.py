"""A lie cannot pass: each is planted, carelessly and carefully, and must turn the audit red.

`PYTHONPATH=tests python -m support.lies` writes what is found here into docs/audit.md.
"""

import re

import pytest
from fusedfacts.audit import rendered as told
from fusedfacts.documents import canonical_json, schema
from support import audits, lies
from support.workflow_runs import copy_of_repository


@pytest.fixture(autouse=True, scope="module")
def rendered_once():
    """The same facts are rendered, and held against their schema, once for all lies."""
    rendered, validate = told.rendered, schema.validate
    pages, fits = {}, set()

    def remembered(facts, config):
        key = canonical_json.dumps([facts, config["film"]])
        if key not in pages:
            pages[key] = rendered(facts, config)
        return pages[key]

    def held(document, name, file, mend):
        key = (name, repr(document))
        if key not in fits:
            validate(document, name, file, mend)
            fits.add(key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(told, "rendered", remembered)
        patch.setattr(schema, "validate", held)
        yield


@pytest.fixture
def copy(tmp_path):
    return copy_of_repository(tmp_path / "copy")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return lies.small_copy(tmp_path_factory.mktemp("small") / "copy")


@pytest.fixture(scope="module")
def table():
    """The lines of docs/audit.md's table, by the words for each lie."""
    text = lies.TABLE.search(lies.DOCUMENT.read_text(encoding="utf-8"))[0]
    assert text.startswith(lies.HEAD)
    return {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines(True)[2:]}


def named(lie, faults):
    return any(re.search(lie.named, fault) for fault in faults)


def test_nothing_is_found_where_nothing_was_planted(copy):
    folder = copy / audits.WHERE
    assert audits.quickly(folder, copy) == []
    assert audits.against(folder) == []
    assert audits.by_command(copy) == []


def test_a_careful_liar_without_a_lie_changes_nothing(copy):
    """What `mended` does is no lie of its own."""
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    lies.mended(lies.Lie("nothing", lambda _: None, "", of_source=True), copy)
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", lies.LIES)
def test_a_lie_turns_the_audit_red(name, copy, small, table):
    lie = lies.LIES[name]
    found = lies.seen(lie, copy, small)
    assert named(lie, found.careless), found.careless
    if lie.becomes_true:
        assert found.full == []
    else:
        assert found.full, name
        # Where a fresh build stops or differs, it names what follows from the lie.
        assert named(lie, found.full) or lie.of_source, found.full
    assert lies.row(lie, found.cells()) == table[lie.what]


def test_every_lie_stands_in_the_table_once(table):
    assert list(table) == [lie.what for lie in lies.LIES.values()]


def test_a_full_audit_in_a_copy_without_a_lie_holds(small):
    fresh = [fault for fault in audits.by_command(small, "--full") if fault.startswith(lies.FRESH)]
    assert fresh == []
