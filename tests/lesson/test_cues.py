"""Where words break: at phrases, where a speaker would breathe."""

from fusedfacts.lesson import scenes
from fusedfacts.lesson.cues import break_words
from fusedfacts.prose import marks

BREAKS = {
    ("The plain way takes three passes,", "each of them a kernel of its own."),
    ("Nobody asked to see that table.", "We only wanted the answers."),
    ("When a larger score comes,", "shrink the total to match, and go on."),
    ("About 16.5 times as much:", "272.5 MiB against 16.5,"),
    ("Of 96 answers, 31 came out wrong,", "on all four heads: 8, 9, 6, 8."),
}


def anything(length):
    return True


def test_the_film_s_own_lines_break_where_a_speaker_breathes(film):
    assert {tuple(cue["lines"]) for scene in film["scenes"] for cue in scene["cues"]} >= BREAKS


def test_no_line_parts_a_number_from_its_unit_or_ends_with_a_word_that_leans_on_the_next(film):
    for scene in film["scenes"]:
        for line in (line for cue in scene["cues"] for line in cue["lines"]):
            assert not line.startswith(("MiB", "words ", "numbers ", "times "))
            assert line.split()[-1].lower() not in {"a", "an", "the", "of", "our", "its"}, line


def test_a_word_longer_than_a_line_cannot_be_broken():
    assert break_words(["x" * 43], anything) == []


def test_a_pause_ends_its_cue():
    words = f"How many?{scenes.PAUSE} Four.".split()
    assert [(cue.lines, cue.waits) for cue in break_words(words, anything)] == [
        (("How many?",), True),
        (("Four.",), False),
    ]


def test_words_that_are_quoted_keep_their_claims_through_breaking():
    words = ["all", marks.mark("model.heads", "word", "four"), "heads"] * 12
    found = break_words(words, anything)
    assert sum(len(marks.quoted(line)) for cue in found for line in cue.lines) == 12
