"""In which precision a kernel computes: the assumptions of which its bound is a theorem.

docs/error-bound.md says what each one adds. A recipe has a name, or is read from a file that says
in what it differs from one with a name.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from fusedfacts.attention.arithmetic import Arithmetic, Formats, SummationOrder
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError, guessed, printable


class Format(NamedTuple):
    """A format of floating-point numbers, rounded to the nearest.

    Attributes
    ----------
    unit : float
        The largest relative error of a normal number.
    least : float
        The largest absolute error of a subnormal one.
    """

    unit: float
    least: float


# Significant bits, and the exponent of the least subnormal number (IEEE 754-2019, table 3.5; TF32
# has float32's exponents and float16's digits).
FORMATS = {
    name: Format(2.0**-digits, 2.0 ** (least - 1))
    for name, digits, least in (
        ("float64", 53, -1073),
        ("float32", 24, -149),
        ("tf32", 11, -136),
        ("float16", 11, -24),
        ("bfloat16", 8, -133),
    )
}
EXACT = Format(0.0, 0.0)
# CUDA's ex2.approx errs by two units in the last place, and no library's float32 exp by more.
EXP_ERROR = 2.0**-22
EXP_ERROR_64 = 2.0**-52
# Tensor cores that cut off what does not fit err by up to a whole unit.
TRUNCATING = 2.0
FLOAT64 = Arithmetic(2.0**-53, EXP_ERROR_64, 0.0, 2.0**-53, 2.0**-1074, tanh=2.0**-50, log=2.0**-50)
FLOAT32 = Arithmetic(exp=EXP_ERROR, tanh=2.0**-21, log=2.0**-21)
MEND = "workflow/schemas/recipe.schema.json says what it may hold"


@dataclass(frozen=True)
class Recipe:
    """What is assumed of a kernel.

    Attributes
    ----------
    name : str
        Of the recipe, or of the file that holds it.
    sums, scores, weights, output : str
        The format in which sums are kept, a score is stored, a weight meets a value, and the
        answer is stored.
    operands : str
        The format in which q, k and v enter products, if it is less than theirs.
    """

    name: str
    sums: str = "float32"
    operands: str = "float32"
    scores: str = "float32"
    weights: str = "float32"
    output: str = "float32"
    scaled_inputs: bool = False
    truncated_sums: bool = False
    total_of_rounded_weights: bool = False
    exponential: float | None = None
    exponential_of_zero_is_one: bool = True
    folded_exp2: bool = False
    normalised: str = "after"
    key_rows: int | None = None
    splits: int = 1

    def __post_init__(self) -> None:
        """Refuse tiles of any size where each of them may scale what came before."""
        if self.key_rows is None and (self.splits > 1 or not self.exponential_of_zero_is_one):
            raise FactsError(
                f"{self.name}: key_rows: found nothing, expected the rows of a key tile, as each"
                " may scale what came before where exp(0) is not one or keys are split; add it"
            )

    @property
    def arithmetic(self) -> Arithmetic:
        """Give the errors of one operation."""
        of_sums = FLOAT64 if self.sums == "float64" else FLOAT32
        return of_sums._replace(
            unit=of_sums.unit * (TRUNCATING if self.truncated_sums else 1.0),
            exp=of_sums.exp if self.exponential is None else self.exponential,
            exp_zero_is_one=self.exponential_of_zero_is_one,
            folded=self.folded_exp2,
        )

    @property
    def order(self) -> SummationOrder:
        """Give the order of sums."""
        return SummationOrder(self.key_rows or 0, self.normalised == "after", self.splits)

    def formats(self, stored: str) -> Formats:
        """Give what is rounded beside sums, of q, k and v that are stored in that format."""
        sums = FORMATS[self.sums]

        def coarser(name: str) -> Format:
            return FORMATS[name] if FORMATS[name].unit > sums.unit else EXACT

        operands = FORMATS[self.operands]
        scores, weights, output = map(coarser, (self.scores, self.weights, self.output))
        return Formats(
            operands=operands.unit if operands.unit > FORMATS[stored].unit else 0.0,
            scaled=max(FORMATS[stored].unit, operands.unit) if self.scaled_inputs else 0.0,
            scores=scores.unit,
            scores_least=scores.least,
            weights=weights.unit,
            weights_least=weights.least,
            output=output.unit,
            output_least=output.least,
            total_of_rounded=self.total_of_rounded_weights,
        )

    def words(self) -> str:
        """Say in one sentence what is assumed."""
        parts = [f"sums in {self.sums}" + (", cut off" if self.truncated_sums else "")]
        for what, name in (
            ("q, k and v rounded to", self.operands),
            ("scores stored in", self.scores),
            ("weights rounded to", self.weights),
            ("the answer stored in", self.output),
        ):
            parts += [f"{what} {name}"] if name != self.sums else []
        parts += ["q and k scaled before their product"] if self.scaled_inputs else []
        parts += ["the total summed from rounded weights"] if self.total_of_rounded_weights else []
        parts += [f"an exponential that errs by at most {self.arithmetic.exp:.3g}"]
        parts += [] if self.exponential_of_zero_is_one else ["exp(0) not quite one"]
        parts += ["log2 e folded into the scale"] if self.folded_exp2 else []
        parts += ["shares divided before they meet values"] if self.normalised == "before" else []
        tiles = f"tiles of {self.key_rows:,} keys" if self.key_rows else "key tiles of any size"
        parts += [tiles] if self.splits == 1 else [f"{tiles} in {self.splits:,} splits"]
        return ", ".join(parts)


def _half(name: str, form: str) -> tuple[Recipe, ...]:
    base = Recipe(name, weights=form, output=form, operands=form)
    stored = replace(base, name=f"{name}-scores", scores=form)
    return base, stored


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("fp64", "float64", "float64", "float64", "float64", "float64"),
        Recipe("fp32"),
        Recipe("tf32", operands="tf32", weights="tf32"),
        *_half("fp16", "float16"),
        *_half("bf16", "bfloat16"),
    )
}
BY_FORMAT = {"float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}


def default(stored: str, output: str) -> Recipe:
    """Choose by the formats of the inputs and of the answer.

    >>> default("bfloat16", "bfloat16").name, default("float16", "float32").words()[:35]
    ('bf16', 'sums in float32, q, k and v rounded')
    """
    wider = max(stored, output, key=lambda name: FORMATS[name].unit)
    recipe = RECIPES[BY_FORMAT[wider]]
    sums = "float64" if output == stored == "float64" else "float32"
    return recipe if output == recipe.output else replace(recipe, sums=sums, output=output)


def named(name: str | Path) -> Recipe:
    """Find a recipe by its name, or read it from a TOML or JSON file.

    Raises
    ------
    FactsError
        If there is no such recipe, or its file does not say one.
    """
    word = str(name)
    if word in RECIPES:
        return RECIPES[word]
    path = Path(word)
    if path.suffix not in (".toml", ".json"):
        raise FactsError(
            f"recipe: found '{printable(word, 60)}'{guessed(word[:60], RECIPES)}, expected one of"
            f" {', '.join(RECIPES)}, or a file whose name ends in .toml or .json"
        )
    return from_document(_read(path), printable(path.name))


def from_document(document: Mapping[str, Any], name: str) -> Recipe:
    """Make a recipe from what a file says, described by workflow/schemas/recipe.schema.json."""
    schema.validate(document, "recipe", name, MEND)
    given = {key: value for key, value in document.items() if key != "base"}
    return replace(RECIPES[document["base"]], name=name, **given)


def _finite(text: str) -> float:
    """Read a number; TOML knows nan and inf, which are within no limits and beyond none."""
    if not math.isfinite(number := float(text)):
        raise ValueError(f"found {text}")
    return number


def _read(path: Path) -> Mapping[str, Any]:
    if path.suffix == ".json":
        found: Mapping[str, Any] = canonical_json.read(path, MEND)
        return found
    try:
        return tomllib.loads(files.read_bytes(path, MEND).decode(), parse_float=_finite)
    except ValueError as error:  # of text, of TOML, of a number
        raise FactsError(f"{path}: {error}, expected TOML; {MEND}") from None
