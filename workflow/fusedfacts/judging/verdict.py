"""What was found of a whole call, in figures and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from fusedfacts.judging.head import WORST_FIRST, Head, Held, Verdict
from fusedfacts.judging.hypotheses import Family
from fusedfacts.judging.layout import Sizes
from fusedfacts.judging.places import HEAD, told
from fusedfacts.judging.recipe import Recipe
from fusedfacts.judging.shown import FAMILIES
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
        lines += self._explained()
        lines += self._places()
        lines += [f"it would hold just as well with {FAMILIES[family]}" for family in self.unshown]
        for name, heads in Counter(name for head in self.hidden for name in head).items():
            which = "" if heads == len(self.heads) else f" on {counted(heads, 'head')}"
            lines.append(f"these tensors may let pass{which}: {name}")
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

    def _explained(self) -> list[str]:
        """Name the mistakes under which heads would hold, and of which heads each is true."""
        failed = {i: head for i, head in enumerate(self.heads) if head.verdict == "does not hold"}
        names = dict.fromkeys(name for head in failed.values() for name, _ in head.explained)
        lines = []
        for name in names:
            ratios = {i: dict(head.explained).get(name) for i, head in failed.items()}
            of = [i for i, ratio in ratios.items() if ratio is not None]
            worst = max(ratio for ratio in ratios.values() if ratio is not None)
            which = "" if len(of) == len(failed) else f", of {counted(len(of), 'head')}"
            lines.append(
                f"it holds if {name}{which}: the largest error is {worst:.3g} of its bound"
            )
        return lines

    def _places(self) -> list[str]:
        """Say on which heads it does not hold, and where on the worst that has no name."""
        lines = []
        failed = np.array([head.verdict == "does not hold" for head in self.heads])
        if failed.any() and not failed.all():
            lines.append(f"it does not hold on {told(failed, HEAD)}, of {len(failed)} heads")
        unnamed = [i for i, head in enumerate(self.heads) if head.places]
        if unnamed:
            worst = max(unnamed, key=lambda i: self.heads[i].largest_ratio)
            where = f"on head {worst} " if len(self.heads) > 1 else ""
            lines += [f"{where}{sentence}" for sentence in self.heads[worst].places]
        return lines

    def _place(self, index: int, part: Held, name: str) -> str:
        batch, head = divmod(index, self.sizes.heads)
        entry = f"batch {batch}, " if self.sizes.batch > 1 else ""
        first = part.first or {}
        column = f", column {first['column']}" if name == "o" else ""
        return (
            f"first of head {head}: {entry}row {first['row']}{column}: found {first['found']:.9g},"
            f" expected {first['expected']:.9g}, error {first['error']:.3g}, bound"
            f" {first['bound']:.3g}"
        )
