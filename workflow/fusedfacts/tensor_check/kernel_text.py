"""What our own kernels would move for a call, and what its scores do, for people."""

from __future__ import annotations

from typing import Any

from fusedfacts.terminal import agreeing, columns, counted, wrapped

READABLE = 1e6  # scores below it are shown with decimals

Head = dict[str, Any]  # as workflow/schemas/check.schema.json describes it


def lines(document: dict[str, Any], shown: list[Head]) -> list[str]:
    """Write the tables of bytes and of scores, where our kernels serve the call."""
    return [
        *_bytes_moved(document),
        "",
        *_scores(shown),
        *_fp16_overflow(document["heads"]),
        "",
    ]


def _bytes_moved(document: dict[str, Any]) -> list[str]:
    """Write the table of both methods' bytes and the least possible, for a head and for all."""
    kernel, heads = document["kernel"], len(document["heads"])
    rows = [("bytes moved", "a head", f"all {counted(heads, 'head')}", "times compulsory")]
    chosen = "counted" if document["judged"] == "computed" else "by formula"
    for part, how in (("chosen", chosen), ("other", "by formula")):
        of = kernel[part]
        each, total, times = of["bytes_each_head"], of["bytes"], of["times_compulsory"]
        rows.append((f"{of['kernel']}, {how}", f"{each:,}", f"{total:,}", f"{times:,}"))
    least, total = kernel["compulsory_bytes_each_head"], kernel["compulsory_bytes"]
    rows.append(("compulsory", f"{least:,}", f"{total:,}", f"{1.0:,}"))
    shown = rows if heads > 1 else [(row[0], row[1], row[3]) for row in rows]
    kinds = sorted({kind for kind in document["stored"].values() if kind != "float32"})
    stored = f"of the float32 kernels, although the file stores {' and '.join(kinds)}"
    return [*columns(shown, numbers=[1, 2, 3]), *([stored] if kinds else [])]


def _scores(shown: list[Head]) -> list[str]:
    """Write the table of what the scores of each shown head do."""
    titles = [
        ("", "running", "largest", "infinite terms", "rows with", "other rows of"),
        ("head", "maximum rose", "score", "in fp16", "such a term", "infinite total"),
    ]
    rows = []
    for head in shown:
        kernel = head["kernel"]
        fp16 = kernel["fp16"]
        rows.append(
            (
                str(head["head"]),
                "-" if kernel["rises"] is None else f"{kernel['rises']:,}",
                _score(kernel["largest_score"]),
                f"{fp16['infinite_terms']:,}",
                f"{fp16['rows_with_infinite_term']:,}",
                f"{fp16['rows_overflowing_in_total_only']:,}",
            )
        )
    return columns([*titles, *rows], numbers=range(len(titles[0])))


def _score(value: float | None) -> str:
    if value is None:
        return "not finite"
    return f"{value:.4f}" if abs(value) < READABLE else f"{value:.6e}"


def _fp16_overflow(heads: list[Head]) -> list[str]:
    """Write one sentence on all heads, were the maximum not subtracted."""
    keys = "infinite_terms", "rows_with_infinite_term", "rows_overflowing_in_total_only"
    in_fp16 = [head["kernel"]["fp16"] for head in heads]
    infinite, rows, totals = (sum(fp16[key] for fp16 in in_fp16) for key in keys)
    terms = sum(fp16["scores"] for fp16 in in_fp16)
    if not infinite and not totals:
        return wrapped("nothing would overflow in fp16, even without subtracting the maximum")
    sentences = []
    if infinite:
        sentences.append(
            f"{infinite:,} of {counted(terms, 'term')} would be infinite, in {counted(rows, 'row')}"
        )
    if totals:
        noun = "more row" if infinite else "row"
        total = agreeing(totals, "its total", "their totals")
        sentences.append(f"{counted(totals, noun)} would overflow in {total} alone")
    return wrapped(f"fp16 without subtracting the maximum: {'; '.join(sentences)}")


def overflow(kernel: dict[str, Any]) -> list[str]:
    """Write what of a head overflows float32, a sentence each."""
    lost, sentences = kernel["float32"], []
    if lost["scores_overflowing"]:
        number, place = lost["scores_overflowing"], lost["first_score"]
        sentences.append(
            f"{counted(number, 'score')} {_overflow(number)} row {place['row']}, key"
            f" {place['key']}; the answer is finite, but a kernel cannot tell how much such a key"
            " weighs"
        )
    if lost["elements_overflowing"]:
        number, place = lost["elements_overflowing"], lost["first_element"]
        sentences.append(
            f"{counted(number, 'element')} of the computed answer {_overflow(number)} row"
            f" {place['row']}, column {place['column']}; the exact answer is finite, but a sum on"
            " the way to it is not"
        )
    return sentences


def _overflow(number: int) -> str:
    return f"{agreeing(number, 'overflows', 'overflow')} float32, {at(number)}"


def at(number: int) -> str:
    """Begin to name the place of one of so many, the first."""
    return agreeing(number, "at", "the first at")
