"""The document of `fusedfacts check` for people, as wide as a terminal but for names.

What was judged and by which assumptions; a table with a row a head; where our kernels serve the
call, two more of bytes and of scores; what no figure says: the first wrong element, mistakes that
explain it, rows that see nothing, lost certainty; and the verdict.
"""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

from fusedfacts.judging.head import WORST_FIRST, Verdict
from fusedfacts.judging.verdict import explanations, located, unseen
from fusedfacts.tensor_check import kernel_text
from fusedfacts.tensor_check.head import DIGITS, DIGITS_64
from fusedfacts.tensor_check.header import ANSWERS, EXTRAS, NAMES
from fusedfacts.terminal import WIDTH, agreeing, columns, counted, error, wrapped

HEADS_MOST = 16  # rows that are taken in at a look; a file may hold a thousand heads
VERBS: dict[Verdict, tuple[str, str]] = {
    "does not hold": ("does not hold", "do not hold"),
    "not certified": ("is not certified", "are not certified"),
    "cannot show": ("cannot show", "cannot show"),
    "holds": ("holds", "hold"),
}
MOSTLY = 0.5  # of a head's elements: more than these are wrong where an array was scrambled
EXCEED = "exceeds its bound", "exceed their bounds"
PARTS = {"o": "output", "lse": "lse"}

Head = dict[str, Any]  # as workflow/schemas/check.schema.json describes it


def lines(document: dict[str, Any]) -> list[str]:
    """Write the whole document."""
    heads = document["heads"]
    shown = worst(heads)
    others = [head for head in heads if head not in shown]
    wide = document["stored"].get("o") == "float64"
    said = [remark for head in shown for remark in remarks(head, DIGITS_64 if wide else DIGITS)]
    failed = {
        i: [(found["name"], found["largest_ratio"]) for found in head["explained"]]
        for i, head in enumerate(heads)
        if head["verdict"] == "does not hold"
    }
    hidden = [head["hidden"] or [] for head in heads]
    diagnosis = [
        *explanations(failed),
        *located(
            [head["verdict"] for head in heads],
            [head["places"] for head in heads],
            [_ratio(head) for head in heads],
        ),
        *unseen(document["unshown"], hidden),
    ]
    return [
        *_opening(document),
        "",
        *_answers(shown),
        *_summary(shown, others),
        "largest ratio: of error to bound, the largest of any element",
        "",
        *(kernel_text.lines(document, shown) if document["kernel"] else []),
        *(line for remark in said + diagnosis for line in wrapped(remark)),
        *_scrambled(document),
        *_blind(heads),
        _verdict(document),
    ]


def _opening(document: dict[str, Any]) -> list[str]:
    written = f"written: {document['written']}, the computed answer, as tensor o alone"
    stored = document["stored"]
    kinds = [
        f"{', '.join(name for name in NAMES if stored.get(name) == kind)} in {kind}"
        for kind in dict.fromkeys(stored.values())
    ]
    file, sizes = document["file"], wrapped(_sizes(document["sizes"]))
    together = len(sizes) == 1 and len(f"{file}: {sizes[0]}") <= WIDTH
    return [
        *([f"{file}: {sizes[0]}"] if together else [f"{file}:", *sizes]),
        *wrapped(_pattern(document)),
        *wrapped(f"stored: {'; '.join(kinds)}"),
        *_judged(document),
        *([written] if document["written"] else []),
    ]


def _sizes(sizes: dict[str, Any]) -> str:
    """Write the sizes of a call, those that differ apart."""
    batch, heads, kv_heads = (sizes[name] for name in ("batch", "heads", "kv_heads"))
    parts = []
    if sizes["layout"] != "nd":
        shared = f" (of k and v {kv_heads:,})" if kv_heads != heads else ""
        through = f" of each of {batch:,} entries, counted through" if batch > 1 else ""
        parts += [f"{counted(heads, 'head')}{shared}{through}"]
    n_q, n_k, d, d_v = (sizes[name] for name in ("n_q", "n_k", "d", "d_v"))
    parts += [f"n {n_q:,}"] if n_q == n_k else [f"n {n_q:,} of q and {n_k:,} of k and v"]
    parts += [f"d {d}"] if d == d_v else [f"d {d}, of v {d_v}"]
    read = f"; read as {sizes['layout']}" if len(sizes["layout"]) > 2 else ""
    return ", ".join(parts) + read


def _pattern(document: dict[str, Any]) -> str:
    """Say which keys a query sees, and what is done to scores."""
    parts = [f"scale {document['scale']!r}"]
    if document["causal"]:
        parts += ["causal: a query looks at keys up to its own position"]
    if document["window"]:
        whose = "that" if document["causal"] else "a query's"
        before, after = (
            "all keys" if keys < 0 else counted(keys, "key") for keys in document["window"]
        )
        parts += [f"a window of {before} before {whose} position and {after} after"]
    if document["align"]:
        parts += [f"positions aligned {document['align']}"]
    if len(parts) == 1 and "mask" not in document["stored"]:
        parts += ["every query looks at every key"]
    if document["softcap"]:
        parts += [f"scores capped at {document['softcap']!r}"]
    extras = [name for name in EXTRAS if name in document["stored"]]
    return ", ".join(parts + ([f"with {' and '.join(extras)} of the file"] if extras else []))


def _judged(document: dict[str, Any]) -> list[str]:
    """Say whose answer is judged, and by which assumptions its bound is a theorem."""
    if document["judged"] == "computed":
        kernel = document["kernel"]
        tile = f", key tiles of {counted(kernel['key_rows'], 'row')}" if kernel["key_rows"] else ""
        whose = kernel["device"] or "the emulated kernels"
        own = "float32 throughout, by the bound of its own arithmetic and order of sums"
        return [f"judged: the answer of {whose},", f"  method {kernel['name']}{tile};", f"  {own}"]
    given = [name for name in ANSWERS if name in document["stored"]]
    noun = agreeing(len(given), "tensor", "tensors")
    recipe = document["recipe"]
    what = f"judged: {noun} {' and '.join(given)} of the file, by the bound of"
    return wrapped(f"{what} recipe {recipe['name']}: {recipe['words']}")


def _parts(head: Head) -> list[tuple[str, dict[str, Any]]]:
    """List what was judged of a head, with the tensor's name."""
    return [(name, head[what]) for name, what in PARTS.items() if head[what] is not None]


def _ratio(head: Head) -> float:
    """Give the largest error / bound, infinity where one is not finite."""
    ratios = [part["largest_ratio"] for _, part in _parts(head)]
    return inf if None in ratios else max(ratios)


def worst(heads: list[Head]) -> list[Head]:
    """Choose the heads that tables show: all in their order, or of many the worst, worst first.

    Among those of one verdict, heads that a remark speaks of come before all others.
    """

    def rank(head: Head) -> tuple[int, bool, float]:
        return WORST_FIRST.index(head["verdict"]), not remarks(head), -_ratio(head)

    return heads if len(heads) <= HEADS_MOST else sorted(heads, key=rank)[:HEADS_MOST]


def _answers(shown: list[Head]) -> list[str]:
    """Write the table of each shown head's answer against the exact one."""
    both = len(_parts(shown[0])) > 1
    titles = ["head", "largest error", "its bound", "exceeding", "largest ratio", "verdict"]
    rows = [
        [
            f"{head['head']}",
            *([name] if both else []),
            error(part["largest_error"]),
            error(part["bound_there"]),
            f"{part['exceeding']:,}",
            error(part["largest_ratio"]),
            head["verdict"],
        ]
        for head in shown
        for name, part in _parts(head)
    ]
    titles[1:1] = ["of"] if both else []
    numbers = [i for i, title in enumerate(titles[:-1]) if title != "of"]
    return columns([titles, *rows], numbers=numbers)


def _summary(shown: list[Head], others: list[Head]) -> list[str]:
    """Sum up the heads without a row."""
    if not others:
        return []
    verdicts = Counter(head["verdict"] for head in others)
    each = [(verdicts[word], VERBS[word]) for word in WORST_FIRST if word in verdicts]
    counts = [f"{number:,} {agreeing(number, *verbs)}" for number, verbs in each]
    ratio = max(map(_ratio, others))
    return wrapped(
        f"the {len(shown)} worst heads, worst first; of the {counted(len(others), 'other')}"
        f" {', '.join(counts)}, largest ratio {error(None if ratio == inf else ratio)}; --json has"
        " every head"
    )


def remarks(head: Head, digits: int = DIGITS) -> list[str]:
    """Write what a head's row of figures cannot say, a sentence each."""
    sentences = kernel_text.overflow(head["kernel"]) if head["kernel"] else []
    for name, part in _parts(head):
        first = part["first_exceeding"]
        if first is None:
            continue
        number = part["exceeding"]
        number_of = counted(part["elements"], "element")
        value, expected = first["found"], f"{first['expected']:.{digits}g}"
        found = "a value that is not finite" if value is None else f"{value:.{digits}g}"
        column = "" if first["column"] is None else f", column {first['column']}"
        sentences.append(
            f"{number:,} of {number_of} of {name} {agreeing(number, *EXCEED)},"
            f" {kernel_text.at(number)} row {first['row']}{column}: found {found}, expected"
            f" {expected}, error {error(first['error'])}, bound {error(first['bound'])}"
        )
    if not head["certified"]:
        sentences.append(
            "scores are so large that their errors leave it open how near each is to the others;"
            " the bound is the range of the values, and passing says little"
        )
    return [f"head {head['head']}: {sentence}" for sentence in sentences]


def _scrambled(document: dict[str, Any]) -> list[str]:
    """Name a mistake of saving that makes most of a right answer wrong, and leaves no trace."""
    outputs = [head["output"] for head in document["heads"] if not head["explained"]]
    most = any(part and part["exceeding"] > MOSTLY * part["elements"] for part in outputs)
    if document["judged"] == "computed" or not most:
        return []
    return wrapped(
        "so much is also wrong where a transposed array was saved as it was, for safetensors'"
        " save_file scrambles it and leaves no trace: save np.ascontiguousarray(o), and q, k, v"
        " alike; or where a kernel computes in less precision than its recipe says: --recipe names"
        " another"
    )


def _blind(heads: list[Head]) -> list[str]:
    """Say what stands in rows that see no key."""
    rows = sum(head["blind_rows"] for head in heads)
    if not rows:
        return []
    kinds = sorted({kind for head in heads for kind in head["blind"]})
    found = f"; found there: {' and '.join(kinds)}" if kinds else ""
    verb = agreeing(rows, "sees no key and is", "see no key and are")
    return wrapped(f"{counted(rows, 'row')} {verb} not judged{found}")


def _verdict(document: dict[str, Any]) -> str:
    heads, verdict = document["heads"], document["verdict"]
    parts = [part for head in heads for _, part in _parts(head)]
    elements = sum(part["elements"] for part in parts)
    if verdict in ("holds", "cannot show"):
        return f"{verdict}: all {counted(elements, 'element')} lie within their bounds"
    if verdict == "does not hold":
        number = sum(part["exceeding"] for part in parts)
        exceed = agreeing(number, *EXCEED)
        return f"does not hold: {number:,} of {counted(elements, 'element')} {exceed}"
    concerned = sum(head["verdict"] == verdict for head in heads)
    return f"not certified: {concerned:,} of {counted(len(heads), 'head')}, for the reasons above"
