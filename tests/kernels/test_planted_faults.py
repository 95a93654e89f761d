"""Each fault planted in a copy of a kernel, and exactly the checks that go red for it.

kernels/README.md shows this table.
"""

import shutil

import numpy as np
import pytest
from fusedfacts.attention import compare as exact_compare
from fusedfacts.attention import traffic
from fusedfacts.attention.error_bound import attention_bounds
from fusedfacts.attention.problem import Problem
from fusedfacts.device import compare, pipelines, run
from fusedfacts.emulator.methods import FUSED, METHODS
from fusedfacts.errors import ClaimError
from fusedfacts.kernels import lint, manifest
from support.common import ROOT, bits, tensors

GUARDED_LOAD = """            if i < keys * C {
                k_tile[i] = load_k(first_key * C + i);
                v_tile[i] = load_v(first_key * C + i);
            }
"""
UNGUARDED_LOAD = """            k_tile[i] = load_k(first_key * C + i);
            v_tile[i] = load_v(first_key * C + i);
"""
GUARDED_STORE = """    if lane < rows {
        for (var c = 0u; c < C; c++) {
            store_o"""
FILLED = """        workgroupBarrier();

        let seen"""
# name: (text, replacement, checks that go red)
FAULTS = {
    "an access outside the accessor": (
        "k_tile[i] = load_k(first_key * C + i);",
        "k_tile[i] = k_memory[first_key * C + i];",
        {"gate", "counts"},
    ),
    "a missing tail guard": (GUARDED_LOAD, UNGUARDED_LOAD, {"counts"}),
    "a missing output guard": (
        GUARDED_STORE,
        GUARDED_STORE.replace("if lane < rows", "if true"),
        {"counts"},
    ),
    "a missing barrier": (
        FILLED,
        FILLED.replace("workgroupBarrier();", ""),
        {"gate", "values", "bits"},
    ),
    "a rescale forgotten": (
        "select(total, total * factor, RESCALE)",
        "total",
        {"values", "bits"},
    ),
    "the output not rescaled": (
        "mixed[c] * factor + tile_mixed",
        "mixed[c] + tile_mixed",
        {"values", "bits"},
    ),
    "the running maximum forgotten": (
        "select(maximum, weight[0].x, first_key == 0u)",
        "weight[0].x",
        {"values", "bits"},
    ),
    "an oversized tile": ("array<vec4<f32>, BR * C>", "array<vec4<f32>, 2u * BR * C>", {"gate"}),
    "a decimal literal at the limit": (
        "var total = 0.0;",
        "var total = 0.0; let limit = 3.4028234663852886e38;",
        {"gate"},
    ),
    "a sum in another order": (
        "((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w",
        "(a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w)",
        {"bits"},
    ),
    "a product left to dot()": (
        "return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;",
        "return dot(a, b);",
        {"gate"},
    ),
    "an accessor that counts too little": ("k_loads += 4u", "k_loads += 1u", {"gate", "counts"}),
    "a masked key that is looked at": (
        "min(keys, max(row + 1u, first_key) - first_key)",
        "keys",
        {"values", "bits"},
    ),
    "tiles beyond the diagonal that are fetched": (
        "select(n, first + rows, CAUSAL)",
        "n",
        {"counts"},
    ),
}
# Ragged for every tile, several query tiles, and causal so that every guard is at work.
N, D = 149, 32


def planted(folder, name):
    """A copy of the kernels with one fault in fused.wgsl."""
    found, replacement, _ = FAULTS[name]
    copy = shutil.copytree(ROOT / "kernels", folder / "kernels")
    text = (copy / "fused.wgsl").read_text()
    assert text.count(found) == 1, name
    (copy / "fused.wgsl").write_text(text.replace(found, replacement))
    return copy


@pytest.fixture(scope="module")
def expected(subject):
    """The emulator's answer, and the exact one with its bound."""
    q, k, v = tensors(N, D)
    emulated = FUSED.emulate(Problem(N, D, causal=True), q, k, v, exponential=subject.exp)
    order = [FUSED.order(D)]
    bounded = attention_bounds(q, k, v, order, causal=True, arithmetic=subject.arithmetic)
    return emulated, bounded


def red_checks(subject, expected, folder):
    """The checks that a folder's fused kernel does not pass."""
    emulated, bounded = expected
    device = pipelines.Device(subject.device.adapter, subject.device.handle, folder)
    answer = run.attention(device, "fused", *tensors(N, D), causal=True)
    seen = {
        "gate": bool(lint.check("fused", manifest.text("fused", folder))),
        "counts": answer.counts != traffic.fused(N, D, causal=True),
        "values": not exact_compare.compare(answer.output, bounded.exact, bounded.bounds[0]).passed,
        "bits": subject.bits and (bits(answer.output) != bits(emulated.output)).any(),
    }
    return {name for name, is_red in seen.items() if is_red}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_turns_exactly_its_checks_red(subject, expected, tmp_path, name):
    blind = set() if subject.bits else {"bits"}
    if "dot()" in name:
        blind = {"bits"}  # a device's dot() may be in the contract's order
    assert red_checks(subject, expected, planted(tmp_path, name)) - blind == FAULTS[name][2] - blind


def test_the_readme_shows_this_table():
    text = (ROOT / "kernels" / "README.md").read_text()
    checks = ("gate", "counts", "values", "bits")
    rows = [
        f"| {name} | {', '.join(check for check in checks if check in red)} |"
        for name, (_, _, red) in FAULTS.items()
    ]
    assert "|---|---|\n" + "\n".join(rows) + "\n\n" in text


def test_the_shipped_kernel_turns_none_red(subject, expected):
    assert red_checks(subject, expected, manifest.FOLDER) == set()


def test_the_broken_control_is_the_rescale_forgotten(subject, tmp_path):
    """The constant RESCALE and the fault planted by hand are the same program."""
    q, k, v = tensors(N, D)
    copy = planted(tmp_path, "a rescale forgotten")
    device = pipelines.Device(subject.device.adapter, subject.device.handle, copy)
    by_hand = run.attention(device, "fused", q, k, v)
    by_constant = run.attention(subject.device, "fused", q, k, v, rescale=False)
    np.testing.assert_array_equal(bits(by_hand.output), bits(by_constant.output))


LANE = "@builtin(local_invocation_index) lane: u32,"
BODY = "    let n = launch.n;\n"


@pytest.mark.parametrize("way", list(METHODS))
def test_no_bit_hangs_on_the_order_in_which_invocations_run(subject, tmp_path, way):
    """A software device runs invocations in order, which hides races; here they are shuffled."""
    copy = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    for kernel in manifest.names(way):
        text = (copy / f"{kernel}.wgsl").read_text()
        assert text.count(LANE) == text.count(BODY) == 1
        text = text.replace(LANE, LANE.replace("lane", "raw"))
        # 37 is prime to every number of invocations, so this is a permutation.
        text = text.replace(BODY, "    let lane = (raw * 37u) % LANES;\n" + BODY)
        (copy / f"{kernel}.wgsl").write_text(text)
    device = pipelines.Device(subject.device.adapter, subject.device.handle, copy)
    q, k, v = tensors(N, D)
    shuffled = run.attention(device, way, q, k, v, causal=True)
    straight = run.attention(subject.device, way, q, k, v, causal=True)
    assert shuffled.counts == straight.counts
    np.testing.assert_array_equal(bits(shuffled.output), bits(straight.output))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "store_o(row * C + c, mixed[c] / total);",
            "store_o(row * C + c, select(mixed[c], mixed[c] / total, COUNT));",
            "without counting and with",
        ),
        (
            "let first = workgroup * BR;",
            "let first = group.x * BR;",
            "a second launch, cut, and the first",
        ),
    ],
    ids=["an answer that hangs on COUNT", "a place that hangs on how a launch is cut"],
)
def test_what_only_another_launch_shows_is_seen(subject, tmp_path, old, new, sentence):
    """The first launch is right in every respect."""
    copy = shutil.copytree(ROOT / "kernels", tmp_path / "kernels")
    text = (copy / "fused.wgsl").read_text()
    assert text.count(old) == 1
    (copy / "fused.wgsl").write_text(text.replace(old, new))
    device = pipelines.Device(subject.device.adapter, subject.device.handle, copy)
    broken = compare.Subject(device, subject.self_test)
    with pytest.raises(ClaimError, match=sentence):
        compare.compare_kernels(broken, FUSED, Problem(N, D), *tensors(N, D))
