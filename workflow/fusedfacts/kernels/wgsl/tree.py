"""Read WGSL text as a tree of statements: each has the block that it opens, and no more grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fusedfacts.kernels.wgsl.text import (
    Fault,
    Token,
    Tokens,
    UnreadableError,
    closing,
    split,
    without_attributes,
)


@dataclass(frozen=True)
class Statement:
    """A statement or declaration: all of it, or what stands before the block that it opens."""

    head: tuple[Token, ...]
    body: tuple[Statement, ...] | None
    line: int

    @property
    def keyword(self) -> str:
        """The first word after any attributes, "" for a bare block."""
        rest = without_attributes(self.head)
        return rest[0].text if rest else ""


def statements(table: Tokens) -> tuple[Statement, ...]:
    """Build the tree of statements; `if` and its `else` are neighbours.

    Raises
    ------
    UnreadableError
        Where braces do not match.

    Examples
    --------
    >>> from fusedfacts.kernels.wgsl.text import tokens
    >>> [(s.keyword, len(s.body or ())) for s in statements(tokens("if a { b(); c(); } d();"))]
    [('if', 2), ('d', 0)]
    """
    blocks: list[list[Statement]] = [[]]
    heads: list[tuple[list[Token], int]] = []
    head: list[Token] = []
    depth = 0

    def end() -> None:
        if head:
            blocks[-1].append(Statement(tuple(head), None, head[0].line))
            head.clear()

    for token in table:
        if token.text == "{":
            heads.append((head[:], head[0].line if head else token.line))
            head.clear()
            blocks.append([])
        elif token.text == "}":
            end()
            if not heads:
                raise UnreadableError(Fault(token.line, "}", "{ before it", "close each bracket"))
            opening, line = heads.pop()
            body = tuple(blocks.pop())
            blocks[-1].append(Statement(tuple(opening), body, line))
        elif token.text == ";" and not depth:
            end()
        else:
            depth += (token.text in "([") - (token.text in ")]")
            head.append(token)
    end()
    if heads:
        line = heads[-1][1]
        raise UnreadableError(Fault(line, "{", "} after it", "close each bracket"))
    return tuple(blocks[0])


def walk(
    block: Sequence[Statement], above: tuple[Statement, ...] = ()
) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """Walk every statement of a block in order, with those that it stands in, outermost first."""
    for statement in block:
        yield statement, above
        if statement.body is not None:
            yield from walk(statement.body, (*above, statement))


def all_tokens(statement: Statement) -> list[Token]:
    """List a statement's tokens, its block's included."""
    return [token for inner, _ in walk([statement]) for token in inner.head]


def simple(statement: Statement) -> list[Tokens]:
    """List the declarations, assignments and conditions that a statement itself consists of.

    >>> from fusedfacts.kernels.wgsl.text import shown, tokens
    >>> [shown(s) for s in simple(statements(tokens("for (var i = 0; i < 4; i++) { }"))[0])]
    ['var i = 0', 'i < 4', 'i++']
    """
    head = without_attributes(statement.head)
    if statement.keyword == "for" and len(head) > 1:
        parts = split(head[2 : closing(head, 1)], ";")
    else:
        parts = [head if statement.body is None else head[1:]]
    return [part for part in parts if part]
