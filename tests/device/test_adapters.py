"""Choosing a device, and what is said where there is none."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from fusedfacts.device import adapters, pipelines
from fusedfacts.errors import FactsError
from support.common import ROOT


def made_up(device, kind, backend="Vulkan"):
    info = {"device": device, "adapter_type": kind, "backend_type": backend, "description": "1.0"}
    return SimpleNamespace(info=info, features=set())


THERE = [
    made_up("Soft (LLVM)", "CPU"),
    made_up("Hard 9000", "DiscreteGPU"),
    made_up("Hard 9000", "DiscreteGPU", "OpenGL"),
    made_up("Small 1", "IntegratedGPU"),
]
WANTED = {
    "any": "Hard 9000",
    "cpu": "Soft (LLVM)",
    "IntegratedGPU": "Small 1",
    "llvm": "Soft (LLVM)",
    "hard": "Hard 9000",
}


@pytest.fixture
def there(monkeypatch):
    import wgpu

    monkeypatch.setattr(wgpu.gpu, "enumerate_adapters_sync", lambda: list(THERE))


@pytest.mark.usefixtures("there")
def test_a_device_is_chosen_by_type_or_by_a_part_of_its_name():
    names = [a.info["device"] for a in adapters.available()]
    assert names == ["Hard 9000", "Small 1", "Soft (LLVM)"]  # a real GPU first, no OpenGL twin
    for wanted, name in WANTED.items():
        assert adapters.choose(wanted).info["device"] == name


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("wanted", ["voodoo", "", "  ", 5, None])
def test_an_unknown_device_is_answered_with_those_there_are(wanted):
    with pytest.raises(FactsError) as error:
        adapters.choose(wanted)
    sentence = str(error.value)
    assert sentence.startswith(f"adapter: found no device {wanted!r}, expected one of: Hard 9000 (")
    assert all(part in sentence for part in ("Small 1", "Soft (LLVM)", "--config adapter="))


def test_without_any_device_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(adapters, "available", lambda: [])
    with pytest.raises(FactsError, match=r"^adapter: no device.*apt-get install mesa-vulkan-dr"):
        pipelines.opened()


def test_a_fault_of_the_library_is_one_sentence(monkeypatch):
    import wgpu

    def fail():
        raise RuntimeError("the loader\nfell over")

    monkeypatch.setattr(wgpu.gpu, "enumerate_adapters_sync", fail)
    with pytest.raises(
        FactsError, match=r"^wgpu: the device said: the loader; fell over; run `apt"
    ):
        adapters.available()


def test_a_device_has_the_default_limits_and_no_more(device):
    """wgpu's own default is the adapter's maxima, under which a kernel proves nothing."""
    for name, limit in adapters.DEFAULT_LIMITS.items():
        assert device.handle.limits[name] == limit, name


@pytest.mark.usefixtures("device")
def test_devices_are_listed_without_a_login_session_and_without_noise():
    environment = {k: v for k, v in os.environ.items() if k not in ("XDG_RUNTIME_DIR", "DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-m", "fusedfacts.device"],
        env={**environment, "PYTHONPATH": str(ROOT / "workflow")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(adapters.available())
