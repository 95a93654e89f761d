"""The document of `fusedfacts check` for people, as wide as a terminal but for names."""

from __future__ import annotations

from typing import Any

from fusedfacts.tensor_check import remarks, tables
from fusedfacts.tensor_check.tensors import ANSWER, FLOAT32, INPUTS
from fusedfacts.terminal import agreeing, counted, wrapped


def lines(document: dict[str, Any]) -> list[str]:
    """What was checked, three tables, what no figure says, the verdict.

    Parameters
    ----------
    document : dict
        As workflow/schemas/check.schema.json describes it.
    """
    shown = tables.worst(document["heads"])
    return [
        *_opening(document),
        "",
        *tables.answers(document["heads"], shown),
        "",
        *tables.bytes_moved(document),
        "",
        *tables.scores(shown),
        *remarks.of_fp16(document["heads"]),
        "",
        *remarks.of_heads(document["heads"], shown),
        _verdict(document),
    ]


def _opening(document: dict[str, Any]) -> list[str]:
    heads = f"{counted(len(document['heads']), 'head')}, " if document["heads_in_file"] else ""
    tile = f", key tiles of {counted(document['key_rows'], 'row')}" if document["key_rows"] else ""
    seen = "causal: a query looks at keys up to its own"
    if not document["causal"]:
        seen = "every query looks at every key"
    scores = document["heads"][0]["fp16"]["scores"]
    lines = [
        f"{document['file']}: {heads}n {document['n']:,}, d {document['d']}",
        f"{document['kernel']} kernel{tile}, scale {document['scale']!r}",
        f"{seen}; a head has {counted(scores, 'score')}",
        *_widened(document["stored"]),
        *_judged(document),
    ]
    if document["written"]:
        lines.append(f"written: {document['written']}, our answer alone, as tensor o")
    for note in document["notes"]:
        lines += wrapped(f"note: {note}")
    return lines


def _widened(stored: dict[str, str]) -> list[str]:
    """The tensors that are not stored in float32, by how they are."""
    kinds: dict[str, list[str]] = {}
    for name in (*INPUTS, ANSWER):
        if stored.get(name, FLOAT32.name) != FLOAT32.name:
            kinds.setdefault(stored[name], []).append(name)
    parts = [f"{', '.join(names)} from {kind}" for kind, names in kinds.items()]
    return [f"widened to float32, which is exact: {'; '.join(parts)}"] if parts else []


def _judged(document: dict[str, Any]) -> list[str]:
    """Whose answer, and by which bound."""
    if document["judged"] == "computed":
        if document["device"]:
            return [
                f"judged: the answer of {document['device']},",
                "  by the bound of its own arithmetic, float32 throughout",
            ]
        return ["judged: the emulated kernel's answer"]
    lines = [
        f"judged: tensor o of the file, by the bound of the {document['kernel']} order",
        "  in float32 throughout: one computed in less precision exceeds it, rightly",
    ]
    stored = document["stored"][ANSWER]
    if stored != FLOAT32.name:
        lines.append(f"  it is wider by half a unit of {stored}'s last place, for storing o")
    return lines


def _verdict(document: dict[str, Any]) -> str:
    heads, verdict = document["heads"], document["verdict"]
    elements = sum(head["elements"] for head in heads)
    if verdict == "holds":
        return f"holds: all {counted(elements, 'element')} lie within their bounds"
    if verdict == "does not hold":
        exceeding = sum(head["exceeding"] for head in heads)
        exceed = agreeing(exceeding, "exceeds its bound", "exceed their bounds")
        return f"does not hold: {exceeding:,} of {counted(elements, 'element')} {exceed}"
    concerned = sum(head["verdict"] == verdict for head in heads)
    return f"not certified: {concerned:,} of {counted(len(heads), 'head')}, for the reasons above"
