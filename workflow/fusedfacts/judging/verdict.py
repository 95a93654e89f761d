"""What was found of a whole call, in figures and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fusedfacts.judging.accuracy import Accuracy
from fusedfacts.judging.detection import FAMILIES
from fusedfacts.judging.head import WORST_FIRST, Head, Verdict
from fusedfacts.judging.hypotheses import Family
from fusedfacts.judging.layout import Sizes
from fusedfacts.judging.location import HEAD, described
from fusedfacts.judging.recipe import Recipe
from fusedfacts.terminal import counted


@dataclass(frozen=True)
class Judgement:
    """What was found of a call of attention.

    Attributes
    ----------
    recipe : Recipe
        Of which the bound is a theorem.
    sizes : Sizes
    heads : list of Head
        Of every entry of the batch, one after the other.
    unshown : list of {"scores", "rescale"}
        Steps of which no mistake would show on any head, though on other numbers of these shapes
        it would; looked for where all heads hold.
    """

    recipe: Recipe
    sizes: Sizes
    heads: list[Head]
    unshown: list[Family] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """Give the worst verdict of any head; "cannot show" where all hold, and wrong ones would.

        That is no failure of the kernel, but of the test: nothing that it forgets would be seen.
        """
        found = {head.verdict for head in self.heads}
        worst = next(word for word in WORST_FIRST if word in found)
        return "cannot show" if worst == "holds" and self.unshown else worst

    @property
    def holds(self) -> bool:
        """Tell whether every head holds, on tensors that could show mistakes of each step."""
        return self.verdict == "holds"

    @property
    def hidden(self) -> list[list[str]]:
        """Name for each head the mistakes that it may let pass; none where nobody asked."""
        return [head.hidden or [] for head in self.heads]

    def ratio(self, what: str = "output") -> float:
        """Give the largest error / bound of `output` or `lse`."""
        parts = [getattr(head, what) for head in self.heads]
        return max((part.largest_ratio for part in parts if part is not None), default=0.0)

    def __str__(self) -> str:
        """Say it in a few lines: the verdict, by which assumptions, and what exceeds its bound."""
        lines = [f"{self.verdict}, if {self.recipe.name}: {self.recipe.words()}"]
        for name, what in (("o", "output"), ("lse", "lse")):
            parts = [
                (i, part) for i, head in enumerate(self.heads) if (part := getattr(head, what))
            ]
            if not parts:
                continue
            exceeding = sum(part.exceeding for _, part in parts)
            elements = sum(part.elements for _, part in parts)
            lines.append(
                f"{name}: {exceeding:,} of {counted(elements, 'element')} exceed their bounds, the"
                f" largest error is {self.ratio(what):.3g} of its bound"
            )
            worst = max(parts, key=lambda part: part[1].largest_ratio)
            if worst[1].first:
                lines.append(f"  {self._place(worst[0], worst[1], name)}")
        lines += explanations(
            {i: h.explained for i, h in enumerate(self.heads) if h.verdict == "does not hold"}
        )
        lines += located(
            [head.verdict for head in self.heads],
            [head.places for head in self.heads],
            [head.largest_ratio for head in self.heads],
        )
        lines += unseen(self.unshown, self.hidden)
        blind = sum(head.blind_rows for head in self.heads)
        if blind:
            kinds = sorted({kind for head in self.heads for kind in head.blind}) or ["nothing"]
            lines.append(
                f"{counted(blind, 'row')} see no key and are not judged; found there:"
                f" {' and '.join(kinds)}"
            )
        if not all(head.certified for head in self.heads):
            lines.append("scores are so large that their errors may make any weight wrong")
        return "\n".join(lines)

    def _place(self, index: int, part: Accuracy, name: str) -> str:
        batch, head = divmod(index, self.sizes.heads)
        entry = f"batch {batch}, " if self.sizes.batch > 1 else ""
        first = part.first or {}
        column = f", column {first['column']}" if name == "o" else ""
        return (
            f"first of head {head}: {entry}row {first['row']}{column}: found {first['found']:.9g},"
            f" expected {first['expected']:.9g}, error {first['error']:.3g}, bound"
            f" {first['bound']:.3g}"
        )


def explanations(failed: Mapping[int, Sequence[tuple[str, float]]]) -> list[str]:
    """Name the mistakes under which heads that do not hold would, and of which each is true.

    >>> explanations({0: [("the scale is 1", 0.25)], 1: []})
    ['it holds if the scale is 1, of 1 head: the largest error is 0.25 of its bound']
    """
    names = dict.fromkeys(name for explained in failed.values() for name, _ in explained)
    lines = []
    for name in names:
        ratios = [ratio for explained in failed.values() for n, ratio in explained if n == name]
        which = "" if len(ratios) == len(failed) else f", of {counted(len(ratios), 'head')}"
        lines.append(
            f"it holds if {name}{which}: the largest error is {max(ratios):.3g} of its bound"
        )
    return lines


def located(
    verdicts: Sequence[Verdict], places: Sequence[Sequence[str]], ratios: Sequence[float]
) -> list[str]:
    """Say on which heads it does not hold, and where on the worst that has no name.

    >>> located(["holds", "does not hold"], [[], ["everywhere"]], [0.5, 9.0])
    ['it does not hold on head 1 alone, of 2 heads', 'on head 1 everywhere']
    """
    lines = []
    failed = np.array([verdict == "does not hold" for verdict in verdicts])
    if failed.any() and not failed.all():
        lines.append(f"it does not hold on {described(failed, HEAD)}, of {len(failed)} heads")
    unnamed = [i for i, sentences in enumerate(places) if sentences]
    if unnamed:
        worst = max(unnamed, key=lambda i: ratios[i])
        where = f"on head {worst} " if len(places) > 1 else ""
        lines += [f"{where}{sentence}" for sentence in places[worst]]
    return lines


def unseen(unshown: Sequence[Family], hidden: Sequence[Sequence[str]]) -> list[str]:
    """Name the steps of which no mistake would show, and of each head what it may let pass.

    >>> unseen([], [["the scale is 1"], []])
    ['these tensors may let pass on 1 head: the scale is 1']
    """
    lines = [f"it would hold just as well with {FAMILIES[family]}" for family in unshown]
    for name, heads in Counter(name for head in hidden for name in head).items():
        which = "" if heads == len(hidden) else f" on {counted(heads, 'head')}"
        lines.append(f"these tensors may let pass{which}: {name}")
    return lines
