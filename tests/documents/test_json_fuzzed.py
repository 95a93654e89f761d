"""Documents from strangers: each is a value or one sentence, never a traceback.

Strict JSON, then everything that is read as JSON and held against a schema. What once went wrong is
kept in fuzz_seeds/json/ and replayed.
"""

import copy
import json
import os

import pytest
from fusedfacts.documents import canonical_json, schema
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest as kernels
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import manifest as manifests
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from support.common import PUBLISHED, ROOT

SEEDS = sorted((ROOT / "tests" / "fuzz_seeds" / "json").iterdir())
SENTENCE_MOST = 2000  # characters: a list of allowed keys is long, what a stranger wrote is cut
ONCE = effort(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

# What JSON can hold, and what only looks like it.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(10**99), max_value=10**99),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["../../x", "/etc/passwd", "a\nb", "\0", "\x1b[2J", "a" * 70000, "", "."]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)
TRUE = {
    "kernels": ROOT / "kernels" / "manifest.json",
    "film": PUBLISHED / "film.json",
    "names": ROOT / "workflow" / "templates" / "names.json",
    "manifest": PUBLISHED / "manifest.json",
}
DOCUMENTS = {name: canonical_json.read(path) for name, path in TRUE.items()}


def outcome(call, *arguments):
    """What a call gives, or nothing where it refuses with a sentence."""
    try:
        return call(*arguments)
    except FactsError as refusal:
        sentence = str(refusal)
    assert sentence.isprintable()
    assert len(sentence) < SENTENCE_MOST
    return None


def parsed(content):
    """Bytes as `canonical_json.read` takes them from a file."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    found = outcome(canonical_json.loads, text, "x.json")
    if found is not None:
        # What is let in can be written, and comes back as the same bytes.
        written = canonical_json.dumps(found)
        assert written.encode().decode() == written
        assert canonical_json.dumps(canonical_json.loads(written, "x.json")) == written
    return found


@pytest.mark.parametrize("path", SEEDS, ids=[path.name for path in SEEDS])
def test_what_once_went_wrong_does_not_again(path):
    """As JSON; as documents that have a schema; as a manifest; as a config."""
    document = parsed(path.read_bytes())
    outcome(canonical_json.read, path)
    outcome(manifests.read, path)
    for name in ("facts", *TRUE):
        outcome(schema.validate, document, name, "x.json", "mend it")
    outcome(settings.checked, document)


@given(VALUES, st.data())
@ONCE
def test_a_document_with_a_byte_changed(value, data):
    content = bytearray(json.dumps(value).encode())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255))
    parsed(bytes(content))


def changed(document, data):
    """A document with one of its values, anywhere in it, replaced, deleted, doubled or renamed."""
    document = node = copy.copy(document)
    while True:
        key = data.draw(
            st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node)))
        )
        inner = node[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.integers(0, 3)):
            node[key] = node = copy.copy(inner)
            continue
        kind = data.draw(st.sampled_from(["replace", "delete", "more"]))
        if kind == "replace":
            node[key] = data.draw(VALUES)
        elif kind == "delete":
            del node[key]
        elif isinstance(node, dict):
            node[data.draw(st.text(max_size=5000))] = data.draw(VALUES)
        else:
            node += [copy.deepcopy(inner), data.draw(VALUES)]
        return document


@pytest.mark.parametrize("name", TRUE)
@given(data=st.data())
@ONCE
def test_a_document_with_something_changed(name, data):
    document = changed(DOCUMENTS[name], data)
    outcome(schema.validate, document, name, "x.json", "mend it")


@given(data=st.data())
@ONCE
def test_a_kernels_manifest_is_refused_or_all_its_kernels_can_be_asked_for(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "manifest.json").write_text(json.dumps(changed(DOCUMENTS["kernels"], data)))
    document = outcome(kernels.manifest, folder)
    for way in document["ways"] if document else ():
        for name in kernels.names(way, folder):
            outcome(kernels.text, name, folder)
            outcome(kernels.prelude, name, 64, None, folder)


@given(data=st.data())
@ONCE
def test_a_manifest_lists_only_files_below_its_folder(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("manifest") / "manifest.json"
    path.write_text(json.dumps(changed(DOCUMENTS["manifest"], data)))
    document = outcome(manifests.read, path) or {"files": {}}
    for name, digest in document["files"].items():
        path = PUBLISHED / name
        assert PUBLISHED in path.parents
        assert os.path.normpath(path) == str(path)
        assert manifests.sums({"files": {name: digest}}).count("\n") == 2


def test_what_is_no_regular_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.json")
    for path in (tmp_path, tmp_path / "x.json", tmp_path / "a\0b", tmp_path / ("x" * 5000)):
        with pytest.raises(FactsError):
            canonical_json.read(path)


def test_a_file_beyond_the_limit_is_not_taken_into_memory(tmp_path):
    path = tmp_path / "x.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # sparse: it takes no room on the disk
    with pytest.raises(FactsError, match=r"x\.json: found more than 67108864 bytes"):
        canonical_json.read(path)
