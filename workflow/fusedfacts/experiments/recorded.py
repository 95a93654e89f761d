"""What other people's kernels answered: the calls in tests/real/calls/, one a file.

tests/real/record.py called the kernels and wrote the files. A file that was edited is another call,
and held like any.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from fusedfacts.attention.pattern import ALIGNMENTS
from fusedfacts.documents import repository
from fusedfacts.judging import calls
from fusedfacts.judging.head import Head, judge_head
from fusedfacts.judging.recipe import Recipe

FOLDER = repository.ROOT / "tests" / "real"
PATTERNS = ("tests/real/calls/*.safetensors", "tests/real/recipes/*.toml")
# Without this package NumPy does not know the name, by which safetensors asks for it.
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@dataclass(frozen=True)
class Call:
    """One call of a kernel.

    Attributes
    ----------
    library, version, kernel, precision, called : str
        Whose it is, and how it was called.
    options : dict
        As `judge` takes them; `causal` says how positions are aligned.
    recipes : list of str
        What the kernel does, where the recipe of its formats does not say it: each by its name, or
        a file of tests/real/recipes/.
    tensors : dict
        q, k, v, o and, where the kernel gives one, lse, with heads first.
    model : dict or None
        Of what model q, k and v are: its name, the package that it came in, its licence, and layer
        and number of each head.
    """

    library: str
    version: str
    kernel: str
    precision: str
    called: str
    options: dict[str, Any]
    recipes: list[str]
    tensors: dict[str, NDArray[Any]]
    model: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """Name it in one word."""
        words = [self.library, self.kernel, self.precision]
        return "-".join(words + ([self.model["name"]] if self.model else []))

    @property
    def sought(self) -> list[Recipe]:
        """Give the recipe of its formats, and those that say what it does, where others do."""
        files = FOLDER / "recipes"
        of = [str(files / name) if name.endswith(".toml") else name for name in self.recipes]
        return [self.checked().recipe(name) for name in (None, *of)]

    @property
    def other_alignment(self) -> str | None:
        """Name how positions are not aligned; None where both ways are the same."""
        (n_q, n_k), causal = (
            (self.tensors[name].shape[1] for name in "qk"),
            self.options.get("causal"),
        )
        if causal is None or n_q == n_k:
            return None
        (other,) = (align for align in ALIGNMENTS if align != causal)
        return other

    def checked(self, **changed: Any) -> calls.Call:
        """Check that its tensors make one call, perhaps under other options."""
        return calls.checked(self.tensors, "hnd", {**self.options, **changed})

    def judged(self, by: Recipe, **changed: Any) -> list[Head]:
        """Judge each head by a recipe, perhaps under other options."""
        call = self.checked(**changed)
        heads = []
        for index in range(call.heads):
            lse = call.part("lse", index) if "lse" in self.tensors else None
            problem, output = call.problem(index), call.part("o", index)
            # Of numbers in float64 the bound's sums are, too: the same on each machine, but for
            # what rounding for publication takes away.
            q, k, v = (x.astype(np.float64) for x in (problem.q, problem.k, problem.v))
            widened = replace(problem, q=q, k=k, v=v)
            heads.append(judge_head(widened, by, output=output, lse=lse))
        return heads


def read(path: Path) -> Call:
    """Read one call from its file."""
    with safe_open(path, "numpy") as file:
        said = json.loads(file.metadata()["call"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if "window" in said["options"]:
        said["options"]["window"] = tuple(said["options"]["window"])
    return Call(**said, tensors=tensors)


def recorded() -> list[Call]:
    """Read all calls, in the order of their files' names."""
    return [read(path) for path in sorted((FOLDER / "calls").glob("*.safetensors"))]
