"""What no figure of `fusedfacts check` says: overflow, the first wrong element, lost certainty."""

from __future__ import annotations

from typing import Any

from fusedfacts.terminal import agreeing, counted, error, float32, wrapped

Head = dict[str, Any]


def of_heads(heads: list[Head], shown: list[Head]) -> list[str]:
    """Remarks about the shown heads, and how many others have such."""
    there = {head["head"] for head in shown}
    more = sum(bool(of_head(head)) for head in heads if head["head"] not in there)
    lines = [line for head in shown for remark in of_head(head) for line in wrapped(remark)]
    if more:
        lines.append(f"{counted(more, 'more head')} of which such is to be said: see --json")
    return lines


def of_head(head: Head) -> list[str]:
    """What a head's row of figures cannot say, a sentence each."""
    name, overflow = f"head {head['head']}", head["float32"]
    remarks = []
    if overflow["scores_overflowing"]:
        number, place = overflow["scores_overflowing"], overflow["first_score"]
        remarks.append(
            f"{name}: {counted(number, 'score')} {agreeing(number, 'overflows', 'overflow')}"
            f" float32, {_first(number)} row {place['row']}, key {place['key']}; the answer is"
            " finite, but a kernel cannot tell how much such a key weighs"
        )
    if overflow["elements_overflowing"]:
        number, place = overflow["elements_overflowing"], overflow["first_element"]
        remarks.append(
            f"{name}: {counted(number, 'element')} of our answer"
            f" {agreeing(number, 'overflows', 'overflow')} float32, {_first(number)} row"
            f" {place['row']}, column {place['column']}; the exact answer is finite, but a sum on"
            " the way to it is not"
        )
    if head["first_exceeding"] is not None:
        remarks.append(f"{name}: {_exceeding(head)}")
    if not head["certified"]:
        remarks.append(
            f"{name}: scores are so large that float32 cannot tell how near each is to the others;"
            " the bound is the range of the values, and passing says little"
        )
    return remarks


def _exceeding(head: Head) -> str:
    number, first = head["exceeding"], head["first_exceeding"]
    found = "a value that is not finite" if first["found"] is None else float32(first["found"])
    return (
        f"{number:,} of {counted(head['elements'], 'element')}"
        f" {agreeing(number, 'exceeds its bound', 'exceed their bounds')}, {_first(number)} row"
        f" {first['row']}, column {first['column']}: found {found}, expected"
        f" {float32(first['expected'])}, error {error(first['error'])}, bound"
        f" {error(first['bound'])}"
    )


def _first(number: int) -> str:
    return agreeing(number, "at", "the first at")


def of_fp16(heads: list[Head]) -> list[str]:
    """One sentence on all heads, were the maximum not subtracted."""
    terms, infinite, rows, totals = (
        sum(head["fp16"][key] for head in heads)
        for key in (
            "scores",
            "infinite_terms",
            "rows_with_infinite_term",
            "rows_overflowing_in_total_only",
        )
    )
    if not infinite and not totals:
        return wrapped("nothing would overflow in fp16, even without subtracting the maximum")
    said = []
    if infinite:
        said.append(
            f"{infinite:,} of {counted(terms, 'term')} would be infinite, in {counted(rows, 'row')}"
        )
    if totals:
        noun = "more row" if infinite else "row"
        total = agreeing(totals, "its total", "their totals")
        said.append(f"{counted(totals, noun)} would overflow in {total} alone")
    return wrapped(f"fp16 without subtracting the maximum: {'; '.join(said)}")
