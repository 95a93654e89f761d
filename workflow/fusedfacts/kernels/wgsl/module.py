"""What a WGSL text declares: functions, variables and constants, and what its statements change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fusedfacts.kernels.wgsl.text import (
    Fault,
    Token,
    Tokens,
    UnreadableError,
    closing,
    joined,
    names,
    split,
    tokens,
    without_attributes,
)
from fusedfacts.kernels.wgsl.tree import Statement, simple, statements, walk

VALUES = ("let", "var", "const", "override")
NAMED = (*VALUES, "fn", "struct", "alias")
UNNAMED = ("enable", "requires", "diagnostic", "const_assert")
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--")
MEND_FORM = "write it as WGSL's grammar has it"


@dataclass(frozen=True)
class Declaration:
    """A name with all that is said of it; of a function, `type` is its parameters and result."""

    keyword: str
    name: str
    attributes: tuple[tuple[str, tuple[Token, ...]], ...]
    space: str
    type: tuple[Token, ...]
    initial: tuple[Token, ...]
    statement: Statement

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.statement.line

    @property
    def body(self) -> tuple[Statement, ...]:
        """The block of a function or structure."""
        return self.statement.body or ()

    @property
    def parameters(self) -> list[Tokens]:
        """The tokens of each parameter of a function."""
        inside = self.type[1 : closing(self.type, 0)]
        return [part for part in split(_flat(inside), ",") if part]


def _flat(table: Tokens) -> Tokens:
    """The tokens with what stands between angle brackets taken out."""
    kept, depth = [], 0
    for token in table:
        depth += token.text == "<"
        if not depth:
            kept.append(token)
        depth -= token.text == ">"
    return kept


def _attributes(table: Tokens) -> Iterator[tuple[str, tuple[Token, ...]]]:
    at = 0
    while at + 1 < len(table) and table[at].text == "@":
        word = table[at + 1].text
        value: tuple[Token, ...] = ()
        at += 2
        if at < len(table) and table[at].text == "(":
            end = closing(table, at)
            value = tuple(table[at + 1 : end])
            at = end + 1
        yield word, value


def parameter_name(parameter: Tokens) -> str:
    """The name of a function's parameter.

    >>> parameter_name(tokens("@builtin(workgroup_id) group: vec3<u32>"))
    'group'
    """
    rest = without_attributes(parameter)
    return rest[0].text if rest else ""


def declaration(statement: Statement, head: Tokens | None = None) -> Declaration:
    """Read a declaration, which `head` holds where it is only a part of the statement.

    Raises
    ------
    UnreadableError
        If it does not name anything.

    Examples
    --------
    >>> found = declaration(statements(tokens("var<storage, read> q: array<f32>;"))[0])
    >>> found.name, found.space, joined(found.type)
    ('q', 'storage , read', 'array < f32 >')
    """
    whole = tuple(statement.head if head is None else head)
    rest = list(without_attributes(whole))
    attributes = tuple(_attributes(whole))
    keyword = rest.pop(0).text
    space: Tokens = []
    if rest and rest[0].text == "<":
        end = next((i for i, token in enumerate(rest) if token.text == ">"), len(rest))
        space, rest = rest[1:end], rest[end + 1 :]
    if not rest or rest[0].kind != "name" or (keyword == "fn" and len(rest) < 3):
        raise UnreadableError(
            Fault(statement.line, f"`{keyword}` without a name", "a declaration", MEND_FORM)
        )
    name = rest.pop(0).text
    equals = next((i for i, token in enumerate(rest) if token.text == "="), len(rest))
    kind = rest[:equals]
    if kind and kind[0].text == ":":
        kind = kind[1:]
    return Declaration(
        keyword,
        name,
        attributes,
        joined(space),
        tuple(kind),
        tuple(rest[equals + 1 :]),
        statement,
    )


@dataclass(frozen=True)
class Module:
    """A text's declarations in order, and its directives and assertions."""

    table: tuple[Token, ...]
    declarations: tuple[Declaration, ...]
    unnamed: tuple[Statement, ...]

    def of(self, *keywords: str) -> list[Declaration]:
        """The declarations that begin with one of the keywords."""
        return [found for found in self.declarations if found.keyword in keywords]

    def function(self, name: str) -> Declaration | None:
        """The function of that name, if there is one."""
        return next((found for found in self.of("fn") if found.name == name), None)


def read(text: str) -> Module:
    """The declarations of a text.

    Raises
    ------
    UnreadableError
        Where the text cannot be read.
    """
    table = tokens(text)
    declarations, unnamed = [], []
    for statement in statements(table):
        if statement.keyword in NAMED:
            declarations.append(declaration(statement))
        elif statement.keyword in UNNAMED:
            unnamed.append(statement)
        else:
            raise UnreadableError(
                Fault(statement.line, f"`{statement.keyword}`", "a declaration", MEND_FORM)
            )
    return Module(tuple(table), tuple(declarations), tuple(unnamed))


def local(function: Declaration) -> Iterator[tuple[str, int]]:
    """The names that a function's parameters and statements declare, with their lines."""
    for parameter in function.parameters:
        yield parameter_name(parameter), parameter[0].line
    for statement, _ in walk(function.body):
        for part in simple(statement):
            if part and part[0].text in VALUES:
                yield declaration(statement, part).name, part[0].line


def changed(statement: Statement, part: Tokens) -> tuple[str, Tokens] | None:
    """The name that a declaration or assignment changes, with all that decides its new value.

    >>> one = statements(tokens("row[i] += a * b;"))[0]
    >>> name, value = changed(one, one.head)
    >>> name, joined(value)
    ('row', '[ i ] += a * b')
    """
    if part and part[0].text in VALUES:
        found = declaration(statement, part)
        return found.name, found.initial
    depth = 0
    for token in part:
        depth += (token.text in "([") - (token.text in ")]")
        if token.text in ASSIGNMENTS and not depth and names(part):
            target = names(part)[0]
            return target.text, part[part.index(target) + 1 :]
    return None
