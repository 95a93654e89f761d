"""Which of the library's files a module needs, so that a rule can name them as inputs.

Snakemake does not see imports. Naming every file would rerun everything on any edit; naming the
ones that a stage can reach reruns what depends on the edit, and nothing else.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

LIBRARY = Path(__file__).parents[1]
PACKAGE = LIBRARY.name


def _file(module: str) -> Path | None:
    path = LIBRARY.parent.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache  # many rules share most of their files
def imported(path: Path) -> set[str]:
    """List the modules of the library that a file imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found |= {name for name in names if name.split(".")[0] == PACKAGE and _file(name)}
    return found


def closure(*modules: str) -> list[str]:
    """List the files that the modules reach, themselves included, sorted.

    >>> [Path(path).name for path in closure("fusedfacts.documents.canonical_json")]
    ['__init__.py', '__init__.py', 'canonical_json.py', 'errors.py']
    """
    waiting, found = list(modules), dict[str, str]()
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        path = _file(module)
        if path is None:
            raise ModuleNotFoundError(f"{module} is no module of {PACKAGE}")
        found[module] = str(path)
        waiting += imported(path)
        if "." in module:
            waiting.append(module.rpartition(".")[0])
    return sorted(found.values())
