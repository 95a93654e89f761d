"""Every way in which a published number could drift from its fact, planted: each is named."""

import re
import shutil

import pytest
from fusedfacts.errors import ClaimError
from fusedfacts.publishing import folder as publish
from support import audits
from support.common import PUBLISHED, relist

# Of each file the audit names the first difference; what stands in one set is planted together.
PLANTED = {
    "digits": [
        ("captions.vtt", "272.5 MiB", "275.2 MiB", "line "),
        ("film.json", '"text": "514"', '"text": "541"', '"541"'),
        ("transcript.md", "-->31<!--", "-->13<!--", "-->13<!--"),
    ],
    "words": [
        ("captions.vtt", "four times:", "five times:", "five times:"),
        ("film.json", "4,096 words", "4,069 words", "4,069"),
        ("transcript.md", "-->three<!--", "-->two<!--", "-->two<!--"),
    ],
    "times": [("captions.vtt", "00:01:52.000", "00:01:53.000", "00:01:53.000")],
    "facts": [("facts.json", '"display": "17,301,504"', '"display": "17,301,540"', "17,301,540")],
}


@pytest.fixture
def folder(tmp_path):
    """A published folder to spoil."""
    shutil.copytree(PUBLISHED, tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_a_number_changed_in_a_published_file_is_red(folder, planted):
    for name, old, new, _ in planted:
        content = (folder / name).read_text(encoding="utf-8")
        assert old in content, old
        (folder / name).write_text(content.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ClaimError):
        publish.check(folder)
    relist(folder)
    publish.check(folder)
    found = audits.quickly(folder)
    for name, _, _, named in planted:
        assert any(named in fault for fault in found), (name, found)


def test_a_digit_changed_in_a_picture_s_label_is_red(folder):
    pictures = sorted((folder / "pictures").glob("*.svg"))
    for path in pictures:
        text = path.read_text(encoding="utf-8")
        digit = re.search(r"<text[^>]*>[^<]*?(\d)", text)
        other = str((int(digit[1]) + 1) % 10)
        path.write_text(text[: digit.start(1)] + other + text[digit.end(1) :], encoding="utf-8")
    relist(folder)
    found = audits.quickly(folder)
    for path in pictures:
        assert any(re.search(rf"{path.stem}\.svg: line \d+", fault) for fault in found), path
