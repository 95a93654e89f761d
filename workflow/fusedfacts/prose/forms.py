"""The forms in which prose quotes a claim: as it is displayed, as a word, with fewer decimals."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from fusedfacts.claims.claim import show
from fusedfacts.errors import ClaimError, guessed
from fusedfacts.numerics.rounding import decimals
from fusedfacts.prose import numerals

Claims = dict[str, dict[str, Any]]
TEXTS = ("statement", "does_not_prove")  # forms that quote a claim's own words
PLACES = re.compile(r"places=(?P<places>[0-9])")


def by_id(facts: dict[str, Any]) -> Claims:
    """Index the claims of facts.json by id."""
    return {claim["id"]: claim for claim in facts["claims"]}


def quote(claims: Claims, identifier: str, form: str = "") -> str:
    """Quote a claim in one of the forms.

    "" is the claim's own display, "word" or "Word" a number word (digits beyond twenty),
    "places=1" the value rounded half-even to so many decimals, "statement" and "does_not_prove"
    its words.

    >>> claims = {"a": {"value": 16.5152, "display": "16.5152"}, "b": {"value": 4}}
    >>> quote(claims, "a"), quote(claims, "a", "places=1"), quote(claims, "b", "word")
    ('16.5152', '16.5', 'four')
    """
    if identifier not in claims:
        guess = guessed(identifier, claims)
        raise ClaimError(f"found no claim {identifier}{guess}, expected one that exists")
    claim = claims[identifier]
    value = claim["value"]
    if form == "":
        return str(claim["display"])
    if form in TEXTS:
        return str(claim[form])
    if type(value) in (int, float):
        if form in ("word", "Word") and value == int(value):
            word = numerals.spell(int(value))
            return word.capitalize() if form == "Word" else word
        if rounded := PLACES.fullmatch(form):
            return show(decimals(Decimal(str(value)), int(rounded["places"])))
    raise ClaimError(
        f"{identifier}: cannot quote {value!r} in the form {form!r}, expected none, word, Word (of"
        " a whole number), places=1 (of a number), statement or does_not_prove"
    )
