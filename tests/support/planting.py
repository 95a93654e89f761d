"""Faults planted in a copy of a kernel's text, and what the gate says of them."""

import re

from fusedfacts.kernels import lint, manifest

KERNELS = tuple(manifest.manifest()["kernels"])
SENTENCE = re.compile(r"[a-z_]+\.wgsl:\d+: found [^\n]+, expected [^\n]+; [^\n]+")
HERE = "@@"  # put into a planted text before the line that must be named
TOP = "    let n = launch.n;"  # main's first statement, in every kernel


def planted(kernel, old, new):
    """A kernel's text with a fault, and the line of the fault."""
    right = manifest.text(kernel)
    assert old in right
    wrong = right.replace(old, new, 1)
    if HERE not in new:
        # The first line that is not as it was.
        pairs = zip(right.split("\n"), wrong.split("\n"), strict=False)
        return wrong, next(i for i, (a, b) in enumerate(pairs, 1) if a != b)
    line = wrong.count("\n", 0, wrong.index(HERE)) + 1
    return wrong.replace(HERE, "", 1), line


def faults(kernel, old, new):
    """The gate's sentences on a planted fault, of which one names its line."""
    wrong, line = planted(kernel, old, new)
    found = lint.check(kernel, wrong)
    assert all(SENTENCE.fullmatch(sentence) for sentence in found)
    assert not found or any(s.startswith(f"{kernel}.wgsl:{line}: ") for s in found), found
    return found


def is_seen(kernel, old, new, complaint):
    """Whether a sentence on the planted fault has the complaint."""
    return any(complaint in sentence for sentence in faults(kernel, old, new))
