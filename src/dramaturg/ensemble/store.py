"""Kiosks, on either database: the queue position and the request that the next one continues. The only SQL here."""

from __future__ import annotations

from dramaturg.kernel.store.database import Database, Rows, Statement
from dramaturg.kernel.store.transactions import in_sequence, write_retrying
from dramaturg.kernel.values import Value

GET = "SELECT name, last_run, last_ticket, tickets, resets FROM kiosks WHERE name = :name"
ADD = """
    INSERT INTO kiosks (name, last_run, last_ticket, tickets, resets, updated_at)
    VALUES (:name, NULL, 0, 0, 0, :at) ON CONFLICT DO NOTHING
"""
TICKET = "UPDATE kiosks SET tickets = tickets + 1, updated_at = :at WHERE name = :name RETURNING tickets"
ADVANCE = """
    UPDATE kiosks SET last_run = :run, last_ticket = :ticket, updated_at = :at
    WHERE name = :name AND resets = :resets AND last_ticket < :ticket
"""
RESET = """
    UPDATE kiosks SET last_run = NULL, resets = resets + 1, updated_at = :at WHERE name = :name
"""
ALL = "SELECT name, last_run, last_ticket, tickets, resets FROM kiosks ORDER BY name"


class Kiosk(Value):
    """A queue of requests. `last_run` is the newest completed request since the last reset, if any."""

    name: str
    last_run: str | None = None
    last_ticket: int = 0
    tickets: int = 0
    resets: int = 0


class KioskStore:
    """The kiosks of a project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, name: str) -> Kiosk:
        """The current state of a kiosk; a fresh one if it was never used."""
        rows = await self._database.read(Statement(GET, {"name": name}))
        return _kiosk(rows)[0] if rows else Kiosk(name=name)

    async def all(self) -> tuple[Kiosk, ...]:
        """Every kiosk that has been used, by name."""
        return _kiosk(await self._database.read(Statement(ALL, {})))

    async def ticket(self, name: str, at: float) -> int:
        """Draw the number of a new request, counting from 1."""
        asked = {"name": name, "at": at}
        # Another process may be creating the kiosk at the same time.
        rows = await write_retrying(
            self._database,
            lambda: in_sequence(Statement(ADD, asked), Statement(TICKET, asked)),
            f"A ticket for the kiosk '{name}'",
        )
        return int(rows[0][0])

    async def advance(self, name: str, run: str, ticket: int, *, resets: int, at: float) -> None:
        """Let the next request continue from this run, unless the kiosk was reset meanwhile or is already past it."""
        values = {"name": name, "run": run, "ticket": ticket, "resets": resets, "at": at}
        await self._database.write(in_sequence(Statement(ADVANCE, values)))

    async def reset(self, name: str, at: float) -> None:
        """Let the next request start afresh. A request in progress does not bring the old thread back."""
        asked = {"name": name, "at": at}
        await self._database.write(in_sequence(Statement(ADD, asked), Statement(RESET, asked)))


def _kiosk(rows: Rows) -> tuple[Kiosk, ...]:
    return tuple(Kiosk.model_validate(dict(zip(Kiosk.model_fields, row, strict=True))) for row in rows)
