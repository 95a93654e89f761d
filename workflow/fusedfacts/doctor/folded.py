"""Sentences folded to a terminal's width; a command in backquotes stays whole, to be copied."""

from __future__ import annotations

import re
import shutil

WIDTH = 100  # where there is no terminal
HEIGHT = 24  # asked for with the width, and not used
WORD = re.compile(r"(?:`[^`]*`|\S)+")


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size((WIDTH, HEIGHT)).columns


def folded(label: str, text: str, columns: int) -> list[str]:
    """Lines of a text after a label, whose width indents the lines that follow.

    Parameters
    ----------
    label : str
        What the first line begins with.
    text : str
    columns : int
        What no line exceeds, unless one word or command does.

    Examples
    --------
    >>> folded("- ", "a lock; run `snakemake --unlock`, and again", 20)
    ['- a lock; run', '  `snakemake --unlock`,', '  and again']
    """
    lines, words, room = [], "", columns - len(label)
    for word in WORD.findall(text):
        if words and len(words) + 1 + len(word) > room:
            lines.append(words)
            words = word
        else:
            words = f"{words} {word}".lstrip()
    first, *rest = [*lines, words]
    return [f"{label}{first}".rstrip(), *(" " * len(label) + line for line in rest)]
