"""The bench is not timed in tests, but what it times must run."""

import runpy

import pytest
from support.common import ROOT

BENCHMARKS = ROOT / "tests" / "benchmarks"
BENCH = runpy.run_path(str(BENCHMARKS / "bench.py"))
BESIDE = runpy.run_path(str(BENCHMARKS / "beside_onnxruntime.py"))


def ran(folder, text, **names):
    """A program of the bench's, run as a file with some names set; the names that it leaves."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    return runpy.run_path(str(folder / "program.py"), names)


@pytest.mark.parametrize("name", BENCH["CALLS"])
def test_every_call_of_the_bench_runs_at_a_small_size(name, tmp_path):
    text = f"{BENCH['SETUP']}\nseconds = median({BENCH['CALLS'][name]})\n"
    assert ran(tmp_path, text, N=20, D=16, REPEATS=1)["seconds"] >= 0


@pytest.mark.usefixtures("device")
def test_the_devices_part_of_the_bench_runs_at_a_small_size(capsys, tmp_path):
    ran(tmp_path, BENCH["DEVICE"], SIZES=[(20, 16)], REPEATS=1)
    assert "x unfused's time" in capsys.readouterr().out


def test_the_pages_part_of_the_bench_runs_at_a_small_size(chromium, site, capsys):
    bench = runpy.run_path(str(BENCHMARKS / "in_the_page.py"))
    page = chromium.new_page()
    page.goto(site + "js/emulator/index.js")
    bench["report"](page, [(20, 16)], 1)
    page.close()
    out = capsys.readouterr().out
    assert all(way in out for way in bench["WAYS"])


def test_an_archive_of_another_hash_is_not_used(tmp_path):
    (tmp_path / f"{BESIDE['PACKAGE']}-{BESIDE['VERSION']}.tgz").write_bytes(b"something else")
    with pytest.raises(BESIDE["NotMeasuredError"], match="not the file whose hash is known"):
        BESIDE["package"](tmp_path)
