"""Templates in sections, each opened by a line that begins with # and names it."""

from __future__ import annotations

from fusedfacts.errors import FactsError

TITLE = "# "


def sections(marked: str, name: str) -> dict[str, str]:
    r"""The text of each section by its title, in order.

    Parameters
    ----------
    marked : str
        The rendered template.
    name : str
        Its file's name, for messages.

    Raises
    ------
    FactsError
        If words stand before the first title, or a title stands twice.

    Examples
    --------
    >>> sections("# a\n\none\n\n# b\ntwo\n", "x")
    {'a': 'one', 'b': 'two'}
    """
    before, *parts = f"\n{marked}".split(f"\n{TITLE}")
    if before.strip():
        raise FactsError(
            f"{name}: found {before.strip()[:40]!r} before the first title, expected a line that"
            f" begins with {TITLE!r} above it; correct workflow/templates/{name}"
        )
    found: dict[str, str] = {}
    for part in parts:
        title, _, body = part.partition("\n")
        if title.strip() in found:
            raise FactsError(
                f"{name}: found the title {title.strip()!r} twice, expected it once; correct"
                f" workflow/templates/{name}"
            )
        found[title.strip()] = body.strip()
    return found
