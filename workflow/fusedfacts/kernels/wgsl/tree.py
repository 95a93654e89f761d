"""Read WGSL text as a tree of statements: each has the block that it opens, and no more grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fusedfacts.kernels.wgsl import text
from fusedfacts.kernels.wgsl.text import Token, Tokens


@dataclass(frozen=True)
class Statement:
    """A statement or declaration: all of it, or what stands before the block that it opens."""

    head: tuple[Token, ...]
    body: tuple[Statement, ...] | None
    line: int

    @property
    def keyword(self) -> str:
        """The first word after any attributes, "" for a bare block."""
        rest = text.without_attributes(self.head)
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
    opened: list[Statement] = []  # of each block but the first
    head: list[Token] = []
    for token, depth in zip(table, text.depths(table), strict=True):
        if token.text not in "{};" or (token.text == ";" and depth):
            head.append(token)
            continue
        line = head[0].line if head else token.line
        begun = Statement(tuple(head), None, line)
        head = []
        if token.text == "{":
            opened.append(begun)
            blocks.append([])
            continue
        if begun.head:
            blocks[-1].append(begun)
        if token.text == "}":
            if not opened:
                raise text.UnreadableError(token.line, "}", "{ before it", "close each bracket")
            body = tuple(blocks.pop())
            blocks[-1].append(replace(opened.pop(), body=body))
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
    head = text.without_attributes(statement.head)
    if statement.keyword == "for" and len(head) > 1:
        parts = text.split(head[2 : text.closing(head, 1)], ";")
    else:
        parts = [head if statement.body is None else head[1:]]
    return [part for part in parts if part]
