"""The last step of a run as a process of its own: to be held midway, killed, or starved.

    PYTHONPATH=tests python -m support.publishing BUILT/manifest.json FOLDER
        [--hold STEP] [--largest BYTES] [--check]

Says `held` on stdout where it is told to hold, and goes on when a line comes from stdin.
"""

import argparse
import ctypes
import resource
import sys
from pathlib import Path

from fusedfacts.documents import files
from fusedfacts.publishing import folder as publish
from fusedfacts.terminal import reporting

CAPABILITIES = 0x20080522  # version of the structure that `capset` reads


def hold_at(step):
    """Wait for stdin before the given step: files are staged one by one, then moved one by one."""
    done = 0

    def waiting(real):
        def call(*arguments):
            nonlocal done
            if done == step:
                print("held", flush=True)
                sys.stdin.readline()
            done += 1
            return real(*arguments)

        return call

    files.stage, files.move = waiting(files.stage), waiting(files.move)


def drop_privileges():
    """From here on the mode of a folder binds root as it binds anybody."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset((ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("built", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hold", type=int)
    parser.add_argument("--largest", type=int)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    drop_privileges()
    if options.hold is not None:
        hold_at(options.hold)
    if options.largest is not None:
        # The kernel refuses what goes beyond, as it does on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (options.largest, options.largest))
    with reporting():
        if options.check:
            print(publish.check(options.folder)["left_out"][-1])
        else:
            publish.publish(options.built, options.folder)


if __name__ == "__main__":
    main()
