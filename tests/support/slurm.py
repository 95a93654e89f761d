"""A Slurm of one node on this machine, a test's own: munged, slurmctld, slurmd, and accounting."""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from support import slurm_accounts

# Where the clients look that the jobs start: an executor takes SLURM_CONF from its jobs.
ETC = Path("/etc/slurm")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel")
STARTS_WITHIN_S = 60  # a second each on a machine at rest
CPUS = 8  # said, not counted: jobs wait for each other no more than on a cluster
# Releases from 23.11 on look for control groups, which a container may not have, unless told not
# to; those before do not know the word.
NEEDS_CGROUP_CONF = (23, 11)
CGROUP_CONF = "CgroupPlugin=disabled\n"
CONF = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort=17817
SlurmdPort=17818
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=16000
PartitionName=all Nodes=localhost Default=YES State=UP
"""


class NoSlurmError(Exception):
    """What is missing for a Slurm on this machine."""


class Slurm:
    """What runs commands where this Slurm is the machine's, and daemons until the end."""

    def __init__(self, enter, stack):
        self.enter = enter
        self.stack = stack

    def command(self, folder, *words):
        """Words that run a command in a folder; a mount namespace is entered at its root."""
        return [*self.enter, "sh", "-c", 'cd "$0" && exec "$@"', str(folder), *map(str, words)]

    def said(self, *words):
        """What one of Slurm's own commands answers."""
        command = self.command("/", *words)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def configure(self, name, text):
        """Write a file of settings, which for the accounts' must be their owner's alone."""
        words = ("sh", "-c", f"umask 077; cat >{ETC / name}")
        subprocess.run(self.command("/", *words), input=text, text=True, check=True)

    def start(self, *words, **variables):
        """Start a daemon in the foreground, which ends with the test."""
        process = subprocess.Popen(
            self.command("/", *words),
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.terminate)

    def wait_for(self, wanted, *words):
        """Wait until a command answers what is wanted."""
        deadline = time.monotonic() + STARTS_WITHIN_S
        while (found := self.said(*words)) != wanted:
            if time.monotonic() > deadline:
                raise NoSlurmError(f"{words}: found {found!r} for a minute, expected {wanted!r}")
            time.sleep(0.1)

    def wait_for_socket(self, path):
        """Wait until a daemon listens."""
        self.wait_for("socket", "stat", "--format=%F", path)


@contextmanager
def alone():
    """Wait until no other test's Slurm has the ports of this machine."""
    with (Path(tempfile.gettempdir()) / "fused-facts-slurm.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def own_etc():
    """Words before a command that give it an /etc/slurm of its own, or else this machine's."""
    ETC.mkdir(exist_ok=True)
    before = set(ETC.iterdir())
    process = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs none {ETC} && echo && exec cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        if process.stdout.readline():
            yield ["nsenter", f"--target={process.pid}", "--mount"]
        elif ETC / "slurm.conf" in before:
            raise NoSlurmError(f"{ETC}: holds another Slurm's settings, which no mount may hide")
        else:
            yield []
    finally:
        process.communicate()
        for path in set(ETC.iterdir()) - before:
            path.unlink()


@contextmanager
def running(folder, *, accounting):
    """Start a Slurm whose files lie in a folder, wait until its node takes jobs, and end it."""
    programs = PROGRAMS + slurm_accounts.PROGRAMS * accounting
    if missing := [name for name in programs if not shutil.which(name)]:
        raise NoSlurmError(
            f"not installed: {', '.join(missing)}; install what .ci/run does for a Slurm"
        )
    if os.geteuid():
        raise NoSlurmError("a Slurm of the tests' own is started by root alone; run them as root")
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(64))
    files = (f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "log", "seed"))
    with ExitStack() as stack:
        stack.enter_context(alone())
        slurm = Slurm(stack.enter_context(own_etc()), stack)
        # Forced, because a test's folder is closed to other users, for whom munged would be.
        slurm.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *files)
        slurm.wait_for_socket(folder / "munge.socket")
        slurm.configure("slurm.conf", CONF.format(folder=folder, cpus=CPUS))
        release = slurm.said("slurmd", "-V").split()[-1].split(".")
        if tuple(map(int, release[:2])) >= NEEDS_CGROUP_CONF:
            slurm.configure("cgroup.conf", CGROUP_CONF)
        if accounting:
            slurm_accounts.start(slurm, folder, CONF.format(folder=folder, cpus=CPUS))
        slurm.start("slurmctld", "-D", "-c")
        slurm.start("slurmd", "-D", "-N", "localhost")
        slurm.wait_for("idle", "sinfo", "--noheader", "--format=%t")
        yield slurm
