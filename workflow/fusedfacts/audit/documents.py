"""Every numeral of README and the other documents against the claim that it quotes."""

from __future__ import annotations

from pathlib import Path

from fusedfacts.audit.rules import Tally
from fusedfacts.audit.subject import Subject
from fusedfacts.documents import files
from fusedfacts.prose import forms, spans

NAMED = ("README.md", "model/README.md", "kernels/README.md")
MEND = "mend known spans with `make spans`"


def paths(root: Path) -> list[Path]:
    """The documents whose numbers are quoted from claims."""
    return [
        *(root / name for name in NAMED),
        *sorted(found for found in (root / "docs").rglob("*") if found.suffix.lower() == ".md"),
    ]


def quoted(subject: Subject, tally: Tally) -> None:
    """No span is stale and no number stands outside of one."""
    claims = forms.by_id(subject.facts)
    for path in paths(subject.root):
        name = path.relative_to(subject.root).as_posix()
        data = files.read_bytes(path, "restore it with `git checkout`")
        tally.hold(
            b"\r" not in data,
            f"{name}: found CRLF line ends, expected LF; run `git checkout {name}` with"
            " core.autocrlf false",
        )
        text = data.decode("utf-8")
        tally.checked += len(spans.SPAN.findall(text))
        for fault in (*spans.stale(text, claims, name), *spans.unbound(text, name)):
            tally.faults.append(f"{fault}; {MEND}")
