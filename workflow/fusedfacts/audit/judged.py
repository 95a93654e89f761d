"""Real kernels and rules: their verdicts against their ratios, their counts against each other."""

from __future__ import annotations

from typing import Any

from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.experiments import real
from fusedfacts.experiments.rules import OURS, RIGHT


def check_recorded(subject: Subject, tally: Tally) -> None:
    """Hold the hash of what was recorded against the recorded files."""
    found = subject.facts["real"]["recorded_sha256"]
    tally.require_equal(found, real.sha256(subject.root), "real.recorded_sha256")


def check_real(facts: dict[str, Any], tally: Tally) -> None:
    """Require of each call that it holds by the recipes that say what it does, and by no others."""
    for name, call in facts["real"]["calls"].items():
        where = f"real.calls.{name}"
        for recipe, each in call["judged"].items():
            ratios = [each[what] for what in ("output", "lse") if each[what] is not None]
            at = f"{where}.judged.{recipe}.holds"
            tally.require_equal(each["holds"], max(ratios) <= 1, f"{at}, by its ratios")
            others = recipe != call["precision"] or len(call["judged"]) == 1
            tally.require_equal(each["holds"], others, f"{at}, as others say what it does")
        apart = call["aligned_otherwise"]
        tally.require(
            apart is None or apart > 1,
            f"{where}.aligned_otherwise: found the ratio {apart}, expected above 1",
        )


def check_rules(facts: dict[str, Any], tally: Tally) -> None:
    """Require no false alarm of a proved bound, and counts that contain each other."""
    section = facts["rules"]
    heads = section["heads"]
    for half, faults in section["seen"].items():
        for fault, counts in faults.items():
            at = f"rules.seen.{half}.{fault}"
            for rule, count in counts.items():
                tally.require(0 <= count <= heads, f"{at}.{rule}: found {count} of {heads} heads")
            ours = max(counts[rule] for rule in OURS)
            if fault == RIGHT:
                tally.require_equal(ours, 0, f"{at}: false alarms of a proved bound")
                continue
            for rule, alone in section["seen_by_it_alone"][half][fault].items():
                most = min(counts[rule], heads - ours)
                tally.require(
                    alone <= most,
                    f"rules.seen_by_it_alone.{half}.{fault}.{rule}: found {alone}, expected at most"
                    f" {most}, of {heads} heads on which a proved bound sees {ours}",
                )
