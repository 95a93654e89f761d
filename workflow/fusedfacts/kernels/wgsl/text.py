"""Read WGSL text as tokens, and these as a tree of statements, each with the block that it opens.

There is no more grammar than that; what cannot be read is itself a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

# Each of these ends a `//` comment in WGSL, so text after one is code.
LINE_ENDS = "\n\v\f\r\x85\u2028\u2029"
PATTERN = re.compile(
    rf"""(?P<blank>\s+ | //[^{LINE_ENDS}]*) | (?P<comment>/\*)
    | (?P<float>0[xX](?:[0-9a-fA-F]*\.[0-9a-fA-F]*(?:[pP][+-]?[0-9]+[fh]?)?
          | [0-9a-fA-F]+[pP][+-]?[0-9]+[fh]?)
      | (?:[0-9]*\.[0-9]+|[0-9]+\.)(?:[eE][+-]?[0-9]+)?[fh]?
      | [0-9]+(?:[eE][+-]?[0-9]+[fh]?|[fh]))
    | (?P<whole>(?:0[xX][0-9a-fA-F]+|[0-9]+)[iu]?)
    | (?P<name>[^\W\d]\w*)
    | (?P<mark>->|&&|\|\||\+\+|--|<<|[-+*/%&|^=!<>]=|[-+*/%&|^=!<>~()\[\]{{}}.,;:@])
    | (?P<strange>.)""",
    re.VERBOSE,
)


class Fault(NamedTuple):
    """The parts of a sentence about a text."""

    line: int
    found: str
    expected: str
    hint: str


class UnreadableError(Exception):
    """A text that these rules cannot read; its arguments are those of the `Fault` that says why."""


class Token(NamedTuple):
    """One name, number (`float` or `whole`) or mark; `gap` if blank space stood before it."""

    text: str
    kind: str
    line: int
    gap: bool


Tokens = Sequence[Token]


def tokens(text: str) -> list[Token]:
    """Read a text's tokens; comments to the end of a line are blank space, no others are taken.

    Closing angle brackets are never read together, so that those of nested types stay apart.

    Raises
    ------
    UnreadableError
        At a character that belongs to no token, or at `/*`.

    Examples
    --------
    >>> [token.text for token in tokens("a += 0x1p-2f; // e")]
    ['a', '+=', '0x1p-2f', ';']
    """
    table, line, gap = [], 1, False
    for match in PATTERN.finditer(text):
        word, kind = match[0], str(match.lastgroup)
        if kind in ("comment", "strange"):
            found = f"`{word}`" if kind == "comment" else f"the character {word!r}"
            expected = "a token of WGSL or a comment that begins with //"
            raise UnreadableError(line, found, expected, "take it out")
        if kind != "blank":
            table.append(Token(word, kind, line, gap))
        gap = kind == "blank"
        line += word.count("\n")
    return table


def shown(table: Tokens) -> str:
    r"""Write tokens as a reader would, on one line.

    >>> shown(tokens("a[ i ]  =\n b"))
    'a[ i ] = b'
    """
    return "".join(" " * token.gap + token.text for token in table).strip()


def joined(table: Tokens) -> str:
    """Write tokens in a form that is the same however they were spaced."""
    return " ".join(token.text for token in table)


def depths(table: Tokens) -> list[int]:
    """Count the brackets that are open after each token."""
    return list(accumulate((token.text in "([") - (token.text in ")]") for token in table))


def closing(table: Tokens, start: int) -> int:
    """Find where the bracket that opens at `start` closes."""
    inside = depths(table[start:])
    if 0 not in inside:
        raise UnreadableError(table[start].line, "a bracket", "its end after it", "close it")
    return start + inside.index(0)


def split(table: Tokens, mark: str) -> list[Tokens]:
    """Split at the marks that stand in no bracket.

    >>> [shown(part) for part in split(tokens("f(a, b), c"), ",")]
    ['f(a, b)', 'c']
    """
    places = enumerate(zip(table, depths(table), strict=True))
    cuts = [at for at, (token, depth) in places if token.text == mark and not depth]
    return [table[a + 1 : b] for a, b in pairwise([-1, *cuts, len(table)])]


def without_attributes(table: Tokens) -> Tokens:
    """Drop the attributes, such as `@diagnostic(...)`, that a statement may begin with."""
    at = 0
    while len(table) > at + 1 and table[at].text == "@":
        at += 2
        if at < len(table) and table[at].text == "(":
            at = closing(table, at) + 1
    return table[at:]


def name_places(table: Tokens) -> list[int]:
    """Find where a word names something, so not the members after a dot."""
    return [
        at
        for at, token in enumerate(table)
        if token.kind == "name" and (at == 0 or table[at - 1].text != ".")
    ]


def names(table: Tokens) -> list[Token]:
    """Find the words that name something."""
    return [table[at] for at in name_places(table)]


def indices(table: Tokens, at: int) -> tuple[list[Tokens], int]:
    """Read the indices and members after the value that ends at `at`: the indices, and their end.

    >>> found, end = indices(tokens("a.b[i + 1][j] = c"), 0)
    >>> [shown(index) for index in found], end
    (['i + 1', 'j'], 11)
    """
    found: list[Tokens] = []
    end = at + 1
    while end < len(table) and table[end].text in ("[", "."):
        if table[end].text == "[":
            close = closing(table, end)
            found.append(table[end + 1 : close])
            end = close + 1
        else:
            end += 2
    return found, end


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
    >>> [(s.keyword, len(s.body or ())) for s in statements(tokens("if a { b(); c(); } d();"))]
    [('if', 2), ('d', 0)]
    """
    blocks: list[list[Statement]] = [[]]
    opened: list[Statement] = []  # of each block but the first
    head: list[Token] = []
    for token, depth in zip(table, depths(table), strict=True):
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
                raise UnreadableError(token.line, "}", "{ before it", "close each bracket")
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

    >>> [shown(s) for s in simple(statements(tokens("for (var i = 0; i < 4; i++) { }"))[0])]
    ['var i = 0', 'i < 4', 'i++']
    """
    head = without_attributes(statement.head)
    if statement.keyword == "for" and len(head) > 1:
        parts = split(head[2 : closing(head, 1)], ";")
    else:
        parts = [head if statement.body is None else head[1:]]
    return [part for part in parts if part]
