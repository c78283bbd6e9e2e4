"""What the turns of one address have used in a day. Kept in memory only: addresses are not stored."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from dramaturg.episodes.spent_day import DAY_HOURS, HOUR, Spent, SpentDay
from dramaturg.server.http.limits import MOST_KEPT

Hours = dict[int, Spent]


class AddressSpending:
    """Which address a session was last played from, and what was used there, by the hour."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._sessions: OrderedDict[str, str] = OrderedDict()
        self._spent: OrderedDict[str, Hours] = OrderedDict()

    def play(self, session: str, address: str) -> None:
        """Notes from where a session is played."""
        self._sessions[session] = address
        self._sessions.move_to_end(session)
        if len(self._sessions) > MOST_KEPT:
            self._sessions.popitem(last=False)

    def played_from(self, session: str) -> str:
        """The address from where a session was last played; empty if that is not known any more."""
        return self._sessions.get(session, "")

    def spend(self, session: str, spent: Spent) -> None:
        address = self._sessions.get(session)
        if address is None:
            return
        hours = self._spent.setdefault(address, {})
        hour = self._hour()
        before = hours.get(hour, Spent())
        hours[hour] = Spent(tokens=before.tokens + spent.tokens, usd=before.usd + spent.usd)
        for old in [one for one in hours if one <= hour - DAY_HOURS]:
            del hours[old]
        self._spent.move_to_end(address)
        if len(self._spent) > MOST_KEPT:
            self._spent.popitem(last=False)

    def day(self, address: str) -> SpentDay:
        """What an address used in the last 24 hours."""
        oldest = self._hour() - DAY_HOURS
        found = {hour: one for hour, one in self._spent.get(address, {}).items() if hour > oldest}
        return SpentDay(found, self._now())

    def _hour(self) -> int:
        return int(self._now() // HOUR)


# A connection that is opened counts those of its address among all open ones, whose addresses are known by then.
@lru_cache(MOST_KEPT)
def limited_address(host: str) -> str:
    """What limits count as one address: an IPv4 address, or the network of 64 bits that a household has in IPv6."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))
