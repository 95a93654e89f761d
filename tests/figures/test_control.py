"""The control's grid: as many marks of each shape as the facts have answers."""

import pytest
from fusedfacts.figures import control
from support import drawn


def marks(root):
    """Answers by verdict, the key's own three left out."""
    return [
        len(drawn.having(root, "circle", "right")) - 1,
        len(drawn.having(root, "g", "wrong")) - 1,
        len(drawn.having(root, "path", "m3")) - 1,
    ]


@pytest.mark.parametrize("variant", ["published", "calm", "passing"])
def test_marks_are_as_many_as_the_facts_say(facts, variant):
    facts = drawn.VARIANTS[variant](facts)
    heads = facts["control"]["heads"]
    wrong = sum(head["rows_wrong"] for head in heads)
    late = sum(head["rows_late_maximum_but_passing"] for head in heads)
    rows = sum(head["rows"] for head in heads)
    root = drawn.parsed(control.draw(facts))
    assert marks(root) == [rows - wrong - late, wrong, late]
    for total, name in zip(marks(root), control.NAMES, strict=True):
        assert f"{total} {name}" in drawn.words(root)


def test_each_wrong_answer_stands_beside_its_word_and_below_its_head(facts):
    root = drawn.parsed(control.draw(facts))
    sentence = facts["model"]["probe"]["sentence"].split()
    rows = [
        float(e.get("y")) - 4
        for e in root.iter("text")
        if e.get("text-anchor") == "end" and e.text in sentence
    ]
    assert len(rows) == len(sentence)
    found = {
        (left + width / 2, top + height / 2)
        for group in drawn.having(root, "g", "wrong")
        for left, top, width, height in drawn.boxes(group, "m0")
    }
    for h, head in enumerate(facts["control"]["heads"]):
        x, _ = drawn.place(root, f"head {h}")
        for y, wrong in zip(rows, head["row_is_wrong"], strict=True):
            near = [p for p in found if p == pytest.approx((x, y), abs=0.2)]
            assert len(near) == wrong


def test_edges_stand_between_the_tiles_and_counts_below_each_head(facts):
    root = drawn.parsed(control.draw(facts))
    assert len(drawn.having(root, "path", "edge")) == 2
    assert "key tile 3" in drawn.words(root)
    counts = [str(head["rows_wrong"]) for head in facts["control"]["heads"]]
    assert drawn.words(root, "strong") == counts
