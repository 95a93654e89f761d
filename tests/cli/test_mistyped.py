"""A mistyped command, option, choice, claim or pattern is told with what was probably meant."""

import pytest
from fusedfacts.cli.main import main
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest
from fusedfacts.tensor_check import header
from fusedfacts.tensor_check.safetensors_file import Entry

SIZE = "count --n 8 --d 16"


@pytest.mark.parametrize(
    ("words", "guess"),
    [
        ("cuont", "the command 'cuont' (did you mean count?), expected one of count, check"),
        ("CLAIM", "the command 'CLAIM' (did you mean claim"),
        ("--verison", "the option '--verison' (did you mean --version?)"),
        (f"{SIZE} --causl", "the option '--causl' (did you mean --causal?)"),
        (f"{SIZE} --emulated=yes", "the option '--emulated' (did you mean --emulate?)"),
        ("count -n 8 --d 16", "the option '-n' (did you mean --n?)"),
        (
            f"{SIZE} --method unfusde",
            "expected fused or kv_outer or unfused (did you mean unfused or fused?",
        ),
        ("claim control.rows_worng", "no id 'control.rows_worng' (did you mean control.rows_wrong"),
        ("claims trafic.*.n64.d16", "like 'trafic.*.n64.d16' (did you mean traffic.*.n64.d16?)"),
        ("claims contrl.head0", "like 'contrl.head0' (did you mean control.head0?)"),
    ],
)
def test_what_is_near_is_suggested(capsys, words, guess):
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert guess in err


def test_tensors_and_kernels_are_guessed_too():
    upper = {name: Entry("F32", (4, 16), 0) for name in "QKV"}
    with pytest.raises(FactsError, match=r"'K' \(did you mean k\?\)"):
        header.read(upper, {}, "x")
    with pytest.raises(FactsError, match=r"'sofmax' \(did you mean softmax\?\)"):
        manifest.entry("sofmax")


@pytest.mark.parametrize("words", ["xyzzy", "--xyzzy", f"{SIZE} --xyzzy", "claims xyzzy*"])
def test_what_is_near_nothing_is_not_guessed(capsys, words):
    assert main(words.split()) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_what_may_begin_with_a_dash_is_no_mistyped_option(capsys):
    assert main("count --n -8 --d 16".split()) == 2
    assert "n: found -8, expected a whole number of at least 1" in capsys.readouterr().err
    assert main("check --causal -- --no.safetensors".split()) == 2
    assert "--no.safetensors: cannot be read" in capsys.readouterr().err


def test_the_former_name_of_method_is_still_read(capsys):
    answers = []
    for name in ("--method", "--kernel"):
        assert main([*SIZE.split(), name, "unfused"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert "unfused: " in answers[0]
    assert "\nfused: " not in answers[0]
