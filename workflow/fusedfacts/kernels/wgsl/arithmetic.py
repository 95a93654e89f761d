"""Rules on arithmetic: literals that every compiler reads alike, sums in one order."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from fusedfacts.kernels.wgsl.module import Module
from fusedfacts.kernels.wgsl.text import STATEMENT_WORDS, Fault, Tokens, shown

# Outside of these a compiler may round a decimal to infinity or to zero; Tint refused the
# largest float32 in decimal where naga took it.
DECIMAL_BELOW = Fraction(2) ** 127
DECIMAL_FROM = Fraction(1, 2**126)
# Powers of ten and two beyond any float32 and its digits, which Fraction would write out.
EXPONENT_MOST = 400
# They promise no order of rounding, or only an accuracy, or make the compiler's choice.
UNORDERED = (
    *("dot", "fma", "distance", "length", "normalize", "mix", "cross"),
    *("reflect", "refract", "faceForward", "smoothstep", "determinant", "transpose"),
)
UNORDERED_KINDS = re.compile(r"mat[234]x[234][fh]?|subgroup\w*|quad[A-Z]\w*")
OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", ".", "!", "~")


def literal_value(text: str) -> Fraction | None:
    """The exact value of a float literal, None of one with an exponent beyond all float32.

    >>> literal_value("0x1.8p+1f"), literal_value("2.50e1"), literal_value("1e-999")
    (Fraction(3, 1), Fraction(25, 1), None)
    """
    hexadecimal = text[:2].lower() == "0x"
    base, mark, digit_base = (2, "p", 16) if hexadecimal else (10, "e", 10)
    digits, _, exponent = text.lower().rstrip("h").partition(mark)
    if not hexadecimal or exponent:
        digits, exponent = digits if hexadecimal else digits.rstrip("f"), exponent.rstrip("f")
    power = int(exponent or "0")
    if abs(power) > EXPONENT_MOST:
        return None
    before, _, after = digits.removeprefix("0x").partition(".")
    value = Fraction(int(before + after or "0", digit_base), digit_base ** len(after))
    return value * Fraction(base) ** power


def is_float32(value: Fraction) -> bool:
    """Whether a number is exactly a float32.

    >>> is_float32(Fraction(1, 10)), is_float32(Fraction(1, 2**149)), is_float32(Fraction(2)**128)
    (False, True, False)
    """
    try:
        nearest: float = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    except OverflowError:
        return False
    return Fraction(nearest) == value


def is_float(text: str) -> bool:
    """Whether a number is written as a float.

    >>> [is_float(text) for text in ("1.0", "1f", "1e3", ".5", "0x1p-2f", "16u", "0x10u", "0xefu")]
    [True, True, True, True, True, False, False, False]
    """
    if text[:2].lower() == "0x":
        return "." in text or "p" in text.lower()
    return bool(set(".efhEFH") & set(text))


def literal_faults(module: Module) -> Iterator[Fault]:
    """A float literal is exactly a float32, and in hexadecimal where decimals are not safe.

    Compilers round a decimal that is no float32 as they like, and at the edges of the range
    differ on whether it is one at all.
    """
    for token in module.table:
        if token.kind != "number" or not is_float(token.text):
            continue
        value = literal_value(token.text)
        decimal = token.text[:2].lower() != "0x"
        exact = value is not None and is_float32(value)
        edge = value is None or (
            decimal and value != 0 and not DECIMAL_FROM <= value < DECIMAL_BELOW
        )
        if edge or not exact or token.text.endswith("h"):
            yield Fault(
                token.line,
                f"the literal {token.text}",
                "exactly a float32, in hexadecimal if from 2^127 or below 2^-126",
                "write it like 0x1.99999ap-4f",
            )


def order_faults(module: Module) -> Iterator[Fault]:
    """Nothing is used whose rounding has no one order, or that needs an optional feature.

    The order of every sum is part of the answer's last bits, which the emulator repeats.
    """
    for token, after in pairwise(module.table):
        called = after.text == "(" and token.text in UNORDERED
        if token.kind == "name" and (called or UNORDERED_KINDS.fullmatch(token.text)):
            yield Fault(
                token.line,
                token.text,
                "sums written out with + and *, whose order is said",
                "write out each product and sum",
            )
    for token in module.table:
        if token.kind == "name" and token.text in ("enable", "requires", "diagnostic"):
            yield Fault(
                token.line,
                token.text,
                "a text that every WebGPU device takes as it is",
                "do without it",
            )


def _operand(table: Tokens, at: int, step: int) -> Tokens:
    """The operand beside a comparison: a name with its members, index or arguments."""
    inwards, outwards = (("(", "["), (")", "]")) if step > 0 else ((")", "]"), ("(", "["))
    depth, end = 0, at
    while 0 <= end < len(table):
        token = table[end]
        depth += token.text in inwards
        joins = token.kind != "mark" or token.text == "."
        if not depth and (not joins or token.text in STATEMENT_WORDS):
            break
        depth -= token.text in outwards
        end += step
    return table[at:end] if step > 0 else table[end + 1 : at + 1]


def self_comparison_faults(module: Module) -> Iterator[Fault]:
    """Nothing is compared with itself to find NaN.

    WGSL lets a compiler assume that there is none, and `x != x` was optimised away.
    """
    table = module.table
    for at, token in enumerate(table):
        if token.text not in ("==", "!="):
            continue
        left, right = _operand(table, at - 1, -1), _operand(table, at + 1, 1)
        before, after = at - len(left) - 1, at + len(right) + 1
        longer = any(
            0 <= beside < len(table) and table[beside].text in OPERATORS
            for beside in (before, after)
        )
        same = [token.text for token in left] == [token.text for token in right]
        if left and same and not longer:
            yield Fault(
                token.line,
                f"`{shown([*left, token, *right])}`",
                "no comparison of a value with itself",
                "test the bits of bitcast<u32>",
            )
