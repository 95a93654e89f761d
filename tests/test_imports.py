from pathlib import Path

import pytest
from fusedfacts.pipeline import closure as imports

LIBRARY = Path(imports.LIBRARY)
ERRORS = {"__init__.py", "errors.py", "printable.py"}  # two types, and what makes them one line
GROUND_FLOOR = ("errors", "canonical_json", "reference", "tiling", "counts")


def modules():
    for path in LIBRARY.rglob("*.py"):
        name = path.relative_to(LIBRARY.parent).with_suffix("")
        yield ".".join(name.parts).removesuffix(".__init__")


def names(*of):
    return {str(Path(path).relative_to(LIBRARY)) for path in imports.closure(*of)}


def test_a_closure_holds_what_a_module_needs_and_no_more():
    sweep = names("fusedfacts.experiments.sweep")
    assert {"emulator/fused.py", "bound.py", "reference.py", "counts.py", "jit.py"} <= sweep
    assert not {"model.py", "overflow.py", "publish.py", "facts/claim.py"} & sweep


def test_imports_have_no_cycles():
    """No module is reached from what it imports."""
    for module in modules():
        own = imports._file(module)
        direct = imports.imported(own) - {module}
        reached = imports.closure(*direct) if direct else []
        if own.name != "__init__.py":
            assert str(own) not in reached, module


@pytest.mark.parametrize("module", GROUND_FLOOR)
def test_the_ground_floor_rests_on_nothing_but_errors_and_tile_sizes(module):
    assert names(f"fusedfacts.{module}") <= {
        *ERRORS,
        "tiling.py",
        f"{module}.py",
    }


def test_formula_emulator_device_and_reference_share_no_code():
    """A count is had three ways; only error types and, in two of them, tile sizes are common."""
    emulator, formula, device, reference = (
        names(f"fusedfacts.{module}")
        for module in ("emulator.run", "counts", "device.run", "reference")
    )
    assert emulator & formula == {*ERRORS, "tiling.py"}
    assert device & (emulator | formula) == ERRORS
    assert reference == {"__init__.py", "reference.py"}


def test_the_library_knows_nothing_of_snakemake():
    for path in LIBRARY.rglob("*.py"):
        assert "import snakemake" not in path.read_text(encoding="utf-8")


def test_an_unknown_module_is_an_error():
    with pytest.raises(ModuleNotFoundError):
        imports.closure("fusedfacts.nothing")
