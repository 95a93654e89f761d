"""Rules on arithmetic: literals that every compiler reads alike, sums in one order."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from fusedfacts.kernels.wgsl.module import Module
from fusedfacts.kernels.wgsl.text import Fault, joined, shown, walk

# Outside of these a compiler may round a decimal to infinity or to zero; Tint refused the
# largest float32 in decimal where naga took it.
DECIMAL_BELOW = 2.0**127
DECIMAL_FROM = 2.0**-126
# They promise no order of rounding, or only an accuracy, or make the compiler's choice.
UNORDERED = (
    "dot fma distance length normalize mix cross reflect refract faceForward smoothstep"
    " determinant transpose"
).split()
UNORDERED_KINDS = re.compile(r"mat[234]x[234][fh]?|subgroup\w*|quad[A-Z]\w*")
EXTENSIONS = ("enable", "requires", "diagnostic")
# An operand, `==` or `!=`, and the same operand; neither is part of a longer one.
SELF_COMPARISON = re.compile(
    r"(?<![-+*/%&|^~!.] )(?<!\w)((?:\w+|\( [^()]* \))(?: \. \w+| \[ [^\[\]]* \]| \( [^()]* \))*)"
    r" [!=]= \1(?!\w)(?! [-+*/%&|^.\[(])"
)


def is_safe(literal: str) -> bool:
    """Tell whether every compiler must read a float literal alike.

    >>> [is_safe(text) for text in ("0.5", "0.1", "1e9", "0x1.99999ap-4f", "0x1p128", "1h")]
    [True, False, True, True, False, False]
    """
    text = literal.lower()
    hexadecimal = text.startswith("0x")
    if not hexadecimal or "p" in text:
        text = text.removesuffix("f")
    mantissa = text.split("p" if hexadecimal else "e")[0]
    try:
        value = float.fromhex(text) if hexadecimal else float(text)
        nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except (OverflowError, ValueError):  # beyond float32, or of half precision
        return False
    if not mantissa.strip("0x."):
        return True
    if hexadecimal:
        return value == nearest != 0
    return DECIMAL_FROM <= value < DECIMAL_BELOW and Fraction(text) == Fraction(nearest)


def literal_faults(module: Module) -> Iterator[Fault]:
    """A float literal is exactly a float32, and in hexadecimal where decimals are not safe.

    Compilers round a decimal that is no float32 as they like, and at the edges of the range
    differ on whether it is one at all.
    """
    for token in module.table:
        if token.kind == "float" and not is_safe(token.text):
            expected = "exactly a float32, in hexadecimal if from 2^127 or below 2^-126"
            hint = "write it like 0x1.99999ap-4f"
            yield Fault(token.line, f"the literal {token.text}", expected, hint)


def order_faults(module: Module) -> Iterator[Fault]:
    """Nothing is used whose rounding has no one order, or that needs an optional feature.

    The order of every sum is part of the answer's last bits, which the emulator repeats.
    """
    for token, after in pairwise(module.table):
        called = after.text == "(" and token.text in UNORDERED
        if token.kind == "name" and (called or UNORDERED_KINDS.fullmatch(token.text)):
            expected = "sums written out with + and *, whose order is said"
            yield Fault(token.line, token.text, expected, "write out each product and sum")
        elif token.text in EXTENSIONS:
            expected = "a text that every WebGPU device takes as it is"
            yield Fault(token.line, token.text, expected, "do without it")


def self_comparison_faults(module: Module) -> Iterator[Fault]:
    """Nothing is compared with itself to find NaN.

    WGSL lets a compiler assume that there is none, and `x != x` was optimised away.
    """
    for declared in module.declarations:
        for statement, _ in walk([declared.statement]):
            if SELF_COMPARISON.search(joined(statement.head)):
                found, hint = f"`{shown(statement.head)}`", "test the bits of bitcast<u32>"
                yield Fault(statement.line, found, "no comparison of a value with itself", hint)
