"""Whatever stands in a published folder, the quick audit ends, in sentences, and names the change.

`FUZZ_EXAMPLES=2000 pytest tests/audit/test_audit_fuzzed.py` looks longer; what it finds becomes a
seed in tests/fuzz_seeds/audit/, which is replayed here.
"""

import copy
import functools
import json
import operator
import os

import pytest
from fusedfacts.audit import fresh, report, rules, run, subject
from fusedfacts.documents import canonical_json
from fusedfacts.pipeline import config as settings
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from support import audits
from support.common import PUBLISHED, ROOT

SEEDS = ROOT / "tests" / "fuzz_seeds" / "audit"
FACTS = canonical_json.read(PUBLISHED / "facts.json")
CONFIG = settings.read(ROOT)
NUMBERS = st.one_of(
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -1, 1, 2**63, 10**18, -0.0, 1e308, 5e-324, True, None]),
)
VALUES = st.recursive(
    st.one_of(
        NUMBERS, st.text(max_size=8), st.sampled_from(["", "{}", "<b>", "|", "\n", "\ue000"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=4,
)

SIMILAR = {
    bool: st.booleans(),
    int: st.integers(0, 10**40),
    float: st.floats(0, 1e300, allow_nan=False),
}


def places(value, path=()):
    """The path of every value below the document, containers included."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in items:
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from places(below, (*path, key))


PLACES = list(places({k: v for k, v in FACTS.items() if k != "claims"}))
PLACES += [place for place in places({"claims": FACTS["claims"][:2]}) if len(place) > 1]


@st.composite
def changes(draw):
    """A few places of the document with what stands there instead, or that it is gone."""
    chosen = draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3))
    return [
        [list(place), draw(st.one_of(VALUES, st.just("GONE"), similar(place)))] for place in chosen
    ]


def similar(place):
    """Values of the kind that stands there: these pass the schema and are followed further."""
    value = functools.reduce(operator.getitem, place, FACTS)
    if isinstance(value, list) and value:
        return st.lists(st.sampled_from(value), max_size=4)
    return SIMILAR.get(type(value), st.text(max_size=8))


def changed(document, edits):
    """The document with the edits that still find their place."""
    document = copy.deepcopy(document)
    for (*steps, last), value in edits:
        try:
            at = functools.reduce(operator.getitem, steps, document)
            if value == "GONE":
                del at[last]
            else:
                at[last] = value
        except (LookupError, TypeError):
            continue  # an earlier edit took its place away
    return document


def written(document):
    """As our writer writes it, so that nothing but the edit is false; what it refuses, plainly."""
    try:
        return canonical_json.dumps(document).encode()
    except (TypeError, ValueError):
        return json.dumps(document, ensure_ascii=False).encode("utf-8", errors="surrogatepass")


def audit(edits):
    """Audit the edited facts; everything that the audits promise of their answer is asserted."""
    document = changed(FACTS, edits)
    text = written(document)
    given_ = subject.Subject(ROOT, "facts.json", {"facts.json": text}, (), CONFIG)
    results = [*run.quick(given_), *fresh.compare_values(given_, PUBLISHED)]
    found = report.document("quick", "facts.json", results)
    assert all(line.isprintable() for line in report.lines(found))
    same = rules.identical(json.loads(text.decode("utf-8", errors="surrogatepass")), FACTS)
    assert found["holds"] == same


EXAMPLES = os.environ.get("FUZZ_EXAMPLES")
EFFORT = limits(
    max_examples=int(EXAMPLES or 10),
    deadline=None,
    derandomize=not EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_unchanged_facts_hold_and_a_hole_in_the_audit_would_be_seen(monkeypatch):
    unclaimed = [[["model", "probe", "index"], 7]]
    audit([])
    audit(unclaimed)
    monkeypatch.setattr(fresh, "differences", lambda *_: [])
    with pytest.raises(AssertionError):
        audit(unclaimed)


@EFFORT
@given(changes())
def test_whatever_the_facts_say_the_audit_ends_in_sentences(edits):
    audit(edits)


CONTENT = dict(audits.read(PUBLISHED).content)
CRATE = audits.read(PUBLISHED).crate
[FOLDER] = [check for check in run.CHECKS if check.name == "folder"]


@st.composite
def spoiled(draw):
    """What is published, with one file changed by a byte, cut, made longer, gone or doubled."""
    name = draw(st.sampled_from(sorted(CONTENT)))
    data = CONTENT[name]
    place = draw(st.integers(0, len(data) - 1))
    other = bytes([data[place] ^ draw(st.integers(1, 255))])
    spoiled = {
        "byte": {name: data[:place] + other + data[place + 1 :]},
        "cut": {name: data[:place]},
        "more": {name: data + draw(st.binary(min_size=1, max_size=4))},
        "gone": {},
        "doubled": {name: data, name + draw(st.sampled_from(["~", ".bak", " ", "2"])): data},
    }
    others = {path: content for path, content in CONTENT.items() if path != name}
    return name, others | spoiled[draw(st.sampled_from(sorted(spoiled)))]


@EFFORT
@given(spoiled())
def test_no_byte_of_what_is_published_can_change(change):
    name, content = change
    given_ = subject.Subject(ROOT, "fused", content, (), CONFIG, CRATE)
    found = audits.faults([rules.run_one(FOLDER, given_)])
    assert any(name in fault for fault in found), found
    assert all(fault.isprintable() for fault in found)


@pytest.mark.parametrize("seed", sorted(SEEDS.glob("*.json")), ids=lambda path: path.stem)
def test_what_was_once_found_is_still_mended(seed):
    audit(json.loads(seed.read_text(encoding="utf-8")))
