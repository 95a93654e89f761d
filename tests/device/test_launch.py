"""Buffers, pipelines and dispatches, and every way in which they fail."""

import numpy as np
import pytest
from fusedfacts.device import adapters, launch, memory, pipelines, run
from fusedfacts.emulator.methods import METHODS
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.kernels import manifest as kernels
from hypothesis import given
from hypothesis import strategies as st
from support.common import bits, tensors


def plain_device(device):
    """Another device of the same adapter, without timestamps."""
    handle = device.adapter.request_device_sync(required_limits=adapters.DEFAULT_LIMITS)
    return pipelines.Device(device.adapter, handle)


@given(st.integers(1, 2**22), st.integers(1, 2**20), st.sampled_from([16, 128]), st.integers(1, 5))
def test_the_pieces_of_a_launch_are_all_workgroups_once(total, n, d, at_least):
    pieces = launch.pieces(total, n, d, at_least)
    ends = [first + count for first, count in pieces]
    assert [first for first, _ in pieces] == [0, *ends[:-1]]
    assert ends[-1] == total
    assert all(0 < count <= 65_535 for _, count in pieces)
    assert len(pieces) >= min(at_least, (total + 1) // 2)


@pytest.mark.parametrize("method", METHODS)
def test_cutting_a_launch_changes_neither_counts_nor_bits(device, method):
    q, k, v = tensors(130, 32)
    whole = run.attention(device, method, q, k, v)
    cut = run.attention(device, method, q, k, v, at_least=130)
    assert cut.counts == whole.counts
    np.testing.assert_array_equal(bits(cut.output), bits(whole.output))
    for kernel in kernels.names(method):
        groups = launch.workgroups(device, kernel, pipelines.Variant(32), 130)
        assert len(cut.ticks[kernel]) == (groups if device.has_timestamps else 0)


def test_a_masked_entry_of_the_table_is_never_written(device):
    q, k, v = tensors(40, 16)
    tables = run.attention(device, "unfused", q, k, v, causal=True, keep_tables=True).tables
    future = np.triu(np.ones((40, 40), dtype=bool), 1)
    for table in tables.values():
        assert (bits(table)[future] == memory.POISON).all()
        assert not np.isnan(table[~future]).any()


@pytest.mark.parametrize("end", ["before", "after"])
def test_a_store_outside_a_buffer_is_seen(device, end):
    buffer = memory.Buffer(device.handle, "o", memory.poisoned(8))
    assert np.isnan(buffer.floats()).all()
    offset = memory.GUARD_BYTES - 4 if end == "before" else memory.GUARD_BYTES + 8 * 4
    device.handle.queue.write_buffer(buffer._buffer, offset, np.zeros(1, np.uint32))
    with pytest.raises(ClaimError, match=r"^buffer o: its guard was written over"):
        buffer.read()


def test_a_size_beyond_the_limits_is_refused_before_anything_runs(device):
    content = np.broadcast_to(np.uint32(0), memory.BINDING_LIMIT // 4 + 1)
    with pytest.raises(FactsError, match=r"^buffer k: found 134217732 bytes, expected at most"):
        memory.Buffer(device.handle, "k", content)
    x = np.zeros((5793, 16), dtype=np.float32)
    with pytest.raises(FactsError, match=r"^n: found 5793, expected at most 5792"):
        run.attention(device, "unfused", x, x, x)
    x = np.zeros((4, 48), dtype=np.float32)
    with pytest.raises(FactsError, match=r"^d: found 48, expected one of 16, 32, 64, 128"):
        run.attention(device, "fused", x, x, x)


@pytest.mark.parametrize(
    "text",
    [
        "@compute @workgroup_size(1) fn main() { let x = ; }",
        "@compute @workgroup_size(512) fn main() {}",  # beyond the limit
    ],
)
def test_a_text_that_does_not_compile_is_one_sentence(device, text):
    with pytest.raises(FactsError, match=r"^kernel k: the device said: .*`git checkout") as error:
        device.compile(text, "kernel k", {})
    assert "\n" not in str(error.value)


def test_a_lost_device_is_one_sentence(device):
    lost = plain_device(device)
    with run.buffers_of("fused", *tensors(8, 16), lost) as buffers:
        lost.pipeline("fused", pipelines.Variant(16))
        lost.handle.destroy()
        with pytest.raises(FactsError, match=r"^buffer q of 512 bytes: .*lost again") as upload:
            run.attention(lost, "fused", *tensors(8, 16))
        with pytest.raises(FactsError, match="the device said: ") as dispatch:
            launch.launch(lost, "fused", pipelines.Variant(16), 8, buffers)
    assert not any("\n" in str(error.value) for error in (upload, dispatch))
