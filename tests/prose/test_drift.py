"""Every way in which a published number could drift from its fact, planted: each is named."""

import json
import re
import shutil

import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.errors import ClaimError
from fusedfacts.lesson import film as document
from fusedfacts.lesson import scenes
from fusedfacts.prose import spans, templates
from fusedfacts.publishing import folder as publish
from support import audits
from support.common import PUBLISHED, ROOT, relist

SIZES = scenes.Sizes(4096, 64, 16)


@pytest.fixture
def folder(tmp_path):
    """A published folder to spoil."""
    shutil.copytree(PUBLISHED, tmp_path / "out")
    return tmp_path / "out"


def spoil(path, old, new):
    content = path.read_text(encoding="utf-8")
    assert old in content, old
    path.write_text(content.replace(old, new, 1), encoding="utf-8")


PLANTED = [
    ("captions.vtt", "272.5 MiB", "275.2 MiB", "line "),
    ("captions.vtt", "four times:", "five times:", "five times:"),
    ("captions.vtt", "00:01:52.000", "00:01:53.000", "00:01:53.000"),
    ("film.json", '"text": "514"', '"text": "541"', '"541"'),
    ("film.json", "4,096 words", "4,069 words", "4,069"),
    ("transcript.md", "-->31<!--", "-->13<!--", "-->13<!--"),
    ("transcript.md", "-->three<!--", "-->two<!--", "-->two<!--"),
    ("facts.json", '"display": "17,301,504"', '"display": "17,301,540"', "17,301,540"),
]


@pytest.mark.parametrize(("name", "old", "new", "named"), PLANTED)
def test_a_number_changed_in_a_published_file_is_red(folder, name, old, new, named):
    assert audits.against(folder) == []
    spoil(folder / name, old, new)
    with pytest.raises(ClaimError):
        publish.check(folder)
    relist(folder)
    publish.check(folder)
    for found in (audits.against(folder), audits.quickly(folder)):
        assert any(named in fault for fault in found), found


@pytest.mark.parametrize(
    "path", sorted((PUBLISHED / "pictures").glob("*.svg")), ids=lambda p: p.stem
)
def test_a_digit_changed_in_a_picture_s_label_is_red(folder, path):
    spoiled = folder / "pictures" / path.name
    text = spoiled.read_text(encoding="utf-8")
    digit = re.search(r"<text[^>]*>[^<]*?(\d)", text)
    other = str((int(digit[1]) + 1) % 10)
    spoiled.write_text(text[: digit.start(1)] + other + text[digit.end(1) :], encoding="utf-8")
    relist(folder)
    for found in (audits.against(folder), audits.quickly(folder)):
        assert any(re.search(rf"{path.stem}\.svg: line \d+", fault) for fault in found), found


DOCUMENTS = [
    ("README.md", "-->17,301,504<!--", "-->17,301,540<!--"),
    ("README.md", "claim control.rows -->", "claim control.lines -->"),
    ("docs/counts.md", "-->438<!--", "-->483<!--"),
    ("docs/error-bound.md", "-->104<!--", "-->140<!--"),
    ("kernels/README.md", "-->5,792<!--", "-->5,729<!--"),
    ("model/README.md", "-->0.802<!--", "-->0.208<!--"),
]


@pytest.mark.parametrize(("name", "old", "new"), DOCUMENTS)
def test_a_number_changed_in_a_document_is_red(tmp_path, name, old, new):
    path = tmp_path / "x.md"
    shutil.copy(ROOT / name, path)
    facts = str(PUBLISHED / "facts.json")
    spans.main([facts, str(path)])
    spoil(path, old, new)
    with pytest.raises(ClaimError, match=rf"{path}:\d+: .*(expected|found no claim)"):
        spans.main([facts, str(path)])


def test_a_number_written_into_a_document_by_hand_is_red(tmp_path):
    path = tmp_path / "x.md"
    shutil.copy(ROOT / "README.md", path)
    with path.open("a", encoding="utf-8") as file:
        file.write("\nThat is 16.5 times as much.\n")
    with pytest.raises(ClaimError, match=r"found the number '16\.5' in no span"):
        spans.main([str(PUBLISHED / "facts.json"), str(path)])


def test_a_claim_removed_while_a_sentence_quotes_it_stops_the_build(facts):
    """Each claim that the film quotes, in turn."""
    text = templates.source(scenes.TEMPLATE)
    film = canonical_json.read(PUBLISHED / "film.json")
    quoted = {
        q["claim"] for scene in film["scenes"] for cue in scene["cues"] for q in cue["quotes"]
    }
    assert len(quoted) > 25
    for identifier in sorted(quoted):
        without = dict(facts, claims=[c for c in facts["claims"] if c["id"] != identifier])
        with pytest.raises(ClaimError, match=rf"found no claim {identifier}, expected one"):
            scenes.scenes(without, SIZES, text)


def test_a_changed_fact_changes_captions_transcript_and_film(facts):
    """Nothing is remembered from an earlier run: the words follow the facts that they are given."""
    changed = json.loads(json.dumps(facts))
    claim = next(c for c in changed["claims"] if c["id"] == "traffic.fused.mib.n4096.d64")
    claim.update(value=259.0, display="259")
    text = json.dumps(document.film(changed, SIZES))
    assert "259" in text
    assert "258" not in text
