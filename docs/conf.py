"""Sphinx's settings for `make docs`: README and docs/ as they are, and the library's docstrings.

Sources are read from the repository's root, so that a link in a document leads to the same place on
the site. Nothing is asked of a network, neither by the build nor by a page.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).parents[1]
LESSON = "media/school/fused"

project = "fused-facts"
author = "The fused-facts authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
PAGES = (
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")),
    *("kernels/README.md", "model/README.md", "config/README.md"),
    *(f"{LESSON}/transcript.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"),
)
include_patterns = ["README.md", *PAGES]
# Folders that hold no page are not walked through.
exclude_patterns = [".*", "results", "tests", "workflow"]

html_theme = "alabaster"
html_theme_options = {"description": "Checked numbers about fused attention", "page_width": "72rem"}
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 3
autodoc_member_order = "bysource"
napoleon_use_ivar = True  # an attribute once, where its class describes it
default_role = "code"  # docstrings say `theta` as Markdown does
# A Snakefile is shown as Python, which it nearly is.
suppress_warnings = ["misc.highlighting_failure"]

CONTENTS = "\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{}\n```\n"
REFERENCE = "\n## {0}\n\n```{{eval-rst}}\n.. automodule:: {0}\n   :members:\n```\n"


def complete(_: Sphinx, page: str, source: list[str]) -> None:
    """Give README its contents and docs/api.md the modules it names; drop the marks of claims."""
    text = re.sub(r"<!-- (?:claim |end).*?-->", "", source[0])
    if page == root_doc:
        text += CONTENTS.format("\n".join(path.removesuffix(".md") for path in PAGES))
    if page == "docs/api":
        modules = re.findall(r"^\| `(fusedfacts[.\w]+)` \|", text, re.MULTILINE)
        text += "".join(REFERENCE.format(module) for module in modules)
    source[0] = text


def escape(_app: Sphinx, _what: str, _name: str, _of: object, _: object, lines: list[str]) -> None:
    """Escape the bars of a docstring, which say |x| there and name a substitution to Sphinx."""
    lines[:] = [line if ">>>" in line else line.replace("|", "\\|") for line in lines]


def skip(_app: Sphinx, _what: str, _name: str, of: object, *_: object) -> bool | None:
    """Leave out the fields of a named tuple, which its class describes."""
    return True if str(of.__doc__).startswith("Alias for field number") else None


class LinksIntoTheLesson(SphinxTransform):
    """Let a link to the lesson lead to its copy on the site, where its scripts lie beside it."""

    default_priority = 800  # before files to download are collected

    def apply(self) -> None:
        """Replace links that would lead to a copy of one file alone."""
        for node in list(self.document.findall(addnodes.download_reference)):
            if LESSON in node["reftarget"]:
                link = nodes.reference("", "", *node.children, refuri=node["reftarget"])
                node.replace_self(link)


def finish(app: Sphinx, failure: Exception | None) -> None:
    """Copy the lesson beside the pages, and README's page to where a browser begins."""
    if failure is None:
        shutil.copytree(ROOT / LESSON, app.outdir / LESSON, dirs_exist_ok=True)
        shutil.copyfile(app.outdir / f"{root_doc}.html", app.outdir / "index.html")


def setup(app: Sphinx) -> None:
    """Connect these to the build."""
    app.connect("source-read", complete)
    app.connect("autodoc-process-docstring", escape)
    app.connect("autodoc-skip-member", skip)
    app.connect("build-finished", finish)
    app.add_transform(LinksIntoTheLesson)
