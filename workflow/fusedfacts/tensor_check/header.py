"""Which names, types and shapes of tensors are judged; of any other, what mends it.

A shape cannot tell what its axes are. So no advice here turns one reading into another without
saying of which it is; and what is not judged yet is said so, plainly.
"""

from __future__ import annotations

from collections.abc import Mapping

from fusedfacts import errors
from fusedfacts.attention.problem import HEAD_DIMS, default_scale
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check.safetensors_file import Entry
from fusedfacts.terminal import listed

INPUTS, ANSWER = ("q", "k", "v"), "o"
TYPES = ("F32", "F16", "BF16")  # which float32 holds exactly
# Time grows with n^2: a head of this length takes a quarter of an hour at d = 16.
N_MOST = 2**17
HEADS_MOST = 1024  # of one layer, or of a few; more are checked in several files
SHOWN_MOST = 60  # characters of a stranger's name that a message quotes
NAMES = (
    "save q, k, v (and o, if you want yours judged) of one layer under these names and nothing"
    " else, as no other names are read"
)
OTHERS = "the other tensors alike"

Shape = tuple[int, ...]


def check(entries: Mapping[str, Entry], file: str) -> None:
    """Refuse tensors of other names, types or shapes than those that are judged."""
    _check_names(entries, file)
    for name in (*INPUTS, ANSWER):
        if name in entries:
            _check_entry(name, entries[name], entries["q"], file)


def _check_names(entries: Mapping[str, Entry], file: str) -> None:
    missing = [name for name in INPUTS if name not in entries]
    unknown = sorted(name for name in entries if name not in (*INPUTS, ANSWER))
    if missing or unknown:
        found = [f"no {', '.join(missing)}"] if missing else []
        names = [
            f"'{errors.printable(name, SHOWN_MOST)}'"
            f"{errors.guessed(name[:SHOWN_MOST], (*INPUTS, ANSWER))}"
            for name in unknown
        ]
        found += [f"unknown tensors {listed(names)}"] if unknown else []
        missed = " and ".join(found)
        raise FactsError(f"{file}: found {missed}, expected q, k, v and at most o; {NAMES}")


def _check_entry(name: str, entry: Entry, like: Entry, file: str) -> None:
    """Refuse one tensor's type or shape."""
    shape = entry.shape
    if entry.dtype not in TYPES:
        raise FactsError(
            f"{file}: {name} found as {entry.dtype}, expected F32, F16 or BF16; other types are not"
            f" judged yet: save np.ascontiguousarray({name}, dtype=np.float32), and an o that was"
            " computed from such numbers"
        )
    if len(shape) not in (2, 3):
        raise FactsError(
            f"{file}: {name} found of shape {shown(shape)}, expected (n, d) or (heads, n, d);"
            f" {_ranked(name, shape)}"
        )
    if shape != like.shape:
        raise FactsError(
            f"{file}: {name} found of shape {shown(shape)}, expected {shown(like.shape)} like q;"
            f" {_alike(name, shape, like.shape)}"
        )
    heads = shape[0] if len(shape) == 3 else 1
    for what, most, found, fix in (
        ("heads", HEADS_MOST, heads, "save them in several files, which one check takes"),
        ("n", N_MOST, shape[-2], "a longer sequence is not judged"),
    ):
        if not 1 <= found <= most:
            fix = fix if found else "save what has at least one"
            raise FactsError(f"{file}: {what} found {found}, expected 1 to {most}; {fix}")
    if shape[-1] not in HEAD_DIMS:
        served = ", ".join(map(str, HEAD_DIMS))
        raise FactsError(
            f"{file}: d found {shape[-1]}, expected one of {served}, which the kernels serve;"
            f" {_served(name, shape)}"
        )


def swapped(array: str) -> str:
    """Write how to exchange the axes of (n, heads, d), in the memory order that is saved rightly.

    >>> swapped("q")
    'np.ascontiguousarray(q.swapaxes(0, 1))'
    """
    return f"np.ascontiguousarray({array}.swapaxes(0, 1))"


def _ranked(name: str, shape: Shape) -> str:
    """Say how one entry of a batch is saved, for each order of axes that it may have.

    >>> _ranked("q", (9,))
    'save it as (n, d), a row for each of the sequence'
    """
    if len(shape) < 2:
        return "save it as (n, d), a row for each of the sequence"
    if len(shape) > 4:
        return "save one layer of one entry of the batch"
    return (
        "one entry of a batch is judged, and a shape does not tell the order of axes: of (batch,"
        f" heads, n, d) save np.ascontiguousarray({name}[0]), but of (batch, n, heads, d)"
        f" {swapped(name + '[0]')}, and {OTHERS}"
    )


def _alike(name: str, shape: Shape, wanted: Shape) -> str:
    """Say what makes a tensor's shape that of q; a head of k and v may serve several of q.

    >>> _alike("k", (9, 64), (8, 9, 64)).partition(": ")[2]
    'where all heads of q share one, save np.repeat(k[None], 8, axis=0), and v likewise'
    """
    if name == ANSWER:
        return "save an answer to each query, with the axes in q's order"
    if shape[-1:] != wanted[-1:]:
        return "queries, keys and values of different head dimensions are not judged yet"
    if shape[-2:] != wanted[-2:]:
        return (
            "queries and keys of different numbers (decode, cross attention) are not judged yet;"
            " save q, k and v of one sequence that attends to itself"
        )
    heads, of_q = (x[0] if len(x) == 3 else 1 for x in (shape, wanted))
    shared, rest = divmod(of_q, heads) if heads else (0, 1)
    if len(wanted) == 3 and rest == 0 and shared > 1:
        array = f"{name}[None]" if len(shape) == 2 else name
        which = "all heads" if heads == 1 else f"heads 0 to {shared - 1}"
        return (
            f"shared heads (GQA, MQA) are judged only when each is repeated: where {which} of q"
            f" share {'one' if heads == 1 else f'head 0 of {name}, and so on'}, save"
            f" np.repeat({array}, {shared}, axis=0), and {'v' if name == 'k' else 'k'} likewise"
        )
    return "save as many heads of k and v as of q"


def _served(name: str, shape: Shape) -> str:
    """Say what makes tensors of another head dimension fit a kernel.

    Zeros add nothing to a score and give columns of zeros, but the scale is that of d itself.

    >>> _served("q", (9, 80))
    'pad q, k, v (and o) with zeros to d 128 and give --scale 0.11180339887498948, 1 / sqrt(80)'
    """
    d = shape[-1]
    if 1 <= d < HEAD_DIMS[-1]:
        padded = next(dim for dim in HEAD_DIMS if dim > d)
        scale = f"give --scale {default_scale(d)!r}, 1 / sqrt({d})"
        return f"pad q, k, v (and o) with zeros to d {padded} and {scale}"
    if d == 0:
        return "save what has at least one"
    said = "a larger one is not judged yet"
    if len(shape) == 2:
        parted = swapped(f"{name}.reshape(n, heads, d)")
        said += f"; where heads stand side by side, (n, heads * d), save {parted}, and {OTHERS}"
    return said


def shown(shape: Shape) -> str:
    """Write a shape; a header may hold thousands of dimensions."""
    some = ", ".join(map(str, shape[:4]))
    return f"({some}, ...)" if len(shape) > 4 else f"({some})"
