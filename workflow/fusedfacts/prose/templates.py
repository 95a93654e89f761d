"""Prose from templates in which no number is typed: every one is quoted from a claim.

A template says `{{ n("traffic.table.crossings") }}` for the digits, `{{ w(...) }}` or
`{{ W(...) }}` for the word, `{{ n(..., places=1) }}` for fewer decimals, and `{{ name.fp16 }}` for
a name of the allow-list. Sentences that hang on how a fact turned out choose by
`{% if outcome.x %}`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError, nodes

from fusedfacts.documents import files
from fusedfacts.errors import ClaimError, FactsError
from fusedfacts.prose import forms, marks, names, numerals

FOLDER = Path(__file__).parents[2] / "templates"
TITLE = "# "  # begins a line that opens a section


def _environment(markup: bool = False) -> Environment:
    return Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=markup,
    )


def source(name: str, folder: Path = FOLDER) -> str:
    """Read the text of a template."""
    hint = "restore it with `git checkout workflow/templates`"
    return files.read_bytes(folder / name, hint).decode("utf-8")


def _wrong(error: Exception, name: str) -> FactsError:
    line = getattr(error, "lineno", None)
    where = f"{name}:{line}" if line else name
    return FactsError(
        f"{where}: {error}; expected a template as workflow/fusedfacts/prose/templates.py"
        " describes it"
    )


def parsed(text: str, name: str) -> nodes.Template:
    """Parse a template into its syntax tree."""
    try:
        return _environment().parse(text)
    except TemplateError as error:
        raise _wrong(error, name) from None


def own_words(text: str) -> str:
    r"""Collect a template's own words, of all branches; expressions leave a gap, lines stay lines.

    >>> own_words("In {{ w('kernels.fused') }} trip,\n{% if x %}not three{% endif %}.")
    'In        trip,\n       not three   .'
    """
    words = ""
    for line, kind, value in _environment().lex(text):
        words += "\n" * (line - 1 - words.count("\n"))
        words += value if kind == "data" else " "
    return words


def require_no_numbers(text: str, name: str, markup: bool = False) -> None:
    """Refuse a template whose own words hold a number, in any of its branches.

    >>> require_no_numbers("In {{ w('kernels.fused') }} trip, not three.", "film")
    Traceback (most recent call last):
    ...
    fusedfacts.errors.ClaimError: film:1: found the number 'three' typed by hand, expected none; \
quote the number from a claim, or put the name into workflow/templates/names.json
    """
    parsed(text, name)
    for found in numerals.numbers(own_words(text), markup):
        line = found.string.count("\n", 0, found.start()) + 1
        raise ClaimError(
            f"{name}:{line}: found the number {found.group()!r} typed by hand, expected none;"
            f" {names.HINT}"
        )


def require_quoted(marked: str, name: str, markup: bool = False) -> None:
    """Refuse rendered text in which a number stands that was not quoted."""
    for found in numerals.numbers(marks.unquoted(marked), markup):
        near = " ".join(found.string[max(0, found.start() - 40) : found.end() + 20].split())
        raise ClaimError(
            f"{name}: found the number {found.group()!r} in {near!r}, expected it to be quoted;"
            f" {names.HINT}"
        )


def render(
    text: str, name: str, claims: forms.Claims, *, markup: bool = False, **values: Any
) -> str:
    """Render a template with every quoted part marked.

    Parameters
    ----------
    text, name : str
        The template and its file's name, for messages.
    claims : dict
        Claims by id.
    markup : bool
        Whether it is HTML: values are escaped, and tags are no prose.
    **values
        What else the template speaks of.
    """
    require_no_numbers(text, name, markup)

    def n(identifier: str, places: int | None = None) -> str:
        return quoted(identifier, "" if places is None else f"places={places}")

    def quoted(identifier: str, form: str) -> str:
        try:
            return marks.mark(identifier, form, forms.quote(claims, identifier, form))
        except ClaimError as error:
            raise ClaimError(
                f"{name}: {error}; correct the template, or restore the claim"
            ) from None

    try:
        marked = (
            _environment(markup)
            .from_string(text)
            .render(
                n=n,
                w=lambda identifier: quoted(identifier, "word"),
                W=lambda identifier: quoted(identifier, "Word"),
                name={key: marks.name(key, shown) for key, shown in names.inserted().items()},
                **values,
            )
        )
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise _wrong(error, name) from None
    require_quoted(marked, name, markup)
    return marked


def sections(marked: str, name: str) -> dict[str, str]:
    r"""Split a rendered template at its titles: the text of each section by its title, in order.

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
