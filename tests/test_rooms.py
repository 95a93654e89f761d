"""Which room may import from which, and what shares no code."""

from pathlib import Path

from fusedfacts.pipeline import closure

LIBRARY = Path(closure.LIBRARY)
# A room imports from the lines above its own, and from nowhere else.
LEVELS = (
    {"errors"},
    {"terminal"},
    {"numerics", "documents"},
    {"attention", "pipeline", "claims"},
    {"kernels", "emulator", "schedules", "judging"},
    {"model", "tensor_check", "device"},
    {"experiments", "prose"},
    {"figures"},
    {"lesson"},
    {"publishing"},
    {"audit"},
    {"cli"},
    {"__main__"},
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
# It must start where nothing is installed and say so, so it stands apart from the levels.
DOCTOR_SEES = {"errors", "terminal", "documents"}
SEE_THE_DOCTOR = {"audit", "cli"}
ERRORS = {"__init__.py", "errors.py"}
SIZES = {"attention/__init__.py", "attention/problem.py"}
SHAPES = SIZES | {"schedules/__init__.py", "schedules/shape.py"}
SCHEDULES = ("standard", "flash", "flash2", "splitk")


def room(path):
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def allowed(importer, imported):
    if importer == "doctor":
        return imported in DOCTOR_SEES
    if imported == "doctor":
        return importer in SEE_THE_DOCTOR
    return LEVEL[imported] < LEVEL[importer]


def files_of(*modules):
    reached = closure.closure(*(f"fusedfacts.{module}" for module in modules))
    return {str(Path(path).relative_to(LIBRARY)) for path in reached}


def test_every_room_has_its_level():
    rooms = {room(path) for path in LIBRARY.rglob("*.py")} - {"__init__"}
    assert rooms == {*LEVEL, "doctor"}


def test_nothing_imports_from_its_own_level_or_above():
    found = {
        (str(path.relative_to(LIBRARY)), module)
        for path in LIBRARY.rglob("*.py")
        for module in closure.imported(path) - {closure.PACKAGE}
        if (other := module.split(".")[1]) != room(path) and not allowed(room(path), other)
    }
    assert found == set()


def test_modules_of_a_room_do_not_import_each_other_in_a_circle():
    for path in LIBRARY.rglob("*.py"):
        if path.name != "__init__.py":
            direct = closure.imported(path)
            assert not direct or str(path) not in closure.closure(*direct), path


def test_formula_emulator_device_and_reference_share_no_code():
    """A count is had three ways; only error types and sizes are common."""
    emulator, formula, device, reference = (
        files_of(module)
        for module in ("emulator.execute", "attention.traffic", "device.run", "attention.reference")
    )
    assert emulator & formula <= ERRORS | SIZES
    assert device & (emulator | formula) <= ERRORS | SIZES
    assert reference & (emulator | device | formula) <= {"__init__.py", "attention/__init__.py"}
    assert reference == {"__init__.py", "attention/__init__.py", "attention/reference.py"}


def test_forms_and_loops_of_schedules_share_no_code():
    forms = files_of("schedules.forward_forms")
    loops = files_of(*(f"schedules.{name}" for name in SCHEDULES))
    assert forms & loops <= ERRORS | SHAPES
    assert files_of("attention.reference") & (forms | loops) <= {"__init__.py", *SIZES}


def test_a_closure_holds_what_a_module_needs_and_no_more():
    sweep = files_of("experiments.sweep")
    assert {"emulator/fused.py", "attention/error_bound.py", "numerics/jit.py"} <= sweep
    assert not {name for name in sweep if name.startswith(("model/", "publishing/", "cli/"))}


def test_the_library_knows_nothing_of_snakemake():
    for path in LIBRARY.rglob("*.py"):
        assert "import snakemake" not in path.read_text(encoding="utf-8"), path
