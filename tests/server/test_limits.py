"""Buckets to the second: what is granted, what comes back, and what is forgotten."""

from __future__ import annotations

import pytest

from dramaturg.server import limits
from dramaturg.server.limits import Buckets


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_is_granted_and_then_one_for_each_that_comes_back() -> None:
    clock = Clock()
    buckets = Buckets(60, 2, clock)
    assert [buckets.take("a") for _ in range(3)] == [0, 0, pytest.approx(1.0)]
    clock.now += 0.5
    assert buckets.take("a") == pytest.approx(0.5)
    clock.now += 0.5
    assert buckets.take("a") == 0
    assert buckets.take("a") == pytest.approx(1.0)


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    clock = Clock()
    buckets = Buckets(60, 2, clock)
    buckets.take("a")
    clock.now += 3600
    assert [buckets.take("a") == 0 for _ in range(3)] == [True, True, False]


def test_a_clock_that_goes_back_gives_nothing_back() -> None:
    clock = Clock()
    buckets = Buckets(60, 1, clock)
    assert buckets.take("a") == 0
    clock.now -= 50
    assert buckets.take("a") == pytest.approx(1.0)


def test_keys_do_not_share() -> None:
    buckets = Buckets(60, 1, Clock())
    assert [buckets.take(key) == 0 for key in "aba"] == [True, True, False]


def test_the_longest_unused_bucket_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_KEPT", 2)
    buckets = Buckets(60, 1, Clock())
    assert [buckets.take(key) == 0 for key in "abab"] == [True, True, False, False]
    assert buckets.take("c") == 0
    assert buckets.take("c") > 0
    assert buckets.take("a") == 0
