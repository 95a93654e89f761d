"""A call that was watched, saved: what `fusedfacts check` reads, and what a run's `heads:` does."""

import shlex

import ml_dtypes
import numpy as np
import pytest
from fusedfacts import watch
from fusedfacts.documents.files import sha256
from fusedfacts.errors import FactsError
from fusedfacts.experiments import heads_file
from safetensors import safe_open
from support import asked, made_torch

RNG = np.random.default_rng(7)
SQUARE = [(2, 4, 9, 16)] * 3


@pytest.fixture
def recorded(monkeypatch):
    """Record one call of torch's attention."""
    torch = made_torch.installed(monkeypatch)

    def record(*shapes, dtype=np.float32, judge=False, **options):
        given = [made_torch.Tensor(RNG.standard_normal(shape).astype(dtype)) for shape in shapes]
        with watch(judge=judge) as calls:
            torch.nn.functional.scaled_dot_product_attention(*given, **options)
        return calls[0]

    return record


def read(path):
    with safe_open(path, "numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118


def test_a_file_says_how_the_call_was_made(recorded, tmp_path):
    shapes = [(1, 4, 9, 16), (1, 2, 9, 16), (1, 2, 9, 16)]
    options = {"enable_gqa": True, "is_causal": True, "scale": 0.5}
    call = recorded(*shapes, dtype=ml_dtypes.bfloat16, **options)
    call.save(tmp_path / "one.safetensors")
    with safe_open(tmp_path / "one.safetensors", "numpy") as file:
        assert {name: file.get_slice(name).get_shape() for name in "qkvo"} == {
            **{"q": [4, 9, 16], "k": [2, 9, 16], "v": [2, 9, 16], "o": [4, 9, 16]}
        }
        assert file.get_slice("q").get_dtype() == "BF16"
        said = file.metadata()
    assert said["options"] == '{"causal": "top-left", "layout": "hnd", "scale": 0.5}'
    assert (said["library"], said["version"]) == ("torch", "2.0")


def test_a_batch_keeps_its_axis_and_a_mask_its_own(recorded, tmp_path):
    mask = made_torch.Tensor(np.tri(9, dtype=bool)[None, None])
    recorded(*SQUARE, attn_mask=mask).save(str(tmp_path / "two.safetensors"))
    tensors, said = read(tmp_path / "two.safetensors")
    assert tensors["q"].shape == (2, 4, 9, 16)
    assert np.array_equal(tensors["mask"], mask.array)
    assert said["options"] == '{"layout": "bhnd"}'


@pytest.mark.parametrize(
    ("shapes", "options"),
    [
        ([(1, 4, 9, 16), (1, 2, 9, 16), (1, 2, 9, 16)], {"enable_gqa": True, "is_causal": True}),
        ([(2, 4, 5, 20), (2, 4, 9, 20), (2, 4, 9, 24)], {"is_causal": True, "scale": 0.3}),
        (SQUARE, {"attn_mask": made_torch.Tensor(np.tri(9, dtype=bool))}),
        (SQUARE, {"attn_mask": made_torch.Tensor(np.tri(9, dtype=np.float32))}),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_check_judges_a_file_by_the_command_that_saving_it_gives(
    recorded, tmp_path, capsys, shapes, options, dtype
):
    call = recorded(*shapes, dtype=dtype, **options)
    program, command, *words = shlex.split(call.save(tmp_path / "one call.safetensors"))
    assert (program, command) == ("fusedfacts", "check")
    found = asked.document(capsys, *words)
    assert (found["verdict"], found["file"]) == ("holds", str(tmp_path / "one call.safetensors"))
    call.tensors["o"] = call.tensors["o"] + np.asarray(0.1, dtype)
    assert (
        asked.answered(capsys, *shlex.split(call.save(tmp_path / "wrong.safetensors"))[2:])[0] == 1
    )


def test_memory_is_written_in_the_order_that_is_read(recorded, tmp_path):
    call = recorded(*SQUARE)
    call.tensors = {name: x.swapaxes(1, 2) for name, x in call.tensors.items()}
    call.save(tmp_path / "turned.safetensors")
    assert np.array_equal(read(tmp_path / "turned.safetensors")[0]["q"], call.tensors["q"])


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_heads_are_what_a_run_opens(recorded, tmp_path, dtype):
    call = recorded((2, 4, 9, 16), (2, 2, 9, 16), (2, 2, 9, 16), dtype=dtype, enable_gqa=True)
    path = tmp_path / "heads.safetensors"
    call.save_heads(path, entry=1)
    with heads_file.opened(str(path), sha256(path.read_bytes())) as found:
        assert (found.heads, found.n, found.d) == (4, 9, 16)
        assert np.array_equal(found.head("q", 3), call.tensors["q"][1, 3])
        assert np.array_equal(found.head("k", 3), call.tensors["k"][1, 1])


@pytest.mark.parametrize(
    ("shapes", "options", "found"),
    [
        (SQUARE, {"scale": 0.5}, "found scale beside q of shape"),
        (SQUARE, {"attn_mask": made_torch.Tensor(np.tri(9))}, "found bias beside q of shape"),
        ([(4, 5, 16), (4, 9, 16), (4, 9, 16)], {}, r"k of \(4, 9, 16\), expected heads of"),
    ],
)
def test_what_no_run_judges_is_refused_in_one_sentence(recorded, tmp_path, shapes, options, found):
    with pytest.raises(FactsError, match=found) as caught:
        recorded(*shapes, **options).save_heads(tmp_path / "heads.safetensors")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_what_holds_is_not_kept_and_says_how_it_would_be(recorded, tmp_path):
    with pytest.raises(FactsError, match=r"call 0: found no tensors.*say watch\(judge=False\)"):
        recorded(*SQUARE, judge=True).save(tmp_path / "never.safetensors")


def test_a_folder_that_is_missing_is_made(recorded, tmp_path):
    recorded(*SQUARE).save(tmp_path / "calls" / "call.safetensors")
    assert "o" in read(tmp_path / "calls" / "call.safetensors")[0]
