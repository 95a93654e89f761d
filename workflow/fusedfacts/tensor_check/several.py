"""Several files in one answer of `fusedfacts check`: workflow/schemas/checks.schema.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fusedfacts import errors, terminal
from fusedfacts.errors import FactsError
from fusedfacts.judging import head
from fusedfacts.terminal import Answer

SCHEMA_VERSION = 1
REFUSED = "refused"
WORST_FIRST = (REFUSED, *head.WORST_FIRST)


def answer(found: Sequence[tuple[str, Answer | FactsError]]) -> Answer:
    """Join what was found of each file: whole answers, then a line a file, the worst verdict."""
    files, lines, rows = [], [], [("verdict", "file")]
    for name, one in found:
        shown, error, checked = errors.printable(name), None, None
        if isinstance(one, FactsError):
            verdict, error = REFUSED, str(one)
            lines += [f"error: {error}", ""]
        else:
            verdict, checked = str(one.document["verdict"]), one.document
            lines += [*one.lines, ""]
        files.append({"file": shown, "verdict": verdict, "error": error, "check": checked})
        rows.append((verdict, shown))
    counts = Counter(file["verdict"] for file in files)
    worst = next(word for word in WORST_FIRST if counts[word])
    each = ", ".join(f"{counts[word]:,} {word}" for word in WORST_FIRST if counts[word])
    document = {"schema_version": SCHEMA_VERSION, "files": files, "verdict": worst}
    lines += [*terminal.columns(rows), f"{len(files):,} files: {each}"]
    return Answer(document, lines, worst == "holds", wrong_input=bool(counts[REFUSED]))
