"""Checked numbers about fused attention, and a judge of anybody's.

What is public here is imported when it is first asked for: a command that needs none of it starts
at once, and the doctor where nothing is installed.
"""

from importlib import import_module

# Where each lies; named in words, as what Python imports is what every module then rests on.
_PUBLIC = {
    "judge": "judging.api",
    "error_map": "figures.error_map",
    "assert_attention": "judging.api",
    "watch": "judging.watch",
    "Judgement": "judging.verdict",
    "Recipe": "judging.recipe",
}
__all__ = ["Judgement", "Recipe", "assert_attention", "error_map", "judge", "watch"]


def __getattr__(name: str) -> object:
    """Import what is public when it is first asked for."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'fusedfacts' has no attribute '{name}'")
    found: object = getattr(import_module(f"fusedfacts.{_PUBLIC[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
