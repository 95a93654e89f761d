"""What stands in for torch where it is not installed: tensors, and its attention in NumPy.

`tests/real/test_torch.py` holds the same behaviour of torch itself.
"""

import sys
from types import ModuleType

import ml_dtypes
import numpy as np


class Tensor:
    """A tensor that gives its numbers only as torch does: detached, on a processor, by DLPack."""

    def __init__(self, array, device="cpu", detached=False):
        self.array, self.device, self.detached = array, device, detached

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)

    def detach(self):
        return Tensor(self.array, self.device, detached=True)

    def cpu(self):
        if self.device == "meta":
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self

    def view(self, dtype):
        return Tensor(self.array.view(dtype), self.device, self.detached)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        if not self.detached:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return self.array.__dlpack__(**options)


def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
):
    """Compute softmax(q k^T scale + mask) v in float32, rounded as the inputs are."""
    q, k, v = (x.array.astype(np.float32) for x in (query, key, value))
    if enable_gqa:
        k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], axis=-3) for x in (k, v))
    s = q @ k.swapaxes(-1, -2) * np.float32(q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        s = np.where(np.tri(*s.shape[-2:], dtype=bool), s, np.float32(-np.inf))
    if attn_mask is not None:
        mask = attn_mask.array
        s = np.where(mask, s, np.float32(-np.inf)) if mask.dtype == bool else s + mask
    p = np.exp(s - s.max(axis=-1, keepdims=True)) * (1 - dropout_p)
    p = p.astype(query.dtype).astype(np.float32) / p.sum(axis=-1, keepdims=True)
    return Tensor((p @ v).astype(query.dtype))


def installed(monkeypatch):
    """Put it where an import finds it, for as long as a test runs."""
    names = ("torch", "torch.nn", "torch.nn.functional", "torch.compiler")
    torch, nn, functional, compiler = modules = list(map(ModuleType, names))
    torch.__version__, torch.Tensor, torch.tensor = "2.0", Tensor, Tensor
    torch.bfloat16, torch.int16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.int16)
    functional.scaled_dot_product_attention = scaled_dot_product_attention
    compiler.disable = lambda function: function
    torch.nn, nn.functional, torch.compiler = nn, functional, compiler
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return torch
