"""The gate on the kernels' text: it passes what is shipped, and sees each fault planted in it."""

import re
import shutil

import pytest
from fusedfacts import terminal
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.kernels import lint, manifest
from fusedfacts.kernels.wgsl import arithmetic, flow, text, tree
from fusedfacts.kernels.wgsl.module import read
from fusedfacts.kernels.wgsl.sizes import UnevaluableError, constants, size, whole

KERNELS = ("fused", "fused_fast", "mix", "scores", "softmax")
HEAD_DIMS = (16, 32, 64, 128)
SENTENCE = re.compile(r"[a-z_]+\.wgsl:\d+: found [^\n]+, expected [^\n]+; [^\n]+")
HERE = "@@"  # put into a planted text before the line that must be named

# Bytes of workgroup memory at d 16, 32, 64, 128, where C = d / 4 chunks of 16 bytes make a row.
# q: BR C = 512 chunks, 8,192 bytes at every d.
BYTES = {
    # k and v: BC C = 256 chunks each; 8,192 + 4,096 + 4,096.
    "fused": (16_384, 16_384, 16_384, 16_384),
    # k and v: 32, 128, 128, 128 chunks each; weights: BR BC = 1,024, 1,024, 256, 64 floats.
    "fused_fast": (
        8_192 + 2 * 512 + 4_096,
        8_192 + 2 * 2_048 + 4_096,
        8_192 + 2 * 2_048 + 1_024,
        8_192 + 2 * 2_048 + 256,
    ),
    # p: BR BC = 2,048, 2,048, 1,024, 256 floats; v: 64, 256, 512, 512 chunks.
    "mix": (8_192 + 1_024, 8_192 + 4_096, 4_096 + 8_192, 1_024 + 8_192),
    # k: 128, 256, 512, 512 chunks.
    "scores": (8_192 + 2_048, 8_192 + 4_096, 8_192 + 8_192, 8_192 + 8_192),
    # One float for each of 256 lanes.
    "softmax": (1_024, 1_024, 1_024, 1_024),
}
# One a row in fused, with BR = 2048 / d; 256 in the others.
INVOCATIONS = dict.fromkeys(KERNELS, (256,) * 4) | {"fused": (128, 64, 32, 16)}
BINDINGS = {"fused": 6, "fused_fast": 6, "mix": 5, "scores": 5, "softmax": 4}

TOP = "    let n = launch.n;"  # main's first statement, in every kernel
SECOND_BARRIER = "        workgroupBarrier();\n\n        let seen"
END_OF_KEYS = "    let end = select(n, first + rows, CAUSAL);\n"
TILE_LOOP = "first_key < end; first_key += BC) {"
END = "    if COUNT { report_counts(workgroup); }"
COUNT_K = "    if COUNT { k_loads += 4u; }"

# kernel, what stands there, what is put in its place, what the one complaint says
BUDGET = [
    ("fused", "array<vec4<f32>, BR * C>", "array<vec4<f32>, 2u * BR * C>", "24,576 bytes of"),
    ("softmax", "array<f32, LANES>;", "array<array<vec3<f32>, 5>, LANES>;", "20,480 bytes of"),
    ("fused", "array<vec4<f32>, BR * C>", "array<vec4<f32>, ROWS * C>", "ROWS is no known whole"),
    ("fused", "array<vec4<f32>, BR * C>", "array<vec4<f32>, BR << 2u>", "<< where > should stand"),
    ("fused", "array<vec4<f32>, BR * C>", "array<Launch, BR * C>", "size of Launch is not known"),
]
SIZE = [
    ("fused", "@workgroup_size(LANES)", "@workgroup_size(512)", "512 invocations at d 16"),
    ("scores", "@workgroup_size(LANES)", "@workgroup_size(8, 8)", "64 invocations at d 128"),
    ("scores", "@workgroup_size(LANES)", "@workgroup_size(n)", "n is no known whole number"),
    ("scores", " @workgroup_size(LANES)", "", "no @workgroup_size on main"),
    (
        "mix",
        "@compute",
        "@compute @workgroup_size(1) fn b() { }\n@compute",
        "b as an entry point",
    ),
]
BINDING = [
    ("fused", "@binding(2)", "@binding(6)", "expected `@group(0) @binding(2) var<storage, read> k"),
    ("fused", "@group(0) @binding(2)", "@group(1) @binding(2)", "expected `@group(0) @binding(2)"),
    ("fused", "read> k_memory", "read_write> k_memory", "expected `@group(0) @binding(2)"),
    ("fused", "k_memory: array<vec4<f32>>", "k_memory: array<f32>", "array<vec4<f32>>`"),
    (
        "fused",
        "// Rows of C",
        "@group(0) @binding(6) var<storage, read> w_memory: array<f32>;\n// Rows of C",
        "expected no binding w_memory",
    ),
    ("fused", "{ n: u32, first_workgroup: u32 }", "{ first_workgroup: u32, n: u32 }", "Launch"),
]
OVERRIDE = [
    (
        "fused",
        "override RESCALE",
        "override FAST: bool = false;\noverride RESCALE",
        "no override F",
    ),
    ("fused", "COUNT: bool = false", "COUNT: bool = true", "expected `override COUNT: bool = fa"),
]
ACCESSOR = [
    (
        "fused",
        "k_loads += 4u",
        "k_loads += 2u",
        "`k_loads += 2u` in load_k, expected `k_loads += 4",
    ),
    ("scores", "s_stores += 1u", "s_stores += 4u", "in store_s, expected `s_stores += 1u`"),
    ("fused", COUNT_K, "    k_loads += 4u;", "expected `if COUNT`; count in load_k"),
    ("fused", f"{COUNT_K}\n", f"    // {COUNT_K.strip()}\n@@", "`return k_memory[i]` in load_k"),
    ("fused", "return k_memory[i];", "return k_memory[i] + k_memory[0];", "k_memory[0]` in load_k"),
    ("fused", "return k_memory[i];", "return k_memory[i + 1u];", "expected `return k_memory[i]`"),
    ("fused", "var<private> k_loads: u32;", "var<private> k_loads: u32 = 1u;", "to begin at 0"),
]
REPORT = [
    ("fused", "2u], v_loads", "1u], v_loads", "SLOTS + 1u], v_loads)` in report_counts"),
    ("softmax", "], s_loads", "], p_stores", "expected `atomicAdd(&counts[workgroup * SLOTS + 0u]"),
    ("fused", END, "    report_counts(workgroup);", "ends with `report_counts(workgroup)`"),
    ("fused", END, f"{END}\n@@{END}", "called 2 times in main"),
    ("fused", END, f"    // {END}\n@@    if COUNT {{ }}", "called 0 times in main"),
    ("fused", END, f"{END} else {{ }}", "which ends with `else`"),
]
HIDING = [
    ("fused", TOP, f"{TOP} let x = k_memory[0];", "k_memory in main, expected it only in load_k"),
    ("fused", TOP, f"{TOP} let x = &k_memory;", "k_memory in main, expected it only in load_k"),
    ("fused", TOP, f"{TOP} let x = arrayLength(&o_memory);", "o_memory in main"),
    ("fused", TOP, f"{TOP} k_loads = 0u;", "expected it only in load_k and report_counts"),
    ("fused", TOP, f"{TOP} atomicAdd(&counts[0], 1u);", "counts in main"),
]
BARRIER = [
    (
        "fused",
        SECOND_BARRIER,
        "        if lane < rows { workgroupBarrier(); }\n\n        let seen",
        "workgroupBarrier in `if lane < rows`",
    ),
    ("fused", TOP, f"{TOP} if CAUSAL {{ workgroupBarrier(); }}", "Barrier in `if CAUSAL`"),
    ("fused", TOP, f"{TOP} switch n {{ default {{ workgroupBarrier(); }} }}", "in `default`"),
    ("fused", END, f"    let b = CAUSAL && workgroupBarrier();\n{END}", "in a condition"),
    ("mix", "    if CAUSAL {", "    workgroupBarrier(); if CAUSAL {", "Barrier in keys_seen"),
    (
        "fused",
        TOP,
        f"{TOP} for (var i = 0u; i < lane; i++) {{ workgroupBarrier(); }}",
        "`for (var i = 0u; i < lane; i++)`, a loop with barriers that some",
    ),
    ("fused", TOP, f"{TOP} while lane > 0u {{ workgroupBarrier(); }}", "`while lane > 0u`, a loop"),
    (
        "fused",
        TOP,
        f"{TOP} if CAUSAL {{ let lane = 0u; }} while lane > 0u {{ workgroupBarrier(); }}",
        "`while lane > 0u`, a loop",
    ),
    (
        "fused",
        TOP,
        f"{TOP} loop {{ workgroupBarrier(); break if lane < n; }}",
        "`break if lane < n",
    ),
    (
        "fused",
        TILE_LOOP,
        f"{TILE_LOOP} if lane > keys {{ break; }}",
        "`break` for some invocations",
    ),
    ("fused", TILE_LOOP, f"{TILE_LOOP} if lane > 1u {{ }} else {{ continue; }}", "`continue` for"),
    # `end` is uniform no longer, by what is set to it or by who sets it.
    *[
        ("fused", END_OF_KEYS, f"    {instead}\n@@", "first_key < end; first_key += BC)`, a loop")
        for instead in (
            "let all = n - lane; let end = all / 2u;",
            "var end = n; if lane > 1u { end = 0u; }",
            "var end = n; if n > 1u { } else if lane > 1u { } else { end = 0u; }",
            "var end = n; bump(&end);",
            "var end = 0u; loop { if lane < end { break; } end++; }",
        )
    ],
]
RETURN = [
    ("fused", TOP, f"{TOP} if lane > rows {{ return; }}", "`return` in main"),
    ("fused", TOP, f"{TOP} if CAUSAL {{ return; }}", "`return` in main"),
    ("mix", "    if CAUSAL { return min", "    if keys > 9u { return min", "in keys_seen"),
    ("fused", TOP, f"{TOP} discard;", "`discard` in main"),
]
REFUSED = [
    ("fused", TOP, f"{TOP} if CAUSAL {{ storageBarrier(); }}", "found storageBarrier, expected"),
    ("mix", "    if CAUSAL {", "    textureBarrier(); if CAUSAL {", "found textureBarrier, exp"),
    ("fused", END, f"    let b = workgroupUniformLoad(&t);\n{END}", "found workgroupUniformLoad"),
]
COUNTED = [
    ("fused", "if i < keys * C {", "if i < keys * C || !COUNT {", "COUNT in `if i < keys * C ||"),
    ("fused", TOP, f"{TOP} if !COUNT {{ let more = load_k(0u); }}", "COUNT in `if !COUNT`, exp"),
    ("fused", TOP, f"{TOP} if COUNT {{ let more = load_k(0u); }}", "COUNT in `if COUNT`, exp"),
    ("fused", TOP, f"{TOP} if COUNT {{ }} else {{ let more = load_k(0u); }}", "in `if COUNT`"),
    ("mix", "if CAUSAL { return", "if COUNT { return", "COUNT in `if COUNT`, expected it only"),
    ("fused", "const FOURS =", "const WHEN = COUNT; const FOURS =", "`const WHEN = COUNT`"),
]
DEFINED = "let workgroup = launch.first_workgroup + group.x;"
PLACE = [
    (
        "fused",
        "{ report_counts(workgroup); }",
        "{ report_counts(0u); }",
        "`report_counts(0u)`, exp",
    ),
    (
        "mix",
        "report_counts(workgroup); }",
        "report_counts(group.x); }",
        "`report_counts(group.x)`, exp",
    ),
    ("softmax", "report_counts(row);", "report_counts(row + 1u);", "expected `report_counts(row)`"),
    (
        "fused",
        "let first = workgroup * BR;",
        "let first = group.x * BR;",
        "group in main, expected",
    ),
    ("fused", DEFINED, "let workgroup = group.x;", "no place in the launch, expected `let workg"),
    ("fused", DEFINED, "let workgroup = launch.first_workgroup;", "no place in the launch"),
    ("fused", DEFINED, f"{DEFINED} let again = launch.first_workgroup;", "first_workgroup in main"),
    (
        "mix",
        "return keys;",
        "return keys + launch.first_workgroup;",
        "first_workgroup in keys_seen, expected it only in `let workgroup = launch.first_w",
    ),
    (
        "fused",
        "index) lane: u32,",
        "index) lane: u32, @builtin(num_workgroups) all: vec3<u32>,",
        "`@builtin(num_workgroups) all: vec3` as a parameter of main",
    ),
]
RACE = [
    (
        "softmax",
        "partial[lane] = highest;",
        "partial[0] = highest;",
        "whose index does not name the invocation",
    ),
    (
        "mix",
        "return keys;",
        "return keys + u32(v_tile[0].x);",
        "v_tile in keys_seen, named outside",
    ),
    ("fused", "let kept =", "bump(&v_tile[lane]); let kept =", "`v_tile[lane]`, expected each"),
    ("fused", TOP, f"{TOP} let all = k_tile;", "`k_tile`, expected each element of k_tile read"),
]
LOOP_VARIABLE = [
    (
        "fused",
        TILE_LOOP,
        f"{TILE_LOOP} var w: array<f32, BC>;",
        "`var w: array<f32, BC>` in a loop",
    ),
    ("mix", " = array<vec4<f32>, ROWS_EACH>()", ": array<vec4<f32>, ROWS_EACH>", "tile_mixed"),
    (
        "fused",
        TILE_LOOP,
        f"{TILE_LOOP} if rows > 1u {{ for (var w: u32; w < 2u; w++) {{ }} }}",
        "`var w: u32` in a loop",
    ),
]
INDEX = [
    ("softmax", "var sum = weight[0]", "var sum = weight[lane % 2u]", "`weight[lane % 2u]`, a dyn"),
    (
        "softmax",
        "sum += weight[i]",
        "sum += weight[i * LANES + lane]",
        "`weight[i * LANES + lane]`",
    ),
    ("fused", "mixed[c] / total", "mixed[min(c, lane)] / total", "`mixed[min(c, lane)]`"),
    ("fused", "mixed[c] / total", "mixed[c][lane] / total", "`mixed[c][lane]`"),
    ("fused", "mixed[c] / total", "whole.mixed[0].part[lane] / total", "`whole.mixed[0].part[la"),
    ("fused", "mixed[c] / total", "(*(&mixed))[lane] / total", "[lane]"),
    (
        "fused",
        "let kept =",
        "for (var i = 0u; i < seen; i++) {\n@@total += weight[i]; }\nlet kept =",
        "t[i]`",
    ),
    (
        "fused",
        "let kept =",
        "for (var i = 0u; i < BC; i++) { i += lane;\n@@total += weight[i]; }\nlet kept =",
        "t[i]`",
    ),
    (
        "fused",
        "let kept =",
        "for (var i = 0u; i < BC; i++) { let i = lane;\n@@total += weight[i]; }\nlet kept =",
        "t[i]`",
    ),
]
LITERAL = [
    ("fused", "var maximum = 0.0", f"var maximum = {literal}", f"the literal {literal}")
    for literal in (
        *("0.1", "3.4028234663852886e38", "170141183460469231731687303715884105728.0"),
        *("1e-40", "1e999999999", "16777217f", "0x1.0000001p0", "0x1p128", "1h", "33554433."),
    )
]
ORDER = [
    ("fused", "chunk_product(q, k", "dot(q, k", "found dot,"),
    ("fused", "chunk_product(q, k", "dot /* */ (q, k", "found dot,"),
    ("fused", TOP, f"{TOP} let x = fma(1.0, 2.0, 3.0);", "found fma,"),
    ("fused", TOP, f"{TOP} var x = mat4x4<f32>();", "found mat4x4,"),
    ("fused", TOP, f"{TOP} let x = subgroupAdd(lane);", "found subgroupAdd,"),
    ("fused", "override COUNT", "enable f16;\noverride COUNT", "found enable,"),
    ("fused", "    let kept =", "@diagnostic(off, x) if n > 1u { }\n    let kept =", "diagnostic,"),
    # U+2028 ends a line in WGSL, so what follows is no comment.
    ("fused", TOP, f"{TOP} // \u2028 let x = dot(q, k);", "found dot,"),
]
SELF_COMPARISON = [
    ("fused", TOP, f"{TOP} let bad = n != n;", "`n != n`"),
    (
        "fused",
        "let kept =",
        "if weight[0] == weight[0] { }\nlet kept =",
        "`weight[0] == weight[0]`",
    ),
    ("fused", TOP, f"{TOP} if (n + 1u) != (n + 1u) {{ }}", "`(n + 1u) != (n + 1u)`"),
]
NAME = [
    ("fused", TOP, f"{TOP} let CAUSAL = false;", "another CAUSAL"),
    ("fused", "fn keys_seen(row: u32", "fn keys_seen(RESCALE: u32", "another RESCALE"),
    ("fused", "override COUNT", "const LANES = 1u;\noverride COUNT", "another LANES"),
    ("fused", "fn chunk_product", "fn select(a: u32) { }\nfn chunk_product", "another select"),
]
UNREADABLE = [
    ("fused", TOP, f"{TOP} /* /* */", "a comment that is not ended"),
    ("fused", TOP, f"{TOP} #", "the character '#'"),
    ("fused", TOP, f"{TOP} f(x];", "found ], expected )"),
    ("fused", "struct Launch", "fun f() { }\nstruct Launch", "`fun`"),
]
PLANTED = [
    *(BUDGET + SIZE + BINDING + OVERRIDE + ACCESSOR + REPORT + HIDING + BARRIER + RETURN),
    *(REFUSED + COUNTED + PLACE + RACE),
    *(LOOP_VARIABLE + INDEX + LITERAL + ORDER + SELF_COMPARISON + NAME + UNREADABLE),
]


def planted(kernel, old, new):
    """A kernel's text with a fault, and the line of the fault."""
    right = manifest.text(kernel)
    assert old in right
    wrong = right.replace(old, new, 1)
    if HERE not in new:
        # The first line that is not as it was.
        pairs = zip(right.split("\n"), wrong.split("\n"), strict=False)
        return wrong, next(i for i, (a, b) in enumerate(pairs, 1) if a != b)
    line = wrong.count("\n", 0, wrong.index(HERE)) + 1
    return wrong.replace(HERE, "", 1), line


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_is_shipped_passes(kernel):
    assert lint.check(kernel, manifest.text(kernel)) == []


def test_the_budget_is_what_was_added_up_by_hand():
    assert lint.check_all() == {
        kernel: {
            d: {
                "workgroup_bytes": BYTES[kernel][i],
                "invocations": INVOCATIONS[kernel][i],
                "bindings": BINDINGS[kernel],
            }
            for i, d in enumerate(HEAD_DIMS)
        }
        for kernel in KERNELS
    }


@pytest.mark.parametrize(
    "new", ["partial[lane % 8u] = sum;", "let at = lane / 2u; partial[at] = sum;"]
)
def test_one_index_that_several_invocations_come_to_is_seen(new):
    found = lint.check("softmax", planted("softmax", "partial[lane] = sum;", new)[0])
    assert any("whose index does not name the invocation" in sentence for sentence in found)


def test_a_weight_that_every_member_of_a_row_rewrites_is_seen():
    """Values show it only where a row's group is wider than the device's vectors."""
    old = (
        "            let j = step * GROUP + member;\n"
        "            if j < seen { weight_tile[r * BC + j] = exp("
    )
    new = old.replace("step * GROUP + member", "step")
    found = lint.check("fused_fast", planted("fused_fast", old, new)[0])
    assert any("whose index does not name the invocation" in sentence for sentence in found)


@pytest.mark.parametrize(("kernel", "old", "new", "complaint"), PLANTED)
def test_a_planted_fault_is_named_by_its_rule_alone(kernel, old, new, complaint):
    wrong, line = planted(kernel, old, new)
    found = lint.check(kernel, wrong)
    assert found
    assert all(SENTENCE.fullmatch(sentence) for sentence in found)
    assert all(sentence.startswith(f"{kernel}.wgsl:{line}: found ") for sentence in found), found
    assert any(complaint in sentence for sentence in found), found
    # What depends on d may be said once for each, and nothing else is said.
    assert len({re.sub(r"[\d,]+", "", sentence) for sentence in found}) == 1, found


def test_uniform_control_flow_is_let_be():
    barriers = (
        "if keys < BC { break; } workgroupBarrier(); var turns = 0u;"
        " while turns < keys { turns += 1u; if CAUSAL { continue; } workgroupBarrier(); }"
        " loop { workgroupBarrier(); continuing { break if turns > keys; } }"
        " for (var i = lane; i < n; i++) { if i > row { break; } if lane > i { continue; } }"
    )
    wrong, _ = planted("fused", TILE_LOOP, f"{TILE_LOOP} {barriers}")
    assert lint.check("fused", wrong) == []


def test_only_the_workgroup_s_own_place_is_uniform():
    right = manifest.text("fused")
    uniform = flow.uniform_names(read(manifest.prelude("fused", 16) + right))
    assert {"workgroup", "rows", "end", "keys", "first_key", "BC", "CAUSAL"} <= uniform
    assert not {"lane", "row", "seen", "maximum", "k_tile"} & uniform
    wrong, _ = planted("fused", "@builtin(workgroup_id)", "@builtin(local_invocation_id)")
    found = lint.check("fused", wrong)
    loop = "`for (var first_key = 0u; first_key < end; first_key += BC)`, a loop"
    assert [loop in sentence for sentence in found] == [False, True]
    assert "`@builtin(local_invocation_id) group: vec3` as a parameter of main" in found[0]


def test_workgroup_memory_may_be_indexed_by_anything():
    wrong, _ = planted("fused", TOP, f"{TOP} let x = k_tile[lane][lane % 4u];")
    assert lint.check("fused", wrong) == []


BARRIERS = [
    (kernel, at)
    for kernel in KERNELS
    for at, line in enumerate(manifest.text(kernel).split("\n"))
    if "workgroupBarrier();" in line
]


def without_barrier(kernel, at, instead=""):
    """A kernel's text with one barrier taken out or replaced."""
    lines = manifest.text(kernel).split("\n")
    lines[at] = lines[at].replace("workgroupBarrier();", instead, 1)
    return "\n".join(lines)


def test_every_kernel_has_its_barriers():
    found = [sum(name == kernel for name, _ in BARRIERS) for kernel in KERNELS]
    assert found == [2, 5, 2, 2, 5]


@pytest.mark.parametrize(("kernel", "at"), BARRIERS)
def test_no_barrier_can_be_spared(kernel, at):
    found = lint.check(kernel, without_barrier(kernel, at))
    assert found
    assert all(SENTENCE.fullmatch(sentence) for sentence in found)
    assert all("expected a workgroupBarrier() between" in sentence for sentence in found)


@pytest.mark.parametrize(("kernel", "at"), BARRIERS)
def test_another_barrier_is_none(kernel, at):
    found = lint.check(kernel, without_barrier(kernel, at, "storageBarrier();"))
    assert f"{kernel}.wgsl:{at + 1}: found storageBarrier, expected" in "".join(found)
    assert any("expected a workgroupBarrier() between" in sentence for sentence in found)


REDUCTION = "if lane < stride && lane + stride < width {"
READ_STEP = "partial[lane + stride]"
LOAD_TOTAL = "            var tile_total = weight_tile[r * BC];\n"
LAST_BARRIER = "        workgroupBarrier();  // the row's weights are complete\n"
HALVES = "for (var stride = LANES / 2u; stride > 0u; stride /= 2u) {\n        workgroupBarrier();"


@pytest.mark.parametrize(
    ("kernel", "old", "new"),
    [
        ("fused_fast", LAST_BARRIER, f"{LOAD_TOTAL}{LAST_BARRIER}"),
        # The same words, with another's j.
        (
            "fused_fast",
            LAST_BARRIER,
            f"for (var j = 1u; j < BC; j++) {{ let w = weight_tile[r * BC + j]; }}\n{LAST_BARRIER}",
        ),
        # A value that a name no longer has.
        (
            "softmax",
            "partial[lane] = sum;",
            "var p = lane; partial[p] = sum; p += 1u; sum = partial[p];",
        ),
        (
            "softmax",
            "partial[lane] = sum;",
            "for (var p = lane; p < 9u; p++) { partial[p] = sum; sum += partial[lane]; }",
        ),
        # Calls and private variables may give another value each time.
        (
            "fused",
            "q_tile[i] = load_q(first * C + i)",
            "q_tile[keys_seen(i, i, i)] = q_tile[keys_seen(i, i, i)]",
        ),
        # Not the step of a reduction: guards that do not hold, or other elements.
        ("softmax", REDUCTION, "if lane + stride < width {"),
        ("softmax", REDUCTION, "if lane < stride || lane + stride < width {"),
        ("softmax", REDUCTION, "if lane <= stride && lane + stride < width {"),
        ("softmax", REDUCTION, "if lane < width && lane + stride < width {"),
        ("softmax", REDUCTION, f"if lane > 0u {{ }} else {REDUCTION}"),
        ("softmax", READ_STEP, "partial[lane + 1u]"),
        ("softmax", READ_STEP, "partial[stride]"),
        ("softmax", "partial[lane] = max", "partial[lane + stride] = max"),
        (
            "softmax",
            REDUCTION,
            "let half = lane + stride; if lane < half { partial[lane] += partial[lane + half]; } "
            f"{REDUCTION}",
        ),
        # Turns that nothing parts.
        ("softmax", HALVES, f"workgroupBarrier(); {HALVES.removesuffix('workgroupBarrier();')}"),
    ],
)
def test_a_race_is_seen(kernel, old, new):
    wrong, _ = planted(kernel, old, new)
    found = lint.check(kernel, wrong)
    assert any("expected a workgroupBarrier() between" in sentence for sentence in found), found


@pytest.mark.parametrize(
    ("kernel", "old", "new"),
    [
        # One element under several names, at several depths.
        ("softmax", "partial[lane] = sum;", "let p = lane; partial[p] = sum; sum = partial[lane];"),
        (
            "fused",
            "q_tile[i] = ",
            "let x = q_tile[step * LANES + lane]; q_tile[step * LANES + lane] = ",
        ),
        (
            "softmax",
            REDUCTION,
            REDUCTION.replace("lane < stride", "lane + stride < width && lane < stride"),
        ),
        (
            "softmax",
            REDUCTION,
            "if lane < stride { if lane + stride < width { let x = lane; } } " + REDUCTION,
        ),
    ],
)
def test_an_invocation_s_own_element_is_let_be(kernel, old, new):
    wrong, _ = planted(kernel, old, new)
    assert lint.check(kernel, wrong) == []


@pytest.mark.parametrize(
    ("loop", "leaving"),
    [
        (
            "for (var t = 0u; t < 2u; t++) { sum += partial[0]; workgroupBarrier();"
            " partial[lane] = sum; LEAVE workgroupBarrier(); }",
            "if t == 0u { continue; }",
        ),
        (
            "for (var t = 0u; t < 2u; t++) { partial[lane] = sum; LEAVE workgroupBarrier(); }"
            " sum += partial[0]; workgroupBarrier(); partial[lane] = sum;",
            "if t == 1u { break; }",
        ),
    ],
)
def test_a_turn_may_be_left_before_its_barrier(loop, leaving):
    own = "partial[lane] = sum;"
    right, _ = planted("softmax", own, loop.replace("LEAVE", ""))
    assert lint.check("softmax", right) == []
    wrong, _ = planted("softmax", own, loop.replace("LEAVE", leaving))
    assert any("expected a workgroupBarrier()" in line for line in lint.check("softmax", wrong))


def test_a_main_without_its_place_in_the_launch_is_named():
    wrong, _ = planted("fused", "@builtin(workgroup_id) group: vec3<u32>,", "")
    assert "found a parameter of main missing" in lint.check("fused", wrong)[0]


def test_chains_of_names_stay_short():
    chain = "let a0 = lane + 1u; " + "".join(f"let a{i + 1} = a{i} + a{i}; " for i in range(64))
    wrong, _ = planted("softmax", TOP, f"{TOP} {chain} partial[a64] = 0.0; let x = partial[a64];")
    found = lint.check("softmax", wrong)
    assert len(found) == 1  # with the kernel's own partial[lane], in the same phase
    assert "`partial[a64]` written and `partial[lane]` written" in found[0]


def test_too_many_storage_buffers_are_counted():
    extra = "".join(
        f"@group(0) @binding({i}) var<storage, read> w{i}: array<f32>;\n" for i in range(6, 10)
    )
    wrong, _ = planted("fused", "// Rows of C", f"{extra}// Rows of C")
    found = lint.check("fused", wrong)
    assert len(found) == 5
    assert any("found 9 storage buffers, expected at most 8; bind fewer" in line for line in found)


@pytest.mark.parametrize(
    ("old", "complaint"),
    [
        (
            "@group(0) @binding(2) var<storage, read> k_memory: array<vec4<f32>>;",
            "no binding k_memory, expected `@group(0) @binding(2) var<storage, read> k_memory",
        ),
        ("override CAUSAL: bool = false;", "no override CAUSAL, expected `override CAUSAL: bool"),
        ("var<private> k_loads: u32;", "no counter k_loads, expected `var<private> k_loads: u32`"),
        ("struct Launch { n: u32, first_workgroup: u32 }", "no struct Launch, expected `struct L"),
    ],
)
def test_what_stands_only_in_a_comment_is_missing(old, complaint):
    wrong, _ = planted("fused", old, f"/* /* */ {old} */")
    found = lint.check("fused", wrong)
    assert all(SENTENCE.fullmatch(sentence) for sentence in found)
    assert any(complaint in sentence for sentence in found)


def test_a_kernel_without_one_of_its_functions_is_named():
    for name in ("load_s", "report_counts", "main"):
        wrong, _ = planted("softmax", f"fn {name}(", f"fn other_{name}(")
        assert any(name in sentence for sentence in lint.check("softmax", wrong))
    assert lint.check("softmax", "") != []


@pytest.mark.parametrize("kernel", KERNELS)
def test_faults_in_comments_do_not_count(kernel):
    comments = (
        "// k_memory[0] 0.1 dot(q, q) workgroupBarrier() discard; return; { ( [ #\n"
        "/* /* enable f16; */ var<workgroup> big: array<f32, 9999>; report_counts(0); */\n"
    )
    wrong, _ = planted(kernel, TOP, f"{comments}{TOP} {comments}")
    assert lint.check(kernel, comments + wrong) == []


def test_nested_comments_end_where_they_should_and_lines_keep_count():
    found = text.tokens("a /* 1\n /* 2 // */ 3\n */ b // c\n/**/d/*/ e */")
    assert [(token.text, token.line) for token in found] == [("a", 1), ("b", 3), ("d", 4)]
    for unended in ("/*", "/* /* */", "a /*/"):
        with pytest.raises(text.UnreadableError):
            text.tokens(unended)


def test_numbers_are_told_apart_from_names_and_from_one_another():
    written = "1u 16u 0x10u 0xefu 7i 12 x1f a.x 1.0 1f 1e3 .5 1. 0x1p-2f 0x.8p1 0x1.8 2.5e-3h"
    numbers = [token.text for token in text.tokens(written) if token.kind == "number"]
    floats = ["1.0", "1f", "1e3", ".5", "1.", "0x1p-2f", "0x.8p1", "0x1.8", "2.5e-3h"]
    assert numbers == ["1u", "16u", "0x10u", "0xefu", "7i", "12", *floats]
    assert [number for number in numbers if arithmetic.is_float(number)] == floats


def test_closing_angle_brackets_stay_apart_and_comparisons_together():
    found = [token.text for token in text.tokens("array<vec4<f32>>; a >= b; c << d; e->f")]
    assert found[:7] == ["array", "<", "vec4", "<", "f32", ">", ">"]
    assert {">=", "<<", "->"} <= set(found)


@pytest.mark.parametrize(
    ("literals", "safe"),
    [
        ("0.0 1f 0.5 1e3 2.5 16777216.0 .5 1. 0x0p0 1.5e9 0.0000152587890625", True),
        ("0x1.fffffep+127 0x1p-149f 0x1.99999ap-4f 0x1.8 0x1p127", True),
        ("0.1 1.0e-4f 1e38 1e39 16777217.0 1e-400 1h 0.5h", False),
        ("0x1p-150 0x1.ffffffp+127 0x1p128 0x1p-2h 0x1p-99999999", False),
        ("170141183460469231731687303715884105728.0 3.4028234663852886e38", False),
    ],
)
def test_a_literal_is_safe_if_every_compiler_must_read_it_alike(literals, safe):
    for literal in literals.split():
        found = list(arithmetic.literal_faults(read(f"const X = {literal};")))
        assert (not found) == safe, literal


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_scale_of_the_manifest_is_a_safe_literal(kernel):
    for d in HEAD_DIMS:
        assert not list(arithmetic.literal_faults(read(manifest.prelude(kernel, d))))


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        *[("f32", 4), ("vec2<f32>", 8), ("vec3<u32>", 12), ("vec4<i32>", 16), ("vec3f", 12)],
        *[("atomic<u32>", 4), ("array<vec3<f32>, 3>", 48), ("array<vec2u, N / 2u,>", 24)],
        *[("array<array<f32, 5>, 3>", 60), ("array<f32, min(N, 4) * max(2u, 0x3u)>", 48)],
        ("array<f32, (N + 1u) % 5u>", 12),
    ],
)
def test_sizes_are_those_that_wgsl_gives(kind, taken):
    assert size(text.tokens(kind), {"N": 7}) == taken


@pytest.mark.parametrize(
    "expression",
    ["", "M", "1.5", "N / 0u", "N % 0", "1u - 2u", "N N", "f(N)", "(N", "4294967296", "-1", "min"],
)
def test_an_expression_without_a_value_is_refused(expression):
    with pytest.raises(UnevaluableError):
        whole(text.tokens(expression), {"N": 7})


def test_constants_may_rest_on_later_ones_but_not_on_themselves():
    module = read("const A = B * 2u; const B: u32 = 7u / 2u; const C = C + 1u; const F = 0.5;")
    assert constants(module) == {"A": 6, "B": 3}


def test_an_else_is_its_if_s_neighbour():
    (loop,) = tree.statements(text.tokens("for (;;) { if a { b; } else if c { } else { d } }"))
    assert [inner.keyword for inner in loop.body] == ["if", "else", "else"]


def test_no_text_brings_the_gate_down():
    # With any token left out: sentences or silence, and no traceback.
    table = text.tokens(manifest.text("softmax"))
    for left_out in range(0, len(table), 7):
        kept = [token.text for at, token in enumerate(table) if at != left_out]
        assert all(SENTENCE.fullmatch(line) for line in lint.check("softmax", " ".join(kept)))


def test_an_unknown_kernel_is_one_sentence():
    with pytest.raises(FactsError, match="kernel: found 'blend', expected one of fused, fused_fas"):
        lint.check("blend", "")


@pytest.fixture
def folder(tmp_path):
    """A copy of the kernels, to plant faults in."""
    for kernel in KERNELS:
        shutil.copy(manifest.FOLDER / f"{kernel}.wgsl", tmp_path)
    shutil.copy(manifest.FOLDER / "manifest.json", tmp_path)
    return tmp_path


def test_the_table_is_printed_when_all_is_well(folder, capsys):
    lint.main([str(folder)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["kernel", "d", "bytes", "of", "16,384", "invocations"]
    assert lines[1].split() == ["fused", "16", "16,384", "128"]
    assert len(lines) == 1 + len(KERNELS) * len(HEAD_DIMS)
    assert len({len(line) for line in lines}) == 1


def test_faults_of_all_kernels_are_printed_and_the_exit_code_is_1(folder, capsys):
    for kernel in ("fused", "softmax"):
        wrong, _ = planted(kernel, TOP, f"{TOP} discard;")
        (folder / f"{kernel}.wgsl").write_text(wrong, encoding="utf-8")
    with pytest.raises(SystemExit) as caught, terminal.reporting():
        lint.main([str(folder)])
    assert caught.value.code == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    found = [re.sub(r":\d+: found `discard`.*", "", line) for line in printed.err.splitlines()]
    assert found == ["error: fused.wgsl", "softmax.wgsl"]


def test_a_missing_kernel_is_the_user_s_to_mend(folder):
    (folder / "mix.wgsl").unlink()
    with pytest.raises(FactsError, match=r"mix\.wgsl: cannot be read") as caught:
        lint.check_all(folder)
    assert caught.value.exit_code == 2


def test_a_budget_that_cannot_be_said_is_the_gate_s_sentence(folder):
    wrong, _ = planted("fused", "array<vec4<f32>, BR * C>", "array<vec4<f32>, ROWS * C>")
    (folder / "fused.wgsl").write_text(wrong, encoding="utf-8")
    with pytest.raises(ClaimError, match="ROWS is no known whole number"):
        lint.budget("fused", 16, folder)


def test_a_folder_is_held_to_its_own_manifest(folder):
    # Only there does fused have half the keys in a tile.
    path = folder / "manifest.json"
    document = canonical_json.read(path)
    document["kernels"]["fused"]["constants"]["16"]["BC"] //= 2
    document["kernels"]["mix"]["overrides"]["CAUSAL"] = True
    path.write_text(canonical_json.dumps(document), encoding="utf-8")
    assert lint.budget("fused", 16, folder)["workgroup_bytes"] == 8_192 + 2 * 2_048
    assert lint.check("mix", manifest.text("mix")) == []
    with pytest.raises(ClaimError, match=r"expected `override CAUSAL: bool = true`"):
        lint.check_all(folder)
