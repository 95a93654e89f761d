"""A call of attention, as tensors by name: checked, then taken apart and judged head by head.

A tensor is whatever has a shape and a dtype and gives a part where it is indexed: an array, or one
that stands in a file, so that no more than a head has to be in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.pattern import Pattern
from fusedfacts.attention.reference import spans
from fusedfacts.errors import FactsError
from fusedfacts.judging import arrays, detection, key_tiles, layout, location, options, recipe
from fusedfacts.judging.arrays import Tensor
from fusedfacts.judging.head import Head, Problem, judge_head
from fusedfacts.judging.hypotheses import LSE_TO_BASE_2, Family, Hypothesis, hypotheses, that_hold
from fusedfacts.judging.layout import Sizes
from fusedfacts.judging.recipe import FORMATS, Recipe
from fusedfacts.judging.verdict import Judgement
from fusedfacts.numerics import side_by_side

INPUTS = ("q", "k", "v")
OF_KEYS = ("k", "v")
ANSWERS = ("o", "lse")
FLOATS = (*INPUTS, *ANSWERS, "bias", "sink")

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class Call:
    """A call of attention whose tensors fit each other.

    Attributes
    ----------
    tensors : mapping of str to Tensor
        q, k and v, and of o, lse, mask, bias and sink those that there are.
    formats : dict of str to str
        Of each of them but a mask.
    """

    tensors: Tensors
    sizes: Sizes
    pattern: Pattern
    formats: dict[str, str]

    @cached_property
    def stored(self) -> list[str]:
        """Name the formats of q, k and v, the finest first."""
        return sorted((self.formats[name] for name in INPUTS), key=lambda name: FORMATS[name].unit)

    @property
    def heads(self) -> int:
        """Count the heads of all entries of the batch."""
        return self.sizes.batch * self.sizes.heads

    def part(self, name: str, index: int, kv_head: int | None = None) -> NDArray[Any]:
        """Take what one head of q needs of a tensor."""
        batch, head = divmod(index, self.sizes.heads)
        if name in OF_KEYS:
            head = self.sizes.kv_head(head) if kv_head is None else kv_head
        return layout.head_of(name, self.tensors[name], self.sizes.layout, batch, head)

    def problem(self, index: int) -> Problem:
        """Take the inputs of one head."""
        q, k, v = (self.part(name, index) for name in INPUTS)
        batch, head = divmod(index, self.sizes.heads)
        mask, bias = (
            layout.rows_of(self.tensors[name], batch, head, self.sizes.n_k)
            if name in self.tensors
            else None
            for name in layout.TABLES
        )
        sink = float(self.part("sink", index)) if "sink" in self.tensors else None
        return Problem(q, k, v, self.pattern, self.stored[0], mask, bias, sink)

    def recipe(self, wanted: str | Recipe | None) -> Recipe:
        """Find a recipe, by default the one that the formats name."""
        if isinstance(wanted, Recipe):
            return wanted
        if wanted is not None:
            return recipe.named(wanted)
        return recipe.default(self.stored[-1], self.formats.get("o", "float32"))

    def mistakes(self, index: int, problem: Problem) -> Iterator[Hypothesis]:
        """List the mistakes that may be made of one head, whose problem is given."""
        other = index % self.sizes.heads % self.sizes.kv_heads
        if other == self.sizes.kv_head(index % self.sizes.heads):
            return hypotheses(problem)
        k, v = (self.part(name, index, other) for name in OF_KEYS)
        return hypotheses(problem, (k, v))

    def steps(self, *, hidden: bool = False) -> int:
        """Count how often a judgement says how far it is."""
        sizes = self.sizes.n_q, self.sizes.n_k
        each = len(spans(*sizes)) + (len(detection.spans(*sizes)) if hidden else 0)
        return self.heads * each

    def judged(
        self,
        index: int,
        chosen: Recipe,
        begin: Callable[[str], None] = lambda words: None,
        *,
        hidden: bool = False,
    ) -> Head:
        """Judge one head, explain what does not hold, and name what is `hidden` where asked."""
        problem = self.problem(index)
        output, lse = (self.part(name, index) if name in self.tensors else None for name in ANSWERS)

        def at(row: int) -> None:
            begin(f"head {index}, row {row:,}")

        def seeking(row: int) -> None:
            begin(f"head {index}, mistakes that hide, row {row:,}")

        found = judge_head(problem, chosen, output=output, lse=lse, begin=at)
        if found.verdict == "does not hold":
            listed = self.mistakes(index, problem)
            found.explained = that_hold(listed, chosen, output, lse, found.worst_row)
            if not found.explained:
                found.places = _places(found, problem, chosen, output)
                if output is not None:
                    found.along = key_tiles.along(problem, chosen, output)
        if hidden:
            found.hidden = detection.undetected(
                self.mistakes(index, problem), problem, chosen, begin=seeking, **self.answers
            )
        return found

    @property
    def answers(self) -> dict[str, bool]:
        """Tell which tensors are judged."""
        return {what: name in self.tensors for what, name in (("output", "o"), ("lse", "lse"))}

    def unshown(self, chosen: Recipe) -> list[Family]:
        """Name the families of mistakes that no head of this call would show."""
        problems = [partial(self.problem, index) for index in range(self.heads)]
        return detection.undetected_families(problems, chosen, **self.answers)


def _places(
    found: Head, problem: Problem, chosen: Recipe, output: NDArray[Any] | None
) -> list[str]:
    """Say where a head does not hold, of which no mistake is named."""
    widths = problem.widths()
    said = []
    for name, held in (("o", found.output), ("lse", found.lse)):
        if held is not None and held.profile is not None:
            said.append(location.location(held.profile, widths, name))
    if output is not None and found.output is not None and found.output.profile is not None:
        said.append(key_tiles.blamed(problem, chosen, output, found.output.profile))
    return [sentence for sentence in said if sentence]


def checked(tensors: Tensors, axes: str | None, given: dict[str, Any]) -> Call:
    """Check that tensors make one call; which, is `given` as `options.pattern` takes it.

    Raises
    ------
    FactsError
        If shapes, formats, values or options are not those of one call, or leave a doubt.
    """
    sizes = layout.sizes({name: tensor.shape for name, tensor in tensors.items()}, axes)
    formats = {name: arrays.format_of(tensors[name], name) for name in FLOATS if name in tensors}
    pattern = options.pattern(sizes, **given)
    if "mask" in tensors and tensors["mask"].dtype != np.bool_:
        raise FactsError(
            f"mask: found numbers of type {tensors['mask'].dtype}, expected bool, True where a"
            " query sees a key; what is added to scores is a bias"
        )
    for name in (*INPUTS, "bias", "sink"):
        if name in tensors:
            arrays.check_finite(tensors[name], name)
    return Call(tensors, sizes, pattern, formats)


def judgement(
    call: Call,
    chosen: Recipe,
    begin: Callable[[str], None] = lambda words: None,
    *,
    hidden: bool = False,
) -> Judgement:
    """Judge every head of a call.

    `begin` is called with a few words at each of a call's `steps`. What each head may let
    pass is named where `hidden` asks for it.
    """

    def judged_head(index: int) -> Head:
        return call.judged(index, chosen, begin, hidden=hidden)

    # An answer may hold anything: what overflows or is no number is found by its place.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        # Heads of one span each are judged side by side, spans of longer ones are.
        many = len(spans(call.sizes.n_q, call.sizes.n_k)) == 1
        each = side_by_side.in_order if many else map
        heads = list(each(judged_head, range(call.heads)))
        _refuse_other_base(heads)
        if all(head.blind_rows == call.sizes.n_q for head in heads):
            raise FactsError(
                "mask: found no query that sees a key, with the other options, expected one that is"
                " to be judged; mend the mask, or what hides keys beside it"
            )
        found = Judgement(chosen, call.sizes, heads)
        return replace(found, unshown=call.unshown(chosen)) if found.holds else found


def _refuse_other_base(heads: Sequence[Head]) -> None:
    """Refuse an lse that is right to base 2 and to no other: it is another tensor than was asked.

    Raises
    ------
    FactsError
        If no head holds, but each does so, and under no other mistake.
    """
    if all([name for name, _ in head.explained] == [LSE_TO_BASE_2] for head in heads):
        raise FactsError(
            "lse: found logarithms to base 2, as which they hold, expected natural ones; give lse"
            " * np.log(2)"
        )
