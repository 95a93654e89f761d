"""Strategies for safetensors files: random bytes, and right files with something changed."""

import numpy as np
from hypothesis import strategies as st

from support.hostile_files import HOSTILE, ROW, entry, raw, three

SIZES = st.one_of(
    st.integers(0, 20),
    st.sampled_from([-1, 16, 32, 64, 128, 2**17, 2**31, 2**32, 2**62, 2**63, 2**64, 10**30]),
    st.floats(),
)
DTYPES = st.one_of(
    st.sampled_from(["F32", "F16", "BF16", "F64", "I32", "U8", "BOOL", "F8_E4M3", "f32", "C64"]),
    st.text(max_size=5),
)
NAMES = st.one_of(st.sampled_from(["q", "k", "v", "o", "__metadata__", ""]), st.text(max_size=9))
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def entries(draw):
    """What stands behind a name: mostly the right fields with unlikely values."""
    found = {
        "dtype": draw(DTYPES),
        "shape": draw(st.lists(SIZES, max_size=4)),
        "data_offsets": draw(st.one_of(st.lists(SIZES, min_size=2, max_size=2), JUNK)),
    }
    for name in draw(st.sets(st.sampled_from(sorted(found)), max_size=1)):
        del found[name]
    return found | draw(st.dictionaries(st.text(max_size=3), JUNK, max_size=1))


def right(heads, n, d, values, names="qkv"):
    """A right file of (heads, n, d), of small values but for those given, in order."""
    content = np.linspace(-1, 1, len(names) * heads * n * d, dtype=np.float32)
    content[: len(values)] = values
    size, shape = content.nbytes // len(names), (heads, n, d)
    parts = {name: entry("F32", shape, (size * i, size * (i + 1))) for i, name in enumerate(names)}
    return raw(parts, content.tobytes())


@st.composite
def changed_headers(draw):
    """A right header, with entries replaced, added or left out, and data of another size."""
    header = three()
    for name in draw(st.lists(NAMES, max_size=3)):
        header[name] = draw(st.one_of(entries(), JUNK))
    for name in draw(st.sets(st.sampled_from("qkv"), max_size=1)):
        header.pop(name)
    more = draw(st.integers(-3, 3))
    return raw(header, bytes(max(0, 6 * ROW + more * draw(st.sampled_from([1, ROW])))))


@st.composite
def laid_out(draw):
    """Tensors that lie one behind another as they should, of any names, types and shapes."""
    width = {"F32": 4, "F16": 2, "BF16": 2, "U8": 1, "F64": 8, "BOOL": 1}
    header, start = {}, 0
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 3, 16, 32]), max_size=4))
    extras = draw(st.lists(st.sampled_from(["o", "lse", "mask", "bias", "sink"]), unique=True))
    for name in [*draw(st.permutations(["q", "k", "v"])), *extras]:
        dtype = draw(st.sampled_from(["F32"] * 4 + sorted(width)))
        fits = {"lse": shape[:-1], "mask": shape[-2:-1] * 2, "bias": shape[-2:-1] * 2, "sink": []}
        own = fits.get(name, shape)
        own = draw(st.one_of(*[st.just(own)] * 4, st.lists(st.integers(0, 4), max_size=3)))
        size = width[dtype] * int(np.prod(own, dtype=np.int64))
        header[name] = {"dtype": dtype, "shape": own, "data_offsets": [start, start + size]}
        start += size
    return raw(header, draw(st.binary(max_size=64)).ljust(start, b"\x3c")[:start])


@st.composite
def changed_bytes(draw):
    """A right or a hostile file, bytes of which are replaced, cut out or put in."""
    small = [content for content, _ in HOSTILE.values() if len(content) < 9999]
    content = bytearray(draw(st.sampled_from([raw(three())] * len(small) + small)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        content[at : at + draw(st.integers(0, 9))] = draw(st.binary(max_size=9))
    return bytes(content)


LIMITS = [3.4028234663852886e38, -3.4028234663852886e38, 1e-45, 1e20, -1e20, 4e6]
floats = st.lists(st.one_of(st.floats(width=32), st.sampled_from(LIMITS)), max_size=96)
sizes = st.integers(1, 2), st.integers(2, 5), st.sampled_from([16, 32, 7])
numbers = st.builds(right, *sizes, floats, st.sampled_from(["qkv", "qkvo"]))
contents = st.one_of(
    st.binary(max_size=200), changed_headers(), laid_out(), changed_bytes(), numbers
)
