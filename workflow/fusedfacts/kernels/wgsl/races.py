"""Rules on workgroup memory: a barrier stands between invocations that share an element.

A device that runs invocations one after the other gives the right answer without any barrier, so
only the text can show that one is missing. What is compared is how an index is written, not what
it comes to: an element counts as an invocation's own where the index names the invocation. That
all invocations turn a loop with barriers alike, Tint sees, which compiles every kernel in a test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fusedfacts.kernels.wgsl import module as wgsl
from fusedfacts.kernels.wgsl import text
from fusedfacts.kernels.wgsl.module import BARRIER, LOOPS, Meanings, Module, Names, Scope
from fusedfacts.kernels.wgsl.text import Fault, Statement, Tokens, all_tokens, shown, simple, walk

LANE = "lane"  # an invocation's number in its workgroup, as every kernel's main calls it
OTHER_BARRIERS = ("storageBarrier", "textureBarrier", "workgroupUniformLoad")
EXITS = ("break", "continue", "return")
Guards = frozenset[tuple[str, str]]  # pairs of which an `if` says that the first is less
HINT = (
    f"put {BARRIER}() between them, let each invocation keep to its own element, or write a"
    " reduction's step as `if i < s { a[i] = f(a[i], a[i + s]); }`"
)


def barrier_faults(module: Module) -> Iterator[Fault]:
    """Barriers are workgroupBarrier(), in main and its loops alone, and nobody leaves early.

    The others do not order workgroup memory, which a device that runs invocations one after the
    other never shows. In a branch, even of an override, a barrier may be none.
    """
    for token in module.table:
        if token.text in OTHER_BARRIERS:
            expected = f"{BARRIER}() as the only barrier"
            yield Fault(token.line, token.text, expected, f"use {BARRIER}")
    for function in module.of("fn"):
        inside = function.name == "main"
        for statement, above in walk(function.body):
            alone = text.joined(statement.head) == f"{BARRIER} ( )" and statement.body is None
            outer = all(loop.keyword in LOOPS for loop in above)
            named = any(token.text == BARRIER for token in statement.head)
            if named and not (alone and outer and inside):
                place = f"`{shown((above[-1] if alone and above else statement).head)}`"
                found = f"{BARRIER} in {place if inside else function.name}"
                expected = "barriers only at the top level of main and of its loops"
                yield Fault(statement.line, found, expected, "move it there")
            if inside and statement.keyword in EXITS:
                found = f"`{shown(statement.head)}` in main"
                expected = "every invocation to make all turns and reach the end"
                hint = "guard the work with a condition instead"
                yield Fault(statement.line, found, expected, hint)


class _Access(NamedTuple):
    """One place that reads or writes an element of an array."""

    array: str
    element: str
    writes: bool
    guards: Guards
    line: int
    shown: str


Phase = frozenset[_Access]
NONE: Guards = frozenset()


def _upper_half(write: _Access, read: _Access) -> bool:
    """Tell whether a read is a reduction's `a[i + s]` and the write its `a[i]`, both where i < s.

    Then all that is written lies below s, and all that is read so lies from s on.
    """
    return not read.writes and any(
        write.element == f"[ {i} ]" and read.element == f"[ {i} + {s} ]"
        for i, s in write.guards & read.guards
    )


def names_invocation(words: list[str]) -> bool:
    """Tell whether an index names the invocation: by its number, or by both parts of it.

    `lane / 8u` alone is shared by eight, `lane % 8u` alone by every eighth; together they are one.
    """
    after = {tuple(words[at + 1 : at + 3]) for at, word in enumerate(words) if word == LANE}
    other = {"/": "%", "%": "/"}
    return any(mark not in other or (other[mark], *divisor) in after for mark, *divisor in after)


class _Walk:
    """Main's statements in order, with the phases that they may be in between two barriers."""

    def __init__(self, module: Module, constants: Names) -> None:
        self.arrays = {found.name for found in module.of("var") if found.space == "workgroup"}
        self.constants = constants
        self.meanings = Meanings(module)
        self.same: set[str] = set()  # meanings that have the same value in every invocation
        self.faults: list[Fault] = []
        # More than one is open after a loop, which may have made no turn.
        self.open: frozenset[Phase] = frozenset({frozenset()})
        self.phases: set[Phase] = set()

    def access(self, part: Tokens, at: int, scope: Scope, guards: Guards, *, writes: bool) -> None:
        """Add an access to the array that is named at a place to the open phases."""
        token = part[at]
        index, end = text.indices(part, at)
        written = f"`{shown(part[at:end])}`"
        if not index:
            # Where it is then read and written, the text does not say.
            wanted = f"each element of {token.text} read and written by its index"
            self.faults.append(Fault(token.line, written, wanted, "write the index"))
            return
        meaning = " ".join(f"[ {self.meanings.of(one, scope)} ]" for one in index)
        if writes and not names_invocation(meaning.split(" ")):
            found = f"{written} written, whose index does not name the invocation"
            self.faults.append(Fault(token.line, found, "an element for each", HINT))
        access = _Access(token.text, meaning, writes, guards, token.line, written)
        self.open = frozenset(phase | {access} for phase in self.open)

    def parts(self, statement: Statement, scope: Scope, guards: Guards | None) -> None:
        """Add a statement's own accesses to the open phases, and what it declares to the scope."""
        for part in simple(statement):
            # A compound assignment reads, too, but nothing else than it writes.
            places = text.name_places(part)
            assigned = places[0] if wgsl.changed(statement, part) else None
            for at in places:
                if part[at].text in self.arrays:
                    writes = at == assigned
                    self.access(part, at, scope, guards or NONE, writes=writes)
            self.meanings.change(statement, part, scope)

    def guards(self, statement: Statement, scope: Scope) -> Guards:
        """Read what an `if` says of its block as `i < s`, with an s that is the same for all."""
        if statement.keyword != "if" or any(token.text == "||" for token in statement.head):
            return NONE
        conditions = [part for table in simple(statement) for part in text.split(table, "&&")]
        pairs = (
            (self.meanings.of(part[:1], scope), self.meanings.of(part[2:], scope))
            for part in conditions
            if [token.kind for token in part] == ["name", "mark", "name"] and part[1].text == "<"
        )
        return frozenset(pair for pair in pairs if pair[1] in self.same)

    def block(self, block: Sequence[Statement], scope: Scope, guards: Guards | None) -> None:
        """Walk a block; an `if` and its `else` are of one phase, as invocations take either."""
        scope = dict(scope)
        for statement in block:
            if statement.keyword in LOOPS:
                self.loop(statement, scope)
                continue
            self.parts(statement, scope, guards)
            if any(token.text == BARRIER for token in statement.head):
                self.phases |= self.open
                self.open = frozenset({frozenset()})
            inner = None if guards is None else guards | self.guards(statement, scope)
            self.block(statement.body or (), scope, inner)

    def loop(self, loop: Statement, scope: Scope) -> None:
        """Walk a loop: once if it is of one phase, else twice, so that a turn meets the next.

        In a loop of one phase no guard counts: its turns have no barrier between them.
        """
        cut = any(token.text == BARRIER for token in all_tokens(loop))
        left = frozenset[Phase]()
        for _ in range(2 if cut else 1):
            inner = dict(scope)
            self.parts(loop, inner, NONE)
            variable = wgsl.unrolled(loop, self.constants)
            if variable:
                self.same.add(inner[variable][0])
            left |= self.open  # before this turn
            self.block(loop.body or (), inner, NONE if cut else None)
        if cut:
            self.parts(loop, dict(scope), NONE)
            self.open |= left


def _conflicts(phase: Phase) -> Iterator[Fault]:
    """The first pair of accesses to each array that may meet, one of them writing."""
    seen: set[str] = set()
    accesses = sorted(phase, key=lambda found: (found.line, found.shown, found.element))
    for write in accesses:
        for other in accesses:
            apart = not write.writes or other.array != write.array or write.array in seen
            if apart or other.element == write.element or _upper_half(write, other):
                continue
            seen.add(write.array)
            does = "written" if other.writes else "read"
            found = f"{write.shown} written and {other.shown} {does} (line {other.line})"
            wanted = f"a {BARRIER}() between accesses to what may be another's element"
            yield Fault(write.line, found, wanted, HINT)


def race_faults(module: Module, given: Names) -> Iterator[Fault]:
    """Between two barriers, what is written is touched by the same index only.

    Excepted is a reduction's step, `if i < s { a[i] = f(a[i], a[i + s]); }`: it writes below s
    and reads another's element only from s on.
    """
    walked = _Walk(module, given | {found.name for found in module.of("const")})
    for function in module.of("fn"):
        for token in all_tokens(function.statement) if function.name != "main" else ():
            if token.text in walked.arrays:
                found = f"{token.text} in {function.name}, named outside main"
                yield Fault(token.line, found, "workgroup memory in main only", "pass the value")
    main = module.function("main")
    walked.block(main.body if main else (), {name: [name] for name in walked.arrays}, NONE)
    conflicts = {fault for phase in walked.phases | walked.open for fault in _conflicts(phase)}
    yield from sorted({*walked.faults, *conflicts})
