"""The tables of `fusedfacts check`: answers and scores with a row a head, and the bytes."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

from fusedfacts.tensor_check import remarks
from fusedfacts.tensor_check.head import WORST_FIRST, Verdict
from fusedfacts.tensor_check.tensors import FLOAT32
from fusedfacts.terminal import agreeing, columns, counted, error, wrapped

HEADS_MOST = 16  # rows that are taken in at a look; a file may hold a thousand heads
READABLE = 1e6  # scores below it are shown with decimals
SAYING: dict[Verdict, tuple[str, str]] = {
    "does not hold": ("does not hold", "do not hold"),
    "not certified": ("is not certified", "are not certified"),
    "holds": ("holds", "hold"),
}

Head = dict[str, Any]


def worst(heads: list[Head]) -> list[Head]:
    """The heads that tables show: all in their order, or of many the worst, worst first.

    Among those of one verdict, heads that a remark speaks of come before all others.

    >>> quiet = {"scores_overflowing": 0, "elements_overflowing": 0}
    >>> head = {"verdict": "holds", "first_exceeding": None, "certified": True, "float32": quiet}
    >>> heads = [{"head": i, "largest_ratio": i / 20, **head} for i in range(18)]
    >>> [head["head"] for head in worst(heads)][:3], worst(heads[:16]) == heads[:16]
    ([17, 16, 15], True)
    """
    return heads if len(heads) <= HEADS_MOST else sorted(heads, key=_rank)[:HEADS_MOST]


def _rank(head: Head) -> tuple[int, bool, float]:
    ratio = inf if head["largest_ratio"] is None else head["largest_ratio"]
    return WORST_FIRST.index(head["verdict"]), not remarks.of_head(head), -ratio


def answers(heads: list[Head], shown: list[Head]) -> list[str]:
    """Each shown head's answer against the exact one, and a line about the others."""
    titles = ("head", "largest error", "its bound", "exceeding", "largest ratio", "verdict")
    rows = [
        (
            str(head["head"]),
            error(head["largest_error"]),
            error(head["bound_there"]),
            f"{head['exceeding']:,}",
            error(head["largest_ratio"]),
            head["verdict"],
        )
        for head in shown
    ]
    return [
        *columns([titles, *rows], numbers=range(len(titles) - 1)),
        *_others(heads, shown),
        "largest ratio: of error to bound, the largest of any element",
    ]


def _others(heads: list[Head], shown: list[Head]) -> list[str]:
    """What there is to say of the heads without a row."""
    there = {head["head"] for head in shown}
    others = [head for head in heads if head["head"] not in there]
    if not others:
        return []
    verdicts = Counter(head["verdict"] for head in others)
    said = [
        f"{verdicts[word]:,} {agreeing(verdicts[word], *SAYING[word])}"
        for word in WORST_FIRST
        if verdicts[word]
    ]
    ratios = [head["largest_ratio"] for head in others]
    ratio = error(None if None in ratios else max(ratios))
    return wrapped(
        f"the {len(shown)} worst heads, worst first; of the {counted(len(others), 'other')}"
        f" {', '.join(said)}, largest ratio {ratio}; --json has every head"
    )


def bytes_moved(document: dict[str, Any]) -> list[str]:
    """Bytes of both kernels and the least possible, for a head and for all of them."""
    moved, heads = document["moved"], len(document["heads"])
    chosen, other = moved["chosen"], moved["other"]
    all_heads = f"all {counted(heads, 'head')}"
    rows = [("bytes moved", "a head", all_heads, "times compulsory")]
    for name, of in (
        (f"{chosen['kernel']}, counted", chosen),
        (f"{other['kernel']}, by formula", other),
    ):
        each, total, times = of["bytes_each_head"], of["bytes"], of["times_compulsory"]
        rows.append((name, f"{each:,}", f"{total:,}", f"{times:,}"))
    least, total = document["compulsory_bytes"], moved["compulsory_bytes"]
    rows.append(("compulsory", f"{least:,}", f"{total:,}", f"{1.0:,}"))
    shown = rows if heads > 1 else [(row[0], row[1], row[3]) for row in rows]
    lines = columns(shown, numbers=[1, 2, 3])
    kinds = sorted({kind for kind in document["stored"].values() if kind != FLOAT32.name})
    if kinds:
        lines.append(f"of the float32 kernels, although the file stores {' and '.join(kinds)}")
    return lines


def scores(shown: list[Head]) -> list[str]:
    """What the scores of each shown head do, in two lines of titles that stand alone."""
    titles = [
        ("", "running", "largest", "infinite terms", "rows with", "other rows of"),
        ("head", "maximum rose", "score", "in fp16", "such a term", "infinite total"),
    ]
    rows = [
        (
            str(head["head"]),
            "-" if head["rises"] is None else f"{head['rises']:,}",
            _score(head["largest_score"]),
            f"{head['fp16']['infinite_terms']:,}",
            f"{head['fp16']['rows_with_infinite_term']:,}",
            f"{head['fp16']['rows_overflowing_in_total_only']:,}",
        )
        for head in shown
    ]
    return columns([*titles, *rows], numbers=range(len(titles[0])))


def _score(value: float | None) -> str:
    if value is None:
        return "not finite"
    return f"{value:.4f}" if abs(value) < READABLE else f"{value:.6e}"
