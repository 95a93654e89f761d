"""Rules on control flow: barriers that all invocations reach, and nobody leaving early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from fusedfacts.kernels.wgsl.module import (
    VALUES,
    Declaration,
    Module,
    changed,
    local,
    parameter_name,
)
from fusedfacts.kernels.wgsl.text import Fault, Tokens, addressed, joined, names, shown
from fusedfacts.kernels.wgsl.tree import Statement, all_tokens, simple, walk

BARRIER = "workgroupBarrier"
# What else waits for all invocations.
REFUSED = ("storageBarrier", "textureBarrier", "workgroupUniformLoad")
LOOPS = ("for", "while", "loop")
BRANCHES = ("if", "else", "switch", "case", "default")
EXITS = ("break", "continue", "return")
# Functions and types that make a value from their arguments alone.
PURE = ("select", "min", "max", "abs", "clamp", "sign", "exp", "sqrt", "floor", "ceil", "bitcast")
TYPES = ("bool", "u32", "i32", "f32", "vec2", "vec3", "vec4", "array", "atomic")
WORDS = ("true", "false", "if", "else", *LOOPS, *VALUES, *EXITS)
UNIFORM_BUILTINS = ("workgroup_id", "num_workgroups")
Names = AbstractSet[str]


def made_of(table: Tokens, known: Names) -> bool:
    """Whether an expression has no names but those, words and pure functions."""
    return all(
        token.text in known or token.text in (*PURE, *TYPES, *WORDS) for token in names(table)
    )


def _exits(
    block: Sequence[Statement], uniform: Names, flow: bool = True, own: bool = True
) -> Iterator[Statement]:
    """The statements that leave a loop or its turn for some invocations and not for others."""
    chain = True
    for statement in block:
        parts = simple(statement)
        steady = all(made_of(part, uniform) for part in parts)
        if statement.body is not None:
            chain = steady and (chain or statement.keyword != "else")
            inner = own and statement.keyword not in LOOPS
            yield from _exits(statement.body, uniform, flow and chain, inner)
        elif statement.keyword in EXITS and (own or statement.keyword == "return"):
            conditional = joined(statement.head).startswith("break if")
            if not flow or (conditional and not steady):
                yield statement


def _steady_loop(loop: Statement, uniform: Names) -> bool:
    """Whether all invocations make the same turns of a loop."""
    header = all(made_of(part, uniform) for part in simple(loop))
    return header and not list(_exits(loop.body or (), uniform))


def _spoiled(block: Sequence[Statement], uniform: Names, flow: bool = True) -> Iterator[str]:
    """Names that are given a value that may differ between invocations, or only in some."""
    chain = True
    for statement in block:
        if statement.keyword in LOOPS:
            inner = flow and _steady_loop(statement, uniform)
        elif statement.body is not None:
            steady = all(made_of(part, uniform) for part in simple(statement))
            chain = steady and (chain or statement.keyword != "else")
            inner = flow and chain
        else:
            inner = flow
        for part in simple(statement):
            change = changed(statement, part)
            if change and not (inner and made_of(change[1], uniform)):
                yield change[0]
        if statement.body is not None:
            yield from _spoiled(statement.body, uniform, inner)


def uniform_names(module: Module) -> set[str]:
    """The names in main that have the same value in every invocation of a workgroup.

    All are taken to have it, and those are struck out that are given another, until none is
    left to strike.
    """
    uniform = {"launch"} | {found.name for found in module.of("const", "override")}
    main = module.function("main")
    if main is None:
        return uniform
    uniform |= {name for name, _ in local(main)}
    # Taken out again even where a block declares the name a second time.
    uniform -= {
        parameter_name(parameter)
        for parameter in main.parameters
        if not any(f"@ builtin ( {word} )" in joined(parameter) for word in UNIFORM_BUILTINS)
    }
    uniform -= {token.text for token in addressed(all_tokens(main.statement))}
    while struck := uniform & set(_spoiled(main.body, uniform)):
        uniform -= struck
    return uniform


def lane_name(module: Module) -> str:
    """What main calls an invocation's number in its workgroup; empty if it does not ask for it."""
    main = module.function("main")
    asked = "@ builtin ( local_invocation_index )"
    found = (p for p in (main.parameters if main else ()) if asked in joined(p))
    return next((parameter_name(parameter) for parameter in found), "")


def barrier_faults(module: Module) -> Iterator[Fault]:
    """Barriers stand in main, outside branches, in loops that all invocations turn alike.

    naga accepts a barrier that some invocations never reach; Tint, and so a browser, refuses it,
    and a device may hang on it or let the tile be overwritten while it is read.
    """
    uniform = uniform_names(module)
    mend = "move the barrier to the top level of a uniform loop"
    loops: dict[int, Statement] = {}
    for function in module.of("fn"):
        for statement, above in walk(function.body):
            barriers = [token for token in statement.head if token.text == BARRIER]
            if not barriers:
                continue
            branches = [s for s in above if s.keyword in BRANCHES]
            short = any(token.text in ("&&", "||") for token in statement.head)
            if function.name != "main":
                place = function.name
            elif branches:
                place = f"`{shown(branches[-1].head)}`"
            elif statement.body is not None or short:
                place = f"a condition, `{shown(statement.head)}`"
            else:
                loops.update({id(s): s for s in above if s.keyword in LOOPS})
                continue
            yield Fault(
                barriers[0].line,
                f"{barriers[0].text} in {place}",
                "barriers only at the top level of main and of its loops",
                mend,
            )
    for loop in loops.values():
        exits = list(_exits(loop.body or (), uniform))
        for statement in exits:
            yield Fault(
                statement.line,
                f"`{shown(statement.head)}` for some invocations of a loop with barriers",
                "exits only under conditions that are uniform in the workgroup",
                "let every invocation stay in the loop and guard what it does",
            )
        if not exits and not _steady_loop(loop, uniform):
            yield Fault(
                loop.line,
                f"`{shown(loop.head)}`, a loop with barriers that some invocations turn more often",
                "only names that are uniform in the workgroup",
                mend,
            )


def refused_faults(module: Module) -> Iterator[Fault]:
    """The only barrier is workgroupBarrier().

    The others do not order workgroup memory, which a device that runs invocations one after the
    other never shows. workgroupUniformLoad does, within an expression; no kernel needs it.
    """
    for token in module.table:
        if token.text in REFUSED:
            yield Fault(
                token.line, token.text, f"{BARRIER}() as the only barrier", f"use {BARRIER}"
            )


def _last_places(function: Declaration, overrides: Names) -> set[int]:
    """The statements, by identity, after which nothing of the function could be missed."""
    body, places = function.body, set()
    chain = False
    for statement in body:
        head = joined(statement.head)
        chain = head in {f"if {name}" for name in overrides} or (chain and head == "else")
        if chain and statement.body:
            places.add(id(statement.body[-1]))
    if body:
        places.add(id(body[-1]))
    return places


def return_faults(module: Module) -> Iterator[Fault]:
    """No invocation leaves early: not main at all, other functions only by an override.

    Who returns before a barrier never reaches it, which naga accepts and Tint refuses.
    """
    overrides = {found.name for found in module.of("override")}
    for function in module.of("fn"):
        places = set() if function.name == "main" else _last_places(function, overrides)
        for statement, _ in walk(function.body):
            leaves = statement.keyword == "return" and id(statement) not in places
            if leaves or statement.keyword == "discard":
                yield Fault(
                    statement.line,
                    f"`{shown(statement.head)}` in {function.name}",
                    "no return in main, and elsewhere one at the end or at the end of"
                    " `if OVERRIDE { }`",
                    "guard the work with a condition instead",
                )
