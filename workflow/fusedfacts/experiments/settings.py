"""The settings that shape the numbers, repeated from the config so that prose can quote them."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import CHOSEN, Claim, Section, chosen
from fusedfacts.pipeline import config

SETTINGS = {
    "seed": "The seed of every random input is {}. | 1",
    "online_rows": "Each kind of input to one-pass softmax has {} rows. | rows",
    "online_length": "Each row of input to one-pass softmax has {} scores. | scores",
    "record_rows": "The record law is held against {} rows of each length. | rows",
}


def claims(settings: dict[str, Any]) -> list[Claim]:
    """Claim each setting, which rests on itself."""
    return [
        claim
        for key, words in SETTINGS.items()
        for claim in chosen(key).table("settings.{}", f"{key} | {words} | {CHOSEN}", settings)
    ]


SECTION = Section(config.settings, claims)
