"""`make docs`: the documents and the public library as a site that is whole and asks nobody."""

import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys

import html5lib
import pytest
from support.common import ROOT
from support.missing import skip_unless_required

NAMED = re.compile(r"^\| `(fusedfacts[.\w]+)` \|", re.MULTILINE)
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def public():
    """Every function and class of the modules that docs/api.md names."""
    for name in NAMED.findall(API):
        module = importlib.import_module(name)
        for member, value in vars(module).items():
            ours = getattr(value, "__module__", None) == name and callable(value)
            if ours and not member.startswith("_"):
                yield f"{name}.{member}", value


def pins(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^(\S+)==(\S+)", text, re.MULTILINE)), text


def test_what_is_public_says_what_it_does():
    found = dict(public())
    assert {name.rsplit(".", 1)[0] for name in found} == set(NAMED.findall(API))
    assert [name for name, value in found.items() if not inspect.getdoc(value)] == []


def test_the_examples_judge_an_answer(capsys):
    for example in re.findall(r"```python\n(.+?)```", API, re.DOTALL):
        exec(example, {})  # noqa: S102
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("holds, if fp32: ")
    assert re.fullmatch(r"True 0\.\d+ \[True\]", last)


def test_the_site_s_packages_leave_the_others_as_they_are():
    (wanted, text), (ours, _) = pins("requirements-docs.txt"), pins("requirements.txt")
    assert {name: ours[name] for name in wanted.keys() & ours.keys()}.items() <= wanted.items()
    assert text.count("--hash=sha256:") >= len(wanted)
    assert "://" not in text


def build(source, folder, seed="0"):
    """Build the site as make does."""
    if importlib.util.find_spec("myst_parser") is None:
        reason = ModuleNotFoundError("no myst_parser; run: make .venv/docs")
        skip_unless_required(reason, "REQUIRE_DOCS")
    options = re.search(r"@sphinx-build (.+) -d ", (ROOT / "Makefile").read_text())[1].split()
    options += ["-d", folder / "trees", "-c", source / "docs", source, folder / "site"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
    )
    return done, folder / "site"


def links(page):
    """Every address that a page asks for or leads to but for a reader's links to other hosts."""
    for element in html5lib.parse(page, namespaceHTMLElements=False).iter():
        address = element.get("src") or element.get("href") or ""
        away = element.tag == "a" and re.match(r"(https?:|#)", address)
        path = re.split(r"[?#]", address)[0]
        if path and not away:
            yield path


@pytest.mark.slow
def test_the_site_is_whole_and_the_same_twice_and_asks_nobody(tmp_path):
    done, site = build(ROOT, tmp_path / "a")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    pages = {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*.html")}
    documents = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert documents == {path.stem for path in (site / "docs").glob("*.html")}
    reference = pages["docs/api.html"].decode()
    assert [name for name, _ in public() if f'id="{name}"' not in reference] == []
    for name, page in pages.items():
        here = (site / name).parent
        assert [address for address in links(page) if not (here / address).is_file()] == []
    styles = "".join(path.read_text() for path in (site / "_static").glob("*.css"))
    assert not re.search(r"@import|url\(['\"]?(?:[a-z]+:|//)", styles)
    # The lesson lies beside the pages, so that README's link to it plays the film.
    assert b'href="media/school/fused/index.html"' in pages["index.html"]
    assert (site / "media/school/fused/js/main.js").is_file()
    _, again = build(ROOT, tmp_path / "b", seed="1")
    files = {path.relative_to(site): path.read_bytes() for path in site.rglob("*.*")}
    assert files == {path.relative_to(again): path.read_bytes() for path in again.rglob("*.*")}


@pytest.mark.slow
def test_a_link_that_leads_nowhere_fails(tmp_path):
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    for path in [*ROOT.glob("*.*"), *map(ROOT.joinpath, ("config", "kernels", "media", "model"))]:
        (source / path.name).symlink_to(path)
    for path in (ROOT / "docs").iterdir():
        (source / "docs" / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    with (source / "docs" / "counts.md").open("a") as counts:
        counts.write("\n[more](nowhere.md)\n")
    done, _ = build(source, tmp_path)
    assert done.returncode == 1
    assert "docs/counts.md" in done.stderr
    assert "nowhere" in done.stderr
