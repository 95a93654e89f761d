"""Rules on variables of one invocation's own: first values in loops, and indices of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusedfacts.kernels.wgsl.module import (
    LOOPS,
    VALUES,
    Module,
    Names,
    changed,
    declaration,
    made_of,
    unrolled,
)
from fusedfacts.kernels.wgsl.text import Fault, Tokens, closing, shown
from fusedfacts.kernels.wgsl.tree import Statement, simple, walk

SHARED_SPACES = ("workgroup", "storage", "uniform")


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
                bare = part and part[0].text == "var"
                if bare and not declaration(statement, part).initial:
                    yield Fault(
                        statement.line,
                        f"`{shown(part)}` in a loop",
                        "an initialiser",
                        "give it one, such as `= 0.0` or `= array<f32, BC>()`",
                    )


def _indices(table: Tokens) -> Iterator[tuple[str, int, int, int]]:
    """Of each index the array's name ("" of a value without one), and start, [ and ]."""
    openers: list[int] = []
    partner: dict[int, int] = {}
    for at, token in enumerate(table):
        if token.text in ("(", "["):
            openers.append(at)
        elif token.text in (")", "]") and openers:
            partner[at] = openers.pop()
    for at, token in enumerate(table):
        if token.text != "[":
            continue
        root = at - 1
        while root >= 0:
            if table[root].text == "]":
                root = partner[root] - 1
            elif root and table[root - 1].text == ".":
                root -= 2
            else:
                break
        named = root >= 0 and table[root].kind == "name"
        yield table[root].text if named else "", max(root, 0), at, closing(table, at)


def _index_faults(
    block: Sequence[Statement], shared: Names, constants: Names, counted: Names
) -> Iterator[Fault]:
    for statement in block:
        parts = simple(statement)
        changes = [changed(statement, part) for part in parts if part[0].text in VALUES]
        inner = counted - {change[0] for change in changes if change}
        if statement.body is None:
            counted = inner  # a name declared again stands for another value from here on
        else:
            inner |= {unrolled(statement, constants) or ""}
        for part in parts:
            for name, start, opening, end in _indices(part):
                if name not in shared and not made_of(part[opening + 1 : end], constants | inner):
                    yield Fault(
                        part[opening].line,
                        f"`{shown(part[start : end + 1])}`, a dynamically indexed private array",
                        "an index of constants and variables of loops between constants",
                        "keep the index constant once loops are unrolled, or use workgroup memory",
                    )
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
