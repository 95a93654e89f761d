"""The page's device report: it fits the schema, agrees with itself, and lies are refused."""

import copy
import json

import pytest
from fusedfacts.attention.problem import Problem
from fusedfacts.device import consistent, measure
from fusedfacts.documents import schema
from fusedfacts.emulator.methods import METHODS
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.kernels import manifest
from support import node

N, D, STEP = 65, 16, 1.0625e-5
OUTPUT = [0.5, -1.25, 3.0]


def spread(median):
    return {"median": median, "quartiles": [0.96 * median, 1.02 * median]}


def findings(**changed):
    """What device, emulator and judge would say of a size; times that are made up."""
    formula = {way: METHODS[way].traffic(Problem(N, D)) for way in METHODS}
    fine = {"passed": True, "largestError": 1e-7, "boundThere": 4e-7, "largestRatio": 0.25}
    timed = {
        way: {
            **spread(0.01234567 * len(manifest.names(way))),
            "perKernel": {
                kernel: {**spread(0.01234567), "launchesAveraged": 3}
                for kernel in manifest.names(way)
            },
            "output": OUTPUT,
        }
        for way in METHODS
    }
    size = {"n": N, "d": D, "causal": False}
    clock = {"clock": "timestamps", "stepSeconds": STEP, "warmUps": 2, "repeats": 5}
    return {
        **size,
        "counted": {way: {"elements": formula[way], "output": OUTPUT} for way in METHODS},
        "emulated": formula,
        "formula": formula,
        "judged": dict.fromkeys(METHODS, fine),
        "timed": {**size, **clock, "ways": timed},
        **changed,
    }


def reports(*cases):
    """What the page's script makes of findings."""
    return json.loads(node.run("tests/page/report.js", stdin=json.dumps(cases)))


def changed(document, path, value):
    document = copy.deepcopy(document)
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


@pytest.fixture(scope="module")
def made():
    [found] = reports(findings())
    return found["report"]


def test_a_report_fits_the_schema_and_agrees_with_itself(made):
    schema.validate(made, "device", "report", "")
    consistent.check(made, "report")
    assert made["runner"]["name"] == consistent.PAGE
    assert made["self_test"] is None
    assert made["checks"]["bound_rests_on"].startswith("what WGSL promises")
    assert made["timings"]["step_seconds"] == measure.about(STEP)
    assert len(made["checks"]["sizes"]) == len(METHODS)


def test_a_report_without_times_and_one_of_a_causal_size_are_accepted_too():
    formula = {way: METHODS[way].traffic(Problem(N, D, True)) for way in METHODS}
    counted = {way: {"elements": formula[way], "output": OUTPUT} for way in METHODS}
    causal = {"causal": True, "counted": counted, "emulated": formula, "formula": formula}
    for found in reports(findings(timed=None), findings(**causal, timed=None)):
        schema.validate(found["report"], "device", "report", "")
        consistent.check(found["report"], "report")


# What is held of every report is tested with Python's own, in tests/device.
LIES = {
    "a count of another size": (("checks", "sizes", 0, "elements", "fused", "k", "loads"), 1),
    "a causal size counted as a full one": (("checks", "sizes", 0, "causal"), True),
    "other limits": (("limits", "max-compute-workgroup-storage-size"), 65_536),
    "an answer that was never compared": (("checks", "counting_changes_no_bit"), None),
    "another size timed": (("timings", "sizes", 0, "n"), 64),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_contradicts_itself_is_refused(made, lie):
    document = changed(made, *LIES[lie])
    schema.validate(document, "device", "report", "")
    with pytest.raises(ClaimError, match=r"^report: .* found .*, expected .*; copy the report"):
        consistent.check(document, "report")


# As any other runner it would owe the self-test and all checks.
OTHER_RUNNER = (("runner", "name"), "wgpu-py")
MORE = [(("self_test",), {}), (("checks", "bits_equal"), True), OTHER_RUNNER]


@pytest.mark.parametrize(("path", "value"), MORE)
def test_a_report_that_claims_more_than_was_run_does_not_fit(made, path, value):
    with pytest.raises(FactsError, match="found"):
        schema.validate(changed(made, path, value), "device", "report", "")


def test_what_does_not_hold_has_no_report():
    whole = findings()
    off = {"fused": {"fused": {}}}
    failed = {"fused": {**whole["judged"]["fused"], "passed": False}}
    other = changed(whole["timed"], ("ways", "fused", "output"), [0.5, -1.25, 4.0])
    cases = {
        "counted something else than expected": {"formula": {**whole["formula"], **off}},
        "counted something else": {"emulated": {**whole["emulated"], **off}},
        "outside its bound": {"judged": {**whole["judged"], **failed}},
        "another answer when it does not count": {"timed": other},
    }
    found = reports(*({**whole, **change} for change in cases.values()))
    for words, refused in zip(cases, found, strict=True):
        assert words in refused["message"]
        assert refused["kind"] == "claim"
