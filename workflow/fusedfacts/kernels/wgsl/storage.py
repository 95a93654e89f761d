"""Rules on global memory that a kernel both loads and stores: nothing but its own element is there.

workgroupBarrier() does not order it, and workgroups that run together are not ordered at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from fusedfacts.kernels.wgsl import text
from fusedfacts.kernels.wgsl.module import Module, declaration
from fusedfacts.kernels.wgsl.races import names_invocation
from fusedfacts.kernels.wgsl.text import Fault, Tokens, joined, name_places, shown, simple, walk

HINT = "let each invocation load and store its own element, by one name of its index"


def _lets(module: Module) -> dict[str, set[str]]:
    """List what each name of main may stand for, by its declarations."""
    found: dict[str, set[str]] = {}
    main = module.function("main")
    for statement, _ in walk(main.body if main else ()):
        for part in simple(statement):
            if part[0].text == "let":
                named = declaration(statement, part)
                found.setdefault(named.name, set()).add(joined(named.initial))
    return found


def _words(index: str, lets: dict[str, set[str]]) -> list[str]:
    """Write an index with each name that stands for one expression replaced by it."""
    words = []
    for word in index.split(" "):
        meanings = lets.get(word, set())
        rest = {name: found for name, found in lets.items() if name != word}
        words += ["(", *_words(min(meanings), rest), ")"] if len(meanings) == 1 else [word]
    return words


def _calls(module: Module) -> Iterator[tuple[str, Tokens]]:
    """Find each call of an accessor in main: its name, and its index."""
    main = module.function("main")
    for statement, _ in walk(main.body if main else ()):
        for part in simple(statement):
            for at in name_places(part):
                name = part[at].text
                accessor = name.startswith(("load_", "store_"))
                if accessor and [token.text for token in part[at + 1 : at + 2]] == ["("]:
                    inside = part[at + 2 : text.closing(part, at + 1)]
                    yield name, text.split(inside, ",")[0]


def storage_faults(module: Module, in_turn: bool) -> Iterator[Fault]:
    """What is loaded and stored is so by one index, which names the invocation.

    And by workgroups that run one after another (`in_turn`), as the index names none of them.
    """
    lets, calls = _lets(module), list(_calls(module))
    kinds = {name for name, _ in calls}
    both = {name[5:] for name in kinds if name[:5] == "load_" and f"store_{name[5:]}" in kinds}
    first: dict[str, str] = {}
    for name, index in calls:
        buffer = name.partition("_")[2]
        if buffer not in both or not index:  # without one nothing compiles
            continue
        line, found = index[0].line, f"{name}({shown(index)})"
        kept = first.setdefault(buffer, joined(index))
        if joined(index) != kept:
            yield Fault(line, found, f"{buffer} at `{kept}` in every load and store", HINT)
        if not names_invocation(["(", *_words(joined(index), lets), ")"]):
            yield Fault(line, f"{found}, whose index does not name the invocation", "its own", HINT)
        if not in_turn:
            wanted = f"{buffer} loaded or stored, not both, where workgroups run together"
            yield Fault(line, found, wanted, "write another buffer, or let workgroups take turns")
