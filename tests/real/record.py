"""Record what other people's attention answers, each call into a small file of tests/real/calls/.

No test and no rule runs this but one slow test, of onnxruntime; the packages that it calls are in
no list of requirements. In an environment of its own:

    python -m venv /somewhere/else && /somewhere/else/bin/pip install torch onnxruntime onnx jax \
        "mlx[cpu]" safetensors ml_dtypes
    /somewhere/else/bin/python tests/real/record.py            # all, or torch, mlx, ... alone

A file has q, k, v and o, and lse where the kernel gives one. Its metadata have library, version,
kernel, the call, the options by which it is judged, and where the recipe of its formats
does not say what it does, others.
"""

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

CALLS = Path(__file__).parent / "calls"
HEADS, N, PAST, D = 2, 48, 24, 32
TYPES = {"fp32": np.float32, "fp16": np.float16, "bf16": ml_dtypes.bfloat16}
SHARP = 2  # scores as large as a trained model's
CONTRIB = "com.microsoft"  # onnxruntime's own operators
CAUSAL = {"causal": "top-left"}


class Call(NamedTuple):
    """One call: its kernel's name, what it got and gave, how it was called and is judged.

    `recipes` are those that say what it does, where the recipe of its formats does not: names, or
    files of tests/real/recipes/.
    """

    kernel: str
    precision: str
    tensors: dict
    called: str
    options: dict
    recipes: tuple[str, ...] = ()


def given(precision, heads=(HEADS, HEADS), n=(N, N)):
    """Draw q, k and v, of shape (heads, n, d), the same for every library."""
    draw = np.random.default_rng(14).standard_normal
    (hq, hk), (n_q, n_k) = heads, n
    shapes = (hq, n_q, D), (hk, n_k, D), (hk, n_k, D)
    q, k, v = (draw(shape, np.float32) for shape in shapes)
    return [x.astype(TYPES[precision]) for x in (q * np.float32(SHARP), k, v)]


def call(kernel, precision, called, options, *tensors, recipes=()):
    """Name the tensors of a call."""
    names = ("q", "k", "v", "o", "lse")[: len(tensors)]
    kept = {name: np.ascontiguousarray(x) for name, x in zip(names, tensors, strict=True)}
    return Call(kernel, precision, kept, called, options, recipes)


def torch() -> Iterator[Call]:
    """Call torch's flash kernel for processors, its plain one, and flex_attention."""
    import torch as t
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def tensor(x):
        bits = x.view(np.int16) if x.dtype == TYPES["bf16"] else x
        found = t.from_numpy(bits)
        return (found.view(t.bfloat16) if x.dtype == TYPES["bf16"] else found)[None]

    def array(x):
        bits = x[0].view(t.int16) if x.dtype == t.bfloat16 else x[0]
        return bits.numpy().view(TYPES["bf16"]) if x.dtype == t.bfloat16 else bits.numpy()

    flash = t.ops.aten._scaled_dot_product_flash_attention_for_cpu
    compiled = t.compile(flex_attention)
    for precision in TYPES:
        qkv = given(precision)
        tensors = [tensor(x) for x in qkv]
        o, lse = flash(*tensors, is_causal=True)
        name = "aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, is_causal=True)"
        half = () if precision == "fp32" else (f"torch-{precision}.toml",)
        yield call("flash", precision, name, CAUSAL, *qkv, array(o), lse[0].numpy(), recipes=half)
        with sdpa_kernel(SDPBackend.MATH):
            o = t.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)
        name = "scaled_dot_product_attention(q, k, v, is_causal=True) under SDPBackend.MATH"
        yield call("math", precision, name, CAUSAL, *qkv, array(o))
        mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, N, N, device="cpu")
        o = compiled(*tensors, block_mask=mask)  # for processors it gives no lse
        name = "torch.compile(flex_attention)(q, k, v, block_mask=causal)"
        yield call("flex", precision, name, CAUSAL, *qkv, array(o))


def _session(operator, inputs, opset, domain="", **attributes):
    """Run a model of one operator."""
    import onnxruntime
    from onnx import helper

    kind_of, value = helper.np_dtype_to_tensor_dtype, helper.make_tensor_value_info
    results = ["o", "present_key", "present_value"][: 3 if "past_key" in inputs else 1]
    node = helper.make_node(operator, list(inputs), results, domain=domain, **attributes)
    taken = [value(name, kind_of(x.dtype), x.shape) for name, x in inputs.items()]
    given_back = [value(name, taken[0].type.tensor_type.elem_type, None) for name in results]
    graph = helper.make_graph([node], "g", taken, given_back)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(CONTRIB, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(["o"], inputs)[0]


def _flat(x):
    """Put heads side by side, (1, n, heads * d), as onnxruntime's own operators want them."""
    return np.ascontiguousarray(x.swapaxes(0, 1)).reshape(1, x.shape[1], -1)


def _heads(x, heads):
    return x.reshape(x.shape[1], heads, -1).swapaxes(0, 1)


def onnxruntime() -> Iterator[Call]:
    """Call MultiHeadAttention, GroupQueryAttention and ONNX's Attention."""
    q, k, v = given("fp32")
    flat = {"q": _flat(q), "k": _flat(k), "v": _flat(v)}
    o = _session("MultiHeadAttention", flat, 20, CONTRIB, num_heads=HEADS)
    called = "MultiHeadAttention(q, k, v)"
    yield call("MultiHeadAttention", "fp32", called, {}, q, k, v, _heads(o, HEADS))
    for precision in ("fp32", "fp16"):
        q, k, v = given(precision, (HEADS, 1), (N - PAST, N))
        past = {"past_key": k[None, :, :PAST], "past_value": v[None, :, :PAST]}
        new = {"q": _flat(q), "k": _flat(k[:, PAST:]), "v": _flat(v[:, PAST:])}
        sizes = {"seqlens_k": np.int32([N - 1]), "total": np.asarray(N, np.int32)}
        inputs = {**new, **past, **sizes}
        aligned = {"causal": "bottom-right"}
        for variant, attributes, options in (
            ("", {}, aligned),
            ("-window", {"local_window_size": 16}, {**aligned, "window": [15, 0]}),
            ("-softcap", {"softcap": 10.0}, {**aligned, "softcap": 10.0}),
        ):
            grouped = {"num_heads": HEADS, "kv_num_heads": 1, **attributes}
            o = _session("GroupQueryAttention", inputs, 20, CONTRIB, **grouped)
            words = "".join(f", {key}={value}" for key, value in attributes.items())
            called = f"GroupQueryAttention(q, k, v with a past of {PAST} keys{words})"
            kernel = f"GroupQueryAttention{variant}"
            yield call(kernel, precision, called, options, q, k, v, _heads(o, HEADS))
        q, k, v = given(precision)
        o = _session("Attention", {"q": q[None], "k": k[None], "v": v[None]}, 23, is_causal=1)
        stored = () if precision == "fp32" else ("fp16-scores",)
        called = "Attention(q, k, v, is_causal=1), operator set 23"
        yield call("Attention-23", precision, called, CAUSAL, q, k, v, o[0], recipes=stored)
    q, k, v = given("fp32", n=(N - PAST, N))
    o = _session("Attention", {"q": q[None], "k": k[None], "v": v[None]}, 23, is_causal=1)
    yield call("Attention-23-aligned", "fp32", called, CAUSAL, q, k, v, o[0])


def jax() -> Iterator[Call]:
    """Call jax.nn.dot_product_attention, which wants (batch, n, heads, d)."""
    import jax as j

    for precision in TYPES:
        qkv = given(precision)
        tensors = [j.numpy.asarray(x.swapaxes(0, 1)[None]) for x in qkv]
        o = np.asarray(j.nn.dot_product_attention(*tensors, is_causal=True))[0].swapaxes(0, 1)
        name = "dot_product_attention"
        yield call(name, precision, f"jax.nn.{name}(q, k, v, is_causal=True)", CAUSAL, *qkv, o)


def mlx() -> Iterator[Call]:
    """Call mlx.core.fast.scaled_dot_product_attention."""
    import mlx.core as mx

    kinds = {"fp32": mx.float32, "fp16": mx.float16, "bf16": mx.bfloat16}
    for precision, kind in kinds.items():
        qkv = given(precision)
        tensors = [mx.array(x.astype(np.float32)).astype(kind)[None] for x in qkv]
        o = mx.fast.scaled_dot_product_attention(*tensors, scale=D**-0.5, mask="causal")
        o = np.array(o.astype(mx.float32))[0].astype(TYPES[precision])  # no digit is lost
        stored = () if precision == "fp32" else (f"{precision}-scores", f"mlx-{precision}.toml")
        called = 'mlx.core.fast.scaled_dot_product_attention(q, k, v, mask="causal")'
        yield call("fast", precision, called, CAUSAL, *qkv, o, recipes=stored)


LIBRARIES = {"torch": torch, "onnxruntime": onnxruntime, "jax": jax, "mlx": mlx}


def write(library, one):
    """Write one call."""
    said = {
        "library": library,
        "version": version(library),
        **{part: value for part, value in one._asdict().items() if part != "tensors"},
    }
    metadata = {"call": json.dumps(said, sort_keys=True)}  # one, as their order is not kept
    path = CALLS / f"{library}-{one.kernel}-{one.precision}.safetensors"
    save_file(one.tensors, path, metadata=metadata)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or LIBRARIES:
        for found in LIBRARIES[chosen]():
            write(chosen, found)
