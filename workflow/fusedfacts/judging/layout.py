"""Which axis of a tensor is what: sizes are read off shapes, and a layout is asked for in doubt.

A shape cannot tell heads from queries. A reading is taken only where every other one contradicts
itself, because a wrong one would end in a verdict about another attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fusedfacts.attention.reference import Rows
from fusedfacts.errors import FactsError
from fusedfacts.judging.arrays import Tensor

Shape = tuple[int, ...]

LAYOUTS = ("nd", "hnd", "nhd", "bhnd", "bnhd")  # b: batch, h: heads, n: queries or keys
# What each axis letter is called for each tensor; lse has no d, and its heads come first.
ROLES = {
    "q": {"b": "batch", "h": "heads", "n": "n_q", "d": "d"},
    "k": {"b": "batch", "h": "kv_heads", "n": "n_k", "d": "d"},
    "v": {"b": "batch", "h": "kv_heads", "n": "n_k", "d": "d_v"},
    "o": {"b": "batch", "h": "heads", "n": "n_q", "d": "d_v"},
    "lse": {"b": "batch", "h": "heads", "n": "n_q"},
}
TABLES = ("mask", "bias")  # of (batch, heads, n_q, n_k), from the right, 1 where all are alike
D_MOST = 512
N_MOST = 2**17


@dataclass(frozen=True)
class Sizes:
    """The sizes of a call of attention, and the layout in which they were read."""

    layout: str
    batch: int
    heads: int
    kv_heads: int
    n_q: int
    n_k: int
    d: int
    d_v: int

    def kv_head(self, head: int) -> int:
        """Name the head of k and v that a head of q attends to: groups of neighbours (GQA).

        >>> [Sizes("hnd", 1, 4, 2, 8, 8, 16, 16).kv_head(h) for h in range(4)]
        [0, 0, 1, 1]
        """
        return head // (self.heads // self.kv_heads)


def sizes(shapes: Mapping[str, Shape], layout: str | None = None) -> Sizes:
    """Read the sizes off the shapes of q, k, v and of whatever else is there.

    Raises
    ------
    FactsError
        If the shapes contradict each other, or leave a doubt.

    Examples
    --------
    >>> sizes({"q": (6, 9, 64), "k": (2, 5, 64), "v": (2, 5, 32)}).layout
    'hnd'
    """
    rank = len(shapes["q"])
    possible = [name for name in LAYOUTS if len(name) == rank]
    if not possible:
        raise FactsError(
            f"q: found of shape {written(shapes['q'])}, expected two to four axes, (n, d) to"
            " (batch, heads, n, d); save it so"
        )
    if layout is not None:
        if layout not in possible:
            raise FactsError(
                f"layout: found {layout} for q of shape {written(shapes['q'])}, expected"
                f" {' or '.join(possible)}; leave it out, or choose one"
            )
        return _read(shapes, layout)
    found, faults = [], []
    for name in possible:
        try:
            found.append(_read(shapes, name))
        except FactsError as fault:
            faults.append(fault)
    if not found:
        raise faults[0]
    if len(found) > 1 and len({(s.heads, s.n_q, s.kv_heads, s.n_k) for s in found}) > 1:
        named = {"hnd": "(heads, n, d)", "nhd": "(n, heads, d)"}
        readings = [f"{named[s.layout[-3:]]} ({s.layout})" for s in found]
        raise FactsError(
            f"layout: q of shape {written(shapes['q'])} may be {' or '.join(readings)}, expected to"
            f" be told; say --layout {found[0].layout} or --layout {found[1].layout}"
        )
    return found[0]


def _read(shapes: Mapping[str, Shape], layout: str) -> Sizes:
    """Read sizes in one layout, or refuse what contradicts it."""
    known: dict[str, tuple[int, str]] = {}
    for name, roles in ROLES.items():
        if name not in shapes:
            continue
        axes = layout if name != "lse" else "".join(axis for axis in "bhn" if axis in layout)
        shape = shapes[name]
        if len(shape) != len(axes):
            raise FactsError(
                f"{name}: found of shape {written(shape)}, expected {len(axes)} axes,"
                f" ({', '.join(roles[axis] for axis in axes)}), as q has"
                f" {written(shapes['q'])}; save it so"
            )
        for axis, size in zip(axes, shape, strict=True):
            what = roles[axis]
            before, of = known.setdefault(what, (size, name))
            if before != size:
                raise FactsError(
                    f"{name}: found {what} {size} in shape {written(shape)}, expected {before} as"
                    f" {of} has; {MEND}"
                )
    given = {name: size for name, (size, _) in known.items()}
    found = Sizes(layout, **{"batch": 1, "heads": 1, "kv_heads": 1, **given})
    _check(found)
    for name in TABLES:
        if name in shapes:
            _check_table(name, shapes[name], found)
    if "sink" in shapes and shapes["sink"] not in ((), (found.heads,)):
        raise FactsError(
            f"sink: found of shape {written(shapes['sink'])}, expected ({found.heads},), a score"
            " for each head of q; save it so"
        )
    return found


MEND = "save tensors of one call, or say the layout"


def _check(found: Sizes) -> None:
    """Refuse sizes that no attention has."""
    for what in ("batch", "heads", "kv_heads", "n_q", "n_k", "d", "d_v"):
        size = getattr(found, what)
        most = D_MOST if what in ("d", "d_v") else N_MOST
        if not 1 <= size <= most:
            raise FactsError(f"{what}: found {size}, expected 1 to {most}; {MEND}")
    if found.heads % found.kv_heads:
        raise FactsError(
            f"k: found {found.kv_heads} heads, expected a number that divides the {found.heads} of"
            f" q, as each serves as many; {MEND}"
        )


def _check_table(name: str, shape: Shape, found: Sizes) -> None:
    """Refuse a mask or bias that does not spread over batch, heads, queries and keys."""
    whole = (found.batch, found.heads, found.n_q, found.n_k)
    fits = 2 <= len(shape) <= 4 and all(
        size in (1, of) for size, of in zip(shape[::-1], whole[::-1], strict=False)
    )
    if not fits:
        raise FactsError(
            f"{name}: found of shape {written(shape)}, expected {written(whole)}, or fewer axes"
            f" from the right, or 1 where all are alike; {MEND}"
        )


def rows_of(tensor: Tensor, batch: int, head: int, n_k: int) -> Rows:
    """Give rows of one head of a mask or a bias as they are asked for; all may not fit."""
    *leading, tall, _ = tensor.shape  # (batch, heads, n_q, n_k), from the right
    asked = (batch, head)[2 - len(leading) :]
    where = tuple(min(i, size - 1) for i, size in zip(asked, leading, strict=True))

    def rows(first: int, last: int) -> NDArray[Any]:
        found = tensor[(*where, slice(first, last) if tall > 1 else slice(0, 1))]
        return np.broadcast_to(found, (last - first, n_k))

    return rows


def head_of(name: str, tensor: Tensor, layout: str, batch: int, head: int) -> NDArray[Any]:
    """Take one head of a tensor but a mask or a bias; of an array it is a view."""
    where: tuple[int | slice, ...]
    if name == "sink":
        where = (head,) if tensor.shape else ()
    else:
        order = layout if name != "lse" else "".join(axis for axis in "bhn" if axis in layout)
        where = tuple({"b": batch, "h": head}.get(axis, slice(None)) for axis in order)
    return np.asarray(tensor[where])


def written(shape: Shape) -> str:
    """Write a shape; a header may hold thousands of dimensions."""
    some = ", ".join(map(str, shape[:4]))
    return f"({some}, ...)" if len(shape) > 4 else f"({some})"
