"""One call of torch's attention, said as `judge` wants it, to be judged or saved."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from fusedfacts.documents import files
from fusedfacts.errors import FactsError
from fusedfacts.judging.api import judge
from fusedfacts.judging.arrays import as_numpy
from fusedfacts.judging.layout import TABLES, written
from fusedfacts.judging.recipe import Recipe
from fusedfacts.judging.verdict import Judgement

FUNCTION = "scaled_dot_product_attention"
NAME = f"torch.nn.functional.{FUNCTION}"
# As torch names them, in this order, with its defaults.
ARGUMENTS: dict[str, Any] = {
    "query": None,
    "key": None,
    "value": None,
    "attn_mask": None,
    "dropout_p": 0.0,
    "is_causal": False,
    "scale": None,
    "enable_gqa": False,
}
TENSORS = {"q": "query", "k": "key", "v": "value"}


def bound(given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """Name the arguments of a call, and fill in those that were left out.

    >>> bound(("q", "k", "v"), {"is_causal": True})["is_causal"]
    True
    """
    return {**ARGUMENTS, **dict(zip(ARGUMENTS, given, strict=False)), **named}


@dataclass
class TorchCall:
    """A call that was seen.

    Attributes
    ----------
    index : int
        Its number among all that were made, from zero.
    tensors : dict of str to ndarray
        q, k and v of shape (batch, heads, n, d), o, and mask or bias where there is one. Copies;
        of a call that was judged as it was made, none, unless it is worth a second look: one that
        holds takes no memory.
    options : dict
        What else `judge` is told.
    judgement : Judgement or None
    refused : str or None
        Why it is not judged.
    """

    index: int
    said: str
    tensors: dict[str, NDArray[Any]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    judgement: Judgement | None = None
    refused: str | None = None

    @classmethod
    def of(cls, index: int, arguments: Mapping[str, Any], output: Any) -> TorchCall:
        """Describe a call; what cannot be judged is described, too."""
        found = cls(index, _said(arguments))
        try:
            found.tensors = _tensors(arguments, output)
            found.options = _options(arguments)
        except FactsError as fault:
            found.refused = str(fault)
        return found

    def keep(self) -> None:
        """Copy the tensors, which the model may write over."""
        self.tensors = {name: np.array(x, order="C") for name, x in self.tensors.items()}

    def judge(self, recipe: str | Recipe | None = None, *, hidden: bool = False) -> Judgement:
        """Hold its answer to the bound, as `fusedfacts.judge` does.

        Raises
        ------
        FactsError
            If it cannot be judged, or if nothing was kept of it.
        """
        given: dict[str, Any] = {**self._kept(), **self.options}
        self.judgement = judge(**given, recipe=recipe, hidden=hidden)
        return self.judgement

    def save(self, path: str | Path) -> str:
        """Write it to a safetensors file, and give the command that judges it.

        Of a batch of one there are no batch axes. The metadata say how it was called.
        """
        kept, options = self._kept(), dict(self.options)
        if len(kept["q"]) == 1:
            options["layout"] = "hnd"
            kept = {name: x[0] if name in ("q", "k", "v", "o") else x for name, x in kept.items()}
        said = {name: x for name, x in options.items() if x}
        torch = sys.modules.get("torch")
        metadata = {
            "library": "torch",
            "version": str(getattr(torch, "__version__", "")),
            "called": NAME,
            "options": json.dumps(said, sort_keys=True),
        }
        files.write_bytes(Path(path), save(_contiguous(kept), metadata))
        words = [word for name, x in said.items() for word in (f"--{name}", str(x))]
        return shlex.join(["fusedfacts", "check", str(path), *words])

    def save_heads(self, path: str | Path, entry: int = 0) -> None:
        """Write q, k and v of one entry of the batch, for `heads:` in the pipeline's config.

        A run judges heads of their own keys, at the default scale, with or without a causal mask;
        docs/own-model.md says what else it expects.
        """
        kept = self._kept()
        q, k, v = (kept[name][entry] for name in TENSORS)
        other = [name for name in TABLES if name in kept]
        other += [name for name in ("scale",) if self.options[name] is not None]
        if other or q.shape[1:] != k.shape[1:] or k.shape != v.shape:
            found = f"{' and '.join(other)} beside " if other else ""
            raise FactsError(
                f"call {self.index}: found {found}q of shape {written(q.shape)} and k of"
                f" {written(k.shape)}, expected heads of their own keys alone, for a run; save it"
                " by save(), for `fusedfacts check`"
            )
        group = len(q) // len(k)
        heads = {"q": q, "k": np.repeat(k, group, axis=0), "v": np.repeat(v, group, axis=0)}
        files.write_bytes(Path(path), save(_contiguous(heads)))

    def _kept(self) -> dict[str, NDArray[Any]]:
        if self.refused is not None:
            raise FactsError(f"call {self.index}: found one that is not judged: {self.refused}")
        if not self.tensors:
            raise FactsError(
                f"call {self.index}: found no tensors, as it was judged when it was made and holds,"
                " expected one that was recorded; say watch(judge=False)"
            )
        return self.tensors

    def __str__(self) -> str:
        """Say what it was given, and what was found, in a line or a few."""
        what = "recorded"
        if self.refused is not None:
            what = f"not judged: {self.refused}"
        elif self.judgement is not None:
            what = str(self.judgement).replace("\n", "\n  ")
            if self.judgement.holds:
                ratio = self.judgement.ratio()
                what = f"holds, the largest error is {ratio:.3g} of its bound"
        return f"call {self.index}, {self.said}: {what}"


def _contiguous(tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Bring memory into the order that safetensors writes."""
    return {name: np.ascontiguousarray(x) for name, x in tensors.items()}


def _said(arguments: Mapping[str, Any]) -> str:
    """Describe a call in a few words."""
    shapes = [
        f"{name} {written(tuple(map(int, arguments[of].shape)))}"
        for name, of in TENSORS.items()
        if hasattr(arguments[of], "shape")
    ]
    words = [*shapes, str(getattr(arguments["query"], "dtype", "")).removeprefix("torch.")]
    words += ["causal"] if arguments["is_causal"] else []
    words += ["with a mask"] if arguments["attn_mask"] is not None else []
    return ", ".join(word for word in words if word)


def _options(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Say the options as `judge` names them."""
    dropped, scale = float(arguments["dropout_p"]), arguments["scale"]
    if dropped:
        raise FactsError(
            f"dropout_p: found {dropped:g}, expected 0, as other weights are dropped at each call;"
            " watch the model after model.eval()"
        )
    return {
        "layout": "bhnd",
        "causal": "top-left"
        if arguments["is_causal"]
        else _aligned(arguments["attn_mask"]) or False,
        "scale": None if scale is None else float(scale),
    }


def _tensors(arguments: Mapping[str, Any], output: Any) -> dict[str, NDArray[Any]]:
    """View the tensors by `judge`'s names, with four axes each; torch spreads out batch and heads.

    Views: an axis that is spread out takes no memory.
    """
    found = {name: _deep(as_numpy(arguments[of], name)) for name, of in TENSORS.items()}
    batch = np.broadcast_shapes(*(x.shape[:-3] for x in found.values()))
    heads = () if arguments["enable_gqa"] else (max(x.shape[-3] for x in found.values()),)
    for name, x in found.items():
        found[name] = np.broadcast_to(x, (*batch, *(heads or x.shape[-3:-2]), *x.shape[-2:]))
    found["o"] = _deep(as_numpy(output, "o"))
    given = arguments["attn_mask"]
    if given is not None and not _aligned(given):
        mask = as_numpy(given, "attn_mask")
        mask = mask.reshape((1,) * (2 - mask.ndim) + mask.shape)
        if len(batch) > 1 and mask.ndim > 3:
            mask = np.broadcast_to(mask, (*found["q"].shape[:-1], found["k"].shape[-2]))
        found["mask" if mask.dtype == np.bool_ else "bias"] = mask
    # Axes before heads are folded into one.
    return {name: x if x.ndim <= 4 else x.reshape(-1, *x.shape[-3:]) for name, x in found.items()}


def _deep(x: NDArray[Any]) -> NDArray[Any]:
    return x.reshape((1,) * (4 - x.ndim) + x.shape)


def _aligned(mask: Any) -> str | bool:
    """Tell how a mask is aligned that torch describes and does not fill in (`CausalBias`)."""
    variant = getattr(getattr(mask, "variant", None), "name", "")
    return {"UPPER_LEFT": "top-left", "LOWER_RIGHT": "bottom-right"}.get(variant, False)
