"""What strangers wrote, fit for one line of a terminal."""

from __future__ import annotations

MOST = 60  # characters that a message quotes


def line(text: str, most: int | None = None) -> str:
    r"""Text with what is not printable escaped, cut where it is longer than `most`.

    A line break would make two lines of a sentence; an escape sequence, or a sign that turns the
    direction of writing, would let a file's author write over what we say.

    >>> print(line("q\n\x1b[31m"), line("\u202eab"), line("abc", 2))
    q\n\x1b[31m \u202eab ab...
    """
    if most is None and text.isprintable():
        return text
    cut = text if most is None or len(text) <= most else text[:most] + "..."
    escaped = (
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in cut
    )
    return "".join(escaped)


def name(text: str) -> str:
    r"""A tensor's name as messages quote it.

    >>> print(name("wq"), name(""), name("a b\n"))
    'wq' '' 'a b\n'
    """
    return f"'{line(text, MOST)}'"
