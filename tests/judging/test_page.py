"""docs/judge.md: its examples run and say what stands there; that of torch is in `tests/real/`."""

import shlex

import pytest
from support import asked, judge_page
from support.common import ROOT


def test_the_kernel_holds_and_at_another_scale_it_is_told_as_shown():
    (_, code), (_, shown) = judge_page.blocks("My kernel's test")
    names = {}
    exec(code, names)  # noqa: S102
    for n in (33, 200):
        names["test_mine"](n)
    with pytest.raises(AssertionError) as caught:
        names["test_mine"](33, scale=65**-0.5)
    assert judge_page.says(str(caught.value), shown)


@pytest.mark.parametrize(("which", "code"), [(0, 2), (1, 1), (2, 1)])
def test_the_file_is_answered_as_shown(capsys, monkeypatch, which, code):
    found = judge_page.blocks("Somebody else's file")[2 * which : 2 * which + 2]
    (_, command), (_, shown) = found
    program, name, *words = shlex.split(command)
    assert (program, name) == ("fusedfacts", "check")
    monkeypatch.chdir(ROOT)
    answered, out, err = asked.answered(capsys, *words)
    assert answered == code
    assert judge_page.says(out + err, shown)


def test_what_is_not_said_is_not_taken_for_shown():
    assert judge_page.says("a 1 b\n  c", "a ... b\nc")
    assert not judge_page.says("a 1 b\n  d", "a ... b\nc")
    assert not judge_page.says("c\na 1 b", "a ... b\nc")
