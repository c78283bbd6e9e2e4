"""What an address has used in a day, and when it may use more, by one clock."""

from __future__ import annotations

from dramaturg.episodes.spent_day import HOUR, Spent
from dramaturg.server.http.address_spending import AddressSpending, limited_address
from tests.server.test_limits import Clock
from tests.work_count import WorkCount


def test_an_address_waits_until_what_it_used_is_a_day_old_by_the_clock_that_counted_it() -> None:
    clock = Clock()
    clock.now = 5 * HOUR + 60  # a machine that was started five hours ago, whatever time of day that was
    spending = AddressSpending(clock)
    spending.play("session", "192.0.2.7")
    spending.spend("session", Spent(tokens=10))
    assert spending.day("192.0.2.7").wait(tokens=10, usd=None) == 24 * HOUR - 60
    clock.now = 28 * HOUR + 3599
    assert spending.day("192.0.2.7").wait(tokens=10, usd=None) == 1
    clock.now = 29 * HOUR
    assert spending.day("192.0.2.7").wait(tokens=10, usd=None) == 0
    assert spending.day("192.0.2.8").total == Spent()


def test_an_address_that_is_known_is_not_read_again() -> None:
    host, work = "2001:db8:5f3a:77::4711", WorkCount()
    with work.installed():
        calls = []
        for _ in range(2):
            with work.counting():
                assert limited_address(host) == "2001:db8:5f3a:77::/64"
            calls.append(work.calls)
    assert calls[1] < calls[0] / 10
