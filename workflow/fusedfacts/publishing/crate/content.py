"""What a crate says of one file: the hash and size of its bytes, its media type, what it is."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, NamedTuple

from fusedfacts.documents import files
from fusedfacts.errors import FactsError

# The longest ending wins. Templates are text whatever they become.
MEDIA_TYPES = {
    ".cff": "application/yaml",
    ".css": "text/css",
    ".html": "text/html",
    ".j2": "text/plain",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".safetensors": "application/octet-stream",
    ".schema.json": "application/schema+json",
    ".smk": "text/plain",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".wgsl": "text/wgsl",
    ".yaml": "application/yaml",
}
WITHOUT_ENDING = {"LICENSE", "SHA256SUMS", "Snakefile"}  # plain text
SOURCE_CODE = (".js", ".py", ".smk", ".wgsl")
# The schema that holds a file, by how the file's path ends.
SCHEMA_OF = {
    "config.yaml": "config",
    "facts.json": "facts",
    "film.json": "film",
    "kernels/manifest.json": "kernels",
    "workflow/templates/names.json": "names",
}


class Content(NamedTuple):
    """The bytes of a file, told by their SHA-256 in hex and their number."""

    sha256: str
    size: int


def of(data: bytes) -> Content:
    """What is said of some bytes.

    >>> of(b"").size
    0
    """
    return Content(files.sha256(data), len(data))


def media_type(path: str) -> str:
    """The media type of a file, by its name.

    Raises
    ------
    FactsError
        For an ending that has none yet: a registry should not have to guess.

    Examples
    --------
    >>> media_type("media/facts.json"), media_type("facts.schema.json"), media_type("LICENSE")
    ('application/json', 'application/schema+json', 'text/plain')
    """
    name = PurePosixPath(path).name
    if name in WITHOUT_ENDING:
        return "text/plain"
    endings = [ending for ending in MEDIA_TYPES if name.endswith(ending)]
    if not endings:
        raise FactsError(
            f"{path}: found a file of a kind that the crate cannot name, expected one of"
            f" {', '.join(MEDIA_TYPES)}; move it away, or add its media type to"
            " workflow/fusedfacts/publishing/crate/content.py"
        )
    return MEDIA_TYPES[max(endings, key=len)]


def schema_of(path: str) -> str | None:
    """The name of the schema that a file is held to, if any.

    >>> schema_of("media/school/fused/kernels/manifest.json"), schema_of("media/manifest.json")
    ('kernels', None)
    """
    pure = PurePosixPath(path)
    return next((name for end, name in SCHEMA_OF.items() if pure.match(end)), None)


def properties(path: str, content: Content | None) -> dict[str, Any]:
    """The properties of a file's entity.

    Parameters
    ----------
    path : str
        From the repository's root.
    content : Content, optional
        Without it the file is named and no more: one that the crate's own hash goes into, or
        that no result hangs on.
    """
    is_code = path.endswith(SOURCE_CODE)
    told: dict[str, Any] = {
        "@type": ["File", "SoftwareSourceCode"] if is_code else "File",
        "name": path,
        "encodingFormat": media_type(path),
    }
    if content:
        told |= {"sha256": content.sha256, "contentSize": str(content.size)}
    held_to = schema_of(path)
    if held_to:
        told["conformsTo"] = {"@id": f"workflow/schemas/{held_to}.schema.json"}
    return told
