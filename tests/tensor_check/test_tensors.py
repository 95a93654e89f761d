"""The tensors of a file: names and formats as expected, and every part exactly what it holds."""

import numpy as np
import pytest
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check import header
from fusedfacts.tensor_check import tensors as reader
from safetensors.numpy import save
from support.common import tensors
from support.hostile_files import entry, raw

KINDS = {kind: dtype for kind, dtype in header.DTYPES.items() if kind != "BOOL"}


def written(folder, content):
    path = folder / "x.safetensors"
    path.write_bytes(save(content))
    return path


def named(q, k, v, **more):
    return {"q": q, "k": k, "v": v, **more}


def stored(folder, kind, array):
    """A file whose q is of that type and content, and k and v are small."""
    data = array.tobytes()
    ends = [len(data), len(data) + 64, len(data) + 128]
    parts = {name: entry("F32", (1, 16), ends[i : i + 2]) for i, name in enumerate("kv")}
    (folder / "x.safetensors").write_bytes(
        raw({"q": entry(kind, array.shape, (0, len(data))), **parts}, data + bytes(128))
    )
    return folder / "x.safetensors"


@pytest.mark.parametrize("kind", KINDS)
def test_any_part_of_a_tensor_is_what_an_array_would_give(tmp_path, kind):
    whole = np.random.default_rng(3).standard_normal((2, 3, 5, 16)).astype(KINDS[kind])
    every = slice(None)
    with reader.opened(stored(tmp_path, kind, whole)) as found:
        q = found.named["q"]
        assert (q.shape, q.dtype) == (whole.shape, whole.dtype)
        for where in (
            *[(), (1,), (1, 2), (every, 2), (0, every, 4), (every, 1, every, 3)],
            *[(every,) * 4, (1, 2, 4, 15), (1, every, every, 0)],
            *[(1, 2, slice(1, 4)), (slice(1, 9),), (every, 1, slice(2, 4)), (0, slice(2, 3), 4)],
        ):
            part = q[where]
            assert part.dtype == whole.dtype
            assert np.array_equal(part, whole[where])


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_every_number_of_two_bytes_is_read_as_what_its_digits_spell_out(tmp_path, kind):
    patterns = np.arange(2**16, dtype="<u2")
    digits, least = {"F16": (10, -14), "BF16": (7, -126)}[kind]
    fraction = (patterns & ((1 << digits) - 1)).astype(np.float64) / 2.0**digits
    most = (1 << (15 - digits)) - 1
    exponent = (patterns.astype(np.int64) >> digits) & most
    power = np.maximum(exponent - (1 - least), least)
    size = np.where(exponent == 0, fraction * 2.0**least, (1 + fraction) * np.exp2(power))
    wanted = np.where(patterns >> 15, -size, size)
    path = stored(tmp_path, kind, patterns.reshape(-1, 16))
    with np.errstate(invalid="ignore"), reader.opened(path) as found:  # some signal
        values = found.named["q"][()].astype(np.float64).ravel()
    finite = exponent < most
    assert np.array_equal(values[finite], wanted[finite])
    assert not np.isfinite(values[~finite]).any()


def test_of_a_mask_any_byte_but_0_is_true(tmp_path):
    q = tensors(2, 16)[0]
    content = save(named(q, q, q, mask=np.array([[True, False], [False, True]])))
    path = tmp_path / "x.safetensors"
    path.write_bytes(content.replace(b"\1\0\0\1", b"\2\0\0\xff"))
    with reader.opened(path) as found:
        assert found.named["mask"][()].tolist() == [[True, False], [False, True]]


def test_a_part_that_is_larger_than_one_read_gives_is_whole(tmp_path, monkeypatch):
    pread = reader.safetensors_file.os.pread
    monkeypatch.setattr(
        reader.safetensors_file.os, "pread", lambda file, size, at: pread(file, min(size, 7), at)
    )
    q, k, v = tensors(5, 16)
    with reader.opened(written(tmp_path, named(q, k, v))) as found:
        assert np.array_equal(found.named["v"][()], v)


def test_other_names_are_said_by_whom_they_stand_for(tmp_path):
    q, k, v = tensors(4, 16)
    path = written(tmp_path, {"query": q, "attn.key": k, "v": v})
    with reader.opened(path, names={"q": "query", "k": "attn.key"}) as found:
        assert np.array_equal(found.named["k"][()], k)
        assert list(found.named) == ["q", "k", "v"]
    for names, says in (
        ({}, r"found no q, k and unknown tensors 'attn\.key', 'query', expected q, k, v and at"),
        ({"q": "query"}, r"found no k and unknown tensors 'attn\.key'"),
        ({"q": "quert", "k": "attn.key"}, "found no tensor 'quert', which --names says is q, exp"),
        ({"q": "query", "k": "v", "v": "attn.key", "o": "o"}, "no tensor 'o', which --names"),
    ):
        with pytest.raises(FactsError, match=says):
            reader.opened(path, names=names).__enter__()
    swapped = {"q": "query", "k": "v", "v": "attn.key"}
    with reader.opened(path, names=swapped) as found:
        assert np.array_equal(found.named["k"][()], v)
    both = written(tmp_path, {"query": q, "q": q, "k": k, "v": v})
    with pytest.raises(FactsError, match="found unknown tensors 'q', expected"):
        reader.opened(both, names={"q": "query"}).__enter__()


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("q", "F8_E4M3", "q found as F8_E4M3, expected F64 or F32 or F16 or BF16; no recipe is of"),
        ("q", "F8_E5M2", "no recipe is of float8"),
        ("q", "I32", "q found as I32, expected F64 or"),
        ("q", "BOOL", "q found as BOOL, expected F64 or"),
        ("mask", "U8", r"mask found as U8, expected BOOL; save mask\.astype\(bool\)"),
        ("mask", "F32", "what is added is a bias"),
    ],
)
def test_what_is_stored_otherwise_is_refused(tmp_path, name, kind, says):
    size = {"I32": 4, "F32": 4}.get(kind, 1)
    header, data = {}, b""
    for tensor in "qkv":
        width = size if tensor == name else 4
        header[tensor] = entry(
            kind if tensor == name else "F32", (1, 1), (len(data), len(data) + width)
        )
        data += bytes(width)
    if name == "mask":
        header["mask"] = entry(kind, (1, 1), (len(data), len(data) + size))
        data += bytes(size)
    (tmp_path / "x.safetensors").write_bytes(raw(header, data))
    with pytest.raises(FactsError, match=says) as caught:
        reader.opened(tmp_path / "x.safetensors").__enter__()
    assert "\n" not in str(caught.value)


def test_a_sentence_about_tensors_names_their_file_once(tmp_path):
    with reader.opened(written(tmp_path, named(*tensors(2, 16)))) as found:
        for said in ("q: found NaN", f"{found.file}: found 3 bytes"):
            with pytest.raises(FactsError) as caught, found.blamed():
                raise FactsError(said)
            assert str(caught.value).count(found.file) == 1
