"""A process whose processor flushes subnormal numbers to zero, as -Ofast's start-up code does.

python -m support.flushing command WORD ...        the command
python -m support.flushing script FILE LOG         a script of the workflow, which begins
"""

from __future__ import annotations

import ctypes
import platform
import runpy
import sys
from types import SimpleNamespace

# glibc's floating-point environment: where the control register lies in it, and its bits.
REGISTERS = {
    "x86_64": (28, 0x8040),  # MXCSR: flush to zero, denormals are zero
    "aarch64": (0, 1 << 24),  # FPCR: flush to zero
}


def flush():
    """Have this thread's processor do it."""
    offset, bits = REGISTERS[platform.machine()]
    mathematics = ctypes.CDLL("libm.so.6")
    environment = ctypes.create_string_buffer(64)
    mathematics.fegetenv(environment)
    control = ctypes.c_uint32.from_buffer(environment, offset)
    control.value |= bits
    mathematics.fesetenv(environment)


if __name__ == "__main__":
    import warnings

    warnings.filterwarnings("ignore", "The value of the smallest subnormal")  # NumPy sees it, too
    flush()
    kind, *words = sys.argv[1:]
    if kind == "script":
        snakemake = SimpleNamespace(log=[words[1]])  # it must not come to read anything else
        runpy.run_path(words[0], {"snakemake": snakemake})
    else:
        from fusedfacts.cli.main import main

        sys.exit(main(words))
