"""Breaking words into cues of at most two lines, where a speaker would take a breath.

Every way of breaking costs something, and the cheapest of all is taken (dynamic programming over
the words, as a typesetter breaks paragraphs: Knuth and Plass 1981).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

from fusedfacts.lesson.scenes import PAUSE
from fusedfacts.prose import marks

LEAST_MS, MOST_MS = 1600, 7000  # of a cue
MOST_CHARACTERS_A_SECOND = 17
LINE_CHARACTERS = 42
LINES = 2

# What a break after a word costs. Only their order matters much.
SENTENCE, CLAUSE, COMMA, PHRASE, ANYWHERE, CLOSE_KNIT = 0.0, 1.0, 2.0, 6.0, 14.0, 60.0
CUE = 4.0  # each cue: few long ones read better than many short ones
LINE = 1.0  # a second line: one line is quicker to take in
UNEVEN = 0.15  # for each character by which a cue's lines differ
WITHIN = 12.0  # a sentence that ends within a cue and lets the next one begin there
INSIDE = 6.0  # a sentence that begins within a line rather than at its start
NEVER = float("inf")

# A phrase begins with these; a break before one is natural.
OPENERS = """and or but so that which where when while with without of in on by for to from at as
than over into between is are was were comes lies moves takes before whose until""".split()
# These lean on the next word.
LEANERS = """a an the our your its his their this that those each every no of in on by for to from
at as than with without is are not all more about only e largest single running own tri some and or
but so whole""".split()


@dataclass(frozen=True)
class Cue:
    """The marked lines of a cue, and whether the film waits after it."""

    lines: tuple[str, ...]
    waits: bool

    @property
    def length(self) -> int:
        """Count the characters that a viewer reads; a line's end counts as one."""
        return len(marks.plain("\n".join(self.lines)))

    def readable(self, ms: int) -> bool:
        """Tell whether a viewer has time for it, whatever the rounding to milliseconds did."""
        return LEAST_MS <= ms <= MOST_MS and 1000 * self.length <= MOST_CHARACTERS_A_SECOND * ms


@cache
def _length(word: str) -> int:
    return len(marks.plain(word).rstrip(PAUSE))


def line_length(words: Sequence[str]) -> int:
    """Count the characters of words in a line."""
    return sum(map(_length, words)) + len(words) - 1


@cache
def ends_sentence(word: str) -> bool:
    """Tell whether a sentence ends with a marked word."""
    return marks.plain(word).rstrip(PAUSE)[-1] in ".?!"


@cache
def break_cost(word: str, following: str) -> float:
    """Rate a break between two marked words.

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
    """Lay a cue's words out in the cheapest lines."""
    layouts: list[tuple[float, tuple[str, ...]]] = [(NEVER, ())]
    if line_length(words) <= LINE_CHARACTERS:
        layouts.append((_inside(words), (" ".join(words),)))
    for cut in range(1, len(words)):
        upper, lower = words[:cut], words[cut:]
        lengths = line_length(upper), line_length(lower)
        if max(lengths) <= LINE_CHARACTERS:
            cost = LINE + break_cost(words[cut - 1], words[cut])
            cost += UNEVEN * (max(lengths) - min(lengths)) + _inside(upper) + _inside(lower)
            layouts.append((cost, (" ".join(upper), " ".join(lower))))
    return min(layouts, key=itemgetter(0))


def break_words(words: Sequence[str], allowed: Callable[[int], bool]) -> list[Cue]:
    """Break the marked words of a scene into cues; none if they cannot be broken so.

    What a viewer has time for decides whether a cue may have so many characters (`allowed`).
    """

    @cache
    def best(start: int) -> tuple[float, tuple[Cue, ...]]:
        if start == len(words):
            return 0.0, ()
        breaks: list[tuple[float, tuple[Cue, ...]]] = [(NEVER, ())]
        for end in range(start + 1, len(words) + 1):
            part = words[start:end]
            waits = part[-1].endswith(PAUSE)
            cost, lines = _layout(part)
            if cost < NEVER and allowed(line_length(part)):
                cost += CUE
                if end < len(words):
                    cost += 2 * break_cost(words[end - 1], words[end])
                if not ends_sentence(part[-1]):
                    cost += WITHIN * sum(map(ends_sentence, part[:-1]))
                rest, following = best(end)
                cue = Cue(tuple(line.replace(PAUSE, "") for line in lines), waits)
                breaks.append((cost + rest, (cue, *following)))
            if waits or line_length(part) > LINES * LINE_CHARACTERS:
                break
        return min(breaks, key=itemgetter(0))

    return list(best(0)[1])
