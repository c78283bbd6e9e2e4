"""The tables of shared limits. Every operation is one transaction; those of one limit follow each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.store.database import Database, Statement, Transaction
from dramaturg.kernel.store.transactions import in_sequence, write_retrying

T = TypeVar("T")

LEASE_SECONDS = 10.0
"""How long places stay with a process that does not renew them."""
KEPT_SECONDS = 3600.0
"""How long a bucket is kept that nobody draws from; a new one starts full."""

TIME = "SELECT EXTRACT(EPOCH FROM clock_timestamp())"
# Updated though nothing changes, so that the row is locked until the transaction is over.
LEVEL = """
    INSERT INTO limit_levels (name, level, at, paused_until) VALUES (:name, :level, :at, 0)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING level, at, paused_until
"""
SET_LEVEL = "UPDATE limit_levels SET level = :level, at = :at WHERE name = :name"
PAUSE = "UPDATE limit_levels SET paused_until = :until WHERE name = :name AND paused_until < :until"
SWEEP = "DELETE FROM limit_levels WHERE at < :before AND paused_until < :before"
SWEEP_SHARES = "DELETE FROM limit_shares WHERE until < :before"
OTHERS = "SELECT units, wanted FROM limit_shares WHERE name = :name AND holder <> :holder AND until > :now"
SHARE = """
    INSERT INTO limit_shares (name, holder, units, wanted, until) VALUES (:name, :holder, :units, :wanted, :until)
    ON CONFLICT (name, holder) DO UPDATE SET units = excluded.units, wanted = excluded.wanted, until = excluded.until
"""
FORGET_LOCK = """
    DELETE FROM limit_levels WHERE name = :name AND name LIKE 'lock/%'
      AND NOT EXISTS (SELECT 1 FROM limit_shares WHERE limit_shares.name = limit_levels.name)
"""
LEAVE = "DELETE FROM limit_shares WHERE name = :name AND (holder = :holder OR until <= :now)"
SPEND = """
    INSERT INTO spent_days (name, day, tokens, usd) VALUES (:name, :day, :tokens, :usd)
    ON CONFLICT (name, day) DO UPDATE SET
        tokens = spent_days.tokens + excluded.tokens, usd = spent_days.usd + excluded.usd
    RETURNING tokens, usd
"""


class Bucket(NamedTuple):
    """A limit that refills: `rate` units a second, at most `size` at once."""

    name: str
    rate: float
    size: float


class Drawn(NamedTuple):
    """Units that were taken from a bucket, or the seconds until there are enough."""

    units: float
    wait: float


class Granted(NamedTuple):
    """How many places a process may use until its lease is over, and how long their owner is paused."""

    places: int
    paused: float


class DaySpending(NamedTuple):
    """What was spent under a name on one day (UTC), by all processes."""

    tokens: int
    usd: float


class ShareStore:
    """Shared limits in SQL. Times are those of the database's clock where processes may be on many machines."""

    def __init__(self, database: Database, clock: Clock, *, time_of_database: bool = False) -> None:
        self._database = database
        self._clock = clock
        self._time_of_database = time_of_database

    async def draw(self, bucket: Bucket, wanted: float, least: float = 1.0, returned: float = 0.0) -> Drawn:
        """Takes up to `wanted` units, and none if there are fewer than `least`. `returned` were drawn and not used.

        Beyond `least`, at most half of what there is: others may want some too.
        """
        return await self._write(lambda: self._draw(bucket, wanted, least, returned))

    async def claim(self, name: str, holder: str, total: int, wanted: int, in_use: int) -> Granted:
        """Leases places, or renews the lease; as many as are wanted, or a fair part of them if there are too few."""
        return await self._write(lambda: self._claim(name, holder, total, wanted, in_use))

    async def release(self, name: str, holder: str) -> None:
        """Gives all places back."""
        await self._write(lambda: self._release(name, holder))

    async def pause(self, name: str, seconds: float) -> None:
        """Nobody uses what belongs to this name for a while."""
        await self._write(lambda: self._pause(name, seconds))

    async def spend(self, name: str, day: str, tokens: int, usd: float) -> DaySpending:
        """Adds to what was spent on a day, and returns all of it."""
        spent = {"name": name, "day": day, "tokens": tokens, "usd": usd}
        rows = await self._write(lambda: in_sequence(Statement(SPEND, spent)))
        return DaySpending(int(rows[0][0]), float(rows[0][1]))

    async def sweep(self) -> None:
        """Forgets buckets that nobody has drawn from for long, which would be full, and leases that are over."""
        await self._write(self._sweep)

    async def _write(self, begin: Callable[[], Transaction[T]]) -> T:
        return await write_retrying(self._database, begin, "A shared limit")

    def _now(self) -> Transaction[float]:
        if not self._time_of_database:
            return self._clock.now()
        rows = yield Statement(TIME, {})
        return float(rows[0][0])

    def _draw(self, bucket: Bucket, wanted: float, least: float, returned: float) -> Transaction[Drawn]:
        now = yield from self._now()
        rows = yield Statement(LEVEL, {"name": bucket.name, "level": bucket.size, "at": now})
        level, at = float(rows[0][0]), float(rows[0][1])
        level = min(bucket.size, level + max(0.0, now - at) * bucket.rate + returned)
        units = min(level, wanted, max(least, level // 2)) if level >= least else 0.0
        yield Statement(SET_LEVEL, {"name": bucket.name, "level": level - units, "at": max(now, at)})
        wait = 0.0 if units else (least - level) / bucket.rate
        return Drawn(units, wait)

    def _claim(self, name: str, holder: str, total: int, wanted: int, in_use: int) -> Transaction[Granted]:
        now = yield from self._now()
        rows = yield Statement(LEVEL, {"name": name, "level": 0, "at": now})
        paused = max(0.0, float(rows[0][2]) - now)
        others = yield Statement(OTHERS, {"name": name, "holder": holder, "now": now})
        taken, asked = sum(int(units) for units, _ in others), sum(int(wish) for _, wish in others)
        fair = wanted if asked + wanted <= total else max(1, total // (len(others) + 1))
        places, until = min(wanted, fair, max(0, total - taken)), now + LEASE_SECONDS
        # What is in use stays in use: a request that was sent cannot be taken back.
        share = {"name": name, "holder": holder, "units": max(in_use, places), "wanted": wanted, "until": until}
        yield Statement(SHARE, share)
        return Granted(places, paused)

    def _release(self, name: str, holder: str) -> Transaction[None]:
        now = yield from self._now()
        yield Statement(LEAVE, {"name": name, "holder": holder, "now": now})
        yield Statement(FORGET_LOCK, {"name": name})

    def _pause(self, name: str, seconds: float) -> Transaction[None]:
        now = yield from self._now()
        yield Statement(LEVEL, {"name": name, "level": 0, "at": now})
        yield Statement(PAUSE, {"name": name, "until": now + seconds})

    def _sweep(self) -> Transaction[None]:
        now = yield from self._now()
        yield Statement(SWEEP, {"before": now - KEPT_SECONDS})
        yield Statement(SWEEP_SHARES, {"before": now - KEPT_SECONDS})
