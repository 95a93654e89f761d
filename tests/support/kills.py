"""Kill -9 at random moments: whole runs, and many more times the step that publishes.

    PYTHONPATH=tests python -m support.kills --times 50 --publish-times 1000 [--seed 1]

After each kill every published file must be the old one or the new one, whole; a mixture must be
refused with a sentence that names the mend; and the next command must end in the new state with
nothing left over. The first thing that is otherwise ends the script with exit code 1.
"""

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import yaml
from fusedfacts.documents import canonical_json, files, schema
from fusedfacts.errors import FactsError
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import manifest as manifests

from support.built_runs import as_published, marked
from support.workflow_runs import SMALL, SNAKEMAKE, copy_of_repository, environment, run

STATES = ("old", "old with temporaries", "mixture", "new")
# Two sweeps that share no size: other facts, other pictures.
CONFIGS = (SMALL, {**SMALL, "n_values": [5, 100], "record_lengths": [9]})


def require(holds, what):
    if not holds:
        print(f"kills: {what}", flush=True)
        sys.exit(1)


def once(validate):
    """Hold a document against its schema the first time alone: no kill changes it."""
    valid = set()

    def remembered(document, name, file, mend):
        key = (name, repr(document))
        if key not in valid:
            validate(document, name, file, mend)
            valid.add(key)

    return remembered


def found(folder):
    """Every file below a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def state(folder, old, new):
    """What a kill left, after everything that must hold of it was held against it."""
    everything = found(folder)
    temporaries = {path.relative_to(folder).as_posix() for path in files.temporaries(folder)}
    left = {name: data for name, data in everything.items() if name not in temporaries}
    for name in sorted({*left, *old, *new}):
        # A file that is gone is whole too, where one of the two runs has none of that name.
        whole = left.get(name) in (old.get(name), new.get(name))
        require(whole, f"{name} is neither the old file nor the new one")
        if name in left and name.endswith(".json"):
            canonical_json.read(folder / name)
    kind = "old" if left == old else "new" if left == new else "mixture"
    try:
        publish.check(folder)
        refused = ""
    except FactsError as fault:
        refused = str(fault)
    require(not (kind == "new" and temporaries), "the last file moved before another")
    clean = kind != "mixture" and not temporaries
    require(clean != bool(refused), f"{kind}, {sorted(temporaries)}: check said {refused!r}")
    require(clean or refused.endswith(manifests.MEND), f"no mend in {refused!r}")
    return f"{kind} with temporaries" if temporaries and kind != "mixture" else kind


# --- the step that publishes -----------------------------------------------------------------


def publishing(built, folder, say):
    """Publish in a child process, which writes a byte to `say` before it moves the first file."""
    child = os.fork()
    if child:
        return child
    move = files.move

    def told(temporary, path):
        os.write(say, b"m")
        move(temporary, path)

    files.move = told
    code = 1
    try:
        publish.publish(built, folder)
        code = 0
    finally:
        os._exit(code)


def measured(built, folder):
    """Seconds until the first move, and from there to the end."""
    hear, say = os.pipe()
    begun = time.perf_counter()
    child = publishing(built, folder, say)
    os.read(hear, 1)
    moving = time.perf_counter()
    require(os.waitpid(child, 0)[1] == 0, "publishing failed without a kill")
    ended = time.perf_counter()
    os.close(hear)
    os.close(say)
    return moving - begun, ended - moving


def kill_publishing(scratch, times, draw):
    """Kill the step alone: every second time only once it moves files, which is its short half."""
    folder = scratch / "out"
    builds = [
        marked(scratch / "one", "one", without=["captions.vtt"]),
        marked(scratch / "two", "two", without=["transcript.md", "model/probe.txt"]),
    ]
    publish.publish(builds[0], folder)
    pairs = [measured(builds[1 - turn % 2], folder) for turn in range(6)]  # ends as it began
    staging, moving = map(statistics.median, zip(*pairs, strict=True))
    seen = Counter()
    for turn in range(times):
        old, built = builds[turn % 2], builds[1 - turn % 2]
        new = as_published(built)
        require(found(folder) == as_published(old), "the folder is not as the last turn left it")
        hear, say = os.pipe()
        child = publishing(built, folder, say)
        if turn // 2 % 2:
            os.read(hear, 1)
            time.sleep(draw.uniform(0, moving))
        else:
            time.sleep(draw.uniform(0, staging + moving))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(hear)
        os.close(say)
        seen[state(folder, as_published(old), new)] += 1
        publish.publish(built, folder)
        require(found(folder) == new, "the next run left another state than its own")
    return f"publishing: {times} kills within {staging + moving:.2f} s", seen


# --- whole runs ------------------------------------------------------------------------------


def processes_in(folder):
    """Processes that are still at work in a folder: no kill of their group reached them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")) == folder:
                found.append(process.name)
        except OSError:
            continue  # ended meanwhile, or of another user
    return found


def kill_runs(scratch, times, draw):
    """Kill Snakemake with all that it started, anywhere between its start and its end."""
    copy = copy_of_repository(scratch / "copy").resolve()
    folder = copy / "media" / "school" / "fused"
    shipped = yaml.safe_load((copy / "config.yaml").read_text())

    def turn_to(config):
        (copy / "config.yaml").write_text(yaml.safe_dump({**shipped, **config}))

    def finish():
        done = run(copy, "--cores", "2")
        require(done.returncode == 0, done.stdout[-3000:])
        publish.check(folder)
        require(not files.temporaries(folder), "temporaries left")
        return found(folder)

    states, lasted = [], 0.0
    for config in CONFIGS:
        turn_to(config)
        begun = time.perf_counter()
        states.append(finish())
        lasted = time.perf_counter() - begun
    seen = Counter()
    for turn in range(times):
        turn_to(CONFIGS[turn % 2])
        process = subprocess.Popen(
            [*SNAKEMAKE, "--cores", "2"],
            cwd=copy,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(draw.uniform(0, lasted))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 5
        while processes_in(copy) and time.monotonic() < deadline:
            time.sleep(0.01)
        require(not processes_in(copy), "a job goes on after its run was killed")
        old, new = states[(turn + 1) % 2], states[turn % 2]
        seen[state(folder, old, new)] += 1
        # The two commands that the README gives.
        require(run(copy, "--unlock").returncode == 0, "cannot be unlocked")
        require(finish() == new, "the next command left another state than its own")
    return f"whole runs: {times} kills within {lasted:.1f} s", seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=50, help="kills of whole runs")
    parser.add_argument("--publish-times", type=int, default=1000, help="kills of the last step")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    schema.validate = once(schema.validate)
    with tempfile.TemporaryDirectory() as scratch:
        for kill, times in (
            (kill_publishing, options.publish_times),
            (kill_runs, options.times),
        ):
            what, seen = kill(Path(scratch), times, draw)
            states = ", ".join(f"{kind} {seen[kind]}" for kind in STATES)
            print(f"{what}, seed {options.seed}: found {states}", flush=True)
    print("every file whole, every mixture named, every next command ended in the new state")


if __name__ == "__main__":
    main()
