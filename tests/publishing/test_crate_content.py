import pytest
from fusedfacts.documents import files
from fusedfacts.errors import FactsError
from fusedfacts.publishing.crate import content
from support.common import ROOT


def test_bytes_are_told_by_hash_and_number():
    assert content.of(b"abc") == (files.sha256(b"abc"), 3)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("media/facts.json", "application/json"),
        ("workflow/schemas/facts.schema.json", "application/schema+json"),
        ("kernels/fused.wgsl", "text/wgsl"),
        ("workflow/templates/page.html.j2", "text/plain"),
        ("model/weights.safetensors", "application/octet-stream"),
        ("Snakefile", "text/plain"),
        ("SHA256SUMS", "text/plain"),
    ],
)
def test_a_media_type_follows_from_the_longest_ending(path, kind):
    assert content.media_type(path) == kind


@pytest.mark.parametrize("path", ["a/notes.docx", "a/noending", "json", "Snakefile.bak"])
def test_an_unknown_kind_is_one_sentence(path):
    with pytest.raises(FactsError, match="found a file of a kind that the crate cannot name"):
        content.media_type(path)


def test_code_is_source_code_and_data_is_a_file():
    said = content.of(b"")
    assert content.properties("a.py", said)["@type"] == ["File", "SoftwareSourceCode"]
    assert content.properties("a.json", said)["@type"] == "File"


def test_without_content_a_file_is_named_and_no_more():
    assert not {"sha256", "contentSize"} & set(content.properties("README.md", None))


def test_every_schema_that_a_file_is_held_to_exists():
    for name in content.SCHEMA_OF.values():
        assert (ROOT / "workflow" / "schemas" / f"{name}.schema.json").is_file()


def test_only_the_kernels_manifest_is_held_to_the_kernels_schema():
    assert content.schema_of("kernels/manifest.json") == "kernels"
    assert content.schema_of("media/school/fused/manifest.json") is None
