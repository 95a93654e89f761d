"""A device report: complete, valid, observed, and never in what is published."""

import copy
import dataclasses
import shutil

import pytest
from fusedfacts.attention import traffic
from fusedfacts.attention.problem import Problem
from fusedfacts.audit import folder
from fusedfacts.audit.rules import Tally
from fusedfacts.device import adapters, checks, consistent, pipelines, report, run, selftest, timing
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.emulator.methods import METHODS, ONLINE
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.experiments import facts as assemble
from fusedfacts.figures import device as pictures
from fusedfacts.kernels import manifest
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import manifest as manifests
from support import audits
from support.common import PUBLISHED, ROOT

SIZES = [(33, 16), (20, 64)]


@pytest.fixture(scope="module")
def made(device, measured, qkv):
    """A whole report at small sizes, with what was said on the way."""
    said = []
    probe = tuple(qkv[f"probe.{name}"] for name in "qkv")
    patch = pytest.MonkeyPatch()
    # The whole grid and the self-test have tests of their own.
    patch.setattr(checks, "RAGGED_LENGTHS", (1, 33))
    patch.setattr(checks, "KINDS_SIZE", (33, 16))
    patch.setattr(selftest, "run", lambda device, ticks: measured.self_test)
    settings = {"seed": 1, "control_key_rows": 8, "time_kernels": True, "repeats": 3}
    document = report.report(device, probe, SIZES, progress=said.append, **settings)
    yield document, said
    patch.undo()


def test_a_report_says_which_device_and_which_kernels(made, device):
    document, _ = made
    text = canonical_json.dumps(document)
    schema.validate(canonical_json.loads(text, "report"), "device", "report", "")
    assert document["adapter"]["name"] == device.name
    assert document["limits"] == adapters.DEFAULT_LIMITS
    texts = {path.name for path in (ROOT / "kernels").glob("*.[wj]*")}
    assert set(document["kernels"]) == texts
    fused = (ROOT / "kernels" / "fused.wgsl").read_bytes()
    assert document["kernels"]["fused.wgsl"] == files.sha256(fused)


def test_every_size_and_way_is_checked_and_timed(made):
    document, _ = made
    checked = {(size["n"], size["d"], size["way"]) for size in document["checks"]["sizes"]}
    assert checked == {(n, d, way) for n, d in SIZES for way in METHODS}
    assert [head["head"] for head in document["checks"]["heads"]] == [0, 1, 2, 3]
    for head in document["checks"]["heads"]:
        assert all(head["controls"][way]["rows_wrong"] > 0 for way in ONLINE)
    for size in document["timings"]["sizes"]:
        for way in METHODS:
            timed = size[way]
            assert list(timed["kernels"]) == list(manifest.names(way))
            assert timed["bytes"] == traffic.total_bytes(
                METHODS[way].traffic(Problem(size["n"], size["d"]))
            )
            for spread in (timed["sum"], *timed["kernels"].values()):
                assert 0 < spread["lower_quartile"] <= spread["median"] <= spread["upper_quartile"]


def test_a_report_stands_in_timings_of_a_run_that_asked_for_it(made, facts):
    document, _ = made
    timed = {**facts, "timings": document}
    assemble.validate(timed, "facts.json")
    broken = copy.deepcopy(timed)
    del broken["timings"]["self_test"]
    with pytest.raises(FactsError, match=r"^facts.json: timings: the document found no self_test"):
        assemble.validate(broken, "facts.json")


LIES = {
    "bits compared in spite of a reason": (("self_test", "why_no_bit_check"), ["made up"]),
    "bits not compared without a reason": (("checks", "bits_equal"), None),
    "an error beyond its bound": (("checks", "sizes", 0, "largest_error"), 5.0),
    "a grid that was not run": (("checks", "ragged", 0, "launches"), 0),
    "a kind of input left out": (("checks", "kinds", 0, "kind"), "another"),
    "a count of another size": (("checks", "sizes", 0, "elements", "fused", "k", "loads"), 1),
    "a size twice": (("checks", "sizes", 1, "way"), "fused"),
    "bytes that were not moved": (("timings", "sizes", 0, "fused", "bytes"), 1),
    "a claim of speed": (("timings", "does_not_prove"), "It is 10 times faster."),
    "other limits": (("limits", "max-compute-workgroup-storage-size"), 65_536),
    "a method that was not timed": (("timings", "sizes", 0), {"n": 33, "d": 16}),
    "a control left out": (("checks", "heads", 0, "controls"), {}),
    "a kernel that has no hash": (
        ("kernels",),
        dict.fromkeys(("manifest.json", "selftest.wgsl"), "0" * 64),
    ),
    "a ratio of other times": (("timings", "ratios", 0, "time"), 99.0),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_contradicts_itself_is_refused(made, lie):
    document = copy.deepcopy(made[0])
    consistent.check(document, "report")
    path, value = LIES[lie]
    if lie == "bits not compared without a reason" and document["self_test"]["why_no_bit_check"]:
        value = True
    node = document
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    schema.validate(document, "device", "report", "")
    with pytest.raises(ClaimError, match=r"^report: .* found .*, expected .*; make the report"):
        consistent.check(document, "report")


def test_a_kernel_that_does_not_hold_has_no_report(device, measured, qkv, tmp_path, monkeypatch):
    monkeypatch.setattr(selftest, "run", lambda device, ticks: measured.self_test)
    monkeypatch.setattr(checks, "RAGGED_LENGTHS", (129,))  # two tiles: the first launch shows it
    folder = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    text = (folder / "fused.wgsl").read_text()
    (folder / "fused.wgsl").write_text(text.replace("total * factor", "total"))
    broken = pipelines.Device(device.adapter, device.handle, folder)
    probe = tuple(qkv[f"probe.{name}"] for name in "qkv")
    settings = {"seed": 1, "control_key_rows": 8, "time_kernels": False}
    with pytest.raises(ClaimError, match=r"^fused on the device, n \d+, d \d+"):
        report.report(broken, probe, SIZES, progress=lambda words: None, **settings)


def test_without_timestamps_the_wall_clock_is_used_and_named(device):
    handle = device.adapter.request_device_sync(required_limits=adapters.DEFAULT_LIMITS)
    plain = pipelines.Device(device.adapter, handle)
    found = timing.results(plain, [(20, 16)], seed=1, progress=lambda words: None, repeats=1)
    assert found["clock"] == "wall clock"
    assert found["sizes"][0]["fused"]["sum"]["median"] > 0


def test_a_size_that_the_table_does_not_serve_is_timed_without_it(device, monkeypatch):
    monkeypatch.setattr(run, "served", lambda n: ONLINE)
    found = timing.size(device, 20, 16, seed=1, repeats=1)
    assert found["unfused"] is None
    assert list(timing.ratios([found])) == []


def test_pictures_of_a_report_are_well_formed_and_always_the_same_bytes(made):
    from xml.etree import ElementTree

    document, _ = made
    for draw in (pictures.times, pictures.exp_accuracy):
        text = draw(document)
        assert draw(copy.deepcopy(document)) == text
        root = ElementTree.fromstring(text)
        names = {child.tag.rpartition("}")[2] for child in root}
        assert {"title", "desc", "style"} <= names
        words = "".join(root.itertext())
        assert document["adapter"]["name"] in words
        assert "nan" not in words
        assert "nan" not in text
    assert document["timings"]["does_not_prove"].split()[0] in pictures.times(document)


def test_a_report_worth_keeping_is_published_beside_the_facts(made, tmp_path):
    """Listed by its hash; unlisted, edited or malformed it is red."""
    folder = tmp_path / "out"
    publish.publish(PUBLISHED / "manifest.json", folder)
    kept = folder / "devices" / "made-up.json"
    files.write_json(kept, made[0])
    with pytest.raises(ClaimError, match=r"made-up\.json: found a device report that manifest"):
        publish.check(folder)
    publish.publish(PUBLISHED / "manifest.json", folder)
    assert set(manifests.read(folder / "manifest.json")["files"]) == {
        *manifests.read(PUBLISHED / "manifest.json")["files"],
        "devices/made-up.json",
    }
    publish.check(folder)
    kept.write_bytes(kept.read_bytes().replace(b'"counts_equal": true', b'"counts_equal": true '))
    with pytest.raises(ClaimError, match="it was edited"):
        publish.check(folder)
    kept.write_text("{}")
    with pytest.raises(FactsError, match=r"made-up\.json: the document found no .*; delete it"):
        publish.publish(PUBLISHED / "manifest.json", folder)


def test_the_audit_holds_a_kept_report_against_the_repository_s_kernels(made):
    document, _ = made
    given = audits.read(PUBLISHED)

    def faults(report):
        kept = {**given.content, "devices/x.json": canonical_json.dumps(report).encode()}
        tally = Tally()
        folder.check_devices.run(dataclasses.replace(given, content=kept), tally)
        assert tally.checked == 1
        return tally.faults

    assert faults(document) == []
    other = {**document, "kernels": {**document["kernels"], "mix.wgsl": "0" * 64}}
    (fault,) = faults(other)
    assert "was made with another kernels/mix.wgsl than the repository's" in fault
