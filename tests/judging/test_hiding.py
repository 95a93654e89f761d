"""A mask that is added: minus infinity, the least finite number, -1e9, as models make it."""

import numpy as np
import pytest
from fusedfacts import judge
from fusedfacts.attention.pattern import Pattern
from fusedfacts.judging.recipe import RECIPES
from support.right_kernels import DTYPES, computed, tensors

N, D = 40, 16
SEEN = np.tri(N, dtype=bool)
SEEN[:, :3] = False  # padding on the left
SEEN[:3, 0] = True


def made(name, low, seen=SEEN):
    """A right kernel's answer to a mask that is added."""
    recipe = RECIPES[name]
    dtype = DTYPES[recipe.output]
    q, k, v = tensors(N, N, D, dtype)
    bias = np.where(seen, 0, low).astype(np.float32)
    return q, k, v, computed(q, k, v, recipe, Pattern(N, N, D), bias=bias), bias


@pytest.mark.parametrize("low", [-np.inf, np.finfo(np.float32).min, -1e30, -1e9, -1e4])
@pytest.mark.parametrize("name", ["fp32", "bf16-scores"])
def test_however_low_it_is_it_hides_a_key_as_a_mask_does(name, low):
    q, k, v, (o, lse), bias = made(name, low)
    assert judge(q, k, v, o, lse, bias=bias, recipe=name).holds
    assert judge(q, k, v, o, lse, mask=SEEN, recipe=name).holds


def test_a_key_that_is_shown_all_the_same_is_seen():
    q, k, v, _, bias = made("fp32", -1e9)
    wrong = SEEN.copy()
    wrong[20, 30] = True
    _, _, _, (o, lse), _ = made("fp32", -1e9, wrong)
    found = judge(q, k, v, o, lse, bias=bias)
    assert found.verdict == "does not hold"
    assert found.heads[0].output.first["row"] == 20


def test_a_row_whose_keys_are_all_hidden_so_is_not_certified():
    """Added to -1e9 scores lose their digits: what weighs how much is left to rounding."""
    seen = SEEN.copy()
    seen[5] = False
    q, k, v, (o, lse), bias = made("fp32", -1e9, seen)
    assert judge(q, k, v, o, lse, bias=bias).verdict == "not certified"
