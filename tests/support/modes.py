"""Modes of files bind root as they bind anybody, once it has given up what exempts it."""

import ctypes

CAPABILITIES = 0x20080522  # version of the structure that `capset` reads


def drop_privileges():
    """From here on the mode of a folder binds this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset((ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")
