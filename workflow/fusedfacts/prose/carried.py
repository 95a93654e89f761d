"""Prose that travels with the facts, marked for templates: sources, and what is left out."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import PROJECT
from fusedfacts.prose.templates import carried


def sources(facts: dict[str, Any]) -> list[dict[str, str]]:
    """Each source with its address, if it has one outside this project.

    Raises
    ------
    ClaimError
        If one holds a number that is no name.
    """
    return [
        {
            **{
                key: carried(source[key], f"sources: {source['id']}")
                for key in ("title", "used_for", "does_not_prove")
            },
            "address": "" if source["id"] == PROJECT else carried(f" ({source['id']})", "sources"),
        }
        for source in facts["sources"]
    ]


def left_out(facts: dict[str, Any]) -> list[str]:
    """The sentences that say what the numbers do not.

    Raises
    ------
    ClaimError
        If one holds a number that is no name.
    """
    return [carried(sentence, "left_out") for sentence in facts["left_out"]]
