"""`fusedfacts check` as tests ask it, and what every answer must be."""

import json
import os

from fusedfacts.cli.main import main
from fusedfacts.documents import schema


def answered(capsys, *words):
    code = main(["check", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def document(capsys, *words):
    code, out, err = answered(capsys, *words, "--json")
    assert err == ""
    found = json.loads(out)
    schema.validate(found, "check", " ".join(map(str, words)), "correct it")
    assert code == (0 if found["verdict"] == "holds" else 1)
    return found


def refused(capsys, *words):
    before = sorted(os.listdir())
    code, out, err = answered(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert sorted(os.listdir()) == before
    return err
