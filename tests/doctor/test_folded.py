"""Sentences in a terminal of any width."""

import pytest
from fusedfacts.doctor.folded import folded

TEXT = "the first few words; run `a long command that stays whole`, then `b`, and `an open end"


@pytest.mark.parametrize("columns", [1, 20, 40, 80, 1000])
def test_no_line_is_longer_than_it_must_be_and_nothing_is_lost(columns):
    lines = folded("- ", TEXT, columns)
    assert " ".join(line[2:] for line in lines) == TEXT
    assert lines[0].startswith("- ")
    assert all(line.startswith("  ") and line[2] != " " for line in lines[1:])
    assert "`a long command that stays whole`," in "\n".join(lines)
    for line in lines:
        assert len(line) <= columns or "`a long" in line or " " not in line[2:]


def test_without_words_only_the_label_is_left():
    assert folded("browser  ", "", 20) == ["browser"]
