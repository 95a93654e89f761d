"""Rules on variables of one invocation's own: first values in loops, and indices of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusedfacts.kernels.wgsl.flow import LOOPS, Names, made_of
from fusedfacts.kernels.wgsl.module import VALUES, Module, changed, declaration
from fusedfacts.kernels.wgsl.text import Fault, Tokens, addressed, closing, shown
from fusedfacts.kernels.wgsl.tree import Statement, all_tokens, simple, walk

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


def _counted(loop: Statement, constants: Names) -> str | None:
    """The variable of a `for` loop that a compiler can unroll, if it is one."""
    parts = simple(loop)
    if loop.keyword != "for" or len(parts) != 3 or parts[0][0].text != "var":
        return None
    name = declaration(loop, parts[0]).name
    changes = [
        changed(statement, part)
        for statement, _ in walk(loop.body or ())
        for part in simple(statement)
    ]
    kept = all(change is None or change[0] != name for change in changes)
    inside = [token for inner in loop.body or () for token in all_tokens(inner)]
    pointed = name in {token.text for token in addressed(inside)}
    bounded = made_of(declaration(loop, parts[0]).initial, constants) and all(
        made_of(part, constants | {name}) for part in parts[1:]
    )
    return name if kept and bounded and not pointed else None


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
    counted = set(counted)
    for statement in block:
        inner = set(counted)
        variable = _counted(statement, constants)
        for part in simple(statement):
            change = changed(statement, part)
            if change and part[0].text in VALUES:
                inner.discard(change[0])
        if statement.body is None:
            counted = inner
        elif variable:
            inner.add(variable)
        for part in simple(statement):
            for name, start, opening, end in _indices(part):
                if name in shared or made_of(part[opening + 1 : end], constants | inner):
                    continue
                yield Fault(
                    part[opening].line,
                    f"`{shown(part[start : end + 1])}`, a dynamically indexed private array",
                    "an index of constants and variables of loops between constants",
                    "keep the index constant once loops are unrolled, or use workgroup memory",
                )
        if statement.body is not None:
            yield from _index_faults(statement.body, shared, constants, inner)


def index_faults(module: Module) -> Iterator[Fault]:
    """An array of one invocation's own is indexed by what is constant once loops are unrolled.

    Registers have no addresses: with another index a compiler spills the array to memory, traffic
    that no count sees.
    """
    shared = {
        found.name for found in module.of("var") if found.space.split(" ", 1)[0] in SHARED_SPACES
    }
    constants = {found.name for found in module.of("const")}
    for function in module.of("fn"):
        yield from _index_faults(function.body, shared, constants, set())
