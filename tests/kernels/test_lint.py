"""The gate on the kernels' text: it passes what is shipped, and sees each fault planted in it."""

import re
import shutil

import pytest
from fusedfacts import terminal
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.kernels import lint, manifest
from fusedfacts.kernels.wgsl import text
from support.planting import KERNELS, SENTENCE, TOP, is_seen, planted

HEAD_DIMS = (16, 32, 64, 128)
# Bytes of workgroup memory at d 16, 32, 64, 128, where C = d / 4 chunks of 16 bytes make a row.
# q: BR C = 512 chunks, 8,192 bytes at every d.
BYTES = {
    # k and v: BC C = 256 chunks each; 8,192 + 4,096 + 4,096.
    "fused": (16_384, 16_384, 16_384, 16_384),
    # k and v: 32, 128, 128, 128 chunks each, so 9,216 and 12,288 with q; weights: BR BC = 1,024,
    # 1,024, 256, 64 floats.
    "fused_fast": (9_216 + 4_096, 12_288 + 4_096, 12_288 + 1_024, 12_288 + 256),
    # It has none.
    "kv_start": (0, 0, 0, 0),
    # The tiles of fused.
    "kv_outer": (16_384, 16_384, 16_384, 16_384),
    # p: BR BC = 2,048, 2,048, 1,024, 256 floats; v: 64, 256, 512, 512 chunks.
    "mix": (8_192 + 1_024, 8_192 + 4_096, 4_096 + 8_192, 1_024 + 8_192),
    # k: 128, 256, 512, 512 chunks.
    "scores": (8_192 + 2_048, 8_192 + 4_096, 8_192 + 8_192, 8_192 + 8_192),
    # One float for each of 256 lanes.
    "softmax": (1_024, 1_024, 1_024, 1_024),
}
# One a row in these, with BR = 2048 / d; 256 in the others.
A_ROW = dict.fromkeys(("fused", "kv_start", "kv_outer"), (128, 64, 32, 16))
INVOCATIONS = dict.fromkeys(KERNELS, (256,) * 4) | A_ROW

TILE_LOOP = "first_key < end; first_key += BC) {"
KEPT = "let kept ="
END = "    if COUNT { report_counts(workgroup); }"
COUNT_K = "    if COUNT { k_loads += 4u; }"
Q_TILE = "array<vec4<f32>, BR * C>"
PLACE = "let workgroup = launch.first_workgroup + group.x;"
ENTRY = "@compute @workgroup_size(LANES)"
MAIN = f"{ENTRY}\nfn main("
OUTPUT = "mixed[c] / total"
BIND = "@binding(6) var<storage> w: f32;\n// Rows"
FAST = "override FAST: bool = false;\noverride RES"
# Kernel, what stands there, what is put in its place, what a complaint says.
MEMORY = [
    ("fused", Q_TILE, "array<vec4<f32>, 2u * BR * C>", "24,576 bytes of workgroup memory at d 16"),
    ("fused", Q_TILE, "array<vec4<f32>, ROWS * C>", "ROWS is no known whole"),
    ("fused", Q_TILE, "array<Launch, BR * C>", "not `array<scalar or vector, length>`"),
]
# What the manifest gives.
INTERFACE = [
    ("scores", ENTRY, "@compute @workgroup_size(8, 8)", "expected `@compute @workgroup_size(LA"),
    ("mix", ENTRY, "@compute @workgroup_size(1) fn b() { }\n@compute", "only what manifest.json"),
    ("fused", MAIN, f"@@{MAIN}@builtin(num_workgroups) all: vec3<u32>, ", "num_workgroups) all"),
    ("fused", "@binding(2)", "@binding(6)", "expected `@group(0) @binding(2) var<storage, read> k"),
    ("fused", "k_memory: array<vec4<f32>>", "k_memory: array<f32>", "array<vec4<f32>>`"),
    ("fused", "// Rows", BIND, "only what manifest.json giv"),
    ("fused", "{ n: u32, first", "{ m: u32, first", "expected `n: u32, first_workgroup: u32`"),
    ("fused", "override RES", FAST, "only what manifest.j"),
    ("fused", "COUNT: bool = false", "COUNT: bool = true", "expected `override COUNT: bool = fa"),
    ("fused", "k_loads += 4u", "k_loads += 2u", "`k_loads += 2u` in load_k, expected `k_loads +"),
    ("fused", COUNT_K, "    k_loads += 4u;", "`k_loads += 4u` in load_k, expected `if COUNT`"),
    ("fused", "return k_memory[i];", "return k_memory[i] + k_memory[0];", "k_memory[0]` in load_k"),
    ("fused", "2u], v_loads", "1u], v_loads", "SLOTS + 1u], v_loads)` in report_counts"),
    ("fused", "fn keys_seen(", "fn load_k(", "another load_k"),
]
# What is counted, and where a workgroup stands in a launch.
COUNTING = [
    ("fused", END, "    report_counts(workgroup);", "`if COUNT { report_counts(workgroup); }` as"),
    ("fused", END, f"@@{END}\n{END}", "report_counts in main, expected it only"),
    ("fused", END, f"{END} else {{ }}", "found `else`, expected `if COUNT { report_counts(workgr"),
    ("fused", TOP, f"{TOP} let x = k_memory[0];", "k_memory in main, expected it only in acces"),
    ("fused", KEPT, f"let p = &weight; {KEPT}", "& in main, expected it only in accessors"),
    ("mix", "return keys;", "return keys + u32(p_memory[0]);", "p_memory in keys_seen"),
    ("fused", TOP, f"{TOP} k_loads = 0u;", "k_loads in main, expected it only in accessors"),
    ("fused", TOP, f"{TOP} atomicAdd(&counts[0], 1u);", "counts in main"),
    ("fused", TOP, f"{TOP} if COUNT {{ let more = load_k(0u); }}", "COUNT in main, expected it"),
    ("mix", "if CAUSAL { return", "if COUNT { return", "COUNT in keys_seen, expected it only"),
    ("fused", "const FOURS =", "const WHEN = COUNT; const FOURS =", "COUNT in WHEN"),
    ("softmax", "report_counts(row);", "report_counts(row + 1u);", "expected `if COUNT { report_"),
    ("fused", "first = workgroup * BR;", "first = group.x * BR;", "group in main, expected"),
    ("fused", PLACE, f"{PLACE} let again = launch.first_workgroup;", "first_workgroup in main"),
]
TURNS = ("i < seen; i++) {", "i < BC; i++) { i += lane;", "i < BC; i++) { let i = lane;")
TURNED = f"for (var i = 0u; @\n@@total += weight[i]; }}\n{KEPT}"
LOOPS = [
    ("fused", TILE_LOOP, f"{TILE_LOOP} var w: array<f32, BC>;", "`var w: array<f32, BC>` in a l"),
    ("fused", TILE_LOOP, f"{TILE_LOOP} for (var w: u32; w < 2u; w++) {{ }}", "`var w: u32` in a"),
    *(("fused", KEPT, TURNED.replace("@", turns, 1), "t[i]`, a dy") for turns in TURNS),
    ("softmax", "= weight[0]", "= weight[lane % 2u]", "`weight[lane % 2u]`, a dynamically index"),
    ("fused", OUTPUT, "(mixed[0] + mixed[lane]) / total", "`mixed[lane]`"),
    ("fused", OUTPUT, "whole.mixed[0].part[lane] / total", "`whole.mixed[0].part[lane]`"),
    ("fused", OUTPUT, "(*(&mixed))[lane] / total", "[lane]"),
]
ARITHMETIC = [
    ("fused", "var maximum = 0.0", "var maximum = 0.1", "the literal 0.1"),
    ("fused", "chunk_product(q, k", "dot(q, k", "found dot,"),
    ("fused", TOP, f"{TOP} var x = mat4x4<f32>();", "found mat4x4,"),
    ("fused", TOP, f"{TOP} let x = subgroupAdd(lane);", "found subgroupAdd,"),
    ("fused", "override COUNT", "enable f16;\noverride COUNT", "found enable,"),
    ("fused", "    let kept =", "@diagnostic(off, x) if n > 1u { }\n    let kept =", "diagnostic,"),
    # U+2028 ends a line in WGSL, so what follows is no comment.
    ("fused", TOP, f"{TOP} // \u2028 let x = dot(q, k);", "found dot,"),
    ("fused", TOP, f"{TOP} let bad = n != n;", "`let bad = n != n`"),
    ("fused", TOP, f"{TOP} if (n + 1u) != (n + 1u) {{ }}", "no comparison of a value with itself"),
]
NAMES = [
    ("fused", TOP, f"{TOP} let CAUSAL = false;", "another CAUSAL"),
    ("fused", "fn keys_seen(row: u32", "fn keys_seen(RESCALE: u32", "another RESCALE"),
    ("fused", "override COUNT", "const LANES = 1u;\noverride COUNT", "another LANES"),
    ("fused", "fn chunk_product", "fn select(a: u32) { }\nfn chunk_product", "another select"),
    ("fused", TOP, f"{TOP} /* */", "found `/*`, expected a token of WGSL or a comment that beg"),
    ("fused", TOP, f"{TOP} #", "the character '#'"),
    ("fused", TOP, f"{TOP} }} }}", "found }, expected { before it"),
]


@pytest.mark.parametrize(
    ("kernel", "old", "new", "complaint"),
    MEMORY + INTERFACE + COUNTING + LOOPS + ARITHMETIC + NAMES,
)
def test_a_planted_fault_is_seen(kernel, old, new, complaint):
    assert is_seen(kernel, old, new, complaint)


def test_a_workgroup_without_its_place_is_named():
    wrong, _ = planted("fused", PLACE, "let workgroup = 0u;")
    assert "found no place in the launch, expected `let workgroup" in lint.check("fused", wrong)[0]


def test_the_budget_is_what_was_added_up_by_hand():
    assert lint.budgets() == {
        kernel: {
            d: {"workgroup_bytes": BYTES[kernel][i], "invocations": INVOCATIONS[kernel][i]}
            for i, d in enumerate(HEAD_DIMS)
        }
        for kernel in KERNELS
    }


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_is_shipped_passes_and_faults_in_comments_do_not_count(kernel):
    comments = (
        "// k_memory[0] 0.1 dot(q, q) workgroupBarrier() return; { ( [ # */ /*\n"
        "// enable f16; var<workgroup> big: array<f32, 9999>; report_counts(0);\n"
    )
    wrong, _ = planted(kernel, TOP, f"{comments}{TOP} {comments}")
    assert lint.check(kernel, comments + wrong) == []


@pytest.mark.parametrize(
    ("old", "complaint"),
    [
        ("@group(0) @binding(1) var<storage, read> s_memory: array<f32>;", "no var s_memory,"),
        ("override CAUSAL: bool = false;", "no override CAUSAL, expected `override CAUSAL: bool"),
        ("struct Launch { n: u32, first_workgroup: u32 }", "no struct Launch, expected `struct"),
        ("fn load_s(", "no fn load_s"),
        ("fn main(", "no fn main"),
    ],
)
def test_what_stands_only_in_a_comment_is_missing(old, complaint):
    instead = "fn other(" if old.startswith("fn ") else ""
    wrong, _ = planted("softmax", old, f"// {old}\n{instead}")
    assert any(complaint in sentence for sentence in lint.check("softmax", wrong))


def test_no_text_brings_the_gate_down():
    # With any token left out: sentences or silence, and no traceback.
    table = text.tokens(manifest.text("softmax"))
    for left_out in range(0, len(table), 7):
        kept = [token.text for at, token in enumerate(table) if at != left_out]
        assert all(SENTENCE.fullmatch(line) for line in lint.check("softmax", " ".join(kept)))
    assert lint.check("softmax", "") != []


@pytest.fixture
def folder(tmp_path):
    """A copy of the kernels, to plant faults in."""
    return shutil.copytree(manifest.FOLDER, tmp_path / "kernels")


def test_faults_of_all_kernels_are_printed_and_the_exit_code_is_1(folder, capsys):
    for kernel in ("fused", "softmax"):
        wrong, _ = planted(kernel, TOP, f"{TOP} return;")
        (folder / f"{kernel}.wgsl").write_text(wrong, encoding="utf-8")
    with pytest.raises(SystemExit) as caught, terminal.reporting():
        lint.budgets(folder)
    assert caught.value.code == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    found = [re.sub(r":\d+: found `return`.*", "", line) for line in printed.err.splitlines()]
    assert found == ["does not hold: fused.wgsl", "softmax.wgsl"]


def test_a_folder_is_held_to_its_own_manifest(folder):
    path = folder / "manifest.json"
    document = canonical_json.read(path)
    document["kernels"]["mix"]["overrides"]["CAUSAL"] = True
    path.write_text(canonical_json.dumps(document), encoding="utf-8")
    with pytest.raises(ClaimError, match=r"expected `override CAUSAL: bool = true`"):
        lint.budgets(folder)


def test_an_unknown_kernel_is_one_sentence():
    with pytest.raises(FactsError, match="kernel: found 'blend', expected one of fused, fused_fas"):
        lint.check("blend", "")
