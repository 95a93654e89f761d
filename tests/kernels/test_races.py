"""The gate on barriers and races, which a device that runs invocations in order never shows."""

import shutil

import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.kernels import lint, manifest
from support.planting import KERNELS, TOP, faults, is_seen, planted

BETWEEN = "expected a workgroupBarrier() between"
OWN = "partial[lane] = sum;"
SECOND_BARRIER = "        workgroupBarrier();\n\n        let seen"
FIRST_LOAD = "        for (var step = 0u; step < (BC * C + LANES - 1u) / LANES; step++) {"
PLANTED = [
    ("fused", SECOND_BARRIER, f"if true {{ {SECOND_BARRIER} }}", "Barrier in `if true`"),
    ("fused", TOP, f"{TOP} if CAUSAL {{ workgroupBarrier(); }}", "Barrier in `if CAUSAL`"),
    ("fused", TOP, f"{TOP} let b = CAUSAL && workgroupBarrier();", "in `let b = CAUSAL && work"),
    ("mix", "    if CAUSAL {", "    workgroupBarrier(); if CAUSAL {", "Barrier in keys_seen"),
    ("mix", "    if CAUSAL {", "    textureBarrier(); if CAUSAL {", "found textureBarrier, exp"),
    ("fused", TOP, f"{TOP} let b = workgroupUniformLoad(&t);", "found workgroupUniformLoad"),
    ("fused", TOP, f"{TOP} if CAUSAL {{ return; }}", "`return` in main"),
    ("mix", FIRST_LOAD, f"{FIRST_LOAD} if lane > n {{ break; }}", "`break` in main"),
    ("mix", "return keys;", "return keys + u32(v_tile[0].x);", "v_tile in keys_seen, named outs"),
    ("fused", TOP, f"{TOP} let all = k_tile;", "`k_tile`, expected each element of k_tile read"),
    *[
        ("softmax", OWN, instead, "whose index does not name the invocation")
        for instead in (
            "partial[0] = sum;",
            "let at = lane / 2u; partial[at] = sum;",
            "let lane = 3u; partial[lane] = sum;",
        )
    ],
]
REDUCTION = "if lane < stride && lane + stride < width {"
READ_STEP = "partial[lane + stride]"
LOAD_TOTAL = "            var tile_total = weight_tile[r * BC];\n"
LAST_BARRIER = "        workgroupBarrier();  // the row's weights are complete\n"
HALVES = "for (var stride = LANES / 2u; stride > 0u; stride /= 2u) {\n        workgroupBarrier();"
OTHERS_J = "for (var j = 1u; j < BC; j++) { let w = weight_tile[r * BC + j]; }\n"
STEP = "q_tile[step * LANES + lane]"
FILL = "q_tile[i] = load_q(first * C + i)"
BY_HALF = "let half = lane + stride; if lane < half { partial[lane] += partial[lane + half]; }"
RACES = [
    ("fused_fast", LAST_BARRIER, f"{LOAD_TOTAL}{LAST_BARRIER}"),
    # The same words, with another's j.
    ("fused_fast", LAST_BARRIER, f"{OTHERS_J}{LAST_BARRIER}"),
    # A value that a name no longer has.
    ("softmax", OWN, "var p = lane; partial[p] = sum; p += 1u; sum = partial[p];"),
    ("softmax", OWN, "for (var p = lane; p < 9u; p++) { partial[p] = sum; sum += partial[lane]; }"),
    # Calls and private variables may give another value each time.
    ("fused", FILL, "q_tile[keys_seen(i, i, i)] = q_tile[keys_seen(i, i, i)]"),
    # Not the step of a reduction: guards that do not hold, or other elements.
    ("softmax", REDUCTION, "if lane + stride < width {"),
    ("softmax", REDUCTION, "if lane < stride || lane + stride < width {"),
    ("softmax", REDUCTION, "if lane <= stride && lane + stride < width {"),
    ("softmax", REDUCTION, f"if lane > 0u {{ }} else {REDUCTION}"),
    ("softmax", REDUCTION, f"let stride = lane + 1u; {REDUCTION}"),
    ("softmax", READ_STEP, "partial[lane + 1u]"),
    ("softmax", "partial[lane] = max", "partial[lane + stride] = max"),
    ("softmax", REDUCTION, f"{BY_HALF} {REDUCTION}"),
    # Turns that nothing parts.
    ("softmax", HALVES, f"workgroupBarrier(); {HALVES.removesuffix('workgroupBarrier();')}"),
]
NO_RACES = [
    # One element under several names, at several depths.
    ("softmax", OWN, "let p = lane; partial[p] = sum; sum = partial[lane];"),
    ("fused", FILL, f"let x = {STEP}; {STEP} = load_q(first * C + i)"),
    ("softmax", REDUCTION, "if lane + stride < width && lane < stride {"),
    ("fused", SECOND_BARRIER, f"{SECOND_BARRIER} = k_tile[lane][lane % 4u]; let other"),
]
BARRIERS = [
    (kernel, at)
    for kernel in KERNELS
    for at, line in enumerate(manifest.text(kernel).split("\n"))
    if "workgroupBarrier();" in line
]


@pytest.mark.parametrize(("kernel", "old", "new", "complaint"), PLANTED)
def test_a_planted_fault_is_seen(kernel, old, new, complaint):
    assert is_seen(kernel, old, new, complaint)


@pytest.mark.parametrize(("kernel", "old", "new"), RACES)
def test_a_race_is_seen(kernel, old, new):
    assert any(BETWEEN in sentence for sentence in lint.check(kernel, planted(kernel, old, new)[0]))


@pytest.mark.parametrize(("kernel", "old", "new"), NO_RACES)
def test_an_invocation_s_own_element_is_let_be(kernel, old, new):
    assert faults(kernel, old, new) == []


def test_a_weight_that_every_member_of_a_row_rewrites_is_seen():
    """Values show it only where a row's group is wider than the device's vectors."""
    loop = "            let j = step * GROUP + member;\n"
    rest = "            if j < seen { weight_tile[r * BC + j] = exp("
    alike = loop.replace("step * GROUP + member", "step")
    assert is_seen("fused_fast", loop + rest, alike + f"@@{rest}", "does not name the invocation")


def test_every_kernel_has_its_barriers():
    found = [sum(name == kernel for name, _ in BARRIERS) for kernel in KERNELS]
    assert dict(zip(KERNELS, found, strict=True)) == {
        **{"fused": 2, "fused_fast": 5, "kv_start": 0, "kv_outer": 2},
        **{"mix": 2, "scores": 2, "softmax": 5},
    }


STORES_M, STORES_L = "store_m(row, maximum);", "store_l(row, total);"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (STORES_M, "store_m(row + 1u, maximum);", "m at `row` in every load and store"),
        (STORES_L, "store_l(first, total);", "l at `row` in every load and store"),
        ("let row = first + lane;", "let row = first + lane / 2u;", "does not name the invocation"),
        (STORES_L, f"if seen > 0u {{ let row = first; @@{STORES_L} }}", "not name the invocation"),
    ],
)
def test_another_invocation_s_row_is_seen_though_a_barrier_may_stand_between(old, new, complaint):
    """No barrier of a workgroup orders global memory."""
    found = lint.check("kv_outer", planted("kv_outer", old, new)[0])
    assert any(complaint in sentence for sentence in found)


def test_what_is_loaded_and_stored_asks_for_workgroups_that_take_turns(tmp_path):
    folder = shutil.copytree(manifest.FOLDER, tmp_path / "kernels")
    document = canonical_json.read(folder / "manifest.json")
    document["kernels"]["kv_outer"]["workgroup_takes"] = "query_tile"
    (folder / "manifest.json").write_text(canonical_json.dumps(document), encoding="utf-8")
    found = lint.check("kv_outer", manifest.text("kv_outer"), folder)
    assert len(found) == 6
    assert all("not both, where workgroups run together" in sentence for sentence in found)


@pytest.mark.parametrize(("kernel", "at"), BARRIERS)
def test_no_barrier_can_be_spared_and_another_is_none(kernel, at):
    lines = manifest.text(kernel).split("\n")
    right = lines[at]
    lines[at] = right.replace("workgroupBarrier();", "", 1)
    spared = lint.check(kernel, "\n".join(lines))
    assert spared
    assert all(BETWEEN in sentence for sentence in spared)
    lines[at] = right.replace("workgroupBarrier();", "storageBarrier();", 1)
    found = lint.check(kernel, "\n".join(lines))
    assert f"{kernel}.wgsl:{at + 1}: found storageBarrier, expected" in "".join(found)
    assert any(BETWEEN in sentence for sentence in found)
