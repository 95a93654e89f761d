"""Documents from strangers: each is a value or one sentence, never a traceback, in little time.

Strict JSON, then everything that is read as JSON and held against a schema, then configs. Bombs of
YAML that Snakemake's own loader would expand before this library sees them are out of reach here.
What once went wrong is kept in fuzz_seeds/json/ and replayed.
"""

import copy
import json
import os
import time
from datetime import timedelta

import pytest
from fusedfacts.documents import canonical_json, schema
from fusedfacts.errors import FactsError
from fusedfacts.kernels import manifest as kernels
from fusedfacts.pipeline import config as settings
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import manifest as manifests
from hypothesis import HealthCheck, example, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from support.common import PUBLISHED, ROOT

SEEDS = sorted((ROOT / "tests" / "fuzz_seeds" / "json").iterdir())
# Each of these takes milliseconds, the facts two tenths of a second; a machine under load more.
SECONDS = 5
SENTENCE_MOST = 2000  # characters: a list of allowed keys is long, what a stranger wrote is cut
ONCE = effort(
    max_examples=60,
    deadline=timedelta(seconds=SECONDS),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SCHEMAS = sorted(
    path.name.removesuffix(".schema.json") for path in (ROOT / "workflow/schemas").iterdir()
)

# What JSON can hold, and what only looks like it.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
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


def outcome(call, *arguments):
    """What a call gives, or the sentence that it refuses with; both within the time."""
    begun = time.monotonic()
    try:
        given_back = call(*arguments)
    except FactsError as refusal:
        given_back = None
        sentence = str(refusal)
        assert sentence.isprintable()
        assert len(sentence) < SENTENCE_MOST
    assert time.monotonic() - begun < SECONDS
    return given_back


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


def listed(path):
    """The files that a manifest lists, with their hashes."""
    return manifests.read(path)["files"]


@pytest.mark.parametrize("path", SEEDS, ids=[path.name for path in SEEDS])
def test_what_once_went_wrong_does_not_again(path, tmp_path):
    """As JSON; as every document that has a schema; as a manifest; as a config."""
    document = parsed(path.read_bytes())
    outcome(canonical_json.read, path)
    outcome(listed, path)
    for name in SCHEMAS:
        outcome(schema.validate, document, name, "x.json", "mend it")
    outcome(settings.checked, document)
    (tmp_path / "config.yaml").write_bytes(path.read_bytes())
    outcome(settings.read, tmp_path)


def test_there_are_seeds():
    assert len(SEEDS) > 15


@given(st.binary(max_size=200))
@ONCE
def test_any_bytes(content):
    parsed(content)


@given(VALUES, st.data())
@ONCE
def test_a_document_with_a_byte_changed(value, data):
    content = bytearray(json.dumps(value).encode())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] = data.draw(st.integers(0, 255))
    parsed(bytes(content))


@given(VALUES)
@ONCE
def test_a_json_value_is_read_as_it_was_written(value):
    try:
        written = canonical_json.dumps(value)
    except TypeError:  # half a surrogate pair, which hypothesis does not make, or too deep
        return
    assert canonical_json.loads(written, "x.json") == value


@given(st.sampled_from(["[", '{"a":', "[{"]), st.integers(1, 30000))
@ONCE
def test_any_depth(opening, times):
    parsed((opening * times).encode())
    closing = {"[": "]", '{"a":': "}", "[{": '"a":0}]'}[opening]
    if opening != "[{":
        found = parsed((opening * times + "0" + closing * times).encode())
        assert (found is not None) is (times <= canonical_json.DEPTH_MOST)


@given(st.integers(1, 20000), st.sampled_from(["{}", "-{}", "0.{}", "1e{}", "-1e-{}", "{}.5"]))
@ONCE
def test_any_number_of_digits(times, form):
    parsed(f"[{form.format('7' * times)}]".encode())


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


TRUE = {
    "kernels": ROOT / "kernels" / "manifest.json",
    "film": PUBLISHED / "film.json",
    "facts": PUBLISHED / "facts.json",
    "names": ROOT / "workflow" / "templates" / "names.json",
    "manifest": PUBLISHED / "manifest.json",
}
DOCUMENTS = {name: canonical_json.read(path) for name, path in TRUE.items()}


@pytest.mark.parametrize("name", TRUE)
@given(data=st.data())
@effort(ONCE, max_examples=30)
def test_a_published_document_with_something_changed(name, data):
    document = changed(DOCUMENTS[name], data)
    outcome(schema.validate, document, name, "x.json", "mend it")


@pytest.mark.parametrize("name", SCHEMAS)
@given(document=VALUES)
@ONCE
def test_any_value_as_any_document(name, document):
    outcome(schema.validate, document, name, "x.json", "mend it")


@given(data=st.data())
@effort(ONCE, max_examples=200)
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
    folder = tmp_path_factory.mktemp("published")
    (folder / "manifest.json").write_text(json.dumps(changed(DOCUMENTS["manifest"], data)))
    outcome(publish.check, folder)
    for name, digest in (outcome(listed, folder / "manifest.json") or {}).items():
        path = folder / name
        assert path != folder
        assert folder in path.parents
        assert os.path.normpath(path) == str(path)
        assert len(digest) == 64
        assert manifests.sums({"files": {name: digest}}).count("\n") == 2


@pytest.mark.parametrize(
    "name",
    ["../x", "/etc/passwd", "a/../../x", ".", "", "a//b", "a/", "./a", "a\\b", "a\nb", "a\0", "a\n",
     "~", "a b", "\x1b[2J", "é", ".hidden", "a" * 5000 + "/.."],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(name, tmp_path):
    document = copy.deepcopy(DOCUMENTS["manifest"])
    document["files"][name] = "0" * 64
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FactsError):
        listed(path)
    outcome(listed, path)


def test_what_is_no_regular_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.json")
    for path in (tmp_path, tmp_path / "x.json", tmp_path / "a\0b", tmp_path / ("x" * 5000)):
        begun = time.monotonic()
        with pytest.raises(FactsError):
            canonical_json.read(path)
        assert time.monotonic() - begun < SECONDS


def test_a_file_beyond_the_limit_is_not_taken_into_memory(tmp_path):
    path = tmp_path / "x.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # sparse: it takes no room on the disk
    with pytest.raises(FactsError, match=r"x\.json: found more than 67108864 bytes"):
        canonical_json.read(path)


def test_a_config_that_is_no_file_or_too_large_is_refused(tmp_path):
    for spoil in (os.mkfifo, lambda path: path.write_bytes(b"#" * 100_001)):
        path = tmp_path / "config.yaml"
        spoil(path)
        with pytest.raises(FactsError, match=r"config\.yaml: .*; name an existing config"):
            settings.read(tmp_path)
        path.unlink()


# What YAML can hold besides: dates, sets, bytes, other keys, infinities, whole numbers in hex.
YAML_VALUES = VALUES | st.one_of(
    st.dates(),
    st.binary(max_size=9),
    st.floats(),
    st.sets(st.integers(), max_size=3),
    st.dictionaries(st.integers() | st.none() | st.dates(), SCALARS, max_size=3),
    st.sampled_from([10**5000, -(2**9999), float("inf"), float("nan")]),
)


@given(data=st.data())
@ONCE
def test_a_config_with_something_changed(data, config):
    document = dict(config)
    for key in data.draw(st.lists(st.sampled_from(sorted(config)), max_size=3)):
        document[key] = data.draw(YAML_VALUES | st.lists(YAML_VALUES, max_size=3))
    found = outcome(settings.checked, document)
    if found:
        for part in settings.MODEL_PARTS:
            path = settings.model_file(found[part], ROOT)
            outcome(settings.require_files, {part: path})
            assert ".." not in settings.shown_path(found[part]).split("/")


@given(YAML_VALUES)
@example(b"")
@ONCE
def test_any_value_as_a_config(document):
    outcome(settings.checked, document)


def nested(levels):
    value = 0
    for _ in range(levels):
        value = [value]
    return value


def within_itself():
    value = []
    value.append(value)
    return value


def multiplied():
    """The billion laughs: ten lists, each of ten times the one before."""
    value = [0]
    for _ in range(10):
        value = [value] * 10
    return value


@pytest.mark.parametrize(
    "value",
    [nested(21), nested(5000), within_itself(), multiplied(), list(range(20_000))],
    ids=["21 levels", "5000 levels", "within itself", "multiplied", "20,000 values"],
)
def test_a_config_without_measure_is_refused_before_it_is_copied(config, value):
    with pytest.raises(FactsError, match=r"config: found more than 10000 values or 20 levels"):
        settings.checked({**config, "n_values": value})
    outcome(settings.checked, {**config, "n_values": value})


def test_a_long_list_of_sizes_takes_no_square_of_its_length(config):
    mixed = [size for i in range(1, 4_500) for size in (i, str(i))]
    outcome(settings.checked, {**config, "n_values": mixed})


@given(text=st.text(alphabet="&*!{}[]:-?|>'\"#%@`,ab01 \n\t.~", max_size=60))
@example(text="!!bool x")
@example(text="!!timestamp x")
@example(text="!!int ''")
@example(text="!!binary é")
@example(text="a: &a [*a]")
@example(text="? [a]\n: 1")
@example(text="a: 0x" + "f" * 9999)
@ONCE
def test_any_text_as_config_yaml(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("yaml")
    (folder / "config.yaml").write_text(text, encoding="utf-8")
    outcome(settings.read, folder)


def test_a_pattern_ends_where_the_text_ends(config):
    """Python's `$` would let a newline through behind it."""
    for key in ("weights_sha256", "probe_sha256"):
        with pytest.raises(FactsError, match=f"config: {key} found"):
            settings.checked({**config, key: config[key] + "\n"})


@pytest.mark.parametrize("path", ["a\0b", "a\nb", "\x1b[2J"])
def test_a_path_with_a_control_character_is_refused(config, path):
    with pytest.raises(FactsError, match=r"config: probe found .* expected text matching"):
        settings.checked({**config, "probe": path})


@pytest.mark.parametrize("path", ["x" * 5000, "../" * 900 + "x", "é", "model"])
def test_a_path_without_a_file_is_one_sentence(path):
    with pytest.raises(FactsError, match="not found, expected the file that `probe` names"):
        settings.require_files({"probe": settings.model_file(path, ROOT)})
