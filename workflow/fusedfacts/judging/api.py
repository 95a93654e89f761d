"""`judge` and `assert_attention`: an answer of any attention kernel, held to its bound."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from fusedfacts.errors import FactsError
from fusedfacts.judging import arrays, calls
from fusedfacts.judging.recipe import Recipe
from fusedfacts.judging.verdict import Judgement
from fusedfacts.numerics import subnormals


class Options(TypedDict, total=False):
    """What else `judge` is told, by its names there."""

    recipe: str | Recipe | None
    layout: str | None
    causal: bool | str
    align: str | None
    window: tuple[int, int] | None
    softcap: float | None
    scale: float | None
    mask: Any
    bias: Any
    sink: Any
    hidden: bool


def judge(
    q: Any,
    k: Any,
    v: Any,
    o: Any = None,
    lse: Any = None,
    *,
    recipe: str | Recipe | None = None,
    layout: str | None = None,
    causal: bool | str = False,
    align: str | None = None,
    window: tuple[int, int] | None = None,
    softcap: float | None = None,
    scale: float | None = None,
    mask: Any = None,
    bias: Any = None,
    sink: Any = None,
    hidden: bool = False,
) -> Judgement:
    """Hold an answer of attention to a bound derived for each of its elements.

    Parameters
    ----------
    q, k, v : array of NumPy, torch or JAX
        Of shape (n, d), (heads, n, d) or (batch, heads, n, d), or with n before heads; `layout`
        says which, where shapes leave a doubt. Queries and keys may differ in number, and a head
        of k and v may serve several of q.
    o : array, optional
        The answer, with the axes of q and the last of v.
    lse : array, optional
        The natural logarithm of each row's total, of shape (batch, heads, n_q); one that is right
        to base 2 alone is refused.
    recipe : str or Recipe, optional
        In which precision it was computed: a name of `RECIPES`, a file, or by default what the
        formats of q and of the answer say.
    causal : bool, "top-left" or "bottom-right"
        Whether a query sees no key after its own position.
    align : "top-left" or "bottom-right", optional
        Where query 0 stands, where queries and keys differ in number: at key 0, or so that the
        last query stands at the last key. `causal` may say it, too.
    window : (left, right), optional
        Keys that a query sees before and after its own position, -1 for all.
    mask, bias, sink : array, optional
        True where a query sees a key; what is added to scores; a score a head without a value.
    hidden : bool
        Whether to name for each head the mistakes that its tensors may let pass, as `hidden` of the
        judgement. It takes about as long as judging once for each of these.

    Returns
    -------
    Judgement
        `holds`, `verdict`, and figures of each head. Where all of them hold, but would with any
        rescale forgotten, or whatever the scale is, the verdict is "cannot show": that is said of
        tensors, not of the kernel, and nothing is shown by a test that cannot fail.

    Raises
    ------
    FactsError
        If the tensors cannot be judged, in one sentence.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> q, k, v = rng.standard_normal((3, 8, 20), dtype=np.float32)
    >>> scores = q @ k.T / np.float32(np.sqrt(20))
    >>> weights = np.exp(scores)
    >>> answer = weights @ v / weights.sum(axis=1, keepdims=True)
    >>> judge(q, k, v, answer).verdict, judge(q, k, v, answer * np.float32(1.001)).verdict
    ('holds', 'does not hold')
    """
    subnormals.require_kept()
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse, "mask": mask, "bias": bias, "sink": sink}
    there = {name: x for name, x in given.items() if x is not None or name in calls.INPUTS}
    tensors = {name: arrays.as_numpy(x, name) for name, x in there.items()}
    pattern = {"causal": causal, "align": align, "window": window}
    call = calls.checked(tensors, layout, {**pattern, "softcap": softcap, "scale": scale})
    if o is None and lse is None:
        raise FactsError("o: found neither an answer nor its lse, expected one to judge; give o")
    return calls.judgement(call, call.recipe(recipe), hidden=hidden)


def assert_attention(
    q: Any, k: Any, v: Any, o: Any = None, lse: Any = None, **options: Unpack[Options]
) -> None:
    """Raise an AssertionError that says what exceeds its bound, unless `judge` says that it holds.

    >>> import numpy as np
    >>> x = np.ones((1, 16), np.float32)
    >>> assert_attention(x, x, x, x)
    >>> assert_attention(x, x, x, x * 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: does not hold, if fp32: sums in float32, ...
    """
    __tracebackhide__ = True  # pytest then shows the line that called
    found = judge(q, k, v, o, lse, **options)
    if not found.holds:
        raise AssertionError(str(found))
