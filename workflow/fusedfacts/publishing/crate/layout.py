"""The crate's name and version, and the places of the repository that it names."""

from __future__ import annotations

import re

from fusedfacts.documents import repository
from fusedfacts.errors import FactsError
from fusedfacts.publishing import provenance

NAME = provenance.CRATE
ROOT_ID = "./"
VERSION = "1.1"  # of RO-Crate: the version on which Workflow RO-Crate 1.0 rests
# The context of 1.1 is older than the term, which schema.org and later contexts have.
TERMS = {"sha256": "http://schema.org/sha256"}
WORKFLOW, LOCK, README = "Snakefile", "requirements.txt", "README.md"
# Named without a hash: no result hangs on them, or they are written after the crate.
DOCUMENTS = (README, "CHANGELOG.md", "CITATION.cff", "LICENSE")
WRITTEN_AFTER = ("SHA256SUMS", "manifest.json")
FOLDERS = {
    "docs/": "How the bytes are counted, and the error bound derived",
    "kernels/": "The WGSL kernels, one text for Python and for the browser",
    "model/": "The model: weights, vocabulary, sentences",
    "tests/": "The tests",
    "workflow/fusedfacts/": "The library: pure functions on arrays",
    "workflow/page/": "Scripts and style of the lesson's page",
    "workflow/rules/": "The rules, one file for each stage",
    "workflow/schemas/": "JSON Schemas of config, results and kernels",
    "workflow/scripts/": "One thin script for each rule",
    "workflow/templates/": "The words, in which no number is typed",
}
PUBLISHED = "Everything that the workflow publishes"
# What the workflow orchestrates.
STEPS = ("workflow/rules/", "workflow/scripts/")
# Code, and what it runs on; all other inputs are data.
CODE = ("workflow/", WORKFLOW, LOCK)
# Where the repository itself publishes.
FOLDER = repository.FOLDER


def pinned(requirements: str, package: str) -> str:
    r"""The version of a package that a lock pins.

    Raises
    ------
    FactsError
        If it pins none.

    Examples
    --------
    >>> pinned("numpy==2.4.6\nsnakemake==9.27.1", "snakemake")
    '9.27.1'
    """
    found = re.search(rf"^{re.escape(package)}==([^\s;\\]+)", requirements, re.MULTILINE)
    if found is None:
        raise FactsError(
            f"{LOCK}: found no pinned {package}, expected `{package}==VERSION`; restore it with"
            f" `git checkout {LOCK}`"
        )
    return found[1]
