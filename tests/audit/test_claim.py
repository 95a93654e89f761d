"""One claim: looked up, followed to its code, recomputed."""

import json
import re

import pytest
from fusedfacts.audit import build
from fusedfacts.audit import claim as claims
from fusedfacts.cli import main, options
from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.pipeline import config as settings
from support.common import PUBLISHED, ROOT


@pytest.fixture
def lied(tmp_path, facts):
    """Published facts in which sections and claims agree on what is false."""
    changed = json.loads(json.dumps(facts))
    changed["control"]["heads"][1]["rows_wrong"] = 13
    for claim in changed["claims"]:
        if claim["id"] == "control.head1.rows_wrong":
            told = claim["statement"].replace(claim["display"], "13")
            claim.update(value=13, display="13", statement=told)
    path = tmp_path / "lied.json"
    files.write_json(path, changed)
    return path


def answered(*words, capsys):
    code = main.main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_every_claim_leads_to_a_line_that_defines_its_function(facts):
    for computed_by in {claim["computed_by"] for claim in facts["claims"]}:
        path, line = claims.locate(computed_by)
        text = path.read_text(encoding="utf-8").splitlines()[line - 1]
        assert text.startswith(f"def {computed_by.rpartition('.')[2]}(")


@pytest.mark.parametrize(
    "name", ["fusedfacts.experiments.sweep.nothing", "fusedfacts.nothing.x", "x"]
)
def test_a_function_that_is_not_there_is_one_sentence(name):
    with pytest.raises(FactsError, match=r"found no such function in the library"):
        claims.locate(name)


def test_an_unknown_id_names_near_ones(facts):
    with pytest.raises(FactsError, match=r"did you mean control\.rows_wrong or"):
        claims.find(facts, "control.row_wrong")
    with pytest.raises(FactsError, match=rf"expected one of the {len(facts['claims'])}; list them"):
        claims.find(facts, "???")


def test_a_claim_names_what_it_was_computed_from_and_by(facts):
    claim = claims.find(facts, "control.rows_wrong")
    inputs = claims.inputs(facts, claim)
    assert inputs["inputs.weights"] == facts["inputs"]["weights"]
    assert inputs["settings.control_key_rows"] == facts["settings"]["control_key_rows"]
    code = claims.code(claim["computed_by"])
    for name, digest in code.items():
        assert files.sha256((ROOT / name).read_bytes()) == digest
    assert {
        "workflow/fusedfacts/experiments/control.py",
        "workflow/fusedfacts/attention/error_bound.py",
    } <= code.keys()


def test_every_claim_follows_from_one_section(facts):
    """So that each can be rerun; and where it is of the sweep, from a single size of it."""
    for claim in facts["claims"]:
        section, _ = assemble.find(facts, claim["id"])
        if section == claims.SWEEP:
            assert claims.smallest_size(facts, claim["id"])
    with pytest.raises(FactsError, match="follows from no section"):
        assemble.find(facts, "made.up")


def test_only_the_size_that_a_claim_needs_is_swept(facts):
    for identifier, size in (("traffic.fused.n512.d64", (512, 64)), ("kernels.unfused", (64, 16))):
        found = claims.smallest_size(facts, identifier)
        assert (found["n"], found["d"]) == size


@pytest.mark.parametrize(
    "identifier",
    [
        "values.fused.n64.d16.error",
        pytest.param("control.rows_wrong", marks=pytest.mark.slow),
        pytest.param("kernels.longest_unfused", marks=pytest.mark.slow),
    ],
)
def test_a_claim_that_holds_is_recomputed_and_says_so(identifier, facts, capsys):
    code, found = answered("claim", identifier, "--rerun", capsys=capsys)
    assert code == 0
    assert found["rerun"] == {
        "value": claims.find(facts, identifier)["value"],
        "holds": True,
        "faults": [],
    }


def test_a_claim_that_does_not_hold_is_recomputed_and_says_what_does(lied, facts, capsys):
    right = claims.find(facts, "control.head1.rows_wrong")["value"]
    code, found = answered(
        "claim", "control.head1.rows_wrong", "--rerun", "--facts", str(lied), capsys=capsys
    )
    assert code == 1
    assert f"value: published 13, computed {right}" in found["rerun"]["faults"]


def test_another_weights_hash_in_the_facts_is_a_fault(facts):
    changed = json.loads(json.dumps(facts))
    changed["inputs"]["weights"]["sha256"] = "0" * 64
    claim = claims.find(facts, "control.rows_wrong")
    config = settings.read(ROOT)
    assert claims.differing(facts, claim, claim, config) == []
    assert claims.differing(changed, claim, claim, config) == [
        f"inputs.weights: published another hash than the config's, {config['weights_sha256']}"
    ]


# --- builds from nothing ------------------------------------------------------------------------


def test_a_build_that_stops_says_the_sentence_that_it_stopped_for_and_is_no_verdict(
    tmp_path, capsys
):
    wrong = tmp_path / "wrong.json"
    files.write_json(wrong, {"weights_sha256": "0" * 64})
    words = ["claim", "model.held_out_loss", "--rerun", "--configfile", str(wrong)]
    code, found = answered(*words, capsys=capsys)
    assert code == 2
    assert re.search(
        r"stopped: .*weights\.safetensors: sha256 found .* expected 000", found["error"]
    )


TRACEBACK = """Traceback (most recent call last):
  File "/x/snakemake/cli.py", line 1, in main
    made = os.makedirs(path)
OSError: [Errno 28] No space left on device: '/tmp/x'
"""


@pytest.mark.parametrize(
    ("output", "kind", "says"),
    [
        ("...\ndoes not hold: n 40: one\nerror: two\n", ClaimError, "stopped: n 40: one; two"),
        ("...\nerror: x: cannot be read\n", FactsError, "stopped: x: cannot be read"),
        (TRACEBACK, FactsError, r"\(OSError: \[Errno 28\] No space left on device: '/tmp/x'\)"),
        ("Building\n/x/python: No module named snakemake\n", FactsError, "No module named snakem"),
        ("", FactsError, r"stopped \(no word\), expected it to end; ask `fusedfacts doctor`"),
    ],
)
def test_a_build_is_a_verdict_only_where_a_job_says_that_something_does_not_hold(
    tmp_path, monkeypatch, output, kind, says
):
    monkeypatch.setattr(build.Builder, "_run", lambda *_: (1, output))
    with (
        pytest.raises(FactsError, match=says) as stopped,
        build.Builder(ROOT, 1).built("results/model.json"),
    ):
        pass
    assert type(stopped.value) is kind
    assert "\n" not in str(stopped.value)


def test_a_build_leaves_nothing_behind_and_touches_nothing(capsys):
    before = {path: path.stat().st_mtime_ns for path in PUBLISHED.rglob("*")}
    steps = []
    builder = build.Builder(ROOT, 1, progress=lambda *step: steps.append(step))
    with builder.built("results/contract.json") as results:
        assert (results / "contract.json").is_file()
        folder = results.parent
    assert not folder.exists()
    assert steps == [(1, 1, "section contract")]
    options.show_progress(*steps[0])  # what whoever waits is told, here of a log
    assert capsys.readouterr().err == "building afresh: 1 of 1, section contract\n"
    assert {path: path.stat().st_mtime_ns for path in PUBLISHED.rglob("*")} == before


def test_model_files_of_the_working_directory_come_along(tmp_path, monkeypatch, config):
    """Inside it by their relative path; from outside by an absolute one, which shows the same."""
    inside, outside, scratch = tmp_path / "here", tmp_path / "there", tmp_path / "build"
    for place in (inside / "mine", outside, scratch):
        place.mkdir(parents=True)
    (inside / "mine" / "weights").write_bytes(b"w")
    (outside / "probe.txt").write_bytes(b"p")
    monkeypatch.chdir(inside)
    given = {**config, "weights": "mine/weights", "probe": "../there/probe.txt"}
    elsewhere = build.copy_model(given, ROOT, scratch)
    assert (scratch / "mine" / "weights").read_bytes() == b"w"
    assert elsewhere == {"probe": str((outside / "probe.txt").resolve())}
    assert settings.shown_path(elsewhere["probe"]) == settings.shown_path(given["probe"])
