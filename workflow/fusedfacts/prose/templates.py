"""Prose from templates in which no number is typed: every one is quoted from a claim.

A template says `{{ n("traffic.table.crossings") }}` for the digits, `{{ w(...) }}` or
`{{ W(...) }}` for the word, `{{ n(..., places=1) }}` for fewer decimals, and `{{ name.fp16 }}` for
a name of the allow-list. Sentences that hang on how a fact turned out choose by
`{% if outcome.x %}`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError, TemplateSyntaxError

from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.prose import forms, marks, names, numerals

FOLDER = Path(__file__).parents[2] / "templates"
TITLE = "# "  # begins a line that opens a section
ENVIRONMENT = Environment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
)


def source(name: str) -> str:
    """Read the text of a template."""
    hint = "restore it with `git checkout workflow/templates`"
    return files.read_bytes(FOLDER / name, hint).decode("utf-8")


def own_words(text: str) -> str:
    r"""Collect a template's own words, of all branches; expressions leave a gap, lines stay lines.

    >>> own_words("In {{ w('kernels.fused') }} trip,\n{% if x %}not three{% endif %}.")
    'In        trip,\n       not three   .'
    """
    words = ""
    for line, kind, value in ENVIRONMENT.lex(text):
        words += "\n" * (line - 1 - words.count("\n"))
        words += value if kind == "data" else " "
    return words


def _require_none_typed(text: str, name: str, markup: bool) -> None:
    """Refuse a template whose own words hold a number, in any of its branches."""
    for found in numerals.numbers(own_words(text), markup):
        line = found.string.count("\n", 0, found.start()) + 1
        raise ClaimError(
            f"{name}:{line}: found the number {found.group()!r} typed by hand, expected none;"
            f" {names.HINT}"
        )


def _require_quoted(marked: str, name: str, markup: bool) -> None:
    """Refuse rendered text in which a number stands that was not quoted."""
    for found in numerals.numbers(marks.replaced(marked, lambda part: " "), markup):
        near = " ".join(found.string[max(0, found.start() - 40) : found.end() + 20].split())
        raise ClaimError(
            f"{name}: found the number {found.group()!r} in {near!r}, expected it to be quoted;"
            f" {names.HINT}"
        )


def render(name: str, claims: forms.Claims, *, markup: bool = False, **values: Any) -> str:
    """Render a template with every quoted part marked.

    In HTML (`markup`) values are escaped, and tags are no prose; `values` is what else the
    template speaks of.
    """

    def quoted(identifier: str, form: str) -> str:
        try:
            return marks.mark(identifier, form, forms.quote(claims, identifier, form))
        except ClaimError as error:
            raise ClaimError(
                f"{name}: {error}; correct the template, or restore the claim"
            ) from None

    def n(identifier: str, places: int | None = None) -> str:
        return quoted(identifier, "" if places is None else f"places={places}")

    text, (inserted, _) = source(name), names.read()
    functions = {
        "n": n,
        "w": lambda identifier: quoted(identifier, "word"),
        "W": lambda identifier: quoted(identifier, "Word"),
        "name": {key: marks.name(key, shown) for key, shown in inserted.items()},
    }
    try:
        _require_none_typed(text, name, markup)
        marked = (
            ENVIRONMENT.overlay(autoescape=markup).from_string(text).render(functions, **values)
        )
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        where = f"{name}:{error.lineno}" if isinstance(error, TemplateSyntaxError) else name
        raise FactsError(
            f"{where}: {error}; expected a template as workflow/fusedfacts/prose/templates.py"
            " describes it"
        ) from None
    _require_quoted(marked, name, markup)
    return marked


def sections(marked: str) -> dict[str, str]:
    r"""Split a rendered template at its titles: the text of each section by its title, in order.

    >>> sections("# a\n\none\n\n# b\ntwo\n")
    {'a': 'one', 'b': 'two'}
    """
    _, *parts = f"\n{marked}".split(f"\n{TITLE}")
    found = (part.partition("\n") for part in parts)
    return {title.strip(): body.strip() for title, _, body in found}
