"""torch's own tensors and attention, where it is installed."""

import ml_dtypes
import numpy as np
import pytest
import torch
from fusedfacts import judge, watch
from fusedfacts.errors import FactsError
from fusedfacts.judging.arrays import as_numpy
from support import judge_page
from torch import nn
from torch.nn import functional
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.functional import scaled_dot_product_attention as attend

FORMATS = {
    torch.float64: np.float64,
    torch.float32: np.float32,
    torch.float16: np.float16,
    torch.bfloat16: ml_dtypes.bfloat16,
    torch.bool: np.bool_,
}
HALVES = [torch.float32, torch.float16, torch.bfloat16]


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(7)


def drawn(*shapes, dtype=torch.float32):
    return [torch.randn(shape).to(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", FORMATS)
def test_a_tensor_is_not_copied_and_keeps_its_type(dtype):
    x = torch.ones(5, 16).to(dtype)
    found = as_numpy(x, "q")
    assert found.ctypes.data == x.data_ptr()
    assert found.dtype == FORMATS[dtype]
    turned = as_numpy(x.T, "q")
    assert (turned.shape, turned.ctypes.data) == ((16, 5), x.data_ptr())


def test_gradients_stay_out_of_it():
    x = nn.Parameter(torch.ones(5, 16))
    assert as_numpy(x, "q").ctypes.data == x.data_ptr()
    assert x.grad is None


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (torch.ones(5, 16, device="meta"), "Cannot copy out of meta tensor"),
        (torch.ones(5, 16).to(torch.float8_e4m3fn), "Tensor of torch.float8_e4m3fn, which NumPy"),
        (torch.ones(5, 16).to_sparse(), "which NumPy cannot read"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(x, said):
    with pytest.raises(FactsError, match=f"q: found .*{said}") as caught:
        judge(x, x, x, x)
    assert "\n" not in str(caught.value)


class Model(nn.Module):
    """Attention as models write it: grouped heads, causal, by a name of their own."""

    def forward(self, q, k, v):
        return attend(q, k, v, is_causal=True, enable_gqa=True) * 1


@pytest.mark.parametrize("dtype", HALVES)
def test_a_model_s_calls_hold_and_it_is_answered_as_ever(dtype):
    given = drawn((2, 4, 33, 16), (2, 2, 33, 16), (2, 2, 33, 16), dtype=dtype)
    model = Model()
    without = model(*given)
    with watch() as calls:
        answer = model(*given)
    assert torch.equal(answer, without)
    assert calls.holds, calls
    assert attend is functional.scaled_dot_product_attention


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("before", [True, False])
def test_a_compiled_model_is_watched_too(before):
    given = drawn((2, 4, 33, 16), (2, 2, 33, 16), (2, 2, 33, 16))
    model = torch.compile(Model(), backend="aot_eager")
    if before:
        model(*given)
    with watch() as calls:
        model(*given)
    assert calls.holds, calls
    model(*given)
    assert len(calls) == 1


def test_autocast_is_judged_as_what_it_computes_in():
    with torch.autocast("cpu", dtype=torch.bfloat16), watch() as calls:
        attend(*drawn(*[(2, 4, 33, 16)] * 3))
    assert calls.holds, calls
    assert calls[0].judgement.recipe.operands == "bfloat16"


def test_an_encoder_in_training_drops_and_is_not_judged():
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    x = torch.randn(2, 20, 64)
    with watch() as calls:
        layer(x).sum().backward()
        layer.eval()(x)
    assert [call.refused is None for call in calls] == [False, True]
    assert calls[0].refused.startswith("dropout_p: found 0.1")
    assert calls[1].judgement.holds
    assert layer.linear1.weight.grad is not None


@pytest.mark.parametrize("aligned", [causal_upper_left, causal_lower_right])
def test_a_described_mask_is_answered_and_judged_once(aligned):
    given = drawn((1, 4, 5, 16), (1, 4, 9, 16), (1, 4, 9, 16))
    without = attend(*given, attn_mask=aligned(5, 9))
    with watch() as calls:
        answer = attend(*given, attn_mask=aligned(5, 9))
    assert torch.equal(answer, without)
    assert calls.holds, calls
    assert len(calls) == 1


@pytest.mark.parametrize("dtype", HALVES)
def test_masks_of_either_kind_are_judged(dtype):
    seen = torch.rand(9, 9) > 0.4
    with watch() as calls:
        for mask in (seen, torch.zeros(9, 9).masked_fill(~seen, -torch.inf).to(dtype)):
            attend(*drawn(*[(2, 4, 9, 16)] * 3, dtype=dtype), attn_mask=mask)
    assert calls.holds, calls


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_what_holds_no_numbers_is_named_and_goes_on():
    with watch() as calls:
        attend(*[torch.ones(1, 4, 9, 16, device="meta")] * 3)
        torch.func.vmap(attend)(*drawn(*[(3, 4, 9, 16)] * 3))
    assert [call.refused is None for call in calls] == [False, False]


@pytest.mark.filterwarnings("ignore")
def test_the_page_s_example_runs_and_says_what_is_shown(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    (_, code), (_, shown), (_, recording) = judge_page.blocks("My model's attention")
    exec(code, names)  # noqa: S102
    assert judge_page.says(capsys.readouterr().out, shown)
    exec(recording, names)  # noqa: S102
    assert "fusedfacts check call.safetensors --layout hnd" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "call.safetensors",
        "heads.safetensors",
    ]
