"""Read what a WGSL text declares, what a statement changes, and what a name then stands for."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import count

from fusedfacts.kernels.wgsl import text
from fusedfacts.kernels.wgsl.text import Fault, Statement, Tokens, names, simple, tokens, walk

VALUES = ("let", "var", "const", "override")
NAMED = (*VALUES, "fn", "struct", "alias")
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--")
BARRIER = "workgroupBarrier"
LOOPS = ("for", "while", "loop")
# Functions and types that make a value from their arguments alone.
PURE = ("select", "min", "max", "abs", "clamp", "sign", "exp", "sqrt", "floor", "ceil", "bitcast")
TYPES = ("bool", "u32", "i32", "f32", "vec2", "vec3", "vec4", "array", "atomic")
WORDS = ("true", "false", *VALUES)
BUILTIN = {BARRIER, *PURE, *TYPES, "atomicAdd"}
Names = AbstractSet[str]
Scope = dict[str, list[str]]  # a name's meaning, in a list so that inner blocks may change it


@dataclass(frozen=True)
class Declaration:
    """A name with all that is said of it; of a function, `type` is its parameters and result."""

    keyword: str
    name: str
    attributes: bool
    space: str
    type: Tokens
    initial: Tokens
    statement: Statement

    @property
    def body(self) -> tuple[Statement, ...]:
        """The block of a function or structure."""
        return self.statement.body or ()


def declaration(statement: Statement, head: Tokens | None = None) -> Declaration:
    """Read a declaration, which `head` holds where it is only a part of the statement.

    Raises
    ------
    UnreadableError
        If it does not name anything.

    Examples
    --------
    >>> found = declaration(text.statements(tokens("var<storage, read> q: array<f32>;"))[0])
    >>> found.name, found.space, text.joined(found.type)
    ('q', 'storage , read', 'array < f32 >')
    """
    whole = statement.head if head is None else head
    rest = list(text.without_attributes(whole))
    attributes = len(rest) < len(whole)
    keyword = rest.pop(0).text
    space: Tokens = []
    if rest and rest[0].text == "<":
        end = next((i for i, token in enumerate(rest) if token.text == ">"), len(rest))
        space, rest = rest[1:end], rest[end + 1 :]
    if not rest or rest[0].kind != "name" or (keyword == "fn" and len(rest) < 3):
        found = f"`{keyword}` without a name"
        raise text.UnreadableError(statement.line, found, "a declaration", "name it")
    name = rest.pop(0).text
    equals = next((i for i, token in enumerate(rest) if token.text == "="), len(rest))
    kind, initial = rest[:equals], rest[equals + 1 :]
    if kind and kind[0].text == ":":
        kind = kind[1:]
    return Declaration(keyword, name, attributes, text.joined(space), kind, initial, statement)


@dataclass(frozen=True)
class Module:
    """A text's tokens, and its declarations in order."""

    table: Tokens
    declarations: tuple[Declaration, ...]

    def of(self, *keywords: str) -> list[Declaration]:
        """List the declarations that begin with one of the keywords."""
        return [found for found in self.declarations if found.keyword in keywords]

    def function(self, name: str) -> Declaration | None:
        """Find the function of that name, if there is one."""
        return next((found for found in self.of("fn") if found.name == name), None)


def read(source: str) -> Module:
    """Read the declarations of a text; what declares no name is left to compilers."""
    table = tokens(source)
    named = (found for found in text.statements(table) if found.keyword in NAMED)
    return Module(table, tuple(map(declaration, named)))


def _locals(function: Declaration) -> Iterator[tuple[str, int]]:
    """List the names that a function's parameters and statements declare, with their lines."""
    inside = function.type[1 : text.closing(function.type, 0)]
    for parameter in text.split(inside, ","):
        rest = text.without_attributes(parameter)
        if len(rest) > 1 and rest[1].text == ":":  # not the length in a parameter's type
            yield rest[0].text, rest[0].line
    for statement, _ in walk(function.body):
        for part in simple(statement):
            if part[0].text in VALUES:
                yield declaration(statement, part).name, part[0].line


def name_faults(module: Module, given: Names) -> Iterator[Fault]:
    """A name means one thing: none is declared twice in the module, none hidden in a function.

    The other rules go by names; a local COUNT or LANES would pass for the real one.
    """
    outer = [(found.name, found.statement.line) for found in module.declarations]
    inner = [place for function in module.of("fn") for place in _locals(function)]
    for at, (name, line) in enumerate([*outer, *inner]):
        if name in BUILTIN | given or name in {earlier for earlier, _ in outer[:at]}:
            expected = "one meaning for each name"
            yield Fault(line, f"another {name}", expected, "give it another name")


def made_of(table: Tokens, known: Names) -> bool:
    """Tell whether an expression has no names but those, words and pure functions."""
    return all(
        token.text in known or token.text in (*PURE, *TYPES, *WORDS) for token in names(table)
    )


def changed(statement: Statement, part: Tokens) -> str | None:
    """Find the name that a declaration or assignment changes.

    >>> one = text.statements(tokens("row[i] += a * b;"))[0]
    >>> changed(one, one.head)
    'row'
    """
    if part[0].text in VALUES:
        return declaration(statement, part).name
    marks = {token.text for token, depth in zip(part, text.depths(part), strict=True) if not depth}
    assigns = names(part) and not marks.isdisjoint(ASSIGNMENTS)
    return names(part)[0].text if assigns else None


def unrolled(loop: Statement, constants: Names) -> str | None:
    """Find the variable of a `for` loop between constants, which a compiler can unroll.

    >>> loop = text.statements(tokens("for (var i = 0; i < N; i++) { }"))[0]
    >>> unrolled(loop, {"N"}), unrolled(loop, set())
    ('i', None)
    """
    parts = simple(loop)
    if loop.keyword != "for" or len(parts) != 3 or parts[0][0].text != "var":
        return None
    found = declaration(loop, parts[0])
    inner = [(one, part) for one, _ in walk(loop.body or ()) for part in simple(one)]
    kept = found.name not in [changed(one, part) for one, part in inner]
    known = constants | {found.name}
    bounded = made_of(found.initial, constants) and all(made_of(part, known) for part in parts[1:])
    return found.name if kept and bounded else None


class Meanings:
    """Meanings of the names in main; two that are alike have the same value in an invocation."""

    def __init__(self, module: Module) -> None:
        self.numbers = count()
        # What these give may change at any call, so no two of them are alike.
        self.unsteady = {found.name for found in module.of("fn")}
        self.unsteady |= {found.name for found in module.of("var") if found.space == "private"}

    def fresh(self, name: str) -> str:
        """Make a meaning that no other value has."""
        return f"{name}#{next(self.numbers)}"

    def of(self, table: Tokens, scope: Scope) -> str:
        """Say the meaning of an expression.

        >>> Meanings(read("")).of(tokens("i + 1u"), {"i": ["step#3"]})
        'step#3 + 1u'
        """
        own = {id(token) for token in names(table)}
        words = []
        for token in table:
            if id(token) not in own:
                words.append(token.text)
            elif token.text in self.unsteady:
                words.append(self.fresh(token.text))
            else:
                words.append(scope.get(token.text, [token.text])[0])
        return " ".join(words)

    def change(self, statement: Statement, part: Tokens, scope: Scope) -> None:
        """Give a name the meaning that a declaration or assignment gives it."""
        name = changed(statement, part)
        if name is None:
            return
        if part[0].text not in VALUES:
            scope.get(name, [""])[0] = self.fresh(name)
        elif part[0].text == "var":
            scope[name] = [self.fresh(name)]
        else:
            text = self.of(declaration(statement, part).initial, scope)
            scope[name] = [f"( {text} )" if " " in text else text]
