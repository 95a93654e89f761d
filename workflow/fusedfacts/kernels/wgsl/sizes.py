"""The rule on the size of workgroup memory, and the expressions that declare it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping

from fusedfacts.kernels.wgsl.module import Module
from fusedfacts.kernels.wgsl.text import Fault, Tokens, shown, split

U32_MOST = 2**32 - 1
# Bytes from one element of an array to the next.
STRIDES = {"f32": 4, "u32": 4, "i32": 4, "vec2<f32>": 8, "vec4<f32>": 16, "vec4<u32>": 16}
# WebGPU's limit is on the sum over all variables, each rounded up to this.
VARIABLE_STEP = 16
# Nothing is negative, so rounding down is WGSL's truncation.
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}


class UnevaluableError(ValueError):
    """An expression or type of which the value or size cannot be said."""


def _value(node: ast.AST, constants: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            pass
        case ast.Name(id=name) if name in constants:
            value = constants[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            value = OPERATORS[type(op)](_value(left, constants), _value(right, constants))
        case _:
            raise ValueError(f"{ast.unparse(node)} is no known whole number")
    if not 0 <= value <= U32_MOST:
        raise ValueError(f"{value} is no u32")
    return value


def whole(table: Tokens, constants: Mapping[str, int]) -> int:
    """Evaluate a sum or product of whole numbers, literals and known constants, as u32.

    >>> from fusedfacts.kernels.wgsl.text import tokens
    >>> whole(tokens("(BC * 4u + 7u - 1u) / 0x7u"), {"BC": 4})
    3
    """
    words = (t.text.rstrip("ui") if t.kind == "whole" else t.text for t in table)
    try:
        return _value(ast.parse(" ".join(words), mode="eval").body, constants)
    except (SyntaxError, ArithmeticError, ValueError) as fault:
        raise UnevaluableError(f"`{shown(table)}` ({fault})") from None


def array_bytes(table: Tokens, constants: Mapping[str, int]) -> int:
    """Compute the bytes of an array of scalars or vectors."""
    inside = split(table[2:-1], ",") if len(table) > 3 else []
    element = "".join(token.text for token in inside[0]) if inside else ""
    if element not in STRIDES or len(inside) != 2 or table[0].text != "array":
        raise UnevaluableError(f"`{shown(table)}` (not `array<scalar or vector, length>`)")
    return STRIDES[element] * whole(inside[1], constants)


def known_constants(module: Module, given: Mapping[str, int]) -> dict[str, int]:
    """Evaluate the module's constants that are whole numbers, each of those before it."""
    known = dict(given)
    for found in module.of("const"):
        try:
            known[found.name] = whole(found.initial, known)
        except UnevaluableError:
            continue  # a size that rests on it is then no known one
    return known


def workgroup_bytes(module: Module, given: Mapping[str, int]) -> int:
    """Compute the bytes of workgroup memory, as WebGPU adds them up.

    `given` are the constants that stand before the text.

    >>> from fusedfacts.kernels.wgsl.module import read
    >>> text = "var<workgroup> a: array<f32, N + 2>; var<workgroup> b: array<f32, 1>;"
    >>> workgroup_bytes(read(text), {"N": 3})
    48
    """
    known = known_constants(module, given)
    tiles = [found.type for found in module.of("var") if found.space == "workgroup"]
    return sum(-(-array_bytes(tile, known) // VARIABLE_STEP) * VARIABLE_STEP for tile in tiles)


def memory_faults(module: Module, given: Mapping[str, int], most: int) -> Iterator[Fault]:
    """Workgroup memory fits WebGPU's default limit.

    wgpu does not enforce it: it took 64 KiB on a device asked for 16, and only a browser refused.
    """
    at = f" at d {given['D']}"
    lines = (found.statement.line for found in module.of("var") if found.space == "workgroup")
    try:
        taken = workgroup_bytes(module, given)
    except UnevaluableError as fault:
        hint = "size it by constants and numbers with + - * / %"
        yield Fault(next(lines), f"{fault}{at}", "a size that can be evaluated", hint)
        return
    if taken > most:
        found = f"{taken:,} bytes of workgroup memory{at}"
        yield Fault(next(lines), found, f"at most {most:,}", "make the tiles smaller")
