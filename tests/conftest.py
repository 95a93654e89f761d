"""What several tests share."""

from __future__ import annotations

import shutil
from contextlib import ExitStack

import pytest
from fusedfacts.documents import canonical_json
from fusedfacts.errors import FactsError
from fusedfacts.model import qkv as extract
from hypothesis import settings
from support.common import PUBLISHED, ROOT
from support.missing import skip_unless_required

# What is made once for a whole session; tests that share it run in one process.
SHARED = ("built", "direct", "clone", "chromium", "measured", "device")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Send tests that share what is expensive, or else a file, to one process."""
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            names = getattr(item, "fixturenames", ())
            shared = next((name for name in SHARED if name in names), str(item.path))
            item.add_marker(pytest.mark.xdist_group(shared))


# A test's time is the machine's affair: nothing here asserts one.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def config():
    import yaml

    return yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def loaded(config):
    """The committed model, loaded as the workflow loads it."""
    paths = {part: str(ROOT / config[part]) for part in extract.PARTS}
    return extract.load(paths, {part: config[f"{part}_sha256"] for part in extract.PARTS})


@pytest.fixture(scope="session")
def qkv(loaded, config):
    """Q, K and V of the held-out set and the probe."""
    return extract.tensors(loaded, config["control_key_rows"])


@pytest.fixture(scope="session")
def facts():
    """The published facts."""
    return canonical_json.read(PUBLISHED / "facts.json")


@pytest.fixture(scope="session")
def film():
    """The published timeline; one test holds it to what the facts give."""
    return canonical_json.read(PUBLISHED / "film.json")


def opened_browser(*arguments):
    """A browser to look at pages with; its absence fails where REQUIRE_BROWSER demands one."""
    from support import shots

    with ExitStack() as stack:
        try:
            found = stack.enter_context(shots.browser(*arguments))
        except shots.NoBrowser as reason:
            skip_unless_required(reason, "REQUIRE_BROWSER")
        yield found


@pytest.fixture(scope="session")
def chromium():
    """A browser with WebGPU on a software device."""
    from support import shots

    yield from opened_browser(*shots.WEBGPU)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The address of the page, assembled from the sources."""
    from support import site_server

    with site_server.served(site_server.assemble(tmp_path_factory.mktemp("site"))) as address:
        yield address


@pytest.fixture(scope="session")
def device():
    """A device to run kernels on; its absence fails where REQUIRE_ADAPTER demands one."""
    from fusedfacts.device import pipelines

    try:
        return pipelines.opened()
    except FactsError as reason:
        skip_unless_required(reason, "REQUIRE_ADAPTER")


@pytest.fixture(scope="session")
def measured(device):
    """The device with its self-test, of which exp is tried at a sample of arguments."""
    from fusedfacts.device import agreement, report, selftest

    return agreement.MeasuredDevice(
        device, selftest.run(device, report.pass_ticks(device), stride=1_009)
    )


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A copy with the shipped config, built from nothing as on another machine.

    An old processor for BLAS, NumPy and the compiler, a comma for a point. Who changes a file of
    it puts it back.
    """
    from support.workflow_runs import copy_of_repository, finished

    folder = copy_of_repository(tmp_path_factory.mktemp("built") / "copy")
    shutil.rmtree(folder / PUBLISHED.relative_to(ROOT))
    finished(
        folder,
        OPENBLAS_CORETYPE="Prescott",
        NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4",
        NUMBA_CPU_NAME="generic",
        LC_ALL="de_DE.UTF-8",
        PYTHONHASHSEED="1",
    )
    return folder


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    """A clone that runs elsewhere share and must leave as it is."""
    from support.workflow_runs import copy_of_repository

    return copy_of_repository(tmp_path_factory.mktemp("clone") / "fused-facts")


@pytest.fixture(scope="session")
def direct(clone, tmp_path_factory):
    """The folder of a small run of the clone's own Snakefile."""
    import yaml
    from support.workflow_runs import SMALL, finished

    folder = tmp_path_factory.mktemp("direct")
    (folder / "small.yaml").write_text(yaml.safe_dump(SMALL))
    finished(folder, "-s", f"{clone}/Snakefile", "--configfile", "small.yaml")
    return folder
