"""What is public stands at the package's top, and costs nothing until it is asked for."""

import ast
import subprocess
import sys
from pathlib import Path

import fusedfacts
import pytest


@pytest.mark.parametrize("name", fusedfacts.__all__)
def test_each_public_name_is_what_its_module_defines(name):
    found = getattr(fusedfacts, name)
    assert found.__name__ == name
    assert found.__module__.startswith(("fusedfacts.judging.", "fusedfacts.figures.error_map"))
    assert name in dir(fusedfacts)


def test_a_name_that_is_not_public_is_refused_as_of_any_module():
    with pytest.raises(AttributeError, match="has no attribute 'jugde'"):
        _ = fusedfacts.jugde


def test_type_checkers_are_told_of_the_same_names():
    stub = ast.parse(Path(fusedfacts.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    assert sorted(alias.asname for node in stub.body for alias in node.names) == fusedfacts.__all__


def test_importing_the_package_imports_nothing_else():
    asked = "import sys; had = set(sys.modules); import fusedfacts; print({*sys.modules} - had)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    found = {name.split(".")[0] for name in ast.literal_eval(done.stdout)}
    assert found - set(sys.stdlib_module_names) == {"fusedfacts"}
    assert "fusedfacts.judging" not in done.stdout
