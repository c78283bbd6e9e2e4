"""The allocator gives large blocks back, whatever lies around them."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

BLOCKS = """
import ctypes, sys

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usm fsm used free keep".split()]

from dramaturg.heap import settle_heap

if sys.argv[1] == "settled":
    settle_heap()
told = ctypes.CDLL(None).mallinfo2
told.restype = Info
first = bytearray(20_000_000)
del first
before = told().hblkhd
second = bytearray(10_000_000)
print(told().hblkhd - before >= len(second))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
@pytest.mark.parametrize(("how", "own"), [("settled", "True"), ("as it is", "False")])
def test_a_large_block_has_a_place_of_its_own_also_after_one_was_freed(how: str, own: str) -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKS, how], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == own
