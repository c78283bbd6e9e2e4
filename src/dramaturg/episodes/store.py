"""Sessions, messages, memories and shares in tables, on either database. The only place in episodes with SQL.

The log is the truth. Every table about a session can be rebuilt from it; what is not in a log (who revoked a share,
what a player wants forgotten) is only here. Whatever belongs to a session is deleted with its run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

import orjson
from pydantic import BaseModel

from dramaturg.episodes import deleted_players
from dramaturg.episodes.events import EvaluationGiven, Persona
from dramaturg.episodes.memory import BondShift, RecalledNote, Relationship, relationship_after
from dramaturg.episodes.player_token import PlayerToken
from dramaturg.episodes.series import Series
from dramaturg.episodes.share import Share, Snapshot
from dramaturg.episodes.spent_day import DAY_HOURS, HOUR, Spent, SpentDay
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.episodes.views import ConcernRecord, KeptRecord, MessageRecord, SessionRecord, ShiftRecord
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.store.database import Database, Parameters, Rows, Statement, Transaction
from dramaturg.kernel.store.transactions import storable_row, write_retrying

T = TypeVar("T")

SESSION = tuple(SessionRecord.model_fields)
MESSAGE = tuple(MessageRecord.model_fields)
KEPT = (
    "id",
    "session_id",
    "character",
    "player_id",
    "series",
    "message_id",
    "text",
    "quote",
    "importance",
    "scope",
    "at",
)
SHIFT = ("session_id", "message_id", "character", "player_id", "tone", "tension", "trust", "quote", "at")
SHARE = ("id", "session_id", "snapshot", "created_at", "expires_at", "revoked", "views")
TABLES = {"memory": "episode_memories", "hook": "hooks"}

TOKEN = ("id", "player_id", "issued_at", "expires_at", "revoked")
SIGNING_KEY = "signing-key"
KEPT_SECONDS = 30 * DAY_HOURS * HOUR
"""How long it is remembered at least that a token has expired."""
_TOKENS = f"SELECT {', '.join(TOKEN)} FROM player_tokens"
_REVOKE = "UPDATE player_tokens SET revoked = TRUE WHERE id = :id RETURNING id"
_UNMARK = "DELETE FROM player_tokens WHERE id = :id"
# A clock that is ahead for less than a day makes nothing old: what it issues itself does not count as the day before.
_FORGET = f"""
    DELETE FROM player_tokens WHERE expires_at < {-KEPT_SECONDS} + (
        SELECT MAX(issued_at) FROM player_tokens WHERE issued_at < :yesterday AND id <> :key)
"""
_SPEND = """
    INSERT INTO player_spending (hour, player_id, tokens, usd) VALUES (:hour,
        CASE WHEN EXISTS (SELECT 1 FROM player_tokens WHERE id = :mark) THEN '' ELSE CAST(:player AS TEXT) END,
        :tokens, :usd)
    ON CONFLICT (hour, player_id) DO UPDATE SET tokens = player_spending.tokens + excluded.tokens,
        usd = player_spending.usd + excluded.usd
"""
# What a deleted player used still counts for the house, under no name.
_ANONYMIZE = """
    INSERT INTO player_spending (hour, player_id, tokens, usd)
    SELECT hour, '', tokens, usd FROM player_spending WHERE player_id = :player AND hour >= 0
    ON CONFLICT (hour, player_id) DO UPDATE SET tokens = player_spending.tokens + excluded.tokens,
        usd = player_spending.usd + excluded.usd
"""


def _insert(table: str, fields: Sequence[str], then: str = "") -> str:
    values = ", ".join(f":{field}" for field in fields)
    return f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({values}) {then}"


def _upsert(table: str, key: str, fields: Sequence[str]) -> str:
    changed = ", ".join(f"{field} = excluded.{field}" for field in fields if field not in (key, "created_at"))
    return _insert(table, fields, f"ON CONFLICT ({key}) DO UPDATE SET {changed}")


ADVANCE = """
    UPDATE sessions SET turn_count = turn_count + 1, director_state = :director_state, status = :status,
        completion_trigger = :completion_trigger, seq = :seq, updated_at = :updated_at
    WHERE id = :id AND seq < :seq RETURNING turn_count
"""
_MESSAGES = _insert("messages", MESSAGE, "ON CONFLICT DO NOTHING")
# A session whose run was deleted is not brought back by another process that is still writing.
_RUN = "SELECT id FROM runs WHERE id = :id"
RECALL = """
    SELECT {fields} FROM {table} WHERE character = :character AND player_id = :player AND NOT forgotten
      AND (scope = 'character' OR series = CAST(:series AS TEXT)) ORDER BY importance DESC, at DESC, id
    LIMIT CAST(:most AS INTEGER)
"""
LIST = "SELECT {fields} FROM {table} WHERE player_id = :player AND NOT forgotten ORDER BY character, at, id"
SHIFTS = """
    SELECT tone, tension, trust, quote FROM relationships WHERE character = :character AND player_id = :player
    ORDER BY at, session_id, message_id
"""
CLUES = """
    SELECT s.director_state, e.result FROM sessions s
    LEFT JOIN session_evaluations e ON e.session_id = s.id AND e.evaluation_type = 'mystery_progress'
    WHERE s.player_id = :player AND s.template = :template ORDER BY s.created_at, s.id
"""
CONCERNS = """
    SELECT e.run_id, s.player_id, s.template, e.at, e.body FROM events e JOIN sessions s ON s.id = e.run_id
    WHERE e.type = 'care.offered' ORDER BY e.at DESC, e.run_id, e.seq DESC LIMIT CAST(:most AS INTEGER)
"""
PREVIOUS = """
    SELECT e.result FROM session_evaluations e JOIN sessions s ON s.id = e.session_id
    WHERE s.player_id = :player AND s.template = :template AND e.evaluation_type = 'episode_summary'
    ORDER BY e.created_at DESC LIMIT 1
"""


class EpisodeStore:
    """The tables of episodes in one story project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # What is authored.

    async def know(self, templates: Sequence[EpisodeTemplate], series: Sequence[Series], at: float) -> None:
        """Saves the templates and series of the project."""
        fields = (
            "name",
            "character",
            "title",
            "completion_mode",
            "turn_budget",
            "completion_criteria",
            "body",
            "updated_at",
        )
        rows: list[Parameters] = [
            {
                "name": one.name,
                "character": one.character,
                "title": one.shown_title,
                "completion_mode": one.completion_mode,
                "turn_budget": one.turns,
                "completion_criteria": _criteria(one),
                "body": one.model_dump_json(),
                "updated_at": at,
            }
            for one in templates
        ]
        told = ("name", "title", "episode_order", "themes", "body", "updated_at")
        series_rows: list[Parameters] = [
            {
                "name": one.name,
                "title": one.shown_title,
                "episode_order": orjson.dumps(one.episodes).decode(),
                "themes": orjson.dumps(one.themes).decode(),
                "body": one.model_dump_json(),
                "updated_at": at,
            }
            for one in series
        ]
        await self._write(
            *([Statement(_upsert("episode_templates", "name", fields), rows)] if rows else ()),
            *([Statement(_upsert("series", "name", told), series_rows)] if series_rows else ()),
        )

    # Sessions.

    async def advance(self, session: SessionRecord, newest: Sequence[MessageRecord]) -> int | None:
        """Adds one turn and its messages; returns the count, or None if the tables must be rebuilt."""
        rows = await self._write(
            *([Statement(_MESSAGES, [_clean(one) for one in newest])] if newest else ()),
            Statement(ADVANCE, _clean(session)),
        )
        return int(rows[0][0]) if rows else None

    async def record(
        self,
        session: SessionRecord,
        player: Persona,
        messages: Sequence[MessageRecord],
        evaluations: Sequence[EvaluationGiven],
    ) -> None:
        """Rebuilds the rows of a session from its log. A session whose run or player was deleted stays deleted."""
        await self._retried(_record(session, player, messages, evaluations))

    async def keep(self, session: SessionRecord, kept: Sequence[KeptRecord], shifts: Sequence[ShiftRecord]) -> None:
        """Replaces what the character remembers of this session."""
        await self._retried(_keep(session, kept, shifts))

    async def session(self, session_id: str) -> SessionRecord | None:
        rows = await self._read(f"SELECT {', '.join(SESSION)} FROM sessions WHERE id = :id", {"id": session_id})
        return _session(rows[0]) if rows else None

    async def sessions(self, player: str | None = None, limit: int = 100) -> tuple[SessionRecord, ...]:
        """Newest first."""
        rows = await self._read(
            f"SELECT {', '.join(SESSION)} FROM sessions {'' if player is None else 'WHERE player_id = :player '}"
            "ORDER BY created_at DESC, id DESC LIMIT CAST(:most AS INTEGER)",
            {"most": limit, **({} if player is None else {"player": player})},
        )
        return tuple(_session(row) for row in rows)

    async def concerns(self, limit: int) -> tuple[ConcernRecord, ...]:
        """The messages after which help was offered, newest first, for the host."""
        found = []
        for session, player, template, at, body in await self._read(CONCERNS, {"most": limit}):
            told = orjson.loads(body)
            parts = {key: told[key] for key in ("message_id", "concern", "language", "quote") if key in told}
            where = {"session_id": session, "player_id": player, "template": template, "at": at}
            found.append(ConcernRecord.model_validate({"quote": "", **where, **parts}))
        return tuple(found)

    async def messages(self, session_id: str) -> tuple[MessageRecord, ...]:
        rows = await self._read(
            f"SELECT {', '.join(MESSAGE)} FROM messages WHERE session_id = :id ORDER BY position", {"id": session_id}
        )
        return tuple(MessageRecord.model_validate(dict(zip(MESSAGE, row, strict=True))) for row in rows)

    async def previous_summary(self, player: str, template: str) -> str:
        """The summary of the player's last completed session of an episode; empty if there is none."""
        rows = await self._read(PREVIOUS, {"player": player, "template": template})
        return str(orjson.loads(rows[0][0]).get("summary", "")) if rows else ""

    async def clues(self, player: str, template: str) -> Mapping[str, str]:
        """The clues that came out in a player's sessions of an episode, each with the words that showed it."""
        found: dict[str, str] = {}
        for state, result in await self._read(CLUES, {"player": player, "template": template}):
            found.update(orjson.loads(state).get("clues", {}))
            shown = orjson.loads(result).get("clues_found", ()) if result else ()
            told = (one for one in shown if not one.get("episode"))
            found.update({str(one["id"]): "" if one.get("whispered") else str(one.get("quote", "")) for one in told})
        return found

    async def played(self, player: str) -> tuple[str, ...]:
        """The episodes that a player has completed."""
        rows = await self._read(
            "SELECT DISTINCT template FROM sessions "
            "WHERE player_id = :player AND status = 'complete' ORDER BY template",
            {"player": player},
        )
        return tuple(str(row[0]) for row in rows)

    # Memories, hooks, relationships.

    async def recall(
        self, kind: str, character: str, player: str, series: str | None, most: int
    ) -> tuple[RecalledNote, ...]:
        """The most important memories a character has of a player, for an episode of that series or of none."""
        sql = RECALL.format(fields=_kept_fields(), table=TABLES[kind])
        asked = {"character": character, "player": player, "series": series, "most": most}
        return tuple(_recalled(kind, row) for row in await self._read(sql, asked))

    async def kept_of(self, player: str) -> tuple[tuple[str, RecalledNote], ...]:
        """Everything that any character remembers of a player, with the character's name."""
        found: list[tuple[str, RecalledNote]] = []
        for kind, table in TABLES.items():
            sql = LIST.format(fields=f"{_kept_fields()}, character", table=table)
            rows = await self._read(sql, {"player": player})
            found.extend((str(row[-1]), _recalled(kind, row[:-1])) for row in rows)
        return tuple(found)

    async def forget(self, player: str, memory: str) -> None:
        """Forgets a memory or hook for good: its words are deleted, and it is not stored again."""
        forgotten = 0
        for table in TABLES.values():
            rows = await self._write(
                Statement(
                    f"UPDATE {table} SET text = '', quote = '', forgotten = TRUE "
                    "WHERE id = :id AND player_id = :player AND NOT forgotten RETURNING id",
                    {"id": memory, "player": player},
                )
            )
            forgotten += len(rows)
        if not forgotten:
            raise NotFound(f"There is no memory '{memory}' of this player.", memory=memory)

    async def bond_history(self, character: str, player: str) -> tuple[BondShift, ...]:
        rows = await self._read(SHIFTS, {"character": character, "player": player})
        fields = ("tone", "tension", "trust", "quote")
        return tuple(BondShift.model_validate(dict(zip(fields, row, strict=True))) for row in rows)

    async def relationship(self, character: str, player: str) -> Relationship:
        return relationship_after(await self.bond_history(character, player))

    # Players.

    async def player(self, player: str) -> Persona | None:
        rows = await self._read("SELECT id, name, about FROM players WHERE id = :id", {"id": player})
        return Persona(id=rows[0][0], name=rows[0][1], about=rows[0][2]) if rows else None

    async def welcome(self, player: Persona, at: float) -> None:
        """Saves a player's latest name and description."""
        await self._write(_player(player, at))

    async def dismiss(self, player: str) -> None:
        """Deletes a player and everything stored about them but their sessions, which are deleted with their runs."""
        asked = {"player": player}
        await self._write(
            *(Statement(f"DELETE FROM {table} WHERE player_id = :player", asked) for table in TABLES.values()),
            Statement("DELETE FROM relationships WHERE player_id = :player", asked),
            Statement("DELETE FROM players WHERE id = :player", asked),
        )

    # Shares.

    async def share(self, share: Share) -> None:
        row = {**share.model_dump(include=set(SHARE)), "snapshot": share.snapshot.model_dump_json()}
        await self._write(Statement(_insert("shares", SHARE), storable_row(row)))

    async def shared(self, share_id: str) -> Share | None:
        rows = await self._read(f"SELECT {', '.join(SHARE)} FROM shares WHERE id = :id", {"id": share_id})
        return _share(rows[0]) if rows else None

    async def shares(self, session_id: str) -> tuple[Share, ...]:
        rows = await self._read(
            f"SELECT {', '.join(SHARE)} FROM shares WHERE session_id = :id ORDER BY created_at, id", {"id": session_id}
        )
        return tuple(_share(row) for row in rows)

    async def revoke(self, share_id: str) -> bool:
        sql = "UPDATE shares SET revoked = TRUE WHERE id = :id RETURNING id"
        return bool(await self._write(Statement(sql, {"id": share_id})))

    async def count_view(self, share_id: str) -> None:
        await self._write(Statement("UPDATE shares SET views = views + 1 WHERE id = :id", {"id": share_id}))

    async def evaluations(self, session_id: str) -> tuple[tuple[str, Mapping[str, object]], ...]:
        """Type and result of each evaluation of a session, oldest first."""
        rows = await self._read(
            "SELECT evaluation_type, result FROM session_evaluations WHERE session_id = :id ORDER BY created_at, id",
            {"id": session_id},
        )
        return tuple((str(row[0]), orjson.loads(row[1])) for row in rows)

    async def _read(self, sql: str, parameters: Mapping[str, object]) -> Rows:
        return await self._database.read(Statement(sql, parameters))

    async def _write(self, *statements: Statement) -> Rows:
        return await self._retried(list(statements))

    async def _retried(self, statements: list[Step]) -> Rows:
        return await write_retrying(self._database, lambda: _in_order(statements), "The session")


class PlayerStore:
    """The tables about players that no log can rebuild."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Tokens.

    async def issue(self, token: PlayerToken) -> bool:
        """Saves a new token, and removes those that had expired long ago when others were issued a day before it.

        Returns whether it is saved: the player may have been deleted.
        """
        saved = await self._write(
            _Living(player=token.player_id),
            Statement(_insert("player_tokens", TOKEN, "ON CONFLICT DO NOTHING"), token.model_dump()),
            Statement(_FORGET, {"yesterday": token.issued_at - DAY_HOURS * HOUR, "key": SIGNING_KEY}),
            Statement(f"{_TOKENS} WHERE id = :id", {"id": token.id}),
        )
        return bool(saved)

    async def sign_with(self, digest: str, at: float) -> str:
        """Keeps the digest of the key that signs tokens from now on. Returns the one before; empty if there was none.

        It is a row beside the tokens that it signed, under an id that no token has.
        """
        before = await self._read(f"{_TOKENS} WHERE id = :id", {"id": SIGNING_KEY})
        key = PlayerToken(
            id=SIGNING_KEY, player_id=digest, issued_at=at, expires_at=deleted_players.NEVER, revoked=True
        )
        replaced = "ON CONFLICT (id) DO UPDATE SET player_id = excluded.player_id, issued_at = excluded.issued_at"
        await self._write(Statement(_insert("player_tokens", TOKEN, replaced), key.model_dump()))
        return _token(before[0]).player_id if before else ""

    async def token(self, token_id: str) -> PlayerToken | None:
        rows = await self._read(f"{_TOKENS} WHERE id = :id", {"id": token_id})
        return _token(rows[0]) if rows else None

    async def tokens(self, player: str | None, limit: int) -> tuple[PlayerToken, ...]:
        """The tokens of a player, or of all, newest first."""
        rows = await self._read(
            f"{_TOKENS} WHERE {'' if player is None else 'player_id = :player AND '}id <> :key "
            f"AND id NOT LIKE '{deleted_players.PREFIX}%' ORDER BY issued_at DESC, id LIMIT CAST(:most AS INTEGER)",
            {"most": limit, "key": SIGNING_KEY, **({} if player is None else {"player": player})},
        )
        return tuple(_token(row) for row in rows)

    async def revoke(self, token_id: str) -> bool:
        return bool(await self._write(Statement(_REVOKE, {"id": token_id})))

    async def mark_deleted(self, player: str, at: float) -> None:
        """From now on no session and no token of this player is stored; those stored before can be found."""
        await self._write(_mark(player, at))

    async def is_deleted(self, player: str) -> bool:
        """Whether a player was deleted for good."""
        mark = await self.token(deleted_players.mark_id(player))
        return mark is not None and mark.revoked

    async def dismiss(self, player: str) -> None:
        """Deletes a player's tokens. What they used is kept under no name until the day is over."""
        asked = {"player": player}
        await self._write(
            Statement(_REVOKE, {"id": deleted_players.mark_id(player)}),
            Statement("DELETE FROM player_tokens WHERE player_id = :player", asked),
            Statement(_ANONYMIZE, asked),
            Statement("DELETE FROM player_spending WHERE player_id = :player", asked),
        )

    # Spending.

    async def spend(self, player: str, spent: Spent, at: float) -> None:
        hour = int(at // HOUR)
        used = {"tokens": spent.tokens, "usd": spent.usd}
        await self._write(
            Statement(_SPEND, {"hour": hour, "player": player, "mark": deleted_players.mark_id(player), **used}),
            Statement("DELETE FROM player_spending WHERE hour < :before", {"before": hour - 2 * DAY_HOURS}),
        )

    async def day(self, player: str | None, at: float) -> SpentDay:
        """What a player, or all, used in the 24 hours before a time, in whole hours."""
        rows = await self._read(
            "SELECT hour, SUM(tokens), SUM(usd) FROM player_spending WHERE hour > :since "
            "AND (CAST(:player AS TEXT) IS NULL OR player_id = CAST(:player AS TEXT)) GROUP BY hour",
            {"since": int(at // HOUR) - DAY_HOURS, "player": player},
        )
        return SpentDay({int(row[0]): Spent(tokens=int(row[1]), usd=float(row[2])) for row in rows}, at)

    async def _read(self, sql: str, parameters: dict[str, object]) -> Rows:
        return await self._database.read(Statement(sql, parameters))

    async def _write(self, *statements: Step) -> Rows:
        return await write_retrying(self._database, lambda: _in_order(statements), "The player")


class _Guard(BaseModel):
    """Continues only if this run exists."""

    run: str


class _Living(BaseModel):
    """Continues only if this player was not deleted, and is not before the transaction ends."""

    player: str


Step: TypeAlias = Statement | _Guard | _Living


def _in_order(steps: Sequence[Step]) -> Transaction[Rows]:
    """The rows of the last statement; none if a guard stopped it."""
    rows: Rows = ()
    for step in steps:
        if isinstance(step, _Guard):
            if not (yield Statement(_RUN, {"id": step.run})):
                return ()
        elif isinstance(step, _Living):
            if not (yield _mark(step.player)):
                return ()
            yield Statement(_UNMARK, {"id": deleted_players.mark_id(step.player)})
        else:
            rows = yield step
    return rows


def _record(
    session: SessionRecord, player: Persona, messages: Sequence[MessageRecord], evaluations: Sequence[EvaluationGiven]
) -> list[Step]:
    rows = [
        {
            "id": f"{session.id}/{number}",
            "session_id": session.id,
            "evaluation_type": one.evaluation_type,
            "result": orjson.dumps(one.result).decode(),
            "model_used": one.model,
            "created_at": session.updated_at,
        }
        for number, one in enumerate(evaluations)
    ]
    fields = ("id", "session_id", "evaluation_type", "result", "model_used", "created_at")
    return [
        _Guard(run=session.id),
        _Living(player=session.player_id),
        _player(player, session.created_at),
        Statement(_upsert("sessions", "id", SESSION), _clean(session)),
        Statement("DELETE FROM messages WHERE session_id = :id", {"id": session.id}),
        *([Statement(_MESSAGES, [_clean(one) for one in messages])] if messages else ()),
        Statement("DELETE FROM session_evaluations WHERE session_id = :id", {"id": session.id}),
        *([Statement(_insert("session_evaluations", fields), [storable_row(row) for row in rows])] if rows else ()),
    ]


def _keep(session: SessionRecord, kept: Sequence[KeptRecord], shifts: Sequence[ShiftRecord]) -> list[Step]:
    place = {
        "session_id": session.id,
        "character": session.character,
        "player_id": session.player_id,
        "series": session.series,
    }
    statements: list[Step] = [_Guard(run=session.id)]
    for kind, table in TABLES.items():
        rows = [
            {
                **place,
                "id": one.id,
                "message_id": one.message_id,
                "at": one.at,
                "character": one.character or session.character,
                **one.kept.model_dump(),
                "forgotten": False,
            }
            for one in kept
            if one.kind == kind
        ]
        # What the player wants forgotten stays forgotten, however often a session is recorded.
        # The player is named because an index has it: without that, those of all players would be looked through.
        clear = f"DELETE FROM {table} WHERE player_id = :player AND session_id = :id AND NOT forgotten"
        statements.append(Statement(clear, {"player": session.player_id, "id": session.id}))
        if rows:
            insert = _insert(table, (*KEPT, "forgotten"), "ON CONFLICT DO NOTHING")
            statements.append(Statement(insert, [storable_row(row) for row in rows]))
    told = [
        {
            **place,
            "message_id": one.message_id,
            "at": one.at,
            "character": one.character or session.character,
            **one.shift.model_dump(),
        }
        for one in shifts
    ]
    statements.append(Statement("DELETE FROM relationships WHERE session_id = :id", {"id": session.id}))
    if told:
        insert = _insert("relationships", SHIFT, "ON CONFLICT DO NOTHING")
        statements.append(Statement(insert, [storable_row({key: row[key] for key in SHIFT}) for row in told]))
    return statements


def _mark(player: str, at: float = 0.0) -> Statement:
    """No row if the player is marked as deleted already."""
    marking = _insert("player_tokens", TOKEN, "ON CONFLICT DO NOTHING RETURNING id")
    return Statement(marking, deleted_players.mark_of(player, at).model_dump())


def _player(player: Persona, at: float) -> Statement:
    fields = ("id", "name", "about", "created_at")
    return Statement(_upsert("players", "id", fields), storable_row({**player.model_dump(), "created_at": at}))


def _criteria(template: EpisodeTemplate) -> str | None:
    given = template.completion_criteria
    return given.model_dump_json(exclude_unset=True) if given is not None else None


def _kept_fields() -> str:
    return "id, session_id, message_id, text, quote, importance, scope, at"


def _recalled(kind: str, row: Sequence[object]) -> RecalledNote:
    fields = ("id", "session", "message", "text", "quote", "importance", "scope", "at")
    return RecalledNote.model_validate({**dict(zip(fields, row, strict=True)), "kind": kind})


def _session(row: Sequence[object]) -> SessionRecord:
    return SessionRecord.model_validate(dict(zip(SESSION, row, strict=True)))


def _share(row: Sequence[object]) -> Share:
    fields = dict(zip(SHARE, row, strict=True))
    snapshot = Snapshot.model_validate_json(str(fields["snapshot"]))
    return Share.model_validate({**fields, "snapshot": snapshot, "revoked": bool(fields["revoked"])})


def _clean(value: BaseModel) -> dict[str, object]:
    return storable_row(value.model_dump())


def _token(row: Sequence[object]) -> PlayerToken:
    fields = dict(zip(TOKEN, row, strict=True))
    return PlayerToken.model_validate({**fields, "revoked": bool(fields["revoked"])})
