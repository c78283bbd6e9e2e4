"""A step of the event loop that takes too long is noted with its name, by any clock."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dramaturg.server.watchdog import LONGEST_STEP, Watchdog


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def look_from_elsewhere(dog: Watchdog) -> list[str | None]:
    seen: list[str | None] = []
    other = threading.Thread(target=lambda: seen.append(dog.check()))
    other.start()
    other.join()
    return seen


async def test_a_step_over_the_limit_is_noted_once_with_its_name(caplog: pytest.LogCaptureFixture) -> None:
    hands = Hands()
    dog = Watchdog(now=hands)
    dog.attach(asyncio.get_running_loop())
    seen: list[str | None] = []

    def blocks_the_house() -> None:
        hands.time += 2 * LONGEST_STEP
        seen.extend(look_from_elsewhere(dog))
        seen.extend(look_from_elsewhere(dog))

    with caplog.at_level(logging.WARNING):
        asyncio.get_running_loop().call_soon(blocks_the_house)
        await asyncio.sleep(0)
    dog.stop()
    assert seen[1] is None, "one step, one note"
    assert "500 ms" in caplog.messages[0]
    assert len(caplog.messages) == 1


async def test_a_loop_that_reports_in_time_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    hands = Hands()
    dog = Watchdog(now=hands)
    dog.attach(asyncio.get_running_loop())
    for _ in range(10):
        hands.time += LONGEST_STEP
        assert look_from_elsewhere(dog) == [None]
        dog.report()
    dog.stop()
    assert caplog.messages == []


async def test_after_a_report_the_next_long_step_is_noted_again() -> None:
    hands = Hands()
    dog = Watchdog(now=hands)
    dog.attach(asyncio.get_running_loop())
    notes = []
    for _ in range(3):
        hands.time += 1.0
        notes += look_from_elsewhere(dog)
        dog.report()
    dog.stop()
    assert all(notes)
    assert len(notes) == 3


def test_a_loop_that_only_waits_has_no_step_to_name(caplog: pytest.LogCaptureFixture) -> None:
    hands, loop, begun = Hands(), asyncio.new_event_loop(), threading.Event()
    dog = Watchdog(longest=3600, now=hands)
    loop.call_soon(dog.attach, loop)
    loop.call_soon(begun.set)
    house = threading.Thread(target=loop.run_forever)
    house.start()
    begun.wait()
    while not is_waiting(house):
        time.sleep(0.001)
    hands.time += 7200
    with caplog.at_level(logging.INFO):
        assert dog.check() is None
    loop.call_soon_threadsafe(dog.stop)
    loop.call_soon_threadsafe(loop.stop)
    house.join()
    loop.close()
    assert [(record.levelname, "with nothing to do" in record.message) for record in caplog.records] == [("INFO", True)]


def is_waiting(house: threading.Thread) -> bool:
    frame = sys._current_frames().get(house.ident or 0)
    return frame is not None and frame.f_code.co_name == "select"


async def test_a_module_that_loads_slowly_is_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hands = Hands()
    dog = Watchdog(now=hands)
    dog.attach(asyncio.get_running_loop())
    looks: list[Callable[[], object]] = [lambda: look_from_elsewhere(dog)]
    monkeypatch.setattr(threading, "looks", looks, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "slow_to_load.py").write_text("import threading\nthreading.looks[0]()\n", encoding="utf-8")
    hands.time += 2 * LONGEST_STEP
    with caplog.at_level(logging.INFO):
        importlib.import_module("slow_to_load")
    dog.stop()
    assert [record.levelname for record in caplog.records] == ["INFO"]
