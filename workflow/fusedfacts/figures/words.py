"""How numbers and names of the facts are written in pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence

UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("bytes", 0))
RAISED = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)


def amount(size: float) -> str:
    """Write bytes in the largest unit that they fill, to four digits.

    >>> amount(17301504), amount(538968064), amount(20)
    ('16.5 MiB', '514 MiB', '20 bytes')
    """
    unit, one = next((unit, one) for unit, one in UNITS if size >= one)
    return f"{size / (one or 1):.4g} {unit}"


def whole(value: float) -> str:
    """Write a whole number with separators; a fraction below 1 as it is.

    >>> whole(307200), whole(0.25)
    ('307,200', '0.25')
    """
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def power(value: float) -> str:
    """Write a power of ten, short: as it is near 1, else with an exponent.

    >>> power(0.01), power(1e-7), power(0.0)
    ('0.01', '10\u207b\u2077', '0')
    """
    if value == 0 or 1e-3 < value < 1e3:
        return f"{value:g}"
    return "10" + f"{round(math.log10(value))}".translate(RAISED)


def duration(seconds: float) -> str:
    """Write a power of ten of seconds in the unit that suits it.

    >>> duration(1e-5), duration(0.01), duration(10.0)
    ('10 us', '10 ms', '10 s')
    """
    units = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
    unit, size = next((u, size) for u, size in units if seconds >= size * 0.999 or u == "ns")
    return f"{seconds / size:.0f} {unit}"


def plain(name: str) -> str:
    """Write a key of the facts as words.

    >>> plain("spike_at_the_end")
    'spike at the end'
    """
    return name.replace("_", " ")


def listed(names: Sequence[str]) -> str:
    """Join names with commas, the last with "and".

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
