"""Numbers and words for people: plurals, lines of a terminal's width, the order of ids."""

import pytest
from fusedfacts import terminal
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (10**6, "1,000,000 rows")]
)
def test_only_one_is_singular(number, said):
    assert terminal.counted(number, "row") == said


@given(st.lists(st.text("abc-", min_size=1, max_size=70), min_size=1))
def test_a_wrapped_sentence_keeps_its_words_and_the_width(parts):
    lines = terminal.wrapped(" ".join(parts))
    assert " ".join(line.strip() for line in lines) == " ".join(parts)
    assert max(map(len, lines)) <= terminal.WIDTH
    assert all(line.startswith(terminal.INDENT) for line in lines[1:])


def test_a_long_figure_stays_whole():
    figure = f"{10**80:,}"
    assert figure in [line.strip() for line in terminal.wrapped(f"{'word ' * 9}{figure} bytes")]


@given(st.lists(st.integers(0, 10**9)))
def test_numbers_within_words_are_in_their_own_order(numbers):
    ids = [f"traffic.n{number}.d16" for number in numbers]
    assert sorted(ids, key=terminal.natural) == [f"traffic.n{n}.d16" for n in sorted(numbers)]


@given(st.lists(st.text("a1.")))
def test_any_ids_can_be_compared(ids):
    assert sorted(sorted(ids, key=terminal.natural)) == sorted(ids)
