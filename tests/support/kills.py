"""Kill runs at random moments: whole ones, and many more times the step that publishes.

    PYTHONPATH=tests python -m support.kills --times 50 --publish-times 1000 [--seed 1]

After each kill every published file must be the old one or the new one, whole; a mixture must be
refused with a sentence that names the mend; and the next command must end in the new state with
nothing left over. The first thing that is otherwise ends the script.
"""

import argparse
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import yaml
from fusedfacts.documents import files, schema
from fusedfacts.errors import FactsError
from fusedfacts.publishing import folder as publish
from fusedfacts.publishing import manifest as manifests

from support.built_runs import as_published, marked, once
from support.common import content
from support.workflow_runs import SMALL, SNAKEMAKE, copy_of_repository, environment, finished, run

STATES = ("old", "old with temporaries", "mixture", "new")
# Two sweeps that share no size: other facts, other pictures.
CONFIGS = (SMALL, {**SMALL, "n_values": [5, 100], "record_lengths": [9]})
SOON_S = 60  # a job that outlives its killed run for so long was reached by no kill


def state(folder, old, new):
    """Name what a kill left, after everything that must hold of it was held against it."""
    temporaries = {path.relative_to(folder).as_posix() for path in files.temporaries(folder)}
    left = {name: data for name, data in content(folder).items() if name not in temporaries}
    for name in {*left, *old, *new}:
        # A file that is gone is whole too, where one of the two runs has none of that name.
        assert left.get(name) in (old.get(name), new.get(name)), name
    kind = "old" if left == old else "new" if left == new else "mixture"
    try:
        publish.check(folder)
        refused = ""
    except FactsError as fault:
        refused = str(fault)
    assert not (kind == "new" and temporaries), "the last file moved before another"
    is_clean = kind != "mixture" and not temporaries
    assert is_clean != bool(refused), (kind, temporaries, refused)
    assert is_clean or refused.endswith(manifests.MEND), refused
    return f"{kind} with temporaries" if temporaries and kind != "mixture" else kind


def publish_and_die(built, folder, seconds, *, once_moving):
    """Publish in a child that ends after some seconds, counted from its start or its first move."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    move = files.move

    def arm(*moved):
        files.move = move
        signal.setitimer(signal.ITIMER_REAL, seconds)  # nothing handles SIGALRM, so it kills
        if moved:
            move(*moved)

    try:
        if once_moving:
            files.move = arm
        else:
            arm()
        publish.publish(built, folder)
    finally:
        os._exit(1)


def kill_publishing(scratch, times, draw):
    """Kill the step alone: every second time only once it moves files, which is its short part."""
    folder = scratch / "out"
    builds = [
        marked(scratch / "one", "one", without=["captions.vtt"]),
        marked(scratch / "two", "two", without=["transcript.md", "model/probe.txt"]),
    ]
    for built in reversed(builds):
        begun = time.perf_counter()
        publish.publish(built, folder)
        lasted = time.perf_counter() - begun
    seen = Counter()
    for turn in range(times):
        old, built = builds[turn % 2], builds[1 - turn % 2]
        once_moving = turn // 2 % 2
        seconds = draw.uniform(1e-6, lasted / 8 if once_moving else lasted)
        publish_and_die(built, folder, seconds, once_moving=once_moving)
        seen[state(folder, as_published(old), as_published(built))] += 1
        publish.publish(built, folder)
        assert content(folder) == as_published(built)
    return f"publishing: {times} kills within {lasted:.2f} s", seen


def kill_runs(scratch, times, draw):
    """Kill Snakemake with all that it started, anywhere between its start and its end."""
    copy = copy_of_repository(scratch / "copy")
    folder = copy / "media" / "school" / "fused"
    shipped = yaml.safe_load((copy / "config.yaml").read_text())

    def turn_to(config):
        (copy / "config.yaml").write_text(yaml.safe_dump({**shipped, **config}))

    def finish():
        finished(copy)
        publish.check(folder)
        return content(folder)

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
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        time.sleep(draw.uniform(0, lasted))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=SOON_S)  # to the end of the last job that holds the pipe
        old, new = states[(turn + 1) % 2], states[turn % 2]
        seen[state(folder, old, new)] += 1
        assert run(copy, "--unlock").returncode == 0  # with what follows, README's two commands
        assert finish() == new
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
        for kill, times in ((kill_publishing, options.publish_times), (kill_runs, options.times)):
            what, seen = kill(Path(scratch), times, draw)
            states = ", ".join(f"{kind} {seen[kind]}" for kind in STATES)
            print(f"{what}, seed {options.seed}: found {states}", flush=True)
    print("every file whole, every mixture named, every next command ended in the new state")


if __name__ == "__main__":
    main()
