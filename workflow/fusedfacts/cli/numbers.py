"""Numbers on a command line: checked before Python converts them."""

from __future__ import annotations

import argparse
import re

from fusedfacts import errors

DIGITS_MOST = 30  # far beyond any size; Python itself refuses to convert some thousands
SHOWN = 20  # characters of a wrong word that a message quotes


def whole(text: str) -> int:
    """A whole number.

    >>> whole("-12")
    -12
    """
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise argparse.ArgumentTypeError(
            f"found '{errors.printable(text, SHOWN)}', expected a whole number"
        )
    digits = len(text.lstrip("+-"))
    if digits > DIGITS_MOST:
        raise argparse.ArgumentTypeError(
            f"found a number of {digits} digits, expected at most {DIGITS_MOST}"
        )
    return int(text)


def real(text: str) -> float:
    """A decimal number; what it may be is for the library to say.

    >>> real("1e-3")
    0.001
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"found '{errors.printable(text, SHOWN)}', expected a number"
        ) from None
