"""The document of `fusedfacts check` for people, as wide as a terminal but for names.

What was checked; three tables, with a row a head, of its answer, of bytes and of its scores; what
no figure says: overflow, the first wrong element, lost certainty; and the verdict.
"""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

from fusedfacts.tensor_check.head import WORST_FIRST, Verdict
from fusedfacts.tensor_check.header import ANSWER, INPUTS
from fusedfacts.tensor_check.tensors import FLOAT32
from fusedfacts.terminal import agreeing, columns, counted, error, float32, wrapped

HEADS_MOST = 16  # rows that are taken in at a look; a file may hold a thousand heads
READABLE = 1e6  # scores below it are shown with decimals
VERBS: dict[Verdict, tuple[str, str]] = {
    "does not hold": ("does not hold", "do not hold"),
    "not certified": ("is not certified", "are not certified"),
    "holds": ("holds", "hold"),
}
MOSTLY = 0.5  # of a head's elements: more than these are wrong where an array was scrambled
EXCEED = "exceeds its bound", "exceed their bounds"

Head = dict[str, Any]  # as workflow/schemas/check.schema.json describes it


def lines(document: dict[str, Any]) -> list[str]:
    """Write the whole document."""
    heads = document["heads"]
    shown = worst(heads)
    others = [head for head in heads if head not in shown]
    return [
        *_opening(document),
        "",
        *_answers(shown),
        *_summary(shown, others),
        "largest ratio: of error to bound, the largest of any element",
        "",
        *bytes_moved(document),
        "",
        *_scores(shown),
        *fp16_overflow(heads),
        "",
        *(line for head in shown for remark in remarks(head) for line in wrapped(remark)),
        *_scrambled(document),
        _verdict(document),
    ]


def _opening(document: dict[str, Any]) -> list[str]:
    heads = f"{counted(len(document['heads']), 'head')}, " if document["heads_in_file"] else ""
    tile = f", key tiles of {counted(document['key_rows'], 'row')}" if document["key_rows"] else ""
    seen = "every query looks at every key"
    if document["causal"]:
        seen = "causal: a query looks at keys up to its own"
    scores = document["heads"][0]["fp16"]["scores"]
    written = f"written: {document['written']}, the computed answer, as tensor o alone"
    return [
        f"{document['file']}: {heads}n {document['n']:,}, d {document['d']}",
        f"method {document['kernel']}{tile}, scale {document['scale']!r}",
        f"{seen}; a head has {counted(scores, 'score')}",
        *_widened(document["stored"]),
        *_judged(document),
        *([written] if document["written"] else []),
        *(line for note in document["notes"] for line in wrapped(f"note: {note}")),
    ]


def _widened(stored: dict[str, str]) -> list[str]:
    """Name the tensors that are not stored in float32, by how they are."""
    parts = []
    for kind in dict.fromkeys(stored.values()):
        names = ", ".join(name for name in (*INPUTS, ANSWER) if stored.get(name) == kind)
        parts += [f"{names} from {kind}"] if kind != FLOAT32.name else []
    return [f"widened to float32, which is exact: {'; '.join(parts)}"] if parts else []


def _judged(document: dict[str, Any]) -> list[str]:
    """Say whose answer is judged, and by which bound."""
    if document["judged"] == "computed" and not document["device"]:
        return ["judged: the answer of the emulated kernels"]
    if document["judged"] == "computed":
        own = "  by the bound of its own arithmetic, float32 throughout"
        return [f"judged: the answer of {document['device']},", own]
    stored = document["stored"][ANSWER]
    wider = f"  it is wider by half a unit of {stored}'s last place, for storing o"
    return [
        f"judged: tensor o of the file, by the bound of the {document['kernel']} order of sums",
        "  in float32 throughout: one computed in less precision exceeds it, rightly",
        *([wider] if stored != FLOAT32.name else []),
    ]


def worst(heads: list[Head]) -> list[Head]:
    """Choose the heads that tables show: all in their order, or of many the worst, worst first.

    Among those of one verdict, heads that a remark speaks of come before all others.
    """

    def rank(head: Head) -> tuple[int, bool, float]:
        ratio = inf if head["largest_ratio"] is None else head["largest_ratio"]
        return WORST_FIRST.index(head["verdict"]), not remarks(head), -ratio

    return heads if len(heads) <= HEADS_MOST else sorted(heads, key=rank)[:HEADS_MOST]


def _answers(shown: list[Head]) -> list[str]:
    """Write the table of each shown head's answer against the exact one."""
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
    return columns([titles, *rows], numbers=range(len(titles) - 1))


def _summary(shown: list[Head], others: list[Head]) -> list[str]:
    """Sum up the heads without a row."""
    if not others:
        return []
    verdicts = Counter(head["verdict"] for head in others)
    each = [(verdicts[word], VERBS[word]) for word in WORST_FIRST if word in verdicts]
    counts = [f"{number:,} {agreeing(number, *verbs)}" for number, verbs in each]
    ratios = [head["largest_ratio"] for head in others]
    ratio = error(None if None in ratios else max(ratios))
    return wrapped(
        f"the {len(shown)} worst heads, worst first; of the {counted(len(others), 'other')}"
        f" {', '.join(counts)}, largest ratio {ratio}; --json has every head"
    )


def bytes_moved(document: dict[str, Any]) -> list[str]:
    """Write the table of both methods' bytes and the least possible, for a head and for all."""
    moved, heads = document["moved"], len(document["heads"])
    rows = [("bytes moved", "a head", f"all {counted(heads, 'head')}", "times compulsory")]
    for part, how in (("chosen", "counted"), ("other", "by formula")):
        of = moved[part]
        each, total, times = of["bytes_each_head"], of["bytes"], of["times_compulsory"]
        rows.append((f"{of['kernel']}, {how}", f"{each:,}", f"{total:,}", f"{times:,}"))
    least, total = document["compulsory_bytes"], moved["compulsory_bytes"]
    rows.append(("compulsory", f"{least:,}", f"{total:,}", f"{1.0:,}"))
    shown = rows if heads > 1 else [(row[0], row[1], row[3]) for row in rows]
    kinds = sorted({kind for kind in document["stored"].values() if kind != FLOAT32.name})
    stored = f"of the float32 kernels, although the file stores {' and '.join(kinds)}"
    return [*columns(shown, numbers=[1, 2, 3]), *([stored] if kinds else [])]


def _scores(shown: list[Head]) -> list[str]:
    """Write the table of what the scores of each shown head do."""
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


def fp16_overflow(heads: list[Head]) -> list[str]:
    """Write one sentence on all heads, were the maximum not subtracted."""
    keys = "infinite_terms", "rows_with_infinite_term", "rows_overflowing_in_total_only"
    infinite, rows, totals = (sum(head["fp16"][key] for head in heads) for key in keys)
    terms = sum(head["fp16"]["scores"] for head in heads)
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


def remarks(head: Head) -> list[str]:
    """Write what a head's row of figures cannot say, a sentence each."""
    overflow, first = head["float32"], head["first_exceeding"]
    sentences = []
    if overflow["scores_overflowing"]:
        number, place = overflow["scores_overflowing"], overflow["first_score"]
        sentences.append(
            f"{counted(number, 'score')} {_overflow(number)} row {place['row']}, key"
            f" {place['key']}; the answer is finite, but a kernel cannot tell how much such a key"
            " weighs"
        )
    if overflow["elements_overflowing"]:
        number, place = overflow["elements_overflowing"], overflow["first_element"]
        sentences.append(
            f"{counted(number, 'element')} of the computed answer {_overflow(number)} row"
            f" {place['row']}, column {place['column']}; the exact answer is finite, but a sum on"
            " the way to it is not"
        )
    if first is not None:
        number = head["exceeding"]
        found = "a value that is not finite" if first["found"] is None else float32(first["found"])
        sentences.append(
            f"{number:,} of {counted(head['elements'], 'element')} {agreeing(number, *EXCEED)},"
            f" {_at(number)} row {first['row']}, column {first['column']}: found {found}, expected"
            f" {float32(first['expected'])}, error {error(first['error'])}, bound"
            f" {error(first['bound'])}"
        )
    if not head["certified"]:
        sentences.append(
            "scores are so large that float32 cannot tell how near each is to the others; the bound"
            " is the range of the values, and passing says little"
        )
    return [f"head {head['head']}: {sentence}" for sentence in sentences]


def _overflow(number: int) -> str:
    return f"{agreeing(number, 'overflows', 'overflow')} float32, {_at(number)}"


def _at(number: int) -> str:
    return agreeing(number, "at", "the first at")


def _scrambled(document: dict[str, Any]) -> list[str]:
    """Name a mistake of saving that makes most of a right answer wrong, and leaves no trace."""
    heads = document["heads"]
    most = any(head["exceeding"] > MOSTLY * head["elements"] for head in heads)
    if document["judged"] == "computed" or not most:
        return []
    return wrapped(
        "so much is also wrong where a transposed array was saved as it was, for safetensors'"
        " save_file scrambles it and leaves no trace: save np.ascontiguousarray(o), and q, k, v"
        " alike"
    )


def _verdict(document: dict[str, Any]) -> str:
    heads, verdict = document["heads"], document["verdict"]
    elements = sum(head["elements"] for head in heads)
    if verdict == "holds":
        return f"holds: all {counted(elements, 'element')} lie within their bounds"
    if verdict == "does not hold":
        number = sum(head["exceeding"] for head in heads)
        exceed = agreeing(number, *EXCEED)
        return f"does not hold: {number:,} of {counted(elements, 'element')} {exceed}"
    concerned = sum(head["verdict"] == verdict for head in heads)
    return f"not certified: {concerned:,} of {counted(len(heads), 'head')}, for the reasons above"
