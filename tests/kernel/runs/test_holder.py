"""Who plays, and whether that process still lives."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from dramaturg.kernel.runs import Holder


def test_a_player_is_read_as_it_was_written() -> None:
    here = Holder.here()
    assert Holder.read(str(here)) == here
    assert here.pid == os.getpid()


@pytest.mark.parametrize("text", ["", "host", "host/", "host/x/1", "/1/1"])
def test_anything_else_is_nobody(text: str) -> None:
    assert Holder.read(text) is None


def test_this_process_is_alive_and_a_later_one_with_its_number_is_another() -> None:
    here = Holder.here()
    assert here.may_be_alive()
    if sys.platform == "linux":
        assert not replace(here, born="1").may_be_alive()


def test_a_process_that_ended_is_dead_even_before_it_is_reaped() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from dramaturg.kernel.runs import Holder; print(Holder.here(), flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    other = Holder.read(process.stdout.readline().strip())
    assert other.may_be_alive()
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert sys.platform != "linux" or not other.may_be_alive()
    process.communicate()
    assert not other.may_be_alive()


def test_a_number_no_process_can_have_is_dead() -> None:
    assert not replace(Holder.here(), pid=10**30).may_be_alive()


def test_of_another_machine_nothing_is_known() -> None:
    assert replace(Holder.here(), host="another-machine", pid=2**22 + 1).may_be_alive()
