"""What the film says, held to numbers that are computed here and not quoted by anything."""

import math
import re

import pytest
from fusedfacts.attention import problem, traffic

MIB = 2**20


@pytest.fixture(scope="module")
def words(film):
    """All words of the film, without its line breaks."""
    return " ".join(" ".join(cue["lines"]) for scene in film["scenes"] for cue in scene["cues"])


def mib(size):
    return f"{size / MIB:,.1f}".removesuffix(".0")


def moved(d):
    """Bytes of the plain way and of the fused one."""
    return [traffic.total_bytes(way(4096, d)) for way in (traffic.unfused, traffic.fused)]


def test_each_method_has_its_own_count(words):
    unfused, fused = map(mib, moved(64))
    assert f"the plain way moves {unfused} MiB, and the fused way {fused}." in words
    unfused, fused = map(mib, moved(16))
    assert f"times as much: {unfused} MiB against {fused}, for answers" in words


def test_each_tile_has_its_head_dimension(words):
    assert f"it holds {problem.query_rows(64)} questions" in words
    assert f"With 16 numbers a word, {problem.query_rows(16)} questions fit." in words


def test_the_table_and_its_crossings(words):
    assert "The plain way takes three passes" in words
    assert "through the warehouse door four times" in words
    size = mib(traffic.table_bytes(4096))
    # The words look back, the count is of the full table.
    table = f"a single head's table, later words counted too, is {size} MiB of 32-bit numbers"
    assert f"For 4,096 words, {table}" in words


def test_the_question_has_its_answer(words):
    unfused, fused = moved(16)
    assert "With 16 numbers a word, 128 questions fit. With 4,096 such words, how many" in words
    assert f"About {unfused / fused:.1f} times as much" in words


def test_the_forgotten_step(words, facts):
    heads = facts["control"]["heads"]
    wrong = [sum(head["row_is_wrong"]) for head in heads]
    rows = sum(len(head["row_is_wrong"]) for head in heads)
    each = ", ".join(map(str, wrong))
    assert f"Of {rows} answers, {sum(wrong)} came out wrong, on all four heads: {each}." in words
    assert f"{rows - sum(wrong)} of them: those whose largest score lies in the first tile" in words
    assert f"the first tile of {facts['control']['key_rows']} words, and only those" in words
    for head in heads:
        assert head["row_is_wrong"] == head["row_has_late_maximum"]


def test_what_fp16_holds(words):
    assert "fp16, a 16-bit format, ends at 65,504" in words
    assert f"at a score of about {math.log(65504):.4f}," in words
    assert f"from about {math.log(65520):.4f} on, e to it rounds to infinity" in words
    said = re.search(r"on any head, is ([\d.]+)\. e to that, in fp16, is ([\d,]+)\.", words)
    score, power = said.groups()
    assert math.isclose(math.exp(float(score)), int(power.replace(",", "")), rel_tol=2**-10)


def test_the_held_out_scores(words, facts):
    """24 words a sentence, 4 heads, 256 sentences, each word looking back."""
    assert "of 307,200 scores would be infinity" in words
    assert 307_200 == 256 * 4 * 24 * 25 // 2
    histogram = facts["overflow"]["histogram"]
    counts = dict(zip(histogram["edges"], histogram["counts"], strict=False))
    beyond = sum(count for edge, count in counts.items() if edge >= 12)
    infinite = int(re.search(r"e to (\d+) of 307,200", words)[1])
    assert beyond <= infinite <= beyond + counts[11]


def test_the_extra_arithmetic(words):
    fused, unfused = traffic.fused_arithmetic(4096, 64), traffic.unfused_arithmetic(4096, 64)
    more = fused["exps"] - unfused["exps"]
    assert f"with 4,096 words of 64 numbers, {more:,} powers of e more than the plain" in words
