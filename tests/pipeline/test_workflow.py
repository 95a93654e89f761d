"""Snakemake in a copy of the repository: the whole run, reruns, bad input, kills."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fusedfacts.documents.files import sha256
from fusedfacts.figures import gallery
from fusedfacts.lesson import report
from fusedfacts.publishing import folder as publish
from support.common import PUBLISHED, ROOT
from support.workflow_runs import (
    SMALL,
    SNAKEMAKE,
    copy_of_repository,
    environment,
    planned,
    published,
    run,
)

pytestmark = pytest.mark.workflow

MACHINES = {
    "one core, an old processor, a comma locale": (
        1,
        {
            "OPENBLAS_CORETYPE": "Prescott",
            "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4",
            "NUMBA_CPU_NAME": "generic",
            "LC_ALL": "de_DE.UTF-8",
            "PYTHONHASHSEED": "1",
        },
    ),
    "four cores, a newer processor": (
        4,
        {"OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "2", "LC_ALL": "C"},
    ),
}


def audit(folder):
    """The command in a copy, with the copy's own library."""
    return run(
        folder,
        "-m",
        "fusedfacts",
        "audit",
        "--quick",
        command=[sys.executable],
        PYTHONPATH=str(folder / "workflow"),
    )


@pytest.fixture
def small(tmp_path):
    """A copy with a small config of its own."""
    folder = copy_of_repository(tmp_path / "copy")
    import yaml

    config = yaml.safe_load((folder / "config.yaml").read_text())
    (folder / "config.yaml").write_text(yaml.safe_dump({**config, **SMALL}))
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A copy with the shipped config, in which the runs below follow each other."""
    return copy_of_repository(tmp_path_factory.mktemp("whole") / "copy")


@pytest.mark.parametrize("machine", MACHINES)
def test_the_published_bytes_are_the_same_on_every_machine(whole, machine):
    """Everything is computed afresh; before, the published files are taken away.

    Facts, film, captions, transcript and pictures alike.
    """
    cores, variables = MACHINES[machine]
    shutil.rmtree(whole / PUBLISHED.relative_to(ROOT))
    done = run(whole, "--cores", str(cores), "--forceall", **variables)
    assert done.returncode == 0, done.stdout[-3000:]
    assert (whole / "results" / "facts.json").read_bytes() == (
        PUBLISHED / "facts.json"
    ).read_bytes()
    assert published(whole) == published(ROOT)


def test_a_finished_run_has_nothing_to_do(whole):
    assert planned(whole) == set()


@pytest.mark.parametrize(
    ("file", "reruns", "spares"),
    [
        ("overflow.py", {"overflow", "facts", "publish", "all"}, {"sweep", "mutants", "control"}),
        ("emulator/memory.py", {"sweep", "attention", "facts"}, {"mutants"}),
        ("facts/prose.py", {"facts", "publish", "all"}, {"sweep", "extract"}),
        ("film/phrases.py", {"film", "manifest", "publish"}, {"facts", "pictures", "report_pages"}),
        ("pictures/bars.py", {"pictures", "manifest", "publish"}, {"facts", "film"}),
        ("report.py", {"report_pages", "page", "publish"}, {"facts", "film", "pictures"}),
        ("../templates/film.txt.j2", {"film", "publish"}, {"facts", "pictures", "report_pages"}),
        ("../page/page.css", {"page", "publish"}, {"facts", "film", "pictures"}),
        # What computes nothing of it is named by the manifest all the same.
        ("command/count.py", {"manifest", "publish", "all"}, {"facts", "film", "page", "sweep"}),
        ("../schemas/names.schema.json", {"manifest", "publish"}, {"facts", "film", "page"}),
        ("../rules/sweep.smk", {"manifest", "publish"}, {"facts", "film", "page", "sweep"}),
        ("../../requirements.txt", {"manifest", "publish"}, {"facts", "film", "page", "sweep"}),
        ("../../config.yaml", {"manifest", "publish"}, {"facts", "film", "page", "sweep"}),
        ("../../kernels/README.md", set(), {"manifest", "publish", "kernels"}),
    ],
)
def test_an_edited_file_reruns_what_depends_on_it(whole, file, reruns, spares):
    path = whole / "workflow" / "fusedfacts" / file
    before, stat = path.read_bytes(), path.stat()
    path.write_bytes(before + b"\n# edited\n")
    try:
        found = planned(whole)
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert reruns <= found
    assert not spares & found
    assert planned(whole) == set()


@pytest.mark.parametrize(
    ("setting", "reruns", "spares"),
    [
        ("seed=24", {"sweep", "mutants", "online_softmax", "facts"}, {"extract", "control"}),
        ("control_key_rows=6", {"extract", "control", "facts"}, {"sweep", "mutants"}),
        ("n_values=[64]", set(), set()),
    ],
)
def test_an_edited_setting_reruns_what_depends_on_it(whole, setting, reruns, spares):
    if not reruns:
        # Nested values of --config are text, so this is refused rather than misread.
        done = run(whole, "-n", "--config", setting)
        assert done.returncode != 0
        assert "n_values[0] found '64', expected a value of type integer" in done.stdout
        return
    found = planned(whole, "--config", setting)
    assert reruns <= found
    assert not spares & found


def test_a_one_digit_edit_is_red_before_anything_is_regenerated(whole):
    facts = whole / PUBLISHED.relative_to(ROOT) / "facts.json"
    right = facts.read_bytes()
    assert audit(whole).returncode == 0
    facts.write_bytes(right.replace(b"270532608", b"270532609", 1))
    wrong = facts.read_bytes()
    done = run(whole, "--cores", "1", "results/manifest.json")
    assert done.returncode == 0
    found = audit(whole)
    assert found.returncode == 1
    assert "value: found 270532609, expected 270532608" in found.stdout
    assert "Traceback" not in found.stdout
    assert facts.read_bytes() == wrong
    assert "publish" in planned(whole)
    assert run(whole, "--cores", "1").returncode == 0
    assert facts.read_bytes() == right


def test_an_edited_caption_is_red_and_the_next_run_mends_it(whole):
    captions = whole / PUBLISHED.relative_to(ROOT) / "captions.vtt"
    right = captions.read_text()
    captions.write_text(right.replace("272.5 MiB", "275.2 MiB", 1))
    found = audit(whole)
    assert found.returncode == 1
    assert "captions.vtt: line " in found.stdout
    assert planned(whole) == {"publish", "all"}
    assert run(whole, "--cores", "1").returncode == 0
    assert captions.read_text() == right


def test_the_audit_is_a_rule_that_builds_afresh_and_names_an_edit(whole):
    """Whatever lies under results/, and with nothing published replaced."""
    folder = whole / PUBLISHED.relative_to(ROOT)
    right = (folder / "captions.vtt").read_bytes()
    wrong = right.replace(b"272.5 MiB", b"275.2 MiB", 1)
    (folder / "captions.vtt").write_bytes(wrong)
    done = run(whole, "--cores", "2", "audit")
    assert (folder / "captions.vtt").read_bytes() == wrong
    (folder / "captions.vtt").write_bytes(right)
    assert done.returncode == 1
    found = json.loads((whole / "results" / "audit.json").read_text())
    red = [check["name"] for check in found["checks"] if check["verdict"] == "does not hold"]
    assert (found["mode"], red) == ("full", ["folder", "told", "rebuilt", "described"])
    assert "captions.vtt" in (whole / "results" / "audit.md").read_text()


def test_a_film_whose_sizes_are_not_swept_is_refused_before_anything_runs(small):
    done = run(small, "-n", "--config", "film=true")
    assert done.returncode == 2
    assert "error: config: film_words found 4096, expected one of n_values, [3, 64]" in done.stdout
    assert "film: false" in done.stdout
    assert not {"captions.vtt", "film.json"} & set(published_by(small))


def test_a_name_that_cannot_be_published_is_refused_before_anything_runs(clone, tmp_path):
    (tmp_path / "my model").mkdir()
    shutil.copy(ROOT / "model" / "probe.txt", tmp_path / "my model" / "the probe.txt")
    probe = "probe=my model/the probe.txt"
    done = run(tmp_path, "-n", "-s", f"{clone}/Snakefile", "--config", probe)
    assert done.returncode == 2
    assert "error: 'model/the probe.txt' is not a plain file name: expected" in done.stdout
    assert "Traceback" not in done.stdout


def published_by(folder):
    """What a run of a copy publishes."""
    assert run(folder, "--cores", "2").returncode == 0
    return published(folder)


def damaged(folder, name, change):
    """Damage a model file and put its new hash into the config, as a hostile editor would."""
    path = folder / "model" / name
    before = sha256(path.read_bytes())
    path.write_bytes(change(path.read_bytes()))
    config = folder / "config.yaml"
    config.write_text(config.read_text().replace(before, sha256(path.read_bytes())))


def with_nan(content):
    size = 8 + int.from_bytes(content[:8], "little")
    return content[:size] + b"\xff\xff\xff\x7f" + content[size + 4 :]


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("weights.safetensors", with_nan, "holds a value that is not finite"),
        ("weights.safetensors", lambda c: c[:-4], "not a safetensors file"),
        ("vocabulary.json", lambda c: c.replace(b'"apples"', b'"pears"'), "the word 'apples'"),
        ("probe.txt", lambda c: c.replace(b"tall", b"quiet"), "found another sentence than line"),
    ],
)
def test_damaged_files_publish_nothing(small, name, change, sentence):
    damaged(small, name, change)
    before = published(small)
    done = run(small, "--cores", "2", "--keep-going")
    assert done.returncode != 0
    errors = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, done.stdout
    assert sentence in errors[0]
    assert "Traceback" not in done.stdout
    assert published(small) == before
    log = (small / "results" / "logs" / "extract.log").read_text()
    assert log.strip() == errors[0]


def test_a_wrong_hash_and_a_missing_file_are_one_sentence_each(small):
    (small / "model" / "held_out.txt").unlink()
    done = run(small, "--cores", "1")
    assert done.returncode == 2
    assert "held_out.txt: not found, expected the file that `held_out` names" in done.stdout
    (small / "model" / "held_out.txt").write_text("x\n")
    done = run(small, "--cores", "1")
    assert done.returncode != 0
    assert "held_out.txt: sha256 found" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_killed_run_leaves_published_files_whole_and_the_next_command_finishes(small):
    before = published(small)
    process = subprocess.Popen(
        [*SNAKEMAKE, "--cores", "2"],
        cwd=small,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not list(Path(small, "results").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert published(small) == before
    # The two commands that the README gives.
    assert run(small, "--unlock").returncode == 0
    done = run(small, "--cores", "2")
    assert done.returncode == 0, done.stdout[-3000:]
    facts = json.loads(published(small)["facts.json"])
    assert [size["n"] for size in facts["traffic"]] == SMALL["n_values"]
    assert publish.check(small / PUBLISHED.relative_to(ROOT)) == facts


@pytest.mark.usefixtures("device")
def test_a_run_that_times_the_kernels_reports_and_publishes_nothing(small):
    """And the same run without times, afterwards, gives the published bytes of its own config."""
    before = published(small)
    done = run(small, "--cores", "2", "--config", "time_kernels=true")
    assert done.returncode == 0, done.stdout[-3000:]
    assert "timing 2 of 2: n 64, d 16" in done.stdout
    timings = json.loads((small / "results" / "facts.json").read_text())["timings"]
    assert [size["n"] for size in timings["timings"]["sizes"]] == [3, 64]
    made = {path.suffix: path for path in (small / "results" / "devices").iterdir()}
    assert json.loads(made[".json"].read_text()) == timings
    assert len(list((small / "results" / "devices").glob("*.svg"))) == 2
    assert published(small) == before

    done = run(small, "--cores", "2")
    assert done.returncode == 0, done.stdout[-3000:]
    assert json.loads(published(small)["facts.json"])["timings"] is None


@pytest.mark.parametrize("target", [[], ["device"]])
def test_an_unknown_device_is_one_sentence_before_anything_runs(small, target):
    options = ["time_kernels=true", "adapter=voodoo"]
    done = run(small, *target, "--cores", "1", "--config", *options)
    assert done.returncode != 0
    assert "error: adapter: " in done.stdout
    assert "Traceback" not in done.stdout
    assert not list((small / "results").glob("*.json"))


@pytest.mark.usefixtures("device")
def test_the_kernels_can_be_checked_without_timing_them(small):
    done = run(small, "device", "--cores", "2")
    assert done.returncode == 0, done.stdout[-3000:]
    report = next((small / "results" / "devices").glob("*.json"))
    assert json.loads(report.read_text())["timings"] is None


def test_a_kernel_that_breaks_the_gate_publishes_nothing(small):
    before = published(small)
    kernel = small / "kernels" / "fused.wgsl"
    kernel.write_text(kernel.read_text().replace("BR * C>", "2u * BR * C>"))
    done = run(small, "--cores", "2")
    assert done.returncode != 0
    assert "error: fused.wgsl:" in done.stdout
    assert published(small) == before


def test_an_edited_kernel_reruns_its_gate_and_changes_the_facts(whole):
    kernel = whole / "kernels" / "mix.wgsl"
    text = kernel.read_text()
    kernel.write_text(text + "// Another comment.\n")
    told = {"facts", "film", "pictures", "page", "report_pages"}
    assert planned(whole) == {"kernels", *told, "crate", "manifest", "publish", "all"}
    kernel.write_text(text)


def test_the_report_is_one_file_that_a_reader_understands(whole, chromium):
    """Opened in a browser that may load nothing else: words, facts, pictures with captions."""
    done = run(whole, "--report", "results/report.html")
    assert done.returncode == 0, done.stdout[-3000:]
    facts = json.loads(published(whole)["facts.json"])
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((whole / "results" / "report.html").as_uri())
    page.get_by_role("heading", name="How it was checked").wait_for()
    text = page.inner_text("body")
    for sentence in facts["left_out"]:
        assert sentence in text
    assert "285,736,960" in text

    page.get_by_text("Pictures", exact=True).first.click()
    for name, picture in gallery.GALLERY.items():
        row = page.locator("tr", has_text=picture.title)
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


def test_the_workflow_passes_its_own_linter(small):
    done = run(small, "--lint")
    assert "Congratulations" in done.stdout, done.stdout
