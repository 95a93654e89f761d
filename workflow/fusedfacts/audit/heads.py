"""Heads of one's own: their section against file and config, and its figures by themselves."""

from __future__ import annotations

from typing import Any

from fusedfacts.attention.problem import fused_key_rows
from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.experiments.control import cannot_show
from fusedfacts.experiments.heads import rises_by_record_law
from fusedfacts.experiments.heads_file import N_MOST
from fusedfacts.tensor_check import tensors


def check_given(subject: Subject, tally: Tally) -> None:
    """Hold the sizes against the file that the config names, the settings against the config."""
    config, section = subject.config, subject.facts["heads"]
    with tensors.opened(subject.model[config["heads"]]) as found:
        heads, n, d = (1, 1, *found.named["q"].shape)[-3:]  # (n, d) is one head
        expected = {
            "n": n,
            "d": d,
            "causal": config["heads_causal"],
            "control_key_rows": config["control_key_rows"],
            "key_rows": sorted({*config["model_key_rows"], fused_key_rows(d)}),
        }
        tally.require_entries(section, expected, "heads.")
        tally.require_equal(len(section["heads"]), heads, "heads: number of heads")


def check_figures(facts: dict[str, Any], tally: Tally) -> None:
    """Hold every head's counts against its size and against each other."""
    section = facts.get("heads", {"n": 1, "heads": []})
    if section["n"] > N_MOST:  # no run judges them, and the record law would take for ever
        tally.fault(f"heads.n: found {section['n']}, expected at most {N_MOST}")
        return
    for h, head in enumerate(section["heads"]):
        where, lost = f"heads.heads[{h}]", head["overflow"]
        n, causal, control = section["n"], section["causal"], head["control"]
        finite = lost["overflowing_float32"] == 0
        for part, there in (
            ("online", finite),
            ("attention", head["certified"]),
            ("control", head["certified"]),
        ):
            tally.require_equal(head[part] is not None, there, f"{where}: has {part}")
        tally.require(finite or not head["certified"], f"{where}: certified, with infinite scores")
        scores = n * (n + 1) // 2 if causal else n * n
        tally.require_equal(lost["scores"], scores, f"{where}.overflow.scores")
        tally.require(
            lost["rows_with_infinite_term"] <= lost["infinite_terms"] <= scores,
            f"{where}.overflow: rows with an infinite term, infinite terms and scores do not"
            " contain each other",
        )
        if finite:
            expected = {"rows": n, "rises_by_record_law": rises_by_record_law(n, causal)}
            tally.require_entries(head["online"], expected, f"{where}.online.")
        if head["certified"]:
            methods = ["plain", *(f"tiled_{rows}" for rows in section["key_rows"])]
            tally.require_equal(sorted(head["attention"]), sorted(methods), f"{where}.attention")
            _check_control(control, n, section["d"], f"{where}.control", tally)


def _check_control(found: dict[str, Any], n: int, d: int, where: str, tally: Tally) -> None:
    """Hold a control against what makes one caught, and what makes it unable to show anything."""
    early, wrong = found["rows_maximum_in_first_tile"], found["rows_wrong"]
    expected = {
        "rows": n,
        "elements": n * d,
        "caught": wrong > 0,
        "cannot_show": cannot_show(found),
        "rows_late_maximum_but_passing": n - early - wrong,
    }
    tally.require_entries(found, expected, f"{where}.")
    tally.require_equal(found["worst_ratio"] > 1, found["caught"], f"{where}: a ratio above 1")
    tally.require(
        wrong <= found["elements_wrong"] <= wrong * d,
        f"{where}: found {found['elements_wrong']} elements wrong in {wrong} rows",
    )
