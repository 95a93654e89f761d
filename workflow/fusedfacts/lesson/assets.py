"""What the lesson's page needs as it stands: published name of each file, and where it lies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def kernel_files(root: Path) -> list[Path]:
    """List the kernels and their manifest in a repository, not the words about them."""
    return sorted(root.glob("kernels/*.[wj]*"))


def copies(root: Path, model: Iterable[str | Path]) -> dict[str, Path]:
    """Map published names to files: the page's scripts and style, the kernels, the model."""
    page = root / "workflow" / "page"
    return {
        **{path.relative_to(page).as_posix(): path for path in sorted(page.rglob("*.*"))},
        **{f"kernels/{path.name}": path for path in kernel_files(root)},
        **{f"model/{Path(path).name}": Path(path) for path in model},
    }
