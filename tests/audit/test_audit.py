"""The audit's parts: what is compared how, what is not verified, what is written down."""

import dataclasses
import json
import os

import pytest
from fusedfacts.audit import build, fresh, heads, report, rules, run, subject, verdicts
from fusedfacts.audit.build import Builder
from fusedfacts.audit.leaves import Leaf, differences, leaves
from fusedfacts.audit.rules import Check, Result, Tally
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests
from support import audits
from support.common import PUBLISHED, ROOT
from support.workflow_runs import copy_of_repository


@pytest.fixture
def folder(tmp_path):
    """A published folder to spoil."""
    return copy_of_repository(tmp_path / "copy") / audits.WHERE


@pytest.fixture
def alone(tmp_path):
    """A copy of facts.json with nothing beside it."""
    path = tmp_path / "facts.json"
    path.write_bytes((PUBLISHED / "facts.json").read_bytes())
    return path


def audited(path):
    return run.quick(subject.read(path, ROOT, settings.read(ROOT)))


# --- classes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (1, 1.0, "a: published 1, computed 1.0"),
        (True, 1, "a: published True, computed 1"),
        (None, 0, "a: published None, computed 0"),
        ([], {}, "a: published [], computed {}"),
    ],
)
@pytest.mark.parametrize("said", ["exact", "observed"])
def test_exact_values_differ_in_type_too_and_a_lie_about_the_class_is_no_way_out(
    said, one, other, found
):
    published, computed = {"a": Leaf(said, one)}, {"a": Leaf("exact", other)}
    assert differences(published, computed, "exact") == [found]


def test_every_leaf_of_the_facts_has_one_of_three_classes(facts):
    found = leaves(facts)
    kinds = {leaf.kind for leaf in found.values()}
    assert kinds == {"exact", "bounded", "observed"}
    assert [p for p, leaf in found.items() if leaf.kind == "observed"] == ["timings"]
    assert len(found) > 10_000
    timed = leaves({"timings": {"a": 1}, "claims": []})
    assert timed["timings.a"].kind == "observed"


def test_a_claim_s_value_has_the_claim_s_class(facts):
    found = leaves(facts)
    for claim in facts["claims"]:
        assert found[f"claims[{claim['id']}].value"].kind == claim["class"]


def test_one_more_entry_does_not_shift_the_others(facts):
    changed = {**facts, "traffic": facts["traffic"][1:], "claims": facts["claims"][1:]}
    gone = differences(leaves(changed), leaves(facts), "exact")
    size, first = facts["traffic"][0], facts["claims"][0]["id"]
    for line in gone:
        assert line.startswith((f"traffic[d{size['d']},n{size['n']}]", f"claims[{first}]")), line


# --- the subject -------------------------------------------------------------------------------


def test_what_is_published_holds():
    results = audited(PUBLISHED / "facts.json")
    assert {result.verdict for result in results if result.checked} == {"holds"}
    unseen = [(result.name, result.verdict) for result in results if not result.checked]
    assert unseen == [("devices", "not verified")]


def test_a_facts_json_alone_is_held_against_what_can_be(alone):
    by_name = {result.name: result for result in audited(alone)}
    assert by_name["claims"].verdict == by_name["counts"].verdict == "holds"
    for name in ("folder", "sources", "rendered", "crate"):
        assert by_name[name].verdict == "not verified"
        assert "a facts.json alone was given" in by_name[name].faults[0]


def test_facts_that_do_not_fit_their_schema_are_not_followed(alone):
    alone.write_text("{}")
    by_name = {result.name: result for result in audited(alone)}
    assert by_name["schema"].verdict == "does not hold"
    assert by_name["claims"].verdict == "not verified"
    assert by_name["model"].verdict == "holds"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda path: path.write_bytes(b"\xff"), "no UTF-8"),
        (lambda path: path.write_text("[]"), "no JSON object"),
        (lambda path: path.write_text("[" * 100_000), "not strict JSON"),
        (lambda path: path.write_text("1" * 100_000), "not strict JSON"),
        (lambda path: path.write_text('{"a": 1, "a": 2}'), "the key 'a' appears twice"),
        (lambda path: path.write_text('{"a": NaN}'), "NaN is not a JSON number"),
    ],
)
def test_a_file_that_is_no_facts_json_is_one_sentence(alone, change, named):
    change(alone)
    found = audits.faults(audited(alone))
    assert len(found) == 1
    assert named in found[0]
    assert "\n" not in found[0]


def test_files_that_are_no_files_and_huge_ones_are_refused(alone, monkeypatch):
    fifo = alone.with_name("fifo.json")
    os.mkfifo(fifo)
    for path, named in (
        (fifo, "not a regular file"),
        (alone.parent, "Is a directory"),
        (alone.with_name("none.json"), "cannot be read"),
    ):
        with pytest.raises(FactsError, match=named):
            audited(path)
    monkeypatch.setattr(subject, "LARGEST_FILE", 10)
    with pytest.raises(FactsError, match="more than 10 bytes"):
        audited(alone)


def test_contradictory_facts_of_the_right_shape_are_faults_and_no_traceback(alone):
    """Whatever fits the schema is followed as far as it goes."""
    document = json.loads(alone.read_text())
    document["mutants"]["mutants"]["key_dropped"]["must_be_seen_by"] = "no such input"
    document["control"]["heads"][0]["row_is_wrong"].pop()
    document["worked"]["n"] = 10**30
    files.write_json(alone, document)
    found = audits.faults(audited(alone))
    assert any("cannot be followed (KeyError" in fault or "not found" in fault for fault in found)
    assert all("\n" not in fault for fault in found)


def test_facts_of_another_sweep_than_the_config_s_are_faults_and_no_traceback(folder):
    document = canonical_json.read(folder / "facts.json")
    document["traffic"] = [size for size in document["traffic"] if size["n"] < 4096]
    files.write_json(folder / "facts.json", document)
    found = audits.quickly(folder)
    sentence = "rendered: facts: found no size n 4096, d 64 in traffic, expected the one that the"
    assert any(fault.startswith(sentence) for fault in found), found


def test_own_heads_longer_than_any_that_are_judged_are_a_fault_at_once():
    tally = Tally()
    heads.check_figures({"heads": {"n": 10**40, "heads": []}}, tally)
    assert tally.faults == [f"heads.n: found {10**40}, expected at most 4096"]


def test_a_file_of_one_s_own_that_is_not_there_is_named_with_the_folders_that_were_looked_into(
    alone,
):
    config = settings.read(ROOT) | {"heads": "no.safetensors"}
    found = audits.faults(run.quick(subject.read(alone, ROOT, config)))
    sentence = "no.safetensors: not found, expected the file that `heads` names, in the working dir"
    assert any(fault.startswith(f"model: {sentence}") for fault in found), found


@pytest.mark.parametrize("fault", [KeyError("x"), StopIteration("x")])
def test_a_check_that_trips_is_a_fault(alone, fault):
    def trip(_, tally):
        tally.require(True, "")
        raise fault

    given = subject.read(alone, ROOT, settings.read(ROOT))
    result = rules.run_one(Check("a", "b against c", "values", trip), given)
    assert (result.verdict, result.checked) == ("does not hold", 1)
    why = f"{type(fault).__name__}: {fault}"
    assert result.faults == (f"{given.name}: b against c cannot be followed ({why})",)


# --- verdicts ------------------------------------------------------------------------------------


def test_an_error_above_its_bound_and_more_digits_than_declared_are_faults(facts):
    spoiled, tally = json.loads(json.dumps(facts)), Tally()
    spoiled["traffic"][0]["fused"]["largest_error"] = 1.0
    spoiled["model"]["held_out_loss"] = 0.8021
    verdicts.check_bounds(spoiled, tally)
    assert any("exceeds its bound" in fault for fault in tally.faults)
    verdicts.check_declared_rounding(spoiled, tally)
    digits = "model.held_out_loss: found 0.8021, expected at most 3 significant digits"
    assert tally.faults[-1] == digits


# --- what is built and written -------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ClaimError, FactsError])
def test_a_build_that_stops_is_a_fault_and_the_rest_not_verified(monkeypatch, kind):
    """But one that stopped for another reason than a verdict is none, where there is no other."""

    def stopped(*_):
        raise kind("a fresh build: stopped")

    monkeypatch.setattr(Builder, "built", stopped)
    given, builder = audits.read(PUBLISHED), Builder(ROOT, 1)
    if kind is FactsError:
        with pytest.raises(FactsError, match="stopped"):
            fresh.audit(given, builder)
    packages, built, *others = fresh.audit(given, builder, red=kind is FactsError)
    assert packages.verdict == "holds"
    assert built.faults == ("a fresh build: stopped",)
    assert {result.verdict for result in others} == {"not verified"}


def test_a_kept_device_report_is_no_difference_from_a_fresh_build():
    """No build makes one; the quick audit holds it against its schema and itself."""
    given = audits.read(PUBLISHED)
    manifest = json.loads(given.content["manifest.json"])
    manifest["files"]["devices/x.json"] = files.sha256(b"{}")
    content = {
        **given.content,
        "devices/x.json": b"{}",
        "manifest.json": canonical_json.dumps(manifest).encode(),
        "SHA256SUMS": manifests.sums(manifest).encode(),
    }
    kept = dataclasses.replace(given, content=content)
    assert audits.faults(fresh.compare(kept, PUBLISHED)) == []
    told = audits.faults(run.quick(kept))
    assert [fault.partition(":")[0] for fault in told] == ["devices"]


def test_a_build_is_steered_by_nothing_from_outside(monkeypatch):
    """A profile, a path to another library, a setting of Python or of the compiler."""
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "SNAKEMAKE_PROFILE", "NUMBA_DISABLE_JIT"):
        monkeypatch.setenv(name, "/elsewhere")
    given = build.environment()
    assert not [name for name in given if name.startswith(build.STEERING)]
    assert given["PATH"] == os.environ["PATH"]
    monkeypatch.delenv("PATH")
    assert build.environment()["PATH"]


def test_everything_is_read_before_anything_is_built(monkeypatch, folder):
    """What happens to the published folder while a build runs reaches no verdict."""

    def audit(given, *_, **__):
        (folder / "facts.json").write_text("{}")
        return [*fresh.compare(given, PUBLISHED)]

    monkeypatch.setattr(run.fresh, "audit", audit)
    found = run.audit(Builder(ROOT, 1), folder / "facts.json", "full")
    assert found["holds"]


def test_the_report_fits_its_schema_and_says_what_was_not_verified(tmp_path):
    found = run.audit(Builder(ROOT, 1), PUBLISHED / "facts.json", "quick")
    schema.validate(found, "audit", "audit.json", "-")
    assert found["not_verified"][0] == "devices: there are no reports"
    assert "audit --full" in found["not_verified"][1]
    text = run.write(found, tmp_path)
    assert canonical_json.read(tmp_path / "audit.json") == found
    assert (tmp_path / "audit.txt").read_text() == f"{text}\n"
    for check in found["checks"]:
        assert f"{check['name']} " in text
        assert check["what"] in text
    for sentence in found["not_verified"]:
        assert sentence in text


def test_many_faults_are_counted_and_few_are_shown():
    result = rules.Result("a", "b", "c", 9, "does not hold", tuple(f"fault {i}" for i in range(9)))
    lines = report.lines(report.document("quick", "n", [result]))
    assert "  fault 4" in lines
    assert "  fault 5" not in lines
    assert "  and 4 more (--json lists all)" in lines


def test_an_owner_s_remedy_stands_once_below_what_an_auditor_is_told():
    red = Result.of("rebuilt", "files", "files", 9, [f"{name}: differs" for name in "abc"])
    for mode, times in (("full", 1), ("quick", 0)):
        text = " ".join(" ".join(report.lines(report.document(mode, "x", [red]))).split())
        assert text.count("publish them with `make facts` and commit") == times
        assert "comments and prose in kernels, library, scripts, style and docs/" in text
    right = report.lines(report.document("full", "x", [Result.of("a", "b", "files", 1, [])]))
    assert "commit" not in " ".join(right)
