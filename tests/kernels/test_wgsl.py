"""What the gate reads of WGSL: tokens, statements, literals, expressions."""

import pytest
from fusedfacts.kernels import manifest
from fusedfacts.kernels.wgsl import arithmetic, sizes, text
from fusedfacts.kernels.wgsl.module import read


def test_tokens_and_their_lines():
    found = text.tokens("a // 1\n\n b // c\nd")
    assert [(token.text, token.line) for token in found] == [("a", 1), ("b", 3), ("d", 4)]
    found = [token.text for token in text.tokens("array<vec4<f32>>; a >= b; c << d; e->f")]
    assert found[:7] == ["array", "<", "vec4", "<", "f32", ">", ">"]
    assert {">=", "<<", "->"} <= set(found)
    written = "1u 16u 0x10u 0xefu 7i 12 x1f a.x 1.0 1f 1e3 .5 1. 0x1p-2f 0x.8p1 0x1.8 2.5e-3h"
    kinds = [(token.kind, token.text) for token in text.tokens(written)]
    floats = ["1.0", "1f", "1e3", ".5", "1.", "0x1p-2f", "0x.8p1", "0x1.8", "2.5e-3h"]
    assert [word for kind, word in kinds if kind == "float"] == floats
    wholes = ["1u", "16u", "0x10u", "0xefu", "7i", "12"]
    assert [word for kind, word in kinds if kind == "whole"] == wholes
    (loop,) = text.statements(text.tokens("for (;;) { if a { b; } else if c { } else { d } }"))
    assert [inner.keyword for inner in loop.body] == ["if", "else", "else"]


@pytest.mark.parametrize(
    ("literals", "safe"),
    [
        ("0.0 1f 0.5 1e3 2.5 16777216.0 .5 1. 0x0p0 1.5e9 0.0000152587890625", True),
        ("0x1.fffffep+127 0x1p-149f 0x1.99999ap-4f 0x1.8 0x1p127", True),
        ("0.1 1.0e-4f 1e38 1e39 1e-40 16777217.0 1e-400 1e999999999 1h 0.5h", False),
        ("0x1p-150 0x1.ffffffp+127 0x1p128 0x1p-2h 0x1p-99999999", False),
        ("170141183460469231731687303715884105728.0 3.4028234663852886e38", False),
    ],
)
def test_a_literal_is_safe_if_every_compiler_must_read_it_alike(literals, safe):
    assert {arithmetic.is_safe(literal) for literal in literals.split()} == {safe}
    assert all(arithmetic.is_safe(literal) for literal in manifest.manifest()["scale"].values())


@pytest.mark.parametrize(
    "expression",
    ["", "M", "1.5", "N / 0u", "N % 0", "1u - 2u", "N N", "f(N)", "(N", "4294967296", "-1", "min"],
)
def test_an_expression_without_a_value_is_refused(expression):
    with pytest.raises(sizes.UnevaluableError):
        sizes.whole(text.tokens(expression), {"N": 7})


def test_a_constant_may_rest_on_those_before_it():
    module = read("const B: u32 = N / 2u; const A = B * 2u; const C = D + 1u; const F = 0.5;")
    assert sizes.known_constants(module, {"N": 7}) == {"N": 7, "A": 6, "B": 3}
