"""Formulas as documents write them, evaluated: `4 d (2 n + 2 n ceil(n / br))`."""

import math
import re

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z]+)|(\^|[-+*/()<>=]))")
FUNCTIONS = {"ceil": math.ceil, "floor": math.floor, "log": math.log2, "min": min}
WORDS = {"if", "else", "mod"}


def python(formula):
    """The formula as a Python expression: juxtaposed factors are products, ^ is a power.

    >>> python("4 d (2 n + n^2)")
    '4 * d * ( 2 * n + n ** 2 )'
    """
    parts, before = [], ""
    for number, word, sign in TOKEN.findall(formula):
        token = number or word or sign
        ends = before and (before[-1].isalnum() or before == ")") and before not in WORDS
        begins = bool(number or word or sign == "(") and token not in WORDS
        if ends and begins and before not in FUNCTIONS:
            parts.append("*")
        parts.append({"^": "**", "mod": "%"}.get(token, token))
        before = token
    return " ".join(parts)


def evaluate(formula, **names):
    """The value of a formula where each name has a value."""
    return eval(python(formula), {"__builtins__": {}}, {**FUNCTIONS, **names})
