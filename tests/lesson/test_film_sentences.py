"""What the film says, held to numbers that are computed here and not quoted by anything."""

import math
import re

import pytest
from fusedfacts.attention import problem, traffic

MIB = 2**20


@pytest.fixture(scope="module")
def told(film):
    """All words of the film, without its line breaks."""
    return " ".join(" ".join(cue["lines"]) for scene in film["scenes"] for cue in scene["cues"])


def shown(value):
    return f"{value:,.1f}".removesuffix(".0")


def mib(way, d):
    return shown(traffic.total_bytes(getattr(traffic, way)(4096, d)) / MIB)


@pytest.mark.parametrize("d", [64, 16])
def test_each_way_has_its_own_count(told, d):
    assert (
        f"the plain way moves {mib('unfused', d)} MiB, and the fused way {mib('fused', d)}." in told
    )


def test_each_tile_has_its_head_dimension(told):
    assert f"it holds {problem.query_rows(64)} questions" in told
    assert f"With 16 numbers a word, {problem.query_rows(16)} questions fit." in told


def test_the_table_and_its_crossings(told):
    assert "The plain way takes three passes" in told
    assert "through the warehouse door four times" in told
    size = shown(traffic.table_bytes(4096) / MIB)
    assert f"For 4,096 words, the table of a single head is {size} MiB of 32-bit numbers" in told


def test_the_question_has_its_answer(told):
    unfused, fused = (
        traffic.total_bytes(way(4096, 16)) for way in (traffic.unfused, traffic.fused)
    )
    assert "Take 4,096 words, 16 numbers a word." in told
    assert f"About {unfused / fused:.1f} times as much" in told


def test_who_showed_what_and_when(told):
    assert "In 2018, Milakov and Gimelshein showed" in told
    assert "FlashAttention, by Tri Dao and others in 2022" in told


def test_the_forgotten_step(told, facts):
    heads = facts["control"]["heads"]
    wrong = [sum(head["row_is_wrong"]) for head in heads]
    rows = sum(len(head["row_is_wrong"]) for head in heads)
    each = ", ".join(map(str, wrong))
    assert f"Of {rows} answers, {sum(wrong)} came out wrong, on all four heads: {each}." in told
    assert f"{rows - sum(wrong)} of them: those whose largest score lies in the first tile" in told
    assert f"the first tile of {facts['control']['key_rows']} words, and only those" in told
    for head in heads:
        assert head["row_is_wrong"] == head["row_has_late_maximum"]


def test_what_fp16_holds(told):
    assert "fp16, a 16-bit format, ends at 65,504" in told
    assert f"at a score of about {math.log(65504):.4f}," in told
    assert f"from about {math.log(65520):.4f} on, e to it rounds to infinity" in told
    score, power = re.search(
        r"on any head, is ([\d.]+)\. e to that, in fp16, is ([\d,]+)\.", told
    ).groups()
    assert math.isclose(math.exp(float(score)), int(power.replace(",", "")), rel_tol=2**-10)


def test_the_held_out_scores(told, facts):
    """24 words a sentence, 4 heads, 256 sentences, each word looking back."""
    assert "of 307,200 scores would be infinity" in told
    assert 307_200 == 256 * 4 * 24 * 25 // 2
    beyond = sum(
        count
        for edge, count in zip(
            facts["overflow"]["histogram"]["edges"],
            facts["overflow"]["histogram"]["counts"],
            strict=False,
        )
        if edge >= 12
    )
    infinite = int(re.search(r"e to (\d+) of 307,200", told)[1])
    near = facts["overflow"]["histogram"]["counts"][
        facts["overflow"]["histogram"]["edges"].index(11)
    ]
    assert beyond <= infinite <= beyond + near


def test_the_extra_arithmetic(told):
    fused, unfused = (
        arithmetic(4096, 64)
        for arithmetic in (traffic.fused_arithmetic, traffic.unfused_arithmetic)
    )
    more = fused["exps"] - unfused["exps"]
    assert f"with 64 numbers a word, {more:,} more powers of e" in told
