"""Rules on what a launch decides: whether it counts, and which workgroups it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fusedfacts.kernels.wgsl.access import accessors
from fusedfacts.kernels.wgsl.module import Declaration, Module, parameter_name
from fusedfacts.kernels.wgsl.text import Fault, Token, Tokens, closing, joined, shown
from fusedfacts.kernels.wgsl.tree import Statement, all_tokens, walk

COUNT = "COUNT"
REPORT = "report_counts"
FIRST = "first_workgroup"
BUILTIN = re.compile(r"@ builtin \( (\w+)")
BUILTINS = ("local_invocation_index", "workgroup_id")


def _reports(statement: Statement, main: Declaration) -> bool:
    """Whether a statement of main is `if COUNT { report_counts(...); }`, or is to be that.

    Where it stands, how often and with what after it, `access.report_faults` says.
    """
    calls = [joined(inner.head).startswith(f"{REPORT} (") for inner in statement.body or ()]
    last = statement is main.body[-1]
    return joined(statement.head) == f"if {COUNT}" and all(calls) and (bool(calls) or last)


def count_faults(module: Module, entry: Mapping[str, Any]) -> Iterator[Fault]:
    """COUNT decides nothing but whether accesses are counted and the counts reported.

    The kernel that is counted would otherwise not be the one that is timed and compared.
    """
    counting = {function for function, _, _ in accessors(entry)} | {COUNT}
    for declared in module.declarations:
        if declared.name in counting:
            continue  # another rule has the accessors' whole text
        for statement, _ in walk([declared.statement]):
            if declared.name == "main" and _reports(statement, declared):
                continue
            for token in statement.head:
                if token.text == COUNT:
                    yield Fault(
                        token.line,
                        f"{COUNT} in `{shown(statement.head)}`",
                        f"it only in accessors and in main's last `if {COUNT}`",
                        "do the same whether it is counted or not",
                    )


def _calls(table: Tokens) -> Iterator[tuple[Token, Tokens]]:
    """The calls of report_counts with their arguments."""
    for at, token in enumerate(table[:-1]):
        if token.text == REPORT and table[at + 1].text == "(":
            yield token, table[at + 2 : closing(table, at + 1)]


def place_faults(module: Module) -> Iterator[Fault]:
    """The workgroup's place is `launch.first_workgroup + group.x`, and nothing else is used.

    Long launches are cut into several. A kernel that took its place from a part of the sum would
    be right in the first piece, which is all that a short test runs.
    """
    main = module.function("main")
    if main is None:
        return
    builtins = {
        "".join(BUILTIN.findall(joined(parameter))): parameter_name(parameter)
        for parameter in main.parameters
    }
    if tuple(sorted(builtins)) != BUILTINS:
        odd = [p for p in main.parameters if not any(word in joined(p) for word in BUILTINS)]
        yield Fault(
            odd[0][0].line if odd else main.line,
            f"`{shown(odd[0])}` as a parameter of main" if odd else "a parameter of main missing",
            f"the builtins {' and '.join(BUILTINS)}, each once",
            "take the place in the launch from these",
        )
        return
    group = builtins["workgroup_id"]
    text = f"= launch . {FIRST} + {group} . x"
    defining = [
        statement
        for statement in main.body
        if statement.keyword == "let" and joined(statement.head[2:]) == text
    ]
    wanted = f"`let {{}} = launch.{FIRST} + {group}.x`"
    mend = "derive all that depends on the workgroup from that name"
    if not defining:
        used = [token.line for token in all_tokens(main.statement) if token.text in (group, FIRST)]
        # The last use is one of the body's, if the body has any: parameters come before it.
        line = max(used, default=main.line)
        yield Fault(line, "no place in the launch", wanted.format("workgroup"), mend)
        return
    place = defining[0].head[1].text
    kept = {id(token) for token in defining[0].head}
    kept |= {id(token) for parameter in main.parameters for token in parameter}
    calls = list(_calls(all_tokens(main.statement)))
    kept |= {id(token) for _, argument in calls for token in argument}  # these have their own fault
    for declared in module.declarations:
        named = {FIRST, group} if declared is main else {FIRST}
        for token in all_tokens(declared.statement) if declared.name != "Launch" else ():
            if token.text in named and id(token) not in kept:
                yield Fault(
                    token.line,
                    f"{token.text} in {declared.name}",
                    f"it only in {wanted.format(place)}",
                    mend,
                )
    for token, argument in calls:
        if joined(argument) != place:
            yield Fault(
                token.line,
                f"`{REPORT}({shown(argument)})`",
                f"`{REPORT}({place})`",
                "report to the workgroup's own place",
            )
