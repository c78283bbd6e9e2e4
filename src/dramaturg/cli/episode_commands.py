"""What a player can do with a session besides talking: its messages, its result, what is remembered of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from dramaturg.episodes.events import EvaluationGiven
from dramaturg.episodes.result_card import result_card
from dramaturg.episodes.share import DEFAULT, SharedPart, Snapshot
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.text.shortened import short_line

if TYPE_CHECKING:
    from dramaturg.episodes.front import Episodes
    from dramaturg.episodes.views import SessionView, ShownMessage

Show = Callable[[Mapping[str, object], str], None]
"""Shows a result: the first to programs, the second to people."""
BRIEF = 70
ABOUT: dict[str, str] = {
    "/messages": "list the messages with their ids",
    "/choose ID": "continue through another message: an earlier answer or another branch",
    "/branch ID": "continue from a message; with 'new' after it, in a new session",
    "/delete ID": "delete a message, without ID the last; with 'following' after it, and all that follow",
    "/share PARTS": "preview a share of the result: quotes, player_name, transcript; then /share yes",
    "/shares": "list the shares; /unshare ID revokes one",
    "/cut": "show the director's cut of a complete episode",
    "/evaluate": "evaluate a complete episode again",
    "/memories": "list what characters remember of you; /forget ID deletes one",
    "/relationship": "show what the character thinks of you",
}


class SessionCommands:
    """The commands of one session. `reopen` shows the conversation after it has changed."""

    def __init__(self, episodes: Episodes, show: Show, reopen: Callable[[SessionView], None], project: str) -> None:
        self._episodes, self._show, self._reopen, self._project = episodes, show, reopen, project
        self._preview: tuple[tuple[SharedPart, ...], Snapshot] | None = None
        self.all: dict[str, Callable[[str, str], Awaitable[None]]] = {
            "/messages": self._messages,
            "/choose": self._choose,
            "/branch": self._branch,
            "/delete": self._delete,
            "/share": self._share,
            "/shares": self._shares,
            "/unshare": self._unshare,
            "/cut": self._cut,
            "/evaluate": self._evaluate,
            "/memories": self._memories,
            "/forget": self._forget,
            "/relationship": self._relationship,
        }

    async def _messages(self, session: str, _: str) -> None:
        view = await self._episodes.view(session)
        lines = []
        for one in view.messages:
            who = "You" if one.role == "player" else one.name or view.character
            who += " (whispered)" if one.whispered else ""
            others = [other for other in one.siblings if other != one.id]
            also = f" (also: {', '.join(others)})" if others else ""
            lines.append(f"{one.id:>5}  {who}: {short_line(one.content, BRIEF)}{also}")
        self._show({"type": "messages", "messages": _plain(view.messages)}, "\n".join(lines) or "Nothing was said yet.")

    async def _choose(self, session: str, message: str) -> None:
        self._changed(await self._episodes.choose(session, _id(message, "/choose m3")))

    async def _branch(self, session: str, words: str) -> None:
        message, _, where = words.partition(" ")
        if where.strip() not in ("", "new"):
            raise InvalidConfig("/branch takes the id of a message, and 'new' for a new session: /branch m3 new.")
        view = await self._episodes.branch(session, _id(message, "/branch m3"), new_session=bool(where.strip()))
        if view.id == session:
            self._changed(view)
            return
        resume = f"dramaturg episode play --session {view.id}{self._project}"
        self._show({"type": "branched", "session": view.id}, f"The branch is a session of its own: {resume}")

    async def _delete(self, session: str, words: str) -> None:
        message, _, more = words.partition(" ")
        if more.strip() not in ("", "following"):
            raise InvalidConfig("/delete takes the id of a message, and 'following' for all after it: /delete m3.")
        if not message:
            messages = (await self._episodes.view(session)).messages
            if not messages:
                raise InvalidConfig("Nothing was said yet.")
            message = messages[-1].id
        self._changed(await self._episodes.delete_message(session, message, following=bool(more.strip())))

    async def _share(self, session: str, words: str) -> None:
        if words == "yes":
            await self._share_previewed(session)
            return
        known: tuple[SharedPart, ...] = get_args(SharedPart)
        wanted = words.replace(",", " ").split()
        if unknown := next((word for word in wanted if word not in known), None):
            raise InvalidConfig(f"'{unknown}' is no part of a share. Choose from {', '.join(known)}.")
        parts = tuple(part for part in known if part in wanted or part in DEFAULT)
        snapshot = await self._episodes.shares.preview(session, parts)
        self._preview = (parts, snapshot)
        self._show(
            {"type": "share_preview", "parts": list(parts), "snapshot": snapshot.model_dump(mode="json")},
            f"Others would see:\n\n{_shared(snapshot)}\n\nNothing is shared yet. Share exactly this with /share yes.",
        )

    async def _share_previewed(self, session: str) -> None:
        if self._preview is None:
            raise InvalidConfig("Preview what others would see first: /share, or /share quotes.")
        parts, snapshot = self._preview
        share = await self._episodes.shares.create(session, parts, seen=snapshot.digest)
        self._preview = None
        self._show(
            {"type": "shared", "share_id": share.id, "url": f"/r/{share.id}"},
            f"Shared. 'dramaturg serve' shows it at /r/{share.id}; /unshare {share.id} revokes it.",
        )

    async def _shares(self, session: str, _: str) -> None:
        found = await self._episodes.shares.of(session)
        lines = [f"{one.id}  {'revoked' if one.revoked else f'{one.views} views'}" for one in found]
        told = [{"share_id": one.id, "revoked": one.revoked, "views": one.views} for one in found]
        self._show({"type": "shares", "shares": told}, "\n".join(lines) or "Nothing of this session is shared.")

    async def _unshare(self, session: str, share: str) -> None:
        if share not in {one.id for one in await self._episodes.shares.of(session)}:
            raise NotFound("There is no such share of this session; /shares lists them.")
        await self._episodes.shares.revoke(share)
        self._show({"type": "unshared", "share_id": share}, "Revoked. Nobody finds it any more.")

    async def _cut(self, session: str, _: str) -> None:
        cut, cast = await self._episodes.directors_cut(session), (await self._episodes.view(session)).cast
        curve = ", ".join(f"{level:.2f}" for level in cut.tension_curve)
        beats = ", ".join(f"{mark.beat.value} (turn {mark.turn})" for mark in cut.beats)
        lines = [f"Tension: {curve}", f"Beats: {beats}"]
        for one in cut.thoughts:
            who = next((f"{face.name}: " for face in cast if face.id == one.speaker), "")
            lines.append(f"{one.turn}. {who}{short_line(one.said, BRIEF)}")
            lines += [f"   thought: {one.thought}"] if one.thought else []
            lines += [f"   the director's note: {one.note}"] if one.note else []
        if cut.turning_point:
            lines.append(f"The turning point is {cut.turning_point}; /branch {cut.turning_point} continues from there.")
        self._show({"type": "directors_cut", **cut.model_dump(mode="json")}, "\n".join(lines))

    async def _evaluate(self, session: str, _: str) -> None:
        given = await self._episodes.evaluate(session)
        if not isinstance(given, EvaluationGiven):
            self._show({"type": "evaluation", "status": "not_ready"}, "The result is not ready yet.")
            return
        card = result_card(given.evaluation_type, given.result)
        told = {"type": "evaluation", "status": "ready", "evaluation": dict(given.result)}
        self._show(told, "\n".join(filter(None, (card.headline, card.figure, card.text))))

    async def _memories(self, session: str, _: str) -> None:
        player = (await self._episodes.view(session)).player.id
        found = await self._episodes.players.memories(player)
        lines = [f"{kept.id}  {character}: {kept.text}" for character, kept in found]
        told = [{"character": character, **kept.model_dump(mode="json")} for character, kept in found]
        self._show({"type": "memories", "memories": told}, "\n".join(lines) or "Nobody remembers anything of you yet.")

    async def _forget(self, session: str, memory: str) -> None:
        player = (await self._episodes.view(session)).player.id
        await self._episodes.players.forget(player, _id(memory, "/forget 3f2a9c01d4e5"))
        self._show({"type": "forgotten", "id": memory}, f"{memory} is forgotten.")

    async def _relationship(self, session: str, _: str) -> None:
        view = await self._episodes.view(session)
        character = (await self._episodes.session(session)).state.session.character
        for who, name in [(one.id, one.name) for one in view.cast] or [(character, view.character)]:
            bond, history = await self._episodes.players.relationship(who, view.player.id)
            whose = {"character": who} if view.cast else {}
            told = {"type": "relationship", **whose, **bond.model_dump(mode="json"), "changes": len(history)}
            tone = f"{bond.tone}; " if bond.tone else ""
            self._show(told, f"{name}: {tone}trust {bond.trust:+.2f}, tension {bond.tension:.2f}.")

    def _changed(self, view: SessionView) -> None:
        self._show({"type": "changed", "messages": _plain(view.messages)}, "")
        self._reopen(view)


def _id(words: str, example: str) -> str:
    if not words or " " in words:
        raise InvalidConfig(f"{example.split()[0]} needs an id, such as: {example}. /messages and /memories list them.")
    return words


def _plain(messages: Sequence[ShownMessage]) -> list[dict[str, object]]:
    return [one.model_dump(mode="json", include={"id", "role", "content", "siblings"}) for one in messages]


def _shared(snapshot: Snapshot) -> str:
    card = result_card(snapshot.evaluation_type, snapshot.result)
    lines = [snapshot.title, " · ".join(filter(None, (card.headline, card.figure))), card.text, card.remark]
    lines += [f"- {point.label}" + (f": “{point.quote}”" if point.quote else "") for point in card.points]
    lines += [f"Played by {snapshot.player_name}"] if snapshot.player_name else []
    names = {"player": snapshot.player_name or "Player", "character": snapshot.character}
    lines += [
        f"{one.name or names[one.role]}{' (edited)' if one.edited else ''}: {one.content}"
        for one in snapshot.transcript
    ]
    return "\n".join(filter(None, lines))
