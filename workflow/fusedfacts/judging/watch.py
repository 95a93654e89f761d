"""Any model's attention, watched: each call of torch's recorded, or judged as it is made."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any

from fusedfacts.errors import FactsError
from fusedfacts.judging import torch_call
from fusedfacts.judging.recipe import Recipe, named
from fusedfacts.judging.torch_call import TorchCall
from fusedfacts.terminal import counted

Where = Callable[..., bool]
Place = tuple[dict[str, Any], str]  # a module's names, and one of them


class Watched(list[TorchCall]):
    """The calls that were picked, in their order.

    Attributes
    ----------
    made : int
        All calls that were made, picked or not.
    """

    made: int = 0

    @property
    def holds(self) -> bool:
        """Tell whether calls were judged, all that were picked, and every one of them holds.

        One of which no mistake would show is no failure, but not enough by itself.
        """
        found = {call.judgement.verdict if call.judgement else None for call in self}
        return "holds" in found and found <= {"holds", "cannot show"}

    def __str__(self) -> str:
        """Say a line for each call, and how many there are of each verdict."""
        words = Counter(
            call.judgement.verdict
            if call.judgement
            else ("recorded" if call.refused is None else "not judged")
            for call in self
        )
        if not self.made:
            return (
                f"no call of {torch_call.NAME} was made: a model that calls a kernel by another"
                " name (flash_attn, flex_attention, torch's encoder without gradients) does without"
                " it"
            )
        ended = ", ".join(f"{number:,} {word}" for word, number in words.items())
        last = f"{counted(self.made, 'call')} made, {len(self):,} picked: {ended or 'none'}"
        return "\n".join([*map(str, self), last])


@contextmanager
def watch(
    *,
    judge: bool = True,
    where: Where | None = None,
    every: int = 1,
    first: int | None = None,
    recipe: str | Recipe | None = None,
) -> Iterator[Watched]:
    """Watch calls of `torch.nn.functional.scaled_dot_product_attention`, in any model.

    Whatever module has the function by whatever name has it back at the end, come what may. What a
    model is answered is what torch answers. Of what cannot be judged (`dropout_p` above zero) the
    reason is kept, and the model goes on.

    Parameters
    ----------
    judge : bool
        Whether each call is judged as it is made, or recorded, to be judged or saved afterwards.
        A recorded call is a copy of its tensors in memory.
    where : callable, optional
        Picks calls: called with all arguments of torch's function, by their names.
    every, first : int, optional
        Of the calls that `where` picks take every so many, beginning with the first, and no more
        than `first` of these.
    recipe : str or Recipe, optional
        As `fusedfacts.judge` takes it.

    Yields
    ------
    Watched
        A list of the calls picked, which grows; `holds` and `str` of it tell of all together.

    Examples
    --------
    ::

        with fusedfacts.watch(every=4, first=10) as calls:
            model(tokens)
        assert calls.holds, calls
    """
    for name, number in (("every", every), ("first", first)):
        if number is not None and number < 1:
            raise FactsError(f"{name}: found {number}, expected a whole number from 1; choose one")
    chosen = named(recipe) if isinstance(recipe, str) else recipe
    torch = _torch()
    original = getattr(torch.nn.functional, torch_call.FUNCTION)
    calls = Watched()
    # Where a model runs in several threads each call is still counted once.
    lock, thread = threading.Lock(), threading.local()
    candidates = 0
    over = False

    def picked(arguments: dict[str, Any]) -> int | None:
        """Count a call, and give its number where it is one to look at."""
        nonlocal candidates
        with lock:
            index = calls.made
            calls.made += 1
        if first is not None and len(calls) >= first:
            return None
        if where is not None and not where(**arguments):
            return None
        with lock:
            candidates += 1
            return index if (candidates - 1) % every == 0 else None

    @wraps(original)
    def plain(*given: Any, **others: Any) -> Any:
        # Beyond the end, where somebody kept this function, or within a call that calls it again.
        if over or getattr(thread, "inside", False):
            return original(*given, **others)
        # A class of tensors that has a way of its own may ask whether this is torch's function.
        own = any(_has_its_own_way(x, torch) for x in (*given, *others.values()))
        thread.inside = True
        if own:
            _put(places, watched, original)
        try:
            output = original(*given, **others)
        finally:
            thread.inside = False
            if own and not over:
                _put(places, original, watched)
        arguments = torch_call.bound(given, others)
        index = picked(arguments)
        if index is not None:
            calls.append(_looked_at(index, arguments, output, chosen, judge=judge))
        return output

    # In a compiled model it stands outside of what is compiled, where there are numbers to judge.
    watched: Callable[..., Any] = torch.compiler.disable(plain)
    places = _places(original)
    try:
        _put(places, original, watched)
        yield calls
    finally:
        over = True
        _put(places, watched, original)


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise FactsError(
            "torch: found no such package, expected it where a model is watched; run"
            f" `{sys.executable} -m pip install torch`"
        ) from None


def _has_its_own_way(x: Any, torch: Any) -> bool:
    return type(x) is not torch.Tensor and hasattr(type(x), "__torch_function__")


def _put(places: list[Place], old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Put another function where the old one stands; what somebody else put there stays."""
    for space, name in places:
        if space.get(name) is old:
            space[name] = new


def _places(function: Callable[..., Any]) -> list[Place]:
    """List the names by which modules have a function, of torch's own that of its public place."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType)
        and (name == "torch.nn.functional" or name.partition(".")[0] != "torch")
    ]
    spaces = {id(vars(module)): vars(module) for module in modules}
    return [
        (space, name)
        for space in spaces.values()
        for name, value in list(space.items())
        if value is function
    ]


def _looked_at(
    index: int,
    arguments: dict[str, Any],
    output: Any,
    recipe: Recipe | None,
    *,
    judge: bool,
) -> TorchCall:
    """Record a call, or judge it and keep its tensors where it does not hold."""
    call = TorchCall.of(index, arguments, output)
    if call.refused is not None:
        call.tensors = {}
    elif judge:
        try:
            holds = call.judge(recipe).holds
        except FactsError as fault:
            call.refused, holds = str(fault), True
        if holds:
            call.tensors = {}
    call.keep()
    return call
