"""Whole-number constants of a WGSL text, and the bytes that its types take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fusedfacts.kernels.wgsl.module import Module
from fusedfacts.kernels.wgsl.text import Tokens, shown

U32_MOST = 2**32 - 1
SCALAR_BYTES = 4
SCALARS = ("f32", "u32", "i32", "bool")
SHORT = {f"vec{n}{letter}": n for n in (2, 3, 4) for letter in "fui"}
VECTOR = {f"vec{n}": n for n in (2, 3, 4)}
# WGSL aligns a vec3 like a vec4, so that an array of them has a fourth word to spare.
VECTOR_ALIGNMENT = {2: 8, 3: 16, 4: 16}


class UnevaluableError(ValueError):
    """An expression or type of which the value or size cannot be said."""


class Layout(NamedTuple):
    """Bytes of a type, and what its address is a multiple of."""

    size: int
    alignment: int


def round_up(size: int, step: int) -> int:
    """The least multiple of `step` that is not below `size`.

    >>> round_up(12, 16), round_up(16, 16)
    (16, 16)
    """
    return -(-size // step) * step


class _Reader:
    """Reads an expression or a type from its tokens, left to right."""

    def __init__(self, table: Tokens, constants: Mapping[str, int]) -> None:
        self.table, self.constants, self.at = table, constants, 0

    @property
    def next(self) -> str:
        return self.table[self.at].text if self.at < len(self.table) else ""

    def refuse(self, why: str) -> UnevaluableError:
        return UnevaluableError(f"`{shown(self.table)}` ({why})")

    def take(self, wanted: str = "") -> str:
        text = self.next
        if wanted and text != wanted:
            raise self.refuse(f"{text or 'its end'} where {wanted} should stand")
        self.at += 1
        return text

    def end(self) -> None:
        if self.next:
            raise self.refuse(f"{self.next} is not understood")

    def sum(self) -> int:
        value = self.product()
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            value = self.kept(value + sign * self.product())
        return value

    def product(self) -> int:
        value = self.atom()
        while self.next in ("*", "/", "%"):
            operator, other = self.take(), self.atom()
            if operator == "*":
                value = self.kept(value * other)
            elif not other:
                raise self.refuse("division by zero")
            else:
                # Nothing here is negative, so rounding down is WGSL's truncation.
                value = value // other if operator == "/" else value % other
        return value

    def kept(self, value: int) -> int:
        if not 0 <= value <= U32_MOST:
            raise self.refuse(f"{value} is no u32")
        return value

    def atom(self) -> int:
        text = self.take()
        if text == "(":
            value = self.sum()
            self.take(")")
            return value
        if text in ("min", "max"):
            self.take("(")
            first = self.sum()
            self.take(",")
            second = self.sum()
            self.take(")")
            return min(first, second) if text == "min" else max(first, second)
        if text in self.constants:
            return self.constants[text]
        try:
            return self.kept(int(text.removesuffix("u").removesuffix("i"), 0))
        except ValueError:
            raise self.refuse(f"{text or 'its end'} is no known whole number") from None

    def type(self) -> Layout:
        text = self.take()
        if text in SCALARS:
            return Layout(SCALAR_BYTES, SCALAR_BYTES)
        if text in SHORT:
            return self.vector(SHORT[text])
        if text not in ("atomic", "array", *VECTOR):
            raise self.refuse(f"the size of {text or 'no type'} is not known")
        self.take("<")
        layout = self.type()
        if text == "array":
            self.take(",")
            stride = round_up(layout.size, layout.alignment)
            layout = Layout(stride * self.sum(), layout.alignment)
        elif text in VECTOR:
            layout = self.vector(VECTOR[text])
        if self.next == ",":
            self.take()
        self.take(">")
        return layout

    def vector(self, n: int) -> Layout:
        return Layout(SCALAR_BYTES * n, VECTOR_ALIGNMENT[n])


def whole(table: Tokens, constants: Mapping[str, int]) -> int:
    """The value of an expression of whole numbers, as u32.

    Raises
    ------
    UnevaluableError
        If it has anything but + - * / %, parentheses, min, max, literals and known constants,
        or leaves u32.

    Examples
    --------
    >>> from fusedfacts.kernels.wgsl.text import tokens
    >>> whole(tokens("(BC * 4u + 7u - 1u) / 0x7u"), {"BC": 4})
    3
    """
    reader = _Reader(table, constants)
    value = reader.sum()
    reader.end()
    return value


def size(table: Tokens, constants: Mapping[str, int]) -> int:
    """Bytes of a type.

    Raises
    ------
    UnevaluableError
        If it is not made of arrays, vectors, atomics and scalars of known size.

    Examples
    --------
    >>> from fusedfacts.kernels.wgsl.text import tokens
    >>> size(tokens("array<array<vec3<f32>, 2>, BC>"), {"BC": 4}), size(tokens("vec3f"), {})
    (128, 12)
    """
    reader = _Reader(table, constants)
    found = reader.type()
    reader.end()
    return found.size


def constants(module: Module) -> dict[str, int]:
    """The module's constants that are whole numbers, in whatever order they are declared."""
    known: dict[str, int] = {}
    waiting = module.of("const")
    while waiting:
        left = []
        for found in waiting:
            try:
                known[found.name] = whole(found.initial, known)
            except UnevaluableError:
                left.append(found)
        if len(left) == len(waiting):
            break  # what is left is no whole number, or rests on one that is not
        waiting = left
    return known
