"""The manifest that Python and the page read, against everything that it must agree with.

What it gives of a kernel's text is here, too.
"""

import json
import re
import shutil

import pytest
from fusedfacts.attention import problem, traffic
from fusedfacts.device.adapters import DEFAULT_LIMITS
from fusedfacts.documents import schema
from fusedfacts.emulator.methods import METHODS, ONLINE
from fusedfacts.errors import FactsError
from fusedfacts.kernels import interface, lint
from fusedfacts.kernels import manifest as kernels
from support.common import ROOT

MANIFEST = kernels.manifest()
PAGE = ROOT / "workflow" / "page" / "js"
FUSED = [kernel for way in ONLINE for kernel in kernels.names(way)]


@pytest.mark.parametrize("d", problem.HEAD_DIMS)
def test_tiles_are_those_of_the_emulator(d):
    constants = {kernel: kernels.constants(kernel, d) for kernel in MANIFEST["kernels"]}
    assert constants["scores"]["BC"] == problem.scores_key_rows(d)
    assert constants["mix"]["BC"] == problem.MIX_KEY_ROWS[d]
    for name in ONLINE:
        assert constants[name]["BC"] == METHODS[name].tile_rows(d)
    assert constants["softmax"]["LANES"] == problem.SOFTMAX_LANES
    for kernel in ("scores", "mix", *FUSED):
        assert constants[kernel]["BR"] == problem.query_rows(d)
        assert constants[kernel]["C"] * 4 == constants[kernel]["D"] == d
    assert constants["fused_fast"]["LANES"] == 256


def test_the_longest_table_is_the_one_that_fits_a_binding_and_the_registers():
    limit = MANIFEST["limits"]["max-storage-buffer-binding-size"]
    for kernel in kernels.names("unfused"):
        most = MANIFEST["kernels"][kernel]["n_most"]
        assert 4 * most * most <= limit < 4 * (most + 1) ** 2
    softmax = kernels.constants("softmax", 16)
    assert softmax["COLUMNS_EACH"] * softmax["LANES"] >= most


def test_limits_are_webgpus_defaults_and_kept():
    limits = MANIFEST["limits"]
    assert limits.items() <= DEFAULT_LIMITS.items()
    for kernel, entry in MANIFEST["kernels"].items():
        storage = [binding for binding in entry["bindings"] if binding["access"] != "uniform"]
        assert len(storage) <= limits["max-storage-buffers-per-shader-stage"]
        for d in problem.HEAD_DIMS:
            lanes = kernels.constants(kernel, d)["LANES"]
            assert lanes <= limits["max-compute-invocations-per-workgroup"]


@pytest.mark.parametrize("kernel", MANIFEST["kernels"])
def test_each_text_has_what_the_manifest_gives_to_the_letter(kernel):
    text = kernels.text(kernel)
    *parts, _ = interface.skeleton(kernel).split("\n\n")
    assert [text.count(part) for part in (*parts, interface.ENTRY)] == [1] * (len(parts) + 1)


@pytest.mark.parametrize("kernel", MANIFEST["kernels"])
def test_a_new_kernel_begins_as_one_that_is_accepted(kernel, device):
    text = interface.skeleton(kernel)
    assert lint.check(kernel, text) == []
    counted = {name: float(name == "COUNT") for name in MANIFEST["kernels"][kernel]["overrides"]}
    device.compile(kernels.prelude(kernel, 64) + text, kernel, counted)


def test_no_more_counters_than_slots_and_every_counter_has_its_buffer():
    for entry in MANIFEST["kernels"].values():
        assert len(entry["counters"]) <= MANIFEST["counter_slots"]
        access = {b["name"]: b["access"] for b in entry["bindings"]}
        for counter in entry["counters"]:
            buffer = counter[0]
            stored = f"{buffer}.stores" in entry["counters"]
            assert access[buffer] == ("read_write" if stored else "read")


def test_every_way_is_known_and_every_kernel_belongs_to_one():
    assert set(MANIFEST["ways"]) == set(METHODS)
    assert {k for way in METHODS for k in kernels.names(way)} == set(MANIFEST["kernels"])
    files = {path.name for path in (ROOT / "kernels").glob("*.wgsl")}
    assert files == {entry["file"] for entry in MANIFEST["kernels"].values()} | {"selftest.wgsl"}


def test_each_list_that_names_methods_has_all_of_them():
    """The page and the schemas cannot ask Python; whoever has the manifest needs no list."""
    assert schema.load("device")["$defs"]["way"]["enum"] == list(METHODS)
    forms = list(traffic.ELEMENTS)
    assert schema.load("check")["$defs"]["kernel"]["enum"] == forms
    assert schema.load("count")["properties"]["kernels"]["propertyNames"]["enum"] == forms
    [ways] = re.findall(r"export const WAYS = (.*);", (PAGE / "emulator/execute.js").read_text())
    assert json.loads(ways) == forms
    form = (ROOT / "workflow/templates/page.html.j2").read_text()
    assert sorted(re.findall(r'name="way" value="(\w+)"', form)) == forms


def test_another_key_tile_must_fit_its_memory():
    assert kernels.constants("fused", 16, key_rows=8)["BC"] == 8
    for rows in (0, 65):
        with pytest.raises(FactsError, match=rf"^key_rows: found {rows}, expected 1 to 64.*; use"):
            kernels.constants("fused", 16, key_rows=rows)


def test_an_unknown_head_dimension_is_refused():
    with pytest.raises(FactsError, match=r"^d: found 48, expected one of 16, 32, 64, 128; "):
        kernels.prelude("fused", 48)


@pytest.mark.parametrize("kernel", kernels.names("unfused"))
def test_a_table_too_large_for_a_binding_is_refused(kernel):
    kernels.check_length(kernel, 5792)
    sentence = r"^n: found 5793, expected at most 5792 .*; use the fused"
    with pytest.raises(FactsError, match=sentence):
        kernels.check_length(kernel, 5793)
    kernels.check_length("fused", 10**6)


def test_a_damaged_manifest_is_one_sentence(tmp_path):
    folder = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["kernels"]["fused"]["n_most"] = "many"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FactsError, match=r"kernels\.fused\.n_most found 'many'.*git checkout"):
        kernels.manifest(folder)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_text_that_cannot_be_read_is_one_sentence(tmp_path, content):
    folder = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    (folder / "fused.wgsl").unlink()
    if content:
        (folder / "fused.wgsl").write_bytes(content)
    with pytest.raises(FactsError, match=r"fused\.wgsl: cannot be read .*git checkout kernels"):
        kernels.text("fused", folder)
