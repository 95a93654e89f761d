"""Formulas as documents write them, evaluated: `4 d (2 n + 2 n ceil(n / br))`."""

import ast
import math
import operator
import re

TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z]+)|(\^|[-+*/()<>=]))")
FUNCTIONS = {"ceil": math.ceil, "floor": math.floor, "log": math.log2, "min": min}
WORDS = {"if", "else", "mod"}
CLOSED = re.compile(r"[0-9nd \^()+*/-]|ceil|br|bc")


def closed(claim):
    """Whether a claim's formula follows from sizes alone, so that it can be evaluated."""
    return not CLOSED.sub("", claim.formula).strip()


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


OPERATIONS = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul},
    **{ast.Div: operator.truediv, ast.Mod: operator.mod, ast.Pow: operator.pow},
    **{ast.Lt: operator.lt, ast.Gt: operator.gt, ast.LtE: operator.le, ast.GtE: operator.ge},
    **{ast.Eq: operator.eq, ast.USub: operator.neg},
}


def evaluate(formula, **names):
    """The value of a formula where each name has a value; a tree is walked, no code is run.

    >>> evaluate("2 n^2 + 1", n=3)
    19
    """
    return value(ast.parse(python(formula), mode="eval").body, names)


def value(node, names):
    """The value of one part of a formula."""
    match node:
        case ast.Constant(value=number):
            return number
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=sign, operand=inner):
            return OPERATIONS[type(sign)](value(inner, names))
        case ast.BinOp(left=a, op=sign, right=b) | ast.Compare(a, [sign], [b]):
            return OPERATIONS[type(sign)](value(a, names), value(b, names))
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return value(body if value(test, names) else otherwise, names)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]):
            return FUNCTIONS[name](*(value(part, names) for part in inner))
    raise ValueError(ast.unparse(node))
