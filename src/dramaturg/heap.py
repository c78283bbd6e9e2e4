"""The cyclic garbage collector, told what a studio's memory is like.

A log grows by values that stay and hold no cycles. With Python's usual thresholds the collector looks through all of
them, and through every module loaded, again and again: a quarter of the processor's time with 200 scenes at once.
"""

from __future__ import annotations

import gc

OBJECTS_BETWEEN_LOOKS = 50_000


def settle_heap() -> None:
    """Leaves what is loaded by now out of every later look, and looks less often.

    Done once a process, and not at all where whoever runs it has settled the collector otherwise.
    """
    if not gc.isenabled() or gc.get_threshold()[0] > 2_000:
        return
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS, 20, 20)
