"""Templates in sections, each opened by a line that begins with # and names it."""

from __future__ import annotations

TITLE = "# "


def sections(marked: str) -> dict[str, str]:
    r"""The text of each section by its title, in order.

    >>> sections("# a\n\none\n\n# b\ntwo\n")
    {'a': 'one', 'b': 'two'}
    """
    found = {}
    for part in f"\n{marked}".split(f"\n{TITLE}")[1:]:
        title, _, body = part.partition("\n")
        found[title.strip()] = body.strip()
    return found
