"""The last step of a run as a process of its own: to be held midway, killed, or starved.

    PYTHONPATH=tests python -m support.publishing BUILT/manifest.json FOLDER
        [--hold STEP | --largest BYTES | --check]

Says `held` on stdout where it is told to hold, and goes on when a line comes from stdin.
"""

import itertools
import resource
import sys
from pathlib import Path

from fusedfacts.documents import files
from fusedfacts.publishing import folder as publish
from fusedfacts.terminal import reporting

from support.modes import drop_privileges


def hold_at(step):
    """Wait for stdin before the given step: files are staged one by one, then moved one by one."""
    steps = itertools.count()

    def waiting(real):
        def call(*arguments):
            if next(steps) == step:
                print("held", flush=True)
                sys.stdin.readline()
            return real(*arguments)

        return call

    files.stage, files.move = waiting(files.stage), waiting(files.move)


def main(built, folder, option="", value=""):
    drop_privileges()
    if option == "--hold":
        hold_at(int(value))
    elif option == "--largest":  # the kernel refuses what goes beyond, as it does on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(value), int(value)))
    with reporting():
        if option == "--check":
            print(publish.check(Path(folder))["left_out"][-1])
        else:
            publish.publish(Path(built), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
