"""docs/judge.md, taken apart: the code of each case, and what it says is answered."""

import re

from support.common import ROOT

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(case):
    """The fenced blocks of a case, as pairs of language and text."""
    page = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    [text] = [part for part in page.split("\n## ") if part.startswith(f"{case}\n")]
    return FENCED.findall(text)


def says(answer, shown):
    """Tell whether an answer holds the lines shown, in their order, whatever `...` stands for."""
    lines = [" ".join(line.split()) for line in shown.strip().splitlines()]
    wanted = ".*".join(re.escape(line).replace(r"\.\.\.", ".*") for line in lines)
    return re.search(wanted, " ".join(answer.split())) is not None
