"""The sizes of one attention, whoever computes it, and the tiles into which a schedule cuts it.

docs/schedules.md says what each size means. A `Shape` is what closed forms and emulators have in
common, and all that they have in common.
"""

from __future__ import annotations

from dataclasses import dataclass

from fusedfacts.attention.problem import ceil_div
from fusedfacts.errors import FactsError

NO_LIMIT = -1  # in a window, as in `pattern.Pattern`


@dataclass(frozen=True)
class Shape:
    """Attention of `n_q` queries to `n_k` keys of `d` numbers, in heads and batches.

    The last query stands at the last key (bottom-right), as it does where the first keys are a
    cache: query p stands at key p + off.

    Attributes
    ----------
    heads, kv_heads : int
        Query heads, and heads of keys and values, each of which serves `group` query heads.
    causal : bool
        A query sees no key after its own position.
    window : (int, int) or None
        A query sees that many keys before its own position, itself, and that many after it; -1
        is no limit. What is often called a window of W keys is (W - 1, 0).

    >>> shape = Shape(3, 5, 16, heads=8, kv_heads=2, causal=True)
    >>> shape.off, shape.group, shape.before, shape.after
    (2, 4, None, 0)
    """

    n_q: int
    n_k: int
    d: int
    heads: int = 1
    kv_heads: int = 1
    batch: int = 1
    causal: bool = False
    window: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Refuse what is no attention."""
        for name in ("n_q", "n_k", "d", "heads", "kv_heads", "batch"):
            require_counted(name, getattr(self, name))
        if self.heads % self.kv_heads:
            raise FactsError(
                f"heads: found {self.heads} for {self.kv_heads} heads of keys and values, expected"
                " as many for each of these; choose a multiple"
            )
        if self.window is not None and min(self.window) < NO_LIMIT:
            raise FactsError(
                f"window: found {self.window}, expected two numbers of keys, or {NO_LIMIT} for no"
                " limit; choose such"
            )

    @property
    def off(self) -> int:
        """Tell at which key query 0 stands."""
        return self.n_k - self.n_q

    @property
    def group(self) -> int:
        """Count the query heads that share a head of keys and values."""
        return self.heads // self.kv_heads

    @property
    def before(self) -> int | None:
        """Count the keys before its own that a query sees; None is all."""
        before = self.window[0] if self.window else NO_LIMIT
        return None if before == NO_LIMIT else before

    @property
    def after(self) -> int | None:
        """Count the keys after its own that a query sees; None is all."""
        after = self.window[1] if self.window else NO_LIMIT
        if self.causal:
            return 0
        return None if after == NO_LIMIT else after


@dataclass(frozen=True)
class Tiles:
    """How a schedule cuts queries and keys.

    Attributes
    ----------
    br, bc : int
        Rows of a query tile, and of a key and a value tile.
    splits : int
        Parts that split-K is asked to cut the keys into; `real_splits` says how many it gets.
    packed : bool
        The queries of all heads that share keys are rows of one tile, those of one position
        side by side; otherwise each head fetches the keys for itself.
    """

    br: int
    bc: int
    splits: int = 1
    packed: bool = False

    def __post_init__(self) -> None:
        """Refuse an empty tile."""
        for name in ("br", "bc", "splits"):
            require_counted(name, getattr(self, name))

    def split_keys(self, n_k: int) -> int:
        """Count the keys of a split: whole key tiles.

        >>> Tiles(1, 16, splits=3).split_keys(100), Tiles(1, 16, splits=3).real_splits(100)
        (48, 3)
        """
        return ceil_div(ceil_div(n_k, self.bc), self.splits) * self.bc

    def real_splits(self, n_k: int) -> int:
        """Count the splits that hold a key.

        >>> Tiles(1, 16, splits=6).real_splits(16 * 8)
        4
        """
        return ceil_div(n_k, self.split_keys(n_k))


def require_counted(name: str, size: int) -> None:
    """Refuse a size that counts nothing."""
    if size < 1:
        raise FactsError(
            f"{name}: found {size}, expected a whole number of at least 1; choose such a size"
        )
