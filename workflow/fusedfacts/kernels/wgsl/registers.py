"""Rules on variables of one invocation's own: first values in loops, and indices of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusedfacts.kernels.wgsl import module as wgsl
from fusedfacts.kernels.wgsl.module import LOOPS, Module, Names
from fusedfacts.kernels.wgsl.text import Fault, Statement, indices, name_places, shown, simple, walk

SHARED_SPACES = ("workgroup", "storage", "uniform")
INDEX = "an index of constants and variables of loops between constants"
INDEX_HINT = "keep the index constant once loops are unrolled, or use workgroup memory"


def loop_variable_faults(module: Module) -> Iterator[Fault]:
    """A variable declared in a loop says its first value.

    naga sets one without an initialiser to zero once a call, not once a turn: a score array
    began the second tile with the first tile's sums.
    """
    for function in module.of("fn"):
        for statement, above in walk(function.body):
            if not any(outer.keyword in LOOPS for outer in above):
                continue
            for part in simple(statement):
                if part[0].text == "var" and not wgsl.declaration(statement, part).initial:
                    found = f"`{shown(part)}` in a loop"
                    hint = "give it one, such as `= 0.0` or `= array<f32, BC>()`"
                    yield Fault(statement.line, found, "an initialiser", hint)


def _index_faults(
    block: Sequence[Statement], shared: Names, constants: Names, counted: Names
) -> Iterator[Fault]:
    for statement in block:
        parts = simple(statement)
        inner = counted - {wgsl.changed(statement, part) for part in parts}
        if statement.body is None:
            counted = inner  # a name declared again stands for another value from here on
        else:
            inner |= {wgsl.unrolled(statement, constants) or ""}
        for part in parts:
            ends = {at for at, token in enumerate(part) if token.text == ")"}
            own = {at for at in name_places(part) if part[at].text not in shared}
            for at in sorted(ends | own):
                found, end = indices(part, at)
                if not all(wgsl.made_of(index, constants | inner) for index in found):
                    text = f"`{shown(part[at:end])}`, a dynamically indexed private array"
                    yield Fault(part[at].line, text, INDEX, INDEX_HINT)
        yield from _index_faults(statement.body or (), shared, constants, inner)


def index_faults(module: Module, given: Names) -> Iterator[Fault]:
    """An array of one invocation's own is indexed by what is constant once loops are unrolled.

    Registers have no addresses: with another index a compiler spills the array to memory, traffic
    that no count sees.
    """
    shared = {
        found.name for found in module.of("var") if found.space.split(" ", 1)[0] in SHARED_SPACES
    }
    constants = given | {found.name for found in module.of("const")}
    for function in module.of("fn"):
        yield from _index_faults(function.body, shared, constants, frozenset())
