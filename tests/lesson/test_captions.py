"""Captions as WebVTT, and the transcript beside them."""

import re

import webvtt as parser
from fusedfacts.lesson import captions, transcript


def test_a_library_reads_the_captions_as_they_are_meant(film):
    read = parser.from_string(captions.webvtt(film))
    cues = [cue for scene in film["scenes"] for cue in scene["cues"]]
    assert len(read) == len(cues)
    for caption, cue in zip(read, cues, strict=True):
        assert (caption.identifier, caption.lines) == (cue["id"], cue["lines"])
        times = [captions.timestamp(cue[key]) for key in ("start_ms", "end_ms")]
        assert [caption.start, caption.end] == times


def test_words_are_escaped():
    cue = {"id": "1.1", "start_ms": 0, "end_ms": 1000, "lines": ["a < b & c --> d"], "quotes": []}
    scene = {"title": {"runs": [{"text": "T --> U"}]}, "cues": [cue]}
    text = captions.webvtt({"scenes": [scene]})
    assert text.count("-->") == 1
    assert "a &lt; b &amp; c --&gt; d" in text


def test_the_transcript_lists_sources_limits_and_each_head(facts, film):
    text = transcript.transcript(facts, film)
    for source in facts["sources"]:
        assert source["title"] in text
        assert (f"({source['id']})" in text) == source["id"].startswith("arXiv:")
    shown = re.sub(r"<!-- claim [^>]*-->(.*?)<!-- end -->", r"\1", text)
    for h, head in enumerate(facts["attention"]["heads"]):
        for method, figures in head.items():
            error, bound = figures["largest_error"], figures["bound_there"]
            assert f"| `head{h}` | `{method}` | {error} | {bound} | yes |" in shown
        wrong = facts["control"]["heads"][h]["rows_wrong"]
        assert f"| `head{h}` | {wrong} | {24 - wrong} |" in shown
