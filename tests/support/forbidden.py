"""What no file of this repository may do, found in its syntax tree.

Names are followed through `import ... as ...` and `from ... import ...`; what is only built at run
time cannot be seen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

CODE_FROM_DATA = "runs code from data"
SHELL = "hands text to a shell"
# By the first part of a module's name.
MODULES = {
    **dict.fromkeys(
        ("pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"), CODE_FROM_DATA
    ),
    "code": CODE_FROM_DATA,
}
NETWORK = dict.fromkeys(
    """urllib urllib3 requests httpx aiohttp http socket socketserver ssl asyncio ftplib smtplib
    telnetlib xmlrpc webbrowser""".split(),
    "reaches the network",
)
HARMLESS = ("urllib.parse",)  # takes addresses apart and asks nobody
# By the full name of what is called.
CALLS = {
    **dict.fromkeys(("eval", "exec", "compile", "__import__"), CODE_FROM_DATA),
    **dict.fromkeys(
        ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"), SHELL
    ),
    "tempfile.mktemp": "names a file that somebody else may make first",
    "shutil.unpack_archive": "may write outside its folder",
}
METHODS = {"extractall": "may write outside its folder"}
YAML_ALLOWED = ("safe_load", "safe_dump", "YAMLError")
SUBPROCESS = tuple(
    f"subprocess.{name}" for name in ("run", "Popen", "call", "check_call", "check_output")
)


def _names(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for, in full."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _full(node: ast.AST, names: dict[str, str]) -> str:
    """The full name of what is called: `np.load` is numpy.load."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    full = ".".join([names.get(node.id, node.id), *reversed(parts)])
    return full.removeprefix("builtins.")


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _imports(node: ast.AST, modules: dict[str, str]) -> Iterator[str]:
    names = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    for name in names:
        first = name.split(".")[0]
        if first in modules and not name.startswith(HARMLESS):
            yield f"import {name}: {modules[first]}"


def _calls(node: ast.Call, names: dict[str, str]) -> Iterator[str]:
    full = _full(node.func, names)
    if full in CALLS:
        yield f"{full}: {CALLS[full]}"
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        yield f"{node.func.attr}: {METHODS[node.func.attr]}"
    if full.startswith("yaml.") and full.split(".")[1] not in YAML_ALLOWED:
        yield f"{full}: {CODE_FROM_DATA}, expected yaml.safe_load"
    for keyword in node.keywords:
        if keyword.arg == "shell" and not _is_false(keyword.value):
            yield f"shell=: {SHELL}"
        if keyword.arg == "allow_pickle" and not _is_false(keyword.value):
            yield f"allow_pickle=: {CODE_FROM_DATA}"
    if full in SUBPROCESS and node.args and _is_text(node.args[0]):
        yield f"{full}: text instead of a list"


def in_python(text: str, *, network: bool) -> list[tuple[int, str]]:
    """Lines of a Python file with what they do; the network is allowed where `network` is true."""
    tree = ast.parse(text)
    names = _names(tree)
    modules = MODULES if network else MODULES | NETWORK
    found = []
    for node in ast.walk(tree):
        found += (
            [(node.lineno, what) for what in _imports(node, modules)] if _is_import(node) else []
        )
        if isinstance(node, ast.Call):
            found += [(node.lineno, what) for what in _calls(node, names)]
    return sorted(found)


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _patterns() -> dict[str, str]:
    """The same rules for text that cannot be parsed as Python."""
    calls = {rf"(?<![\w.]){re.escape(name)}\s*\(": why for name, why in CALLS.items()}
    modules = {rf"^\s*(?:import|from)\s+{name}\b": why for name, why in (MODULES | NETWORK).items()}
    return {
        **calls,
        **modules,
        rf"\byaml\s*\.\s*(?!(?:{'|'.join(YAML_ALLOWED)})\b)\w+": CODE_FROM_DATA,
        r"\bshell\s*=": SHELL,
        r"\ballow_pickle\s*=": CODE_FROM_DATA,
        r"\bextractall\s*\(": METHODS["extractall"],
        # Every job is a script that calls the library, its paths not put into a line of a shell.
        r"^\s+(?:shell|run|cwl|notebook|wrapper):": SHELL,
    }


def _hits(text: str, patterns: dict[str, str]) -> list[tuple[int, str]]:
    return sorted(
        (text.count("\n", 0, hit.end()) + 1, f"{hit[0].strip()}: {why}")
        for pattern, why in patterns.items()
        for hit in re.finditer(pattern, text, re.MULTILINE)
    )


def in_snakefile(text: str) -> list[tuple[int, str]]:
    """Lines of a Snakefile, comments included, with what they do."""
    return _hits(text, _patterns())


SCRIPT = {
    r"\beval\s*\(": CODE_FROM_DATA,
    r"\bFunction\s*\(": CODE_FROM_DATA,
    r"\bset(?:Timeout|Interval)\s*\(\s*[\"'`]": CODE_FROM_DATA,
    r"\bjavascript:": CODE_FROM_DATA,
    r"\b(?:inner|outer)HTML\b": "takes text for markup",
    r"\binsertAdjacentHTML\b": "takes text for markup",
    r"\bcreateContextualFragment\b": "takes text for markup",
    r"\bsrcdoc\b": "takes text for markup",
    r"\bdocument\s*\.\s*write": "takes text for markup",
}


def in_script(text: str) -> list[tuple[int, str]]:
    """Lines of a JavaScript file, comments included, with what they do."""
    return _hits(text, SCRIPT)
