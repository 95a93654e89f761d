"""`watch`: the calls of torch's attention that a model makes, recorded or judged.

torch is stood in for here; `tests/real/test_torch.py` has what only itself can show.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import ml_dtypes
import numpy as np
import pytest
from fusedfacts import watch
from fusedfacts.errors import FactsError
from support import made_torch

RNG = np.random.default_rng(7)


@pytest.fixture
def torch(monkeypatch):
    return made_torch.installed(monkeypatch)


@pytest.fixture
def attend(torch):
    """What a model does: it asks torch's module for the function at each call."""
    return lambda *x, **options: torch.nn.functional.scaled_dot_product_attention(*x, **options)


def drawn(*shapes, dtype=np.float32):
    return [made_torch.Tensor(RNG.standard_normal(shape).astype(dtype)) for shape in shapes]


def heads(dtype=np.float32):
    return drawn((1, 4, 9, 16), (1, 2, 9, 16), (1, 2, 9, 16), dtype=dtype)


def broken(*x, **options):
    """Attention at another scale than it is told, but where it is told one."""
    return made_torch.scaled_dot_product_attention(*x, **{"scale": 0.3, **options})


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_a_right_model_s_calls_hold_and_it_is_answered_as_ever(attend, dtype):
    given = heads(dtype)
    without = attend(*given, enable_gqa=True, is_causal=True)
    with watch() as calls:
        answer = attend(*given, enable_gqa=True, is_causal=True)
    assert np.array_equal(answer.array, without.array)
    assert calls.holds
    assert calls[0].judgement.recipe.output == np.dtype(dtype).name
    assert calls[0].tensors == {}  # one that holds takes no memory
    first, last = str(calls).splitlines()
    assert first.startswith("call 0, q (1, 4, 9, 16), k (1, 2, 9, 16), v (1, 2, 9, 16), ")
    assert f"{np.dtype(dtype).name}, causal: holds, the largest error is 0." in first
    assert last == "1 call made, 1 picked: 1 holds"


def test_a_wrong_call_is_told_with_its_mistake_and_kept(torch, attend):
    torch.nn.functional.scaled_dot_product_attention = broken
    q, k, v = drawn(*[(2, 3, 9, 16)] * 3)
    with watch() as calls:
        attend(q, k, v)
        attend(q, k, v, scale=0.25)  # the second holds
    assert not calls.holds
    assert str(calls).endswith("2 calls made, 2 picked: 1 does not hold, 1 holds")
    assert "call 0, " in str(calls)
    assert ": does not hold, if fp32: " in str(calls)
    kept = calls[0].tensors["q"]
    q.array[:] = 0  # the model writes over what it was
    assert kept.any()


@pytest.mark.parametrize(
    ("shapes", "options"),
    [
        ([(9, 16)] * 3, {}),
        ([(4, 9, 16)] * 3, {"scale": 0.125}),
        ([(4, 9, 16), (1, 7, 16), (1, 7, 24)], {"is_causal": True}),
        ([(2, 4, 5, 16), (1, 4, 9, 16), (1, 1, 9, 16)], {"is_causal": True}),
        ([(2, 3, 4, 9, 16), (3, 2, 9, 16), (3, 2, 9, 16)], {"enable_gqa": True}),
    ],
)
def test_whatever_axes_torch_takes_are_judged(attend, shapes, options):
    with watch() as calls:
        attend(*drawn(*shapes), **options)
    assert calls.holds, calls


@pytest.mark.parametrize(
    "shape", [(7,), (5, 7), (1, 7), (4, 5, 7), (2, 1, 5, 7), (2, 4, 1, 7), (3, 1, 4, 5, 7)]
)
@pytest.mark.parametrize("kind", ["mask", "bias"])
def test_a_mask_is_what_is_seen_or_what_is_added(attend, kind, shape):
    mask = RNG.standard_normal(shape).astype(np.float32)
    if kind == "mask":
        mask = mask < 0.5
        mask[..., 0], mask[..., -1] = True, False
    lead = (3, 2) if len(shape) == 5 else (2,)
    q, k, v = drawn((*lead, 4, 5, 16), (*lead, 4, 7, 16), (*lead, 4, 7, 16))
    with watch(judge=False) as calls:
        attend(q, k, v, made_torch.Tensor(mask))
        attend(q, k, v)
    assert calls[0].judge().holds, calls
    # The answer without it is not the one with it.
    calls[1].tensors[kind] = calls[0].tensors[kind]
    assert calls[1].judge().verdict == "does not hold"


def test_a_mask_that_torch_only_describes_is_read_as_it_is_aligned(torch, attend):
    class CausalBias(made_torch.Tensor):
        class variant:
            name = "LOWER_RIGHT"

    mask = CausalBias(np.tri(5, 9, 4, dtype=bool))
    with watch() as calls:
        attend(*drawn((4, 5, 16), (4, 9, 16), (4, 9, 16)), attn_mask=mask)
    assert calls.holds
    assert calls[0].options["causal"] == "bottom-right"


def test_what_is_not_judged_is_named_and_the_model_goes_on(attend):
    x = drawn((4, 9, 16))[0]
    with watch() as calls:
        attend(x, x, x, dropout_p=0.1)
        attend(x, x, made_torch.Tensor(x.array * np.float32(np.nan)))
        attend(*[made_torch.Tensor(np.zeros((4, 9, 600), np.float32))] * 3)
    assert not calls.holds
    said = [call.refused for call in calls]
    assert said[0].startswith("dropout_p: found 0.1, expected 0, as other weights are dropped")
    assert said[1].startswith("v: found NaN at [0, 0, 0, 0]")
    assert said[2].startswith("d: found 600, expected 1 to 512")
    assert str(calls).endswith("3 calls made, 3 picked: 3 not judged")
    with pytest.raises(FactsError, match="call 0: found one that is not judged: dropout_p"):
        calls[0].save("never")


def test_calls_are_picked(attend):
    x, y = drawn((4, 9, 16), (4, 5, 16))
    with watch(
        judge=False, where=lambda query, **_: query.shape[-2] == 9, every=2, first=3
    ) as calls:
        for _ in range(8):
            attend(y, x, x)
            attend(x, x, value=x)
    assert [call.index for call in calls] == [1, 5, 9]
    assert calls.made == 16
    assert str(calls).endswith("16 calls made, 3 picked: 3 recorded")
    assert not calls.holds  # nothing was judged


def test_a_predicate_s_fault_is_its_author_s(torch, attend):
    x = drawn((4, 9, 16))[0]
    with pytest.raises(ZeroDivisionError), watch(where=lambda **_: 1 / 0):
        attend(x, x, x)
    assert torch.nn.functional.scaled_dot_product_attention is not None


def test_the_function_is_restored_everywhere_come_what_may(torch, monkeypatch):
    original = torch.nn.functional.scaled_dot_product_attention
    model = ModuleType("model")  # that says: from torch.nn.functional import ... as attend
    model.attend = original
    monkeypatch.setitem(sys.modules, "model", model)
    x = drawn((4, 9, 16))[0]
    watching = watch()
    calls = watching.__enter__()
    model.attend(x, x, x)
    kept = model.attend
    assert len(calls) == 1
    with pytest.raises(KeyboardInterrupt):
        watching.gen.throw(KeyboardInterrupt)
    assert model.attend is original
    assert torch.nn.functional.scaled_dot_product_attention is original
    kept(x, x, x)  # who kept it beyond the end is answered, and not watched
    assert len(calls) == 1


def test_what_somebody_else_put_there_stays(torch):
    with watch():
        torch.nn.functional.scaled_dot_product_attention = broken
    assert torch.nn.functional.scaled_dot_product_attention is broken


def test_torch_s_own_faults_are_the_model_s(attend):
    with pytest.raises(ValueError, match="matmul"), watch() as calls:
        attend(*drawn((4, 9, 16), (4, 9, 8), (4, 9, 8)))
    assert len(calls) == 0


def test_one_within_another_sees_the_same_calls(torch, attend):
    original = torch.nn.functional.scaled_dot_product_attention
    x = drawn((4, 9, 16))[0]
    with watch() as outer:
        with watch(judge=False) as inner:
            attend(x, x, x)
        attend(x, x, x)
    assert (len(outer), len(inner)) == (2, 1)
    assert torch.nn.functional.scaled_dot_product_attention is original


def test_a_model_of_several_threads_has_each_call_counted_once(attend):
    x = drawn((4, 9, 16))[0]
    with watch(judge=False, every=2) as calls, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: attend(x, x, x), range(40)))
    assert (calls.made, len(calls)) == (40, 20)
    assert len({call.index for call in calls}) == 20


def test_no_call_is_said_so(torch):
    with watch() as calls:
        pass
    assert not calls.holds
    assert str(calls).startswith("no call of torch.nn.functional.scaled_dot_product_attention was")


@pytest.mark.parametrize("options", [{"every": 0}, {"first": 0}])
def test_a_number_of_calls_is_at_least_one(torch, options):
    with (
        pytest.raises(FactsError, match="found 0, expected a whole number from 1"),
        watch(**options),
    ):
        pass


def test_without_torch_it_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(FactsError, match=r"torch: found no such package.*-m pip install torch`"):
        watch().__enter__()
