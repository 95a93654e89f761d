"""The language of the model: sentences of 24 words whose later words hang on earlier ones.

A sentence opens with a subject (its number, place, job), a load (a count, a container, a
good), and then recalls them: the pronoun and every verb agree with the subject, the count, the
container, the good and the home place come back by name. The opening has an optional phrase of
up to three words and optional adjectives, so nothing recalled stands at a fixed distance:
attention has to find it by what it is.

Run `PYTHONPATH=workflow python model/corpus.py` to write vocabulary.json and held_out.txt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from fusedfacts.numerics import rng

WORDS = 24  # words in a sentence
HELD_OUT = 256  # sentences held out
HELD_OUT_SHARE = 16  # one sentence of 16 is never trained on
SEED = 23

OPENINGS = ["", "tonight", "at dusk", "before the tide"]
ADJECTIVES = ["old", "young", "quiet", "tall"]
JOBS = ["keeper", "sailor", "baker", "painter", "miller"]
PLACES = ["harbour", "island", "village", "market", "station", "valley"]
CARRY = ["bring", "send", "haul"]
COUNTS = ["two", "three", "four", "five", "six", "seven"]
CONTAINERS = ["crates", "barrels", "baskets"]
GOODS = ["salmon", "herring", "apples", "candles", "rope", "salt"]
JOINTS = ["and", "then"]
CLOSINGS = ["", "again", "slowly"]


def verb(stem: str, plural: bool) -> str:
    """The stem for a plural subject, with its s for a singular one."""
    return stem if plural else stem + "s"


class Stream:
    """A seeded stream of 32-bit words, read one draw after another."""

    def __init__(self, seed: int, stream: int) -> None:
        self._seed, self._stream, self._next = seed, stream, 0
        self._words: list[int] = []

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1 (its bias, limit / 2**32, does not matter here)."""
        if self._next == len(self._words):
            self._words = rng.words(self._seed, self._stream, 2 * self._next or 4096).tolist()
        word = self._words[self._next]
        self._next += 1
        return word * limit >> 32

    def choice(self, options: Sequence[str]) -> str:
        """One of the options, each as likely as any other."""
        return options[self.below(len(options))]


def draw(stream: Stream) -> list[str]:
    """One sentence of any length, as a list of words."""
    plural = stream.below(2) == 1
    adjective = stream.choice(ADJECTIVES) if stream.below(2) else ""
    job = stream.choice(JOBS) + ("s" if plural else "")
    home, away = stream.choice(PLACES), stream.choice(PLACES)
    count, container, good = (stream.choice(x) for x in (COUNTS, CONTAINERS, GOODS))
    pronoun = "they" if plural else "she"
    text = [
        f"{stream.choice(OPENINGS)} the {adjective} {job} from {home}",
        f"{verb(stream.choice(CARRY), plural)} {count} {container} of {good}",
        f"to {away}" if stream.below(2) else "",
    ]
    recalls = [
        f"{verb('count', plural)} {count} {container}",
        f"{verb('seal', plural)} the {good}",
        f"{verb('return', plural)} to {home}",
        f"{verb('sleep', plural)}",
        f"{verb('dream', plural)} of {good}",
    ]
    for _ in range(2 + stream.below(3)):
        recall = recalls.pop(stream.below(len(recalls)))
        who = pronoun if stream.below(2) else f"the {adjective} {job}"
        text.append(f"{stream.choice(JOINTS)} {who} {recall}")
    text.append(stream.choice(CLOSINGS))
    return " ".join(text).split()


def is_held_out(sentence: list[str]) -> bool:
    """Whether a sentence belongs to the held-out side: a property of its text alone.

    So no training run can meet a held-out sentence, however it is seeded.
    """
    digest = hashlib.sha256(" ".join(sentence).encode()).digest()
    return digest[0] % HELD_OUT_SHARE == 0


def sentences(seed: int, *, held_out: bool) -> Iterator[list[str]]:
    """Endless sentences of exactly `WORDS` words from one side of the split."""
    stream = Stream(seed, stream=int(held_out))
    while True:
        sentence = draw(stream)
        if len(sentence) == WORDS and is_held_out(sentence) == held_out:
            yield sentence


def held_out_sentences() -> list[list[str]]:
    """The first 256 different held-out sentences."""
    found: dict[str, list[str]] = {}
    for sentence in sentences(SEED, held_out=True):
        found.setdefault(" ".join(sentence), sentence)
        if len(found) == HELD_OUT:
            return list(found.values())
    raise AssertionError("the generator is endless")


def vocabulary() -> list[str]:
    """Every word that the grammar can say, sorted; a word's id is its place in the list."""
    stems = [*CARRY, "count", "seal", "return", "sleep", "dream"]
    verbs = [verb(stem, plural) for stem in stems for plural in (False, True)]
    jobs = [job + ending for job in JOBS for ending in ("", "s")]
    rest = ["the", "from", "of", "to", "she", "they"]
    openings = " ".join(OPENINGS).split()
    lists = [ADJECTIVES, PLACES, COUNTS, CONTAINERS, GOODS, JOINTS, [w for w in CLOSINGS if w]]
    return sorted({*verbs, *jobs, *rest, *openings, *(word for words in lists for word in words)})


def main() -> None:
    folder = Path(__file__).parent
    lines = [" ".join(sentence) for sentence in held_out_sentences()]
    (folder / "held_out.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    text = json.dumps(vocabulary(), indent=1, ensure_ascii=False) + "\n"
    (folder / "vocabulary.json").write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(lines)} held-out sentences, {len(vocabulary())} words")


if __name__ == "__main__":
    main()
