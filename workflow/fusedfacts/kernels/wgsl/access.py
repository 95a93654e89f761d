"""Rules on global memory: the bindings, and the accessors that count what they move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from fusedfacts.kernels.wgsl.module import Declaration, Module, read
from fusedfacts.kernels.wgsl.text import Fault, joined, shown
from fusedfacts.kernels.wgsl.tree import Statement, all_tokens, walk

WORD = 4  # bytes of the float32 and u32 that counts are in
BUFFERS_LIMIT = "max-storage-buffers-per-shader-stage"
OWN_SPACES = ("workgroup", "private")
MEND = "make the text and manifest.json agree"


def resources(module: Module) -> list[Declaration]:
    """The variables that are bound from outside."""
    return [found for found in module.of("var") if found.space not in OWN_SPACES]


def _memory(binding: Mapping[str, Any]) -> str:
    tensor = binding["shape"] in ("rows", "table")
    return f"{binding['name']}_memory" if tensor else str(binding["name"])


def _binding_text(binding: Mapping[str, Any]) -> str:
    uniform = binding["access"] == "uniform"
    space = "uniform" if uniform else f"storage, {binding['access']}"
    element = binding["element"] if uniform else f"array<{binding['element']}>"
    name = _memory(binding)
    return f"@group(0) @binding({binding['binding']}) var<{space}> {name}: {element};"


def _said(declared: Declaration) -> tuple[Any, ...]:
    attributes = sorted((name, joined(value)) for name, value in declared.attributes)
    return attributes, declared.space, joined(declared.type), joined(declared.initial)


def _differing(found: list[Declaration], texts: list[str], what: str, mend: str) -> Iterator[Fault]:
    wanted = {read(text).declarations[0].name: text for text in texts}
    for declared in found:
        text = wanted.pop(declared.name, None)
        if text is None or _said(declared) != _said(read(text).declarations[0]):
            expected = f"`{text.rstrip(';')}`" if text else f"no {what} {declared.name}"
            yield Fault(declared.line, f"`{shown(declared.statement.head)}`", expected, mend)
    for name, text in wanted.items():
        yield Fault(1, f"no {what} {name}", f"`{text.rstrip(';')}`", mend)


def binding_faults(
    module: Module, entry: Mapping[str, Any], launch: list[str], limits: Mapping[str, int]
) -> Iterator[Fault]:
    """Bindings and the words of `launch` are the manifest's, and few enough.

    Python and the page bind by the manifest alone; with another index a kernel would read
    another tensor, which can even be of the right size.
    """
    found = resources(module)
    yield from _differing(found, [_binding_text(b) for b in entry["bindings"]], "binding", MEND)
    words = ", ".join(f"{word}: u32" for word in launch)
    yield from _differing_blocks(
        module, "struct", "Launch", f"struct Launch {{ {words} }}", "the struct Launch", MEND
    )
    storage = [declared for declared in found if declared.space.startswith("storage")]
    if len(storage) > limits[BUFFERS_LIMIT]:
        yield Fault(
            storage[-1].line,
            f"{len(storage)} storage buffers",
            f"at most {limits[BUFFERS_LIMIT]}",
            "bind fewer",
        )


def override_faults(module: Module, overrides: Mapping[str, bool]) -> Iterator[Fault]:
    """The pipeline-overridable constants are the manifest's, by name and with its defaults.

    The page offers the manifest's; one that only the text has would never be set.
    """
    texts = [f"override {name}: bool = {str(on).lower()};" for name, on in overrides.items()]
    yield from _differing(module.of("override"), texts, "override", MEND)


def _lines(block: tuple[Statement, ...]) -> list[tuple[str, str, int]]:
    """Each statement of a block: its place and tokens to compare, its text to show, its line."""
    return [
        (
            f"{len(above)} {joined(statement.head).removesuffix(' ,')}",
            shown(statement.head),
            statement.line,
        )
        for statement, above in walk(block)
    ]


def _differing_blocks(
    module: Module, keyword: str, name: str, text: str, what: str, mend: str
) -> Iterator[Fault]:
    """The first statement in which a function or structure is not as `text` has it."""
    declared = next((d for d in module.of(keyword) if d.name == name), None)
    if declared is None:
        yield Fault(1, f"no {what.removeprefix('the ')}", f"`{text}`", mend)
        return
    wanted = read(text).declarations[0]
    pairs = zip_longest(_lines((declared.statement,)), _lines((wanted.statement,)))
    line = declared.line
    for got, want in pairs:
        line = got[2] if got else line
        if got is None or want is None or got[0] != want[0]:
            yield Fault(
                line,
                f"{f'`{got[1]}`' if got else 'nothing more'} in {what}",
                f"`{want[1]}`" if want else "nothing more",
                mend,
            )
            return


def _parameters(module: Module, function: str, usual: list[str]) -> list[str]:
    """The names that a function gives its parameters, which are its own affair."""
    declared = module.function(function)
    own = [parameter[0].text for parameter in declared.parameters] if declared else []
    return own if len(own) == len(usual) else usual


def accessors(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Function, binding and counter, for each counter of the manifest."""
    bindings = {binding["name"]: binding for binding in entry["bindings"]}
    for counter in entry["counters"]:
        name, kind = counter.split(".")
        yield f"{kind.removesuffix('s')}_{name}", bindings[name], f"{name}_{kind}"


def accessor_faults(
    module: Module, entry: Mapping[str, Any], bytes_per_element: Mapping[str, int]
) -> Iterator[Fault]:
    """Each accessor moves one element and counts exactly that, if it counts at all.

    The counts are published as what the kernel moved. They are no more than a claim unless
    counting and moving stand side by side, in every place where something is moved.
    """
    for function, binding, counter in accessors(entry):
        element, memory = binding["element"], _memory(binding)
        moved = bytes_per_element[element] // WORD
        count = f"if COUNT {{ {counter} += {moved}u; }}"
        if function.startswith("load"):
            (i,) = _parameters(module, function, ["i"])
            text = f"fn {function}({i}: u32) -> {element} {{ {count} return {memory}[{i}]; }}"
        else:
            i, value = _parameters(module, function, ["i", "value"])
            head = f"fn {function}({i}: u32, {value}: {element})"
            text = f"{head} {{ {count} {memory}[{i}] = {value}; }}"
        mend = f"count in {function} what it moves, once and under COUNT"
        yield from _differing_blocks(module, "fn", function, text, function, mend)
        yield from _differing(
            [found for found in module.of("var") if found.name == counter],
            [f"var<private> {counter}: u32;"],
            "counter",
            "declare it so, to begin at 0",
        )


def report_faults(module: Module, entry: Mapping[str, Any]) -> Iterator[Fault]:
    """The counters are reported in the manifest's order, once, at the end of main, under COUNT.

    With two slots swapped the total would still be right and two buffers wrong.
    """
    (group,) = _parameters(module, "report_counts", ["workgroup"])
    adds = "".join(
        f" atomicAdd(&counts[{group} * SLOTS + {slot}u], {counter});"
        for slot, (_, _, counter) in enumerate(accessors(entry))
    )
    text = f"fn report_counts({group}: u32) {{{adds} }}"
    mend = "add each counter to the slot that manifest.json gives it"
    yield from _differing_blocks(module, "fn", "report_counts", text, "report_counts", mend)
    main = module.function("main")
    if main is None:
        return
    last = main.body[-1] if main.body else main.statement
    form = joined(last.head), [joined(inner.head).split(" ", 1)[0] for inner in last.body or ()]
    calls = [token for token in all_tokens(main.statement) if token.text == "report_counts"]
    if form != ("if COUNT", ["report_counts"]) or len(calls) != 1:
        yield Fault(
            calls[0].line if len(calls) == 1 else last.line,
            f"report_counts called {'once' if len(calls) == 1 else f'{len(calls)} times'} in main,"
            f" which ends with `{shown(last.head)}`",
            "one call, in `if COUNT { ... }` as the last statement",
            "report once, at the end",
        )


def hiding_faults(module: Module, entry: Mapping[str, Any]) -> Iterator[Fault]:
    """Tensors, counters and counts are named nowhere but where they are counted and reported.

    So there is no access that is not counted, not through a pointer either, and no count
    without an access.
    """
    report = "report_counts"
    allowed = {"counts": {"counts", report}, report: {report, "main"}}
    for binding in entry["bindings"]:
        if binding["name"] != _memory(binding):
            allowed[_memory(binding)] = {_memory(binding)}
    for function, binding, counter in accessors(entry):
        allowed[_memory(binding)].add(function)
        allowed[counter] = {counter, function, report}
    for declared in module.declarations:
        for token in all_tokens(declared.statement):
            if declared.name not in allowed.get(token.text, {declared.name}):
                places = " and ".join(sorted(allowed[token.text] - {token.text}))
                yield Fault(
                    token.line,
                    f"{token.text} in {declared.name}",
                    f"it only in {places}",
                    "go through the accessor",
                )
