"""Say what an expression means: its text, with each name replaced by what it then stands for."""

from __future__ import annotations

from itertools import count

from fusedfacts.kernels.wgsl.module import VALUES, Module, changed, declaration
from fusedfacts.kernels.wgsl.text import Tokens, names
from fusedfacts.kernels.wgsl.tree import Statement

Scope = dict[str, list[str]]  # a name's meaning, in a list so that inner blocks may change it


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

        >>> from fusedfacts.kernels.wgsl.module import read
        >>> from fusedfacts.kernels.wgsl.text import tokens
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
        change = changed(statement, part)
        if change is None:
            return
        name = change[0]
        if part[0].text not in VALUES:
            scope.get(name, [""])[0] = self.fresh(name)
        elif part[0].text == "var":
            scope[name] = [self.fresh(name)]
        else:
            text = self.of(declaration(statement, part).initial, scope)
            scope[name] = [f"( {text} )" if " " in text else text]
