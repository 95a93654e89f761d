"""Real kernels and the matrix of rules: a mark for each verdict, a number for each cell."""

from fusedfacts.figures import real, rules
from support import drawn


def test_every_judgement_has_a_mark_and_those_that_hold_stand_left_of_the_line(facts):
    root = drawn.parsed(real.draw(facts))
    judged = [each for call in facts["real"]["calls"].values() for each in call["judged"].values()]
    held = drawn.having(root, "g", "holds")
    assert len(held) == sum(each["holds"] for each in judged)
    rings = [ring for o in ("o0", "o1", "o2") for ring in drawn.having(root, "circle", o)]
    assert len(rings) == len(judged) - len(held) + 1  # and one in the key
    (line,) = drawn.having(root, "path", "frame")
    at = drawn.corners(line)[0][0]
    lefts = [float(disc.get("cx")) for group in held for disc in group.iter("circle")]
    assert lefts
    assert max(lefts) < at
    assert sum(float(ring.get("cx")) > at for ring in rings) == len(rings) - 1


def test_every_kernel_and_library_is_named(facts):
    text = drawn.words(drawn.parsed(real.draw(facts)))
    for call in facts["real"]["calls"].values():
        assert all(name in text for name in real.names(call))


def test_every_cell_of_the_matrix_shows_its_count_framed_where_a_rule_sees_alone(facts):
    root = drawn.parsed(rules.draw(facts))
    section = facts["rules"]
    counts = [
        count
        for faults in section["seen"].values()
        for of_fault in faults.values()
        for count in of_fault.values()
    ]
    cells = drawn.having(root, "g", "cell")
    assert sorted(int(cell.find("text").text) for cell in cells) == sorted(counts)
    alone = [
        count
        for faults in section["seen_by_it_alone"].values()
        for of_fault in faults.values()
        for count in of_fault.values()
    ]
    assert len(drawn.boxes(root, "frame")) == sum(count > 0 for count in alone)
    assert len(drawn.boxes(root, "band")) == sum(count > 0 for count in counts)


def test_every_rule_and_fault_is_named(facts):
    text = drawn.words(drawn.parsed(rules.draw(facts)))
    for name in (*facts["rules"]["rules"], *facts["rules"]["faults"]):
        assert name.replace("_", " ") in text
