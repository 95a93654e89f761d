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

from fusedfacts.attention.pattern import ALIGNMENTS, Pattern
from fusedfacts.attention.reference import spans
from fusedfacts.errors import FactsError
from fusedfacts.judging import arrays, key_tiles, layout, places, recipe, shown
from fusedfacts.judging.arrays import Tensor
from fusedfacts.judging.head import Head, Problem, judge_head
from fusedfacts.judging.hypotheses import LSE_TO_BASE_2, Family, Hypothesis, hypotheses, that_hold
from fusedfacts.judging.layout import Sizes
from fusedfacts.judging.recipe import FORMATS, Recipe
from fusedfacts.judging.verdict import Judgement

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
    def stored(self) -> str:
        """Name the coarsest format of q, k and v."""
        return max((self.formats[name] for name in INPUTS), key=lambda name: FORMATS[name].unit)

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
        whole = self.sizes.n_q, self.sizes.n_k
        mask, bias = (
            np.broadcast_to(self.part(name, index), whole) if name in self.tensors else None
            for name in layout.TABLES
        )
        sink = float(self.part("sink", index)) if "sink" in self.tensors else None
        return Problem(q, k, v, self.pattern, self.stored, mask, bias, sink)

    def recipe(self, wanted: str | Recipe | None) -> Recipe:
        """Find a recipe, by default the one that the formats name."""
        if isinstance(wanted, Recipe):
            return wanted
        if wanted is not None:
            return recipe.named(wanted)
        return recipe.default(self.stored, self.formats.get("o", "float32"))

    def mistakes(self, index: int, problem: Problem) -> Iterator[Hypothesis]:
        """List the mistakes that may be made of one head, whose problem is given."""
        other = index % self.sizes.heads % self.sizes.kv_heads
        if other == self.sizes.kv_head(index % self.sizes.heads):
            return hypotheses(problem)
        k, v = (self.part(name, index, other) for name in OF_KEYS)
        return hypotheses(problem, (k, v))

    @property
    def steps(self) -> int:
        """Count how often a judgement says how far it is."""
        return self.heads * len(spans(self.sizes.n_q, self.sizes.n_k))

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

        found = judge_head(problem, chosen, output=output, lse=lse, begin=at)
        if found.verdict == "does not hold":
            listed = self.mistakes(index, problem)
            found.explained = that_hold(listed, chosen, output, lse, found.worst_row)
            if not found.explained:
                found.places = _places(found, problem, chosen, output)
                if output is not None:
                    found.along = key_tiles.along(problem, chosen, output)
        if hidden:
            found.hidden = shown.hidden(
                self.mistakes(index, problem), problem, chosen, **self.answers
            )
        return found

    @property
    def answers(self) -> dict[str, bool]:
        """Tell which tensors are judged."""
        return {what: name in self.tensors for what, name in (("output", "o"), ("lse", "lse"))}

    def unshown(self, chosen: Recipe) -> list[Family]:
        """Name the families of mistakes that no head of this call would show."""
        problems = [partial(self.problem, index) for index in range(self.heads)]
        return shown.unshown(problems, chosen, **self.answers)


def _places(
    found: Head, problem: Problem, chosen: Recipe, output: NDArray[Any] | None
) -> list[str]:
    """Say where a head does not hold, of which no mistake is named."""
    widths = problem.widths()
    said = []
    for name, held in (("o", found.output), ("lse", found.lse)):
        if held is not None and held.profile is not None:
            said.append(places.where(held.profile, widths, name))
    if output is not None and found.output is not None and found.output.profile is not None:
        said.append(key_tiles.blamed(problem, chosen, output, found.output.profile))
    return [sentence for sentence in said if sentence]


def checked(tensors: Tensors, axes: str | None, options: dict[str, Any]) -> Call:
    """Check that tensors make one call; `options` are a `Pattern`'s, but for sizes.

    Raises
    ------
    FactsError
        If shapes, formats, values or options are not those of one call, or leave a doubt.
    """
    sizes = layout.sizes({name: tensor.shape for name, tensor in tensors.items()}, axes)
    formats = {name: arrays.format_of(tensors[name], name) for name in FLOATS if name in tensors}
    pattern = _pattern(sizes, **options)
    if "mask" in tensors and tensors["mask"].dtype != np.bool_:
        raise FactsError(
            f"mask: found numbers of type {tensors['mask'].dtype}, expected bool, True where a"
            " query sees a key; what is added to scores is a bias"
        )
    for name in (*INPUTS, "bias", "sink"):
        if name in tensors:
            arrays.check_finite(tensors[name], name)
    return Call(tensors, sizes, pattern, formats)


def judged(
    tensors: Tensors,
    wanted: str | Recipe | None,
    axes: str | None,
    options: dict[str, Any],
    begin: Callable[[str], None] = lambda words: None,
    *,
    hidden: bool = False,
) -> Judgement:
    """Judge q, k, v and o, lse, or both.

    `begin` is called with a few words at each of a call's `steps`. What each head may let
    pass is named where `hidden` asks for it.
    """
    if not any(name in tensors for name in ANSWERS):
        raise FactsError("o: found neither an answer nor its lse, expected one to judge; give o")
    call = checked(tensors, axes, options)
    chosen = call.recipe(wanted)
    return judgement(call, chosen, begin, hidden=hidden)


def judgement(
    call: Call,
    chosen: Recipe,
    begin: Callable[[str], None] = lambda words: None,
    *,
    hidden: bool = False,
) -> Judgement:
    """Judge every head of a call, one after the other."""
    heads = []
    # An answer may hold anything: what overflows or is no number is found by its place.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for index in range(call.heads):
            heads.append(call.judged(index, chosen, begin, hidden=hidden))
        _refuse_other_base(heads)
        found = Judgement(chosen, call.sizes, heads)
        return replace(found, unshown=call.unshown(chosen)) if found.holds else found


def _refuse_other_base(heads: Sequence[Head]) -> None:
    """Refuse an lse that is right to base 2 and to no other: it is another tensor than was asked.

    Raises
    ------
    FactsError
        If all that does not hold holds so, and under no other mistake.
    """
    failed = [head for head in heads if head.verdict == "does not hold"]
    if failed and all([name for name, _ in head.explained] == [LSE_TO_BASE_2] for head in failed):
        raise FactsError(
            "lse: found logarithms to base 2, as which they hold, expected natural ones; give lse"
            " * np.log(2)"
        )


def _pattern(sizes: Sizes, *, align: str | None, **options: Any) -> Pattern:
    """Describe which keys are seen, or refuse where it is not said how positions are aligned."""
    if align not in (None, *ALIGNMENTS):
        raise FactsError(
            f"causal: found '{align}', expected {' or '.join(ALIGNMENTS)}; choose one of them"
        )
    positions = options["causal"] or options["window"] is not None
    if positions and align is None and sizes.n_q != sizes.n_k:
        raise FactsError(
            f"causal: found {sizes.n_q} queries and {sizes.n_k} keys and no alignment, expected"
            " top-left (query 0 stands at key 0) or bottom-right (the last at the last); say which"
            " by causal or align, as the two are different attentions"
        )
    where: Any = align or "top-left"
    return Pattern(sizes.n_q, sizes.n_k, sizes.d, align=where, **options)
