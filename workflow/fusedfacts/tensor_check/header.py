"""Which tensors of a file are read: their names, and the formats in which they are stored.

What their axes are, and whether they fit each other, is for the judge to say.
"""

from __future__ import annotations

from collections.abc import Mapping

import ml_dtypes
import numpy as np

from fusedfacts import errors
from fusedfacts.errors import FactsError
from fusedfacts.tensor_check.safetensors_file import Entry
from fusedfacts.terminal import listed

INPUTS = ("q", "k", "v")
ANSWERS = ("o", "lse")
EXTRAS = ("mask", "bias", "sink")
NAMES = (*INPUTS, *ANSWERS, *EXTRAS)
TYPES = ("F32", "F16", "BF16")  # which float32 holds exactly
DTYPES = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "BOOL": np.dtype(np.bool_),
}
SHOWN_MOST = 60  # characters of a stranger's name that a message quotes
MEND = (
    "save tensors of one call under these names and nothing else, or say `--names q=NAME` of one"
    " that has another"
)


def read(entries: Mapping[str, Entry], names: Mapping[str, str], file: str) -> dict[str, Entry]:
    """Find each tensor under its own name or the one that `names` gives it.

    Raises
    ------
    FactsError
        If one is missing, unknown, or stored as nothing that is judged.
    """
    lacking = [(role, name) for role, name in names.items() if name not in entries]
    if lacking:
        role, name = lacking[0]
        there = listed([f"'{errors.printable(x, SHOWN_MOST)}'" for x in sorted(entries)])
        raise FactsError(
            f"{file}: found no tensor '{errors.printable(name, SHOWN_MOST)}', which --names says is"
            f" {role}, expected one of {there or 'none'}; name one of these"
        )
    taken = set(names.values())
    # A tensor that is called q while --names says that another one is q is nothing that is known.
    left = [name for name in entries if name not in taken and (name in names or name not in NAMES)]
    found = {
        name: entries[names.get(name, name)] for name in NAMES if names.get(name, name) in entries
    }
    _check_names(found, left, file)
    for role in NAMES:
        if role in found:
            _check_type(role, found[role].dtype, file)
    return found


def _check_names(found: Mapping[str, Entry], unknown: list[str], file: str) -> None:
    missing = [name for name in INPUTS if name not in found]
    if missing or unknown:
        parts = [f"no {', '.join(missing)}"] if missing else []
        names = [
            f"'{errors.printable(name, SHOWN_MOST)}'{_meant(name)}" for name in sorted(unknown)
        ]
        parts += [f"unknown tensors {listed(names)}"] if unknown else []
        raise FactsError(
            f"{file}: found {' and '.join(parts)}, expected q, k, v and at most"
            f" {', '.join(NAMES[len(INPUTS) :])}; {MEND}"
        )


def _meant(name: str) -> str:
    """Guess what was meant by a name that is none, or that --names gives to another tensor."""
    return "" if name in NAMES else errors.guessed(name[:SHOWN_MOST], NAMES)


def _check_type(name: str, dtype: str, file: str) -> None:
    """Refuse a tensor that is stored as something else than it can be judged as."""
    wanted = ["BOOL"] if name == "mask" else [kind for kind in DTYPES if kind != "BOOL"]
    if dtype in wanted:
        return
    mend = f"save np.ascontiguousarray({name}, dtype=np.float32) where that changes no number"
    if dtype.startswith("F8"):
        mend = "no recipe is of float8: save a call of a kernel that computes in more"
    if name == "mask":
        mend = "save mask.astype(bool), True where a query sees a key; what is added is a bias"
    raise FactsError(f"{file}: {name} found as {dtype}, expected {' or '.join(wanted)}; {mend}")
