"""Snakemake in a copy of the repository: the whole run, reruns, bad input, a device, the report."""

import json
import re
import shutil
from contextlib import contextmanager

import pytest
from fusedfacts.documents.files import sha256
from fusedfacts.figures import gallery
from fusedfacts.lesson import report
from support import audits
from support.common import PUBLISHED, ROOT, change_digit
from support.workflow_runs import (
    declared,
    finished,
    planned,
    published,
    rerun_after,
    run,
    small_copy,
)

pytestmark = pytest.mark.workflow


@pytest.fixture
def small(tmp_path):
    """A copy with a small config of its own."""
    return small_copy(tmp_path / "copy")


@pytest.fixture(scope="module")
def rules(built):
    """Inputs and outputs of every rule, as Snakemake sees them."""
    return declared(built)


@contextmanager
def edited(path, change):
    """Change a file for a while, and its time with it."""
    before = path.read_bytes()
    path.write_bytes(change(before))
    try:
        yield
    finally:
        path.write_bytes(before)


# --- the whole run -------------------------------------------------------------------------------


def test_a_build_from_nothing_on_another_machine_gives_the_published_bytes(built):
    """Facts, film, captions, transcript, pictures and page; and then nothing is left to do."""
    facts = (built / "results" / "facts.json").read_bytes()
    assert facts == (PUBLISHED / "facts.json").read_bytes()
    assert published(built) == published(ROOT)
    assert planned(built) == set()


# --- what reruns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "reruns", "spares"),
    [
        ("experiments/overflow.py", {"overflow", "facts", "publish"}, {"sweep", "control"}),
        ("emulator/execute.py", {"sweep", "attention", "facts"}, set()),
        ("lesson/transcript.py", {"film", "publish"}, {"sweep", "extract"}),
        ("lesson/film.py", {"film", "manifest", "publish"}, {"facts", "pictures"}),
        ("figures/bars.py", {"pictures", "manifest", "publish"}, {"facts", "film"}),
        ("lesson/report.py", {"report_pages"}, {"facts", "film", "pictures"}),
        ("../templates/film.txt.j2", {"film", "publish"}, {"facts", "pictures", "report_pages"}),
        ("../page/page.css", {"page", "publish"}, {"facts", "film", "pictures"}),
        # What computes nothing of it is named by the manifest all the same.
        ("../../requirements.txt", {"manifest", "publish"}, {"facts", "film", "page", "sweep"}),
        ("../../config.yaml", {"manifest", "publish"}, {"facts", "film", "page", "sweep"}),
        ("../../kernels/README.md", set(), {"manifest", "publish", "kernels"}),
    ],
)
def test_an_edited_file_reaches_the_rules_that_depend_on_it(built, rules, file, reruns, spares):
    path = (built / "workflow" / "fusedfacts" / file).resolve()
    assert path.is_file()
    found = rerun_after(rules, path)
    assert reruns <= found
    assert not spares & found


def test_snakemake_plans_what_the_edit_of_a_kernel_reaches(built, rules):
    kernel = (built / "kernels" / "mix.wgsl").resolve()
    with edited(kernel, lambda text: text + b"// Another comment.\n"):
        assert planned(built) == {*rerun_after(rules, kernel), "all"}


@pytest.mark.parametrize(
    ("setting", "reruns", "spares"),
    [
        ("seed=24", {"sweep", "mutants", "online_softmax", "facts"}, {"extract", "control"}),
        ("control_key_rows=6", {"extract", "control", "facts"}, {"sweep", "mutants"}),
    ],
)
def test_an_edited_setting_reruns_what_depends_on_it(built, setting, reruns, spares):
    found = planned(built, "--config", setting)
    assert reruns <= found
    assert not spares & found


def test_edited_facts_and_captions_are_red_until_the_next_run_replaces_them(built):
    folder = built / audits.WHERE
    right = published(built)
    change_digit(folder / "facts.json")
    change_digit(folder / "captions.vtt", b"272.5 MiB", b"275.2 MiB")
    wrong = published(built)
    finished(built, "results/manifest.json")
    found = audits.quickly(folder, built)
    assert any("value: found 270532609, expected 270532608" in fault for fault in found)
    assert any("captions.vtt: line " in fault for fault in found)
    assert published(built) == wrong
    assert planned(built) == {"publish", "all"}
    finished(built)
    assert published(built) == right


@pytest.mark.slow
def test_the_audit_is_a_rule_that_builds_afresh_and_names_an_edit(built):
    """Whatever lies under results/, and with nothing published replaced."""
    captions = built / audits.WHERE / "captions.vtt"
    with edited(captions, lambda text: text.replace(b"272.5 MiB", b"275.2 MiB", 1)):
        wrong = captions.read_bytes()
        done = run(built, "--cores", "2", "audit")
        assert captions.read_bytes() == wrong
    assert done.returncode == 1
    found = json.loads((built / "results" / "audit.json").read_text())
    red = [check["name"] for check in found["checks"] if check["verdict"] == "does not hold"]
    assert (found["mode"], red) == ("full", ["folder", "crate", "rendered", "rebuilt"])
    assert "captions.vtt" in (built / "results" / "audit.txt").read_text()


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["film=true"], "config: film_words found 4096, expected one of n_values, [3, 64]"),
        # Nested values of --config are text, so this is refused rather than misread.
        (["n_values=[64]"], "config: n_values[0] found '64', expected a value of type integer"),
        (["time_kernels=true", "adapter=voodoo"], "adapter: "),
    ],
)
def test_a_wrong_setting_is_one_sentence_before_anything_runs(small, settings, sentence):
    done = run(small, "--cores", "1", "--config", *settings)
    assert done.returncode != 0
    assert f"error: {sentence}" in done.stdout
    assert "Traceback" not in done.stdout
    assert not list((small / "results").glob("*.json"))


def test_a_name_that_cannot_be_published_is_refused_before_anything_runs(built, tmp_path):
    (tmp_path / "my model").mkdir()
    shutil.copy(ROOT / "model" / "probe.txt", tmp_path / "my model" / "the probe.txt")
    probe = "probe=my model/the probe.txt"
    done = run(tmp_path, "-n", "-s", f"{built}/Snakefile", "--config", probe)
    assert done.returncode == 2
    assert "error: 'model/the probe.txt' is not a plain file name: expected" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_damaged_model_is_refused_before_anything_runs(small):
    """With its new hash in the config, as a hostile editor would put it."""
    path, config = small / "model" / "weights.safetensors", small / "config.yaml"
    right = path.read_bytes()
    start = 8 + int.from_bytes(right[:8], "little")
    path.write_bytes(right[:start] + b"\xff\xff\xff\x7f" + right[start + 4 :])  # a NaN
    config.write_text(config.read_text().replace(sha256(right), sha256(path.read_bytes())))
    done = run(small, "--cores", "1", "results/attention.json")
    assert done.returncode == 2
    [error] = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert "holds a value that is not finite" in error
    assert "Traceback" not in done.stdout
    assert not (small / "results").exists()


def test_a_kernel_that_breaks_the_gate_stops_the_run_with_its_sentence(small):
    change_digit(small / "kernels" / "fused.wgsl", b"BR * C>", b"2u * BR * C>")
    done = run(small, "--cores", "1", "results/kernels.json")
    assert done.returncode != 0
    # All that is said: besides the sentence, what ran, which job failed, and where all stands.
    profile, jobs, error, *more, failed, stopped = done.stdout.splitlines()
    assert "profiles/default" in profile
    assert jobs == "1 job to run"
    assert error.startswith("does not hold: fused.wgsl:")
    assert all(line.startswith("fused.wgsl:") for line in more)
    assert failed.startswith("section kernels failed: its command returned non-zero exit status")
    assert failed.endswith("; its log: results/logs/kernels.log")
    assert re.fullmatch(r"stopped after .*; Snakemake's own log: /.*\.snakemake\.log", stopped)
    assert (small / "results" / "logs" / "kernels.log").read_text().startswith(error)
    assert not (small / "results" / "kernels.json").exists()


# --- a device and the report ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("device")
def test_a_run_that_times_the_kernels_reports_and_publishes_nothing(small):
    # What is checked on a device has tests of its own.
    checks = small / "workflow" / "fusedfacts" / "device" / "checks.py"
    text = checks.read_text()
    checks.write_text(re.sub(r"(?s)RAGGED_LENGTHS = \(.*?\n\)", "RAGGED_LENGTHS = (1, 33)", text))
    assert checks.read_text() != text
    before = published(small)
    said = finished(small, "--config", "time_kernels=true")
    assert "timing 2 of 2: n 64, d 16" in said
    timings = json.loads((small / "results" / "facts.json").read_text())["timings"]
    assert [size["n"] for size in timings["timings"]["sizes"]] == [3, 64]
    made = {path.suffix: path for path in (small / "results" / "devices").iterdir()}
    assert json.loads(made[".json"].read_text()) == timings
    assert len(list((small / "results" / "devices").glob("*.svg"))) == 2
    assert published(small) == before


def test_the_report_is_one_file_that_a_reader_understands(built, chromium):
    """Opened in a browser that may load nothing else: words, facts, pictures with captions."""
    finished(built, "--report", "results/report.html")
    facts = json.loads(published(built)["facts.json"])
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built / "results" / "report.html").as_uri())
    page.get_by_role("heading", name="How it was checked").wait_for()
    text = page.inner_text("body")
    for sentence in facts["left_out"]:
        assert sentence in text
    assert "285,736,960" in text

    page.get_by_text("Pictures", exact=True).first.click()
    for name, picture in gallery.GALLERY.items():
        row = page.locator("tr", has_text=picture.TITLE)
        row.locator("a").last.click()
        beginning = report.captions(facts)[name].split(".")[0]
        page.get_by_text(beginning).first.wait_for()
        page.get_by_text("Pictures", exact=True).first.click()

    page.reload()
    page.get_by_text("Facts", exact=True).first.click()
    page.locator("tr", has_text="Every fact").locator("a").first.click()
    page.frame_locator("iframe").get_by_text("hash of its bytes").wait_for()
    assert {url.split(":")[0] for url in asked} <= {"file", "data", "blob"}
    assert len([url for url in asked if url.startswith("file")]) == 2  # the page, and again
    page.close()
