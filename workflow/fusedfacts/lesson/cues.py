"""Breaking words into cues of at most two lines, where a speaker would take a breath.

Every way of breaking costs something, and the cheapest of all is taken (dynamic programming over
the words, as a typesetter breaks paragraphs: Knuth and Plass 1981).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from fusedfacts.lesson import timeline
from fusedfacts.lesson.scenes import PAUSE
from fusedfacts.prose import marks

# What a break after a word costs. Only their order matters much.
SENTENCE, CLAUSE, COMMA, PHRASE, ANYWHERE, CLOSE_KNIT = 0.0, 1.0, 2.0, 6.0, 14.0, 60.0
CUE = 4.0  # each cue: few long ones read better than many short ones
LINE = 1.0  # a second line: one line is quicker to take in
UNEVEN = 0.15  # for each character by which a cue's lines differ
WITHIN = 12.0  # a sentence that ends within a cue and lets the next one begin there
INSIDE = 6.0  # a sentence that begins within a line rather than at its start
NEVER = float("inf")

# A phrase begins with these; a break before one is natural.
OPENERS = frozenset(
    (
        "and or but so that which where when while with without of in on by for to from at as"
        " than over into between is are was were comes lies moves takes before whose until"
    ).split()
)
# These lean on the next word.
LEANERS = frozenset(
    (
        "a an the our your its his their this that those each every no of in on by for to"
        " from at as than with without is are not all more about only e largest single largest"
        " running own tri some and or but so whole"
    ).split()
)


@dataclass(frozen=True)
class Cue:
    """The marked lines of a cue, and whether the film waits after it."""

    lines: tuple[str, ...]
    waits: bool

    @property
    def length(self) -> int:
        """Characters that a viewer reads; a line's end counts as one."""
        return len(marks.plain("\n".join(self.lines)))


@cache
def _length(word: str) -> int:
    return len(marks.plain(word).rstrip(PAUSE))


def seen(words: Sequence[str]) -> int:
    """Characters of words in a line."""
    return sum(map(_length, words)) + len(words) - 1


@cache
def ends_sentence(word: str) -> bool:
    """Whether a sentence ends with a marked word."""
    return marks.plain(word).rstrip(PAUSE)[-1] in ".?!"


@cache
def break_cost(word: str, following: str) -> float:
    """What it costs to break between two marked words.

    >>> break_cost("door,", "and"), break_cost("the", "door")
    (2.0, 60.0)
    """
    shown, after = marks.plain(word), marks.plain(following)
    if ends_sentence(word):
        return SENTENCE
    if shown[-1] in ":;":
        return CLAUSE
    if shown[-1] == ",":
        return COMMA
    numeral = word.endswith(marks.CLOSE)
    if numeral or shown.lower() in LEANERS or (after[0].isdigit() and shown.isalnum()):
        return CLOSE_KNIT
    return PHRASE if after.lower().strip(",.:;") in OPENERS else ANYWHERE


def _inside(line: Sequence[str]) -> float:
    return INSIDE * sum(map(ends_sentence, line[:-1]))


def _layout(words: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    """The cheapest lines for the words of a cue."""
    best: tuple[float, tuple[str, ...]] = (NEVER, ())
    if seen(words) <= timeline.LINE_CHARACTERS:
        best = (_inside(words), (" ".join(words),))
    for cut in range(1, len(words)):
        upper, lower = words[:cut], words[cut:]
        if max(seen(upper), seen(lower)) > timeline.LINE_CHARACTERS:
            continue
        cost = LINE + break_cost(words[cut - 1], words[cut])
        cost += UNEVEN * abs(seen(upper) - seen(lower)) + _inside(upper) + _inside(lower)
        if cost < best[0]:
            best = (cost, (" ".join(upper), " ".join(lower)))
    return best


def cues(words: Sequence[str], allowed: Callable[[int], bool]) -> list[Cue]:
    """The words as cues.

    Parameters
    ----------
    words : sequence of str
        Marked words of a scene.
    allowed : callable
        Whether a cue may have so many characters: what a viewer has time for decides.

    Returns
    -------
    list of Cue
        Empty if the words cannot be broken so.
    """

    @cache
    def best(start: int) -> tuple[float, tuple[Cue, ...]]:
        if start == len(words):
            return 0.0, ()
        cheapest: tuple[float, tuple[Cue, ...]] = (NEVER, ())
        for end in range(start + 1, len(words) + 1):
            part = words[start:end]
            if seen(part) > timeline.LINES * timeline.LINE_CHARACTERS:
                break
            if any(word.endswith(PAUSE) for word in part[:-1]):
                break
            cost, lines = _layout(part)
            if cost == NEVER or not allowed(seen(part)):
                continue
            cost += CUE
            if end < len(words):
                cost += 2 * break_cost(words[end - 1], words[end])
            if not ends_sentence(part[-1]):
                cost += WITHIN * sum(map(ends_sentence, part[:-1]))
            rest, following = best(end)
            if cost + rest < cheapest[0]:
                waits = part[-1].endswith(PAUSE)
                shown = tuple(line.replace(PAUSE, "") for line in lines)
                cheapest = (cost + rest, (Cue(shown, waits), *following))
        return cheapest

    return list(best(0)[1])
