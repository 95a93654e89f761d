"""Arrays of JAX, where it is installed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fusedfacts import judge
from fusedfacts.errors import FactsError
from fusedfacts.judging.arrays import as_numpy


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16, bool])
def test_an_array_is_not_copied_and_keeps_its_type(dtype):
    x = jnp.ones((5, 16), dtype)
    found = as_numpy(x, "q")
    assert found.ctypes.data == x.unsafe_buffer_pointer()
    assert found.dtype == x.dtype


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16])
def test_its_attention_holds_and_another_scale_does_not(dtype):
    q, k, v = (x.astype(dtype) for x in np.random.default_rng(7).standard_normal((3, 2, 30, 4, 32)))
    q, k, v = map(jnp.asarray, (q, k, v))
    o = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    assert judge(q, k, v, o, layout="bnhd", causal=True).holds
    other = jax.nn.dot_product_attention(q, k, v, is_causal=True, scale=0.25)
    assert judge(q, k, v, other, layout="bnhd", causal=True).verdict == "does not hold"


def test_what_is_traced_or_in_eight_bits_is_one_sentence():
    x = jnp.ones((5, 16))
    with pytest.raises(FactsError, match=r"q: found .*Tracer.* which NumPy cannot read"):
        jax.jit(lambda q: judge(q, x, x, x))(x)
    with pytest.raises(FactsError, match="q: found numbers of type float8_e4m3fn"):
        judge(x.astype(jnp.float8_e4m3fn), x, x, x)
