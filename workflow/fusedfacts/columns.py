"""Rows as aligned columns, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Rows as lines of aligned columns; those of `numbers` are flush right.

    >>> columns([("a", "1"), ("bb", "12")], numbers=[1])
    ['a    1', 'bb  12']
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def counted(number: int, unit: str) -> str:
    """A number with its unit, which is given in the plural.

    >>> counted(1, "properties"), counted(1, "files"), counted(10_167, "files")
    ('1 property', '1 file', '10,167 files')
    """
    if number == 1:
        unit = f"{unit[:-3]}y" if unit.endswith("ies") else unit.removesuffix("s")
    return f"{number:,} {unit}"


def folded(line: str, width: int) -> list[str]:
    """A line in several where it is too wide, the later ones under its last column.

    >>> folded("name   some words of it", 20)
    ['name   some words of', '       it']
    """
    if len(line) <= width:
        return [line]
    start = len(line) - len(line.lstrip())
    gap = line.rfind("  ", start) + len("  ")
    indent = gap if start < gap <= 2 * width // 3 else start + len("  ")
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
