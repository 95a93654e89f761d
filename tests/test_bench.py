"""The bench is not timed in tests, but what it times must run."""

import runpy

import pytest
from conftest import ROOT

BENCH = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "bench.py"))


@pytest.mark.parametrize("name", BENCH["CALLS"])
def test_every_call_of_the_bench_runs_at_a_small_size(name):
    scope = {"N": 20, "D": 16, "REPEATS": 1}
    exec(BENCH["SETUP"], scope)
    assert scope["median"](eval(BENCH["CALLS"][name], scope)) >= 0


@pytest.mark.usefixtures("device")
def test_the_devices_part_of_the_bench_runs_at_a_small_size(capsys):
    exec(BENCH["DEVICE"], {"SIZES": [(20, 16)], "REPEATS": 1})
    assert "x unfused's time" in capsys.readouterr().out


def test_the_pages_part_of_the_bench_runs_at_a_small_size(chromium, site, capsys):
    bench = runpy.run_path(str(ROOT / "tests" / "benchmarks" / "in_the_page.py"))
    page = chromium.new_page()
    page.goto(site + "js/emulator/index.js")
    bench["report"](page, [(20, 16)], 1)
    page.close()
    out = capsys.readouterr().out
    assert all(way in out for way in bench["WAYS"])
