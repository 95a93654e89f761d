"""Rules on what a kernel is given: how it is bound, where it stands in a launch, how it counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from fusedfacts.kernels.interface import PLACE
from fusedfacts.kernels.wgsl.module import Declaration, Module
from fusedfacts.kernels.wgsl.text import Fault, Statement, all_tokens, joined, shown, tokens, walk

HINT = "write what `python -m fusedfacts.kernels.interface KERNEL` prints"
OPEN = ("launch", "n", "lane")  # given, and named wherever a kernel likes
OWN_SPACES = ("workgroup", "private")
ONLY = "it only in accessors and where main says its place and reports its counts"
ONLY_HINT = "go through the accessor, and do the same whether it is counted or not"


def _statements(declared: Declaration) -> list[tuple[str, Statement]]:
    """Each statement of a declaration, with its depth and tokens to compare; of main its head."""
    block = [(declared.statement, ())] if declared.name == "main" else walk([declared.statement])
    return [(f"{len(above)} {joined(inner.head)}", inner) for inner, above in block]


def interface_faults(module: Module, given: Module) -> Iterator[Fault]:
    """The text has what the manifest gives, token by token, and nothing more of that kind.

    Python and the page bind by the manifest alone; with another index a kernel would read another
    tensor, which can even be of the right size. The counts are published as what the kernel moved,
    and are no more than a claim unless each accessor counts what it moves, and each counter is
    added to its own slot: with two swapped the total would still be right.
    """
    found = {declared.name: declared for declared in module.declarations}
    for wanted in given.declarations:
        if wanted.name not in found:
            text = shown(wanted.statement.head)
            yield Fault(1, f"no {wanted.keyword} {wanted.name}", f"`{text}`", HINT)
            continue
        line = found[wanted.name].statement.line
        for got, want in zip_longest(_statements(found.pop(wanted.name)), _statements(wanted)):
            line = got[1].line if got else line
            if got is None or want is None or got[0] != want[0]:
                what, text = (f"`{shown(x[1].head)}`" if x else "nothing more" for x in (got, want))
                yield Fault(line, f"{what} in {wanted.name}", text, HINT)
                break
    for declared in found.values():
        outer = declared.keyword == "var" and declared.space not in OWN_SPACES
        if outer or declared.attributes or declared.keyword == "override":
            text = f"`{shown(declared.statement.head)}`"
            yield Fault(declared.statement.line, text, "only what manifest.json gives", HINT)


def counting_faults(module: Module, given: Module) -> Iterator[Fault]:
    """What counts and what places a workgroup is named in two statements of main and nowhere else.

    So there is no access that is not counted, nor one through a pointer; COUNT decides nothing
    but counting, and the kernel that is counted is the one that is timed; and a workgroup's place
    is all of `first_workgroup + group.x`, as a part of it would be right in the first piece of a
    launch, which is all that a short test runs.
    """
    main = module.function("main")
    if main is None:
        return
    free = {"main", *OPEN}
    free |= {found.name for found in given.of("fn") if found.name.startswith(("load_", "store_"))}
    free |= {found.name for found in given.of("override", "struct")} - {"COUNT"}
    kept = {found.name for found in given.declarations} - free | {"first_workgroup", "group", "&"}
    body, place = list(main.body), f"= {joined(tokens(PLACE))}"
    lets = (at for at, one in enumerate(body) if one.keyword == "let")
    at = next((at for at in lets if joined(body[at].head[2:]) == place), None)
    if at is None:
        wanted = f"`let workgroup = {PLACE}` at the top level of main"
        yield Fault(main.statement.line, "no place in the launch", wanted, HINT)
    name = "workgroup" if at is None else body.pop(at).head[1].text
    last = body[-1] if body else main.statement
    inner = [joined(statement.head) for statement in last.body or ()]
    if joined(last.head) == "if COUNT" and inner == [f"report_counts ( {name} )"]:
        body.pop()
    else:
        wanted = f"`if COUNT {{ report_counts({name}); }}` as main's last statement"
        yield Fault(last.line, f"`{shown(all_tokens(last))}`", wanted, "report once, at the end")
    names = {found.name for found in given.declarations}
    rest = {"main": body}
    rest |= {one.name: [one.statement] for one in module.declarations if one.name not in names}
    for where, statements in rest.items():
        for token in (token for statement in statements for token in all_tokens(statement)):
            if token.text in kept:
                yield Fault(token.line, f"{token.text} in {where}", ONLY, ONLY_HINT)
