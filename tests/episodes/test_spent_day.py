"""What a day's use adds up to, and when enough of it is a day old."""

from __future__ import annotations

from dramaturg.episodes.spent_day import DAY_HOURS, HOUR, Spent, SpentDay

NOW = 1000 * HOUR + 600
"""Ten minutes into hour 1000."""


def used(**hours: int) -> SpentDay:
    """Tokens by the hour, as `h990=5`."""
    return SpentDay({int(hour[1:]): Spent(tokens=tokens, usd=tokens / 100) for hour, tokens in hours.items()}, NOW)


def test_a_day_adds_up_its_hours() -> None:
    assert used(h990=5, h1000=7).total == Spent(tokens=12, usd=0.05 + 0.07)
    assert used().total == Spent()


def test_nobody_waits_who_has_used_less_than_the_limit_or_has_none() -> None:
    assert used(h1000=9).wait(tokens=10, usd=None) == 0
    assert used(h1000=9).wait(tokens=None, usd=None) == 0


def test_what_was_all_used_in_one_hour_is_free_when_that_hour_is_a_day_old() -> None:
    assert used(h1000=10).wait(tokens=10, usd=None) == DAY_HOURS * HOUR - 600
    assert used(h1000=10).wait(tokens=None, usd=0.1) == DAY_HOURS * HOUR - 600
    assert used(h977=10).wait(tokens=10, usd=None) == HOUR - 600


def test_a_little_that_was_used_long_ago_frees_no_more_than_it_was() -> None:
    assert used(h977=1, h990=10).wait(tokens=10, usd=None) == 14 * HOUR - 600
    assert used(h977=1, h990=9).wait(tokens=10, usd=None) == HOUR - 600


def test_who_is_over_two_limits_waits_for_both() -> None:
    assert used(h977=1, h990=10).wait(tokens=11, usd=0.1) == 14 * HOUR - 600


def test_a_limit_of_nothing_is_never_free() -> None:
    assert used(h977=1).wait(tokens=0, usd=None) == DAY_HOURS * HOUR
    assert used().wait(tokens=0, usd=None) == DAY_HOURS * HOUR
