"""What is claimed of heads of one's own."""

from __future__ import annotations

from typing import Any

from fusedfacts.claims.claim import CHOSEN, MILAKOV, Claim, Group
from fusedfacts.experiments.attention import LABELS
from fusedfacts.experiments.control import CANNOT_SHOW

FILE = ("heads.file", "heads.causal")
FILE_GROUP = Group(
    "fusedfacts.experiments.heads.compute",
    FILE,
    "The file is held against its hash, and its tensors against what is judged.",
    "Where its numbers came from nobody has looked at.",
)
ONE_PASS = Group(
    "fusedfacts.experiments.heads.one_pass",
    FILE,
    "Every share is held against a float64 softmax, within a bound derived for that share; rises"
    " are counted as they come, and what the law expects is exact arithmetic.",
    "It holds for these rows in this order of arithmetic; the law is for scores in random order,"
    " and these need not follow it.",
    MILAKOV,
)
ATTENTION = Group(
    "fusedfacts.experiments.heads.head_results",
    (*FILE, "settings.model_key_rows"),
    "Every element is held against a float64 answer, within the bound derived for that element.",
    "It is about the emulated kernels on these heads, not about the program that made the heads.",
)
CONTROL = Group(
    "fusedfacts.experiments.heads.broken_rescale",
    (*FILE, "settings.control_key_rows"),
    "The right answer passes the same check that the broken answer is put to; answers whose "
    "largest score lies in the first tile equal the right answer in every bit.",
    "A fault that goes unseen on a head says nothing against the checker: where every largest score"
    " lies in the first key tile the fault changes nothing.",
)
OVERFLOW = Group(
    "fusedfacts.experiments.heads.overflow",
    FILE,
    "The thresholds are had by exact arithmetic; scores are float32 in the contract's order.",
    "It counts what would happen without subtracting the maximum; no kernel here leaves that out.",
)
WHOLE = f"""
heads | The file of own heads holds {{}} heads. | heads | {CHOSEN}
n | Each own head has {{}} words. | words | {CHOSEN}
d | Each own head has {{}} numbers a word. | numbers | {CHOSEN}
"""
TOTALS = """
certified | The bound is certified on {} of the own heads; of others nothing is said of attention.
    | heads | #{heads whose bounds are certified}
"""
CAUGHT = f"""
caught | The checker caught the missing rescale on {{}} of the own heads. | heads
    | #{{heads with an element |x^ - x| > bound}}
cannot_show | On {{}} of the own heads {CANNOT_SHOW}. | heads | #{{heads whose maxima never rise}}
"""
ROWS = """
rises | In $what the running maximum rises {} times. | rises
    | #{scores above all before them, but each row's first}
rises_by_record_law | Were the scores of each row of own head $h in random order, about {} rises
    would be expected. | rises | sum over rows of (sum of 1 / i for i from 1) - 1
"""
SURE = """
certified | The bounds of own head $h are certified: {}. | verdict
    | in every row theta or the range of the values is small
"""
BROKEN = """
rows | With the total not rescaled, {} answers of own head $h were checked. | rows | n
rows_wrong | With the total not rescaled, {} answers of own head $h are wrong. | rows
    | #{rows with an element |x^ - x| > bound}
elements_wrong | With the total not rescaled, {} elements of own head $h are wrong. | elements
    | #{elements with |x^ - x| > bound}
rows_maximum_in_first_tile | {} answers of own head $h have their largest score in the first key
    tile, and stay equal to the right ones in every bit. | rows | #{rows whose maximum never rises}
rows_late_maximum_but_passing | With the total not rescaled, {} answers of own head $h pass although
    their largest score lies in a later tile. | rows
    | #{rows whose maximum rises and all |x^ - x| <= bound}
caught | The missing rescale is caught on own head $h: {}. | verdict
    | |x^ - x| > bound for some element
cannot_show | Own head $h cannot show a missing rescale, for no maximum rises after the first key
    tile: {}. | verdict | no maximum rises after the first key tile
"""
WORST = """
worst_ratio | With the total not rescaled, the worst error on own head $h is at most {} times its
    bound. | 1 | max (|x^ - x| / bound)
"""
LOST = """
scores | Own head $h has {} scores. | scores | $scores
largest_score | The largest score of own head $h is about {}. | 1 | max score
infinite_terms | e to {} of the scores of own head $h would be infinite in fp16 without subtracting
    the maximum. | scores | #{scores >= ln((2 - 2^-11) 2^15)}
rows_with_infinite_term | {} rows of own head $h hold a term that would be infinite in fp16. | rows
    | #{rows with a score >= ln((2 - 2^-11) 2^15)}
rows_overflowing_in_total_only | {} rows of own head $h have finite fp16 terms and an infinite
    total. | rows | #{rows with finite terms and sum of fp16(e^score) >= (2 - 2^-11) 2^15}
overflowing_float32 | {} scores of own head $h are infinite in float32 already. | scores
    | #{scores that are not finite}
"""
SCORES = {True: "n (n + 1) / 2", False: "n^2"}  # causal or not


def head_claims(h: int, head: dict[str, Any], causal: bool) -> list[Claim]:
    """Claim what one head gave, and nothing of what it could not."""
    at, words = f"heads.head{h}", {"h": h, "scores": SCORES[causal]}
    found = ATTENTION.table(f"{at}.{{}}", SURE, head, words)
    found += OVERFLOW.table(f"{at}.overflow.{{}}", LOST, head["overflow"], words)
    if head["online"] is not None:
        what = f"one-pass softmax on the rows of own head {h}"
        found += ONE_PASS.compared(f"{at}.online", what, head["online"])
        found += ONE_PASS.table(f"{at}.online.{{}}", ROWS, head["online"], {"what": what, "h": h})
    for label, seen in (head["attention"] or {}).items():
        method, *rows = label.split("_")
        what = f"{LABELS[method].format(*rows)} on own head {h}"
        found += ATTENTION.compared(f"{at}.{label}", what, seen)
    if head["control"] is not None:
        found += CONTROL.table(f"{at}.control.{{}}", BROKEN, head["control"], words)
        found += CONTROL.table(f"{at}.control.{{}}", WORST, head["control"], words, bounded=True)
    return found


def claims(section: dict[str, Any]) -> list[Claim]:
    """Claim the sizes of the file, what each head gave, and on how many it did."""
    heads = section["heads"]
    controls = [head["control"] for head in heads if head["control"] is not None]
    found = FILE_GROUP.table("heads.{}", WHOLE, {**section, "heads": len(heads)})
    certified = {"certified": sum(head["certified"] for head in heads)}
    found += ATTENTION.table("heads.{}", TOTALS, certified)
    counts = {key: sum(one[key] for one in controls) for key in ("caught", "cannot_show")}
    found += CONTROL.table("heads.{}", CAUGHT, counts)
    for h, head in enumerate(heads):
        found += head_claims(h, head, section["causal"])
    return found
