"""CITATION.cff as linked data: who made this, when, under which licence, after which papers."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from fusedfacts.errors import FactsError

NAME = "CITATION.cff"
ARXIV = "arXiv:"
ABSTRACTS = "https://arxiv.org/abs/"


@dataclass(frozen=True)
class Citation:
    """What a registry shows of the whole.

    `authors` are entities; `works` are pairs of an article's entity and those of its authors.
    """

    title: str
    abstract: str
    version: str
    released: str
    licence: str
    repository: str | None
    keywords: tuple[str, ...]
    authors: tuple[dict[str, Any], ...]
    works: tuple[tuple[dict[str, Any], tuple[dict[str, Any], ...]], ...]


def _field(document: dict[str, Any], key: str, kind: type, where: str) -> Any:
    value = document.get(key)
    if type(value) is not kind or not value:
        wanted = {str: "text", list: "a list", int: "a year", datetime.date: "a date"}[kind]
        raise FactsError(
            f"{NAME}: {where}{key} found {value!r}, expected {wanted}; correct it there"
        )
    return value


def _identifier(name: str) -> str:
    """An identifier within the crate.

    >>> _identifier("Daniel Y. Fu")
    '#daniel-y-fu'
    """
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower()).split()
    return "#" + "-".join(words)


def agent(found: Any, where: str) -> dict[str, Any]:
    """A person, who has a family name, or else an organization.

    Raises
    ------
    FactsError
        If there is no name at all.

    Examples
    --------
    >>> agent({"name": "The authors"}, "authors[0]")
    {'@id': '#the-authors', '@type': 'Organization', 'name': 'The authors'}
    """
    document = found if isinstance(found, dict) else {}
    if "family-names" not in document:
        name = _field(document, "name", str, f"{where}.")
        return {"@id": _identifier(name), "@type": "Organization", "name": name}
    given, family = (
        _field(document, key, str, f"{where}.") for key in ("given-names", "family-names")
    )
    name = f"{given} {family}"
    return {
        "@id": _identifier(name),
        "@type": "Person",
        "name": name,
        "givenName": given,
        "familyName": family,
    }


def _agents(document: dict[str, Any], where: str) -> tuple[dict[str, Any], ...]:
    found = _field(document, "authors", list, where)
    return tuple(agent(one, f"{where}authors[{i}]") for i, one in enumerate(found))


def _references(agents: tuple[dict[str, Any], ...]) -> Any:
    references = [{"@id": one["@id"]} for one in agents]
    return references[0] if len(references) == 1 else references


def work(found: Any, where: str) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """An article, under the address of its abstract, and its authors.

    Raises
    ------
    FactsError
        If a field is missing, or none of its identifiers is of arXiv.
    """
    document = found if isinstance(found, dict) else {}
    authors = _agents(document, f"{where}.")
    listed = _field(document, "identifiers", list, f"{where}.")
    values = [str(one.get("value")) for one in listed if isinstance(one, dict)]
    number = next((value for value in values if value.startswith(ARXIV)), None)
    if number is None:
        raise FactsError(
            f"{NAME}: {where}.identifiers found {values}, expected one that begins with {ARXIV};"
            " add it there"
        )
    article = {
        "@id": ABSTRACTS + number.removeprefix(ARXIV),
        "@type": "ScholarlyArticle",
        "name": _field(document, "title", str, f"{where}."),
        "identifier": number,
        "datePublished": str(_field(document, "year", int, f"{where}.")),
        "author": _references(authors),
    }
    return article, authors


def citation(document: Any) -> Citation:
    """The parsed CITATION.cff, checked for what the crate needs.

    Raises
    ------
    FactsError
        Naming the field.
    """
    found = document if isinstance(document, dict) else {}
    works = _field(found, "references", list, "")
    return Citation(
        title=_field(found, "title", str, ""),
        abstract=" ".join(_field(found, "abstract", str, "").split()),
        version=_field(found, "version", str, ""),
        released=_field(found, "date-released", datetime.date, "").isoformat(),
        licence=_field(found, "license", str, ""),
        repository=found.get("repository-code"),
        keywords=tuple(map(str, _field(found, "keywords", list, ""))),
        authors=_agents(found, ""),
        works=tuple(work(one, f"references[{i}]") for i, one in enumerate(works)),
    )
