"""Each fault planted in a copy of a kernel, and exactly the checks that go red for it.

kernels/README.md shows this table.
"""

import shutil

import numpy as np
import pytest
from fusedfacts.attention.compare import compare
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem
from fusedfacts.device import agreement, pipelines, run
from fusedfacts.emulator.methods import FUSED, KV_OUTER, METHODS
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import lint, manifest
from support.common import ROOT, bits, tensors

GUARD = "            if i < keys * C {\n"
LOADS = """                k_tile[i] = load_k(first_key * C + i);
                v_tile[i] = load_v(first_key * C + i);
"""
BARRIER = "        workgroupBarrier();\n\n        let seen"
ROWS = "    if lane < rows {\n        for (var c = 0u; c < C; c++) {\n            store_o"
LOAD_K = "k_tile[i] = load_k(first_key * C + i);"
DIRECT_K = "k_tile[i] = k_memory[first_key * C + i];"
LAST_TILE = "select(n, first + rows, CAUSAL)"
PRODUCT = "((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w"
PAIRS = "(a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w)"
SEEN = "min(keys, max(row + 1u, first_key) - first_key)"
TOTAL = "select(total, total * factor, RESCALE)"
MAXIMUM = "select(maximum, weight[0].x, first_key == 0u)"
LIMIT = "var total = 0.0; let limit = 3.4028234663852886e38;"
# name: (text, replacement, checks that go red)
FAULTS = {
    "an access outside the accessor": (LOAD_K, DIRECT_K, "gate, counts"),
    "a missing tail guard": (f"{GUARD}{LOADS}            }}\n", LOADS, "counts"),
    "a missing output guard": (ROWS, ROWS.replace("lane < rows", "true"), "counts"),
    "a missing barrier": (BARRIER, BARRIER[-18:], "gate, values, bits"),
    "a rescale forgotten": (TOTAL, "total", "values, bits"),
    "the output not rescaled": ("mixed[c] * factor", "mixed[c]", "values, bits"),
    "the running maximum forgotten": (MAXIMUM, "weight[0].x", "values, bits"),
    "an oversized tile": ("array<vec4<f32>, BR * C>", "array<vec4<f32>, 2u * BR * C>", "gate"),
    "a decimal literal at the limit": ("var total = 0.0;", LIMIT, "gate"),
    "a sum in another order": (PRODUCT, PAIRS, "bits"),
    "a product left to dot()": (f"return {PRODUCT};", "return dot(a, b);", "gate"),
    "an accessor that counts too little": ("k_loads += 4u", "k_loads += 1u", "gate, counts"),
    "a masked key that is looked at": (SEEN, "keys", "values, bits"),
    "tiles beyond the diagonal that are fetched": (LAST_TILE, "n", "counts"),
}
# The same of kv_outer, whose text is fused's but for its loops: what these bring with them.
INITIAL_L = "store_l(row, 0.0);"
STORE_M = "            store_m(row, maximum);\n"
MIXED = "shrunk * load_o(row * C + c) + tile_factor * tile_mixed"
KV_FAULTS = {
    "an initial total forgotten": (
        INITIAL_L,
        f"if row > 0u {{ {INITIAL_L} }}",
        "counts, values, bits",
    ),
    "a maximum that is not kept": (STORE_M, "", "counts, values, bits"),
    "a rescale forgotten": ("select(old_total, shrunk, RESCALE)", "old_total", "values, bits"),
    "the answer not rescaled": (MIXED, MIXED.replace("shrunk", "old_total"), "values, bits"),
    "the tile's own maximum forgotten": (MIXED, MIXED[:-25] + "tile_mixed", "values, bits"),
    "rows that see nothing of a tile": (
        "select(0u, first_key, CAUSAL)",
        "0u",
        "counts, values, bits",
    ),
    "another invocation's row": (STORE_M, STORE_M.replace("row", "row + 1u"), "gate, values, bits"),
}
# Ragged for every tile, several query tiles, and causal so that every guard is at work.
N, D = 149, 32
PROBLEM = Problem(N, D, causal=True)


def changed(measured, folder, changes, kernel="fused"):
    """The device with a copy of the kernels in which texts of one are replaced."""
    if not (folder / "kernels").exists():
        shutil.copytree(ROOT / "kernels", folder / "kernels")
    path = folder / "kernels" / f"{kernel}.wgsl"
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)
    return pipelines.Device(measured.device.adapter, measured.device.handle, folder / "kernels")


@pytest.fixture(scope="module")
def expected(measured):
    """The emulators' answers, and the exact one with its bounds, by method."""
    q, k, v = tensors(N, D)
    methods = (FUSED, KV_OUTER)
    orders = [method.order(D) for method in methods]
    bounded = attention_bounds(q, k, v, orders, causal=True, arithmetic=measured.arithmetic)
    return {
        method.name: (
            method.emulate(PROBLEM, q, k, v, exponential=measured.exp),
            bounded.exact,
            bound,
        )
        for method, bound in zip(methods, bounded.bounds, strict=True)
    }


def red_checks(measured, expected, device, method=FUSED):
    """The checks that a device's kernels of a method do not pass."""
    emulated, exact, bound = expected[method.name]
    answer = run.attention(device, method.name, *tensors(N, D), causal=True)
    texts = {kernel: manifest.text(kernel, device.folder) for kernel in manifest.names(method.name)}
    seen = {
        "gate": any(lint.check(kernel, text) for kernel, text in texts.items()),
        "counts": answer.counts != method.traffic(PROBLEM),
        "values": not compare(answer.output, exact, bound).passed,
        "bits": measured.bits and (bits(answer.output) != bits(emulated.output)).any(),
    }
    return {name for name, is_red in seen.items() if is_red}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_turns_exactly_its_checks_red(measured, expected, tmp_path, name):
    old, new, checks = FAULTS[name]
    blind = set() if measured.bits else {"bits"}
    if "dot()" in name:
        blind = {"bits"}  # a device's dot() may be in the contract's order
    red = red_checks(measured, expected, changed(measured, tmp_path, [(old, new)]))
    assert red - blind == set(checks.split(", ")) - blind


@pytest.mark.parametrize("name", KV_FAULTS)
def test_a_fault_of_the_other_loop_order_turns_exactly_its_checks_red(
    measured, expected, tmp_path, name
):
    old, new, checks = KV_FAULTS[name]
    kernel = "kv_start" if old == INITIAL_L else "kv_outer"
    red = red_checks(
        measured, expected, changed(measured, tmp_path, [(old, new)], kernel), KV_OUTER
    )
    blind = set() if measured.bits else {"bits"}
    assert red == set(checks.split(", ")) - blind


@pytest.mark.parametrize("faults", [FAULTS, KV_FAULTS], ids=["fused", "kv_outer"])
def test_the_readme_shows_these_tables(faults):
    text = (ROOT / "kernels" / "README.md").read_text()
    rows = "\n".join(f"| {name} | {checks} |" for name, (_, _, checks) in faults.items())
    assert f"|---|---|\n{rows}\n\n" in text


@pytest.mark.parametrize("method", [FUSED, KV_OUTER], ids=["fused", "kv_outer"])
def test_the_shipped_kernels_turn_none_red(measured, expected, method):
    assert red_checks(measured, expected, measured.device, method) == set()


def test_the_broken_control_is_the_rescale_forgotten(measured, tmp_path):
    """The constant RESCALE and the fault planted by hand are the same program."""
    device = changed(measured, tmp_path, [(TOTAL, "total")])
    by_hand = run.attention(device, "fused", *tensors(N, D))
    by_constant = run.attention(measured.device, "fused", *tensors(N, D), rescale=False)
    np.testing.assert_array_equal(bits(by_hand.output), bits(by_constant.output))


@pytest.mark.parametrize("way", list(METHODS))
def test_no_bit_hangs_on_the_order_in_which_invocations_run(measured, tmp_path, way):
    """A software device runs invocations in order, which hides races; here they are shuffled."""
    lane, body = "@builtin(local_invocation_index) lane: u32,", "    let n = launch.n;\n"
    # 37 is prime to every number of invocations, so this is a permutation.
    shuffle = f"    let lane = (raw * 37u) % LANES;\n{body}"
    for kernel in manifest.names(way):
        changes = [(lane, lane.replace("lane", "raw")), (body, shuffle)]
        device = changed(measured, tmp_path, changes, kernel)
    shuffled = run.attention(device, way, *tensors(N, D), causal=True)
    straight = run.attention(measured.device, way, *tensors(N, D), causal=True)
    assert shuffled.counts == straight.counts
    np.testing.assert_array_equal(bits(shuffled.output), bits(straight.output))


OUTPUT = "store_o(row * C + c, mixed[c] / total);"
BY_COUNT = "store_o(row * C + c, select(mixed[c], mixed[c] / total, COUNT));"
FIRST, BY_PIECE = "let first = workgroup * BR;", "let first = group.x * BR;"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (OUTPUT, BY_COUNT, "without counting and with"),
        (FIRST, BY_PIECE, "a second launch, cut, and the first"),
    ],
    ids=["an answer that hangs on COUNT", "a place that hangs on how a launch is cut"],
)
def test_what_only_another_launch_shows_is_seen(measured, tmp_path, old, new, sentence):
    """The first launch is right in every respect."""
    device = changed(measured, tmp_path, [(old, new)])
    broken = agreement.MeasuredDevice(device, measured.self_test)
    with pytest.raises(ClaimError, match=sentence):
        agreement.check_kernels(broken, FUSED, Problem(N, D), *tensors(N, D))
