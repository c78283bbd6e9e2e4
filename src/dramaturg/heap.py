"""The cyclic garbage collector and the allocator, told what a studio's memory is like.

A log grows by values that stay and hold no cycles. With Python's usual thresholds the collector looks through all of
them, and through every module loaded, again and again: a quarter of the processor's time with 200 scenes at once.

A provider may answer with megabytes. glibc keeps the place of such a block once it has freed one of that size, and
small values that come to lie behind it hold it for good.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

OBJECTS_BETWEEN_LOOKS = 50_000
LARGE_BLOCK = 256 * 1024
"""Blocks of this many bytes go back to the system when they are freed."""
_M_MMAP_THRESHOLD = -3


def settle_heap() -> None:
    """Leaves what is loaded by now out of every later look, and looks less often.

    Done once a process, and not at all where whoever runs it has settled the collector otherwise.
    """
    if not gc.isenabled() or gc.get_threshold()[0] > 2_000:
        return
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS, 20, 20)
    with suppress(OSError, AttributeError, TypeError):  # another C library than glibc has no such setting
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK)
