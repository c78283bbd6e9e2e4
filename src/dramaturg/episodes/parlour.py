"""Where sessions are opened and kept open: the one object the faces talk to."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar
from weakref import WeakValueDictionary

from dramaturg.episodes.chat_file import brought, chat_of
from dramaturg.episodes.cut import DirectorsCut, directors_cut
from dramaturg.episodes.events import (
    EpisodeRun,
    Evaluated,
    EvaluationFailed,
    Persona,
    Suggestion,
)
from dramaturg.episodes.lore import shelf_or_problem
from dramaturg.episodes.memory import BondShift, Recalled, Relationship
from dramaturg.episodes.opening import LONGEST_ID, House, prepare
from dramaturg.episodes.play import Players
from dramaturg.episodes.prompting import cleaned, part_of
from dramaturg.episodes.series import all_series
from dramaturg.episodes.sharing import DEFAULT, Part, Share, Snapshot, new_share_id, snapshot_of
from dramaturg.episodes.sitting import Backstage, Sitting
from dramaturg.episodes.state import EpisodeState, episode_state
from dramaturg.episodes.store import EpisodeStore
from dramaturg.episodes.suggestion import Repertoire, suggest
from dramaturg.episodes.tavern_chat import TavernChat
from dramaturg.episodes.template import EpisodeTemplate, known_templates, named_template
from dramaturg.episodes.views import SessionRecord, SessionView, session_view
from dramaturg.episodes.wire import DoneEvent, Mark, StreamEvent
from dramaturg.kernel.errors import AuthorError, Fenced, InvalidConfig, NotFound, StoreError, StoreUnavailable
from dramaturg.kernel.runs import Player
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.store import RunRecord

EPISODE = "episode"
MANY = 10_000
START = Mark()
_T = TypeVar("_T")


class Parlour:
    """The sessions of a story project."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._sittings: OrderedDict[str, Sitting] = OrderedDict()
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._repertoire: Repertoire | None = None
        self._backstage = Backstage(house.runs, house.store, house.settings, self._players)

    @property
    def tables(self) -> EpisodeStore:
        """The tables of episodes, for who only reads."""
        return self._house.store

    # What can be played.

    def repertoire(self) -> Repertoire:
        """Every episode and series of the project, read anew. Raises InvalidConfig for a file that cannot be read."""
        project = self._house.settings.project
        templates = tuple(named_template(project, name) for name in known_templates(project))
        self._repertoire = Repertoire(templates=templates, series=all_series(project))
        return self._repertoire

    async def publish(self) -> Repertoire:
        """The same, kept in the tables `episode_templates` and `series` too."""
        found = self.repertoire()
        await self._house.store.know(found.templates, found.series, self._house.clock.now())
        return found

    # Opening.

    async def open(
        self,
        template: str | EpisodeTemplate,
        player: Persona,
        *,
        model: str | None = None,
        series: str | None = None,
        seed: int | None = None,
        session_id: str | None = None,
        greets: bool = True,
    ) -> SessionView:
        """A new session. Nothing is written before the template, its card and models are sound.

        Without `greets`, nobody says anything first.
        `session_id` is for who must find it again under a key of their own (`kernel.runs.ids.id_for`).
        """
        house = self._house
        run_id = session_id or new_id(house.clock.now())
        prepared = await prepare(house, template, player, run_id, model=model, series=series, seed=seed)
        wanted = prepared.opened.template
        run = await house.runs.create(
            EPISODE, wanted.name, prepared.opened.seed, run_id=run_id, opening=prepared.first_entries(greets=greets)
        )
        await house.runs.mark(run, "stopped")
        await house.store.know((wanted,), (prepared.series,) if prepared.series else (), house.clock.now())
        sitting = self._seat(Sitting(run, self._backstage, is_new=True))
        await sitting.record()
        sitting.kick()
        return session_view(run.id, sitting.state, busy=sitting.busy)

    async def sit(self, session: str) -> Sitting:
        """A session, open in this process. Raises NotFound; Fenced while another process plays a turn of it."""
        door = self._doors.get(session)
        if door is None:
            door = self._doors[session] = asyncio.Lock()
        async with door:
            return await self._sit(session)

    async def view(self, session: str) -> SessionView:
        """What its player may see of a session now."""
        sitting = self._sittings.get(session)
        if sitting is not None and sitting.failure is None:
            return session_view(session, sitting.state, busy=sitting.busy)
        return session_view(session, await self._state(session))

    async def sessions(self, player: str | None = None, limit: int = 100) -> tuple[SessionRecord, ...]:
        """The sessions of a player, or of all, newest first."""
        return await self._house.store.sessions(player, limit)

    # Talking.

    async def send(self, session: str, text: str, client_id: str = "") -> Mark:
        """Keep what the player says and begin its turn; follow the stream after the place that is returned.

        The same `client_id` again makes no second turn: it leads to the first, or tries it again if it failed.
        """
        words = self._checked_words(text)
        client_id = _checked_id(client_id) if client_id else new_id(self._house.clock.now())
        return await self._again(session, lambda sitting: sitting.take(words, client_id))

    async def say(self, session: str, text: str, client_id: str = "") -> AsyncIterator[StreamEvent]:
        """The same, with the turn's events up to `done`. Who stops listening does not stop the turn."""
        client_id = _checked_id(client_id) if client_id else new_id(self._house.clock.now())
        mark = await self.send(session, text, client_id)
        async for event in self.turn(session, mark, client_id):
            yield event

    async def pick(self, session: str, choice: str, client_id: str = "") -> Mark:
        """The player picks one of the choices that are offered. Raises NotFound for any other."""
        client_id = _checked_id(client_id) if client_id else new_id(self._house.clock.now())

        async def take(sitting: Sitting) -> Mark:
            offered = sitting.state.offered.choices if sitting.state.offered else ()
            found = next((one for one in offered if one.id == choice), None)
            if found is None and sitting.state.said_as(client_id) is None:
                known = ", ".join(one.id for one in offered) or "none now"
                raise NotFound(f"There is no choice '{choice}' here (offered: {known}).", choice=choice)
            return await sitting.take(found.said if found else "", client_id, choice)

        return await self._again(session, take)

    async def follow(self, session: str, after: Mark = START) -> AsyncIterator[StreamEvent]:
        """What the player sees after a place, then whatever comes, until the listener leaves."""
        known = self._sittings.get(session)
        sitting = known if known is not None and known.failure is None else await self.sit(session)
        async for event in sitting.follow(after):
            yield event

    async def turn(self, session: str, after: Mark, client_id: str | None = None) -> AsyncIterator[StreamEvent]:
        """The same up to the end of a turn: the one of `client_id`, or the next."""
        async for event in self.follow(session, after):
            yield event
            if isinstance(event, DoneEvent) and (client_id is None or event.client_id == client_id):
                return

    async def retry(self, session: str) -> Mark:
        """Ask again for an answer that did not come."""
        return await self._again(session, lambda sitting: sitting.retry())

    async def swipe(self, session: str, message: str) -> Mark:
        """Another answer at the place of this one; `choose` goes back to the earlier one."""
        return await self._again(session, lambda sitting: sitting.swipe(message))

    # Changing what was said.

    async def choose(self, session: str, message: str) -> SessionView:
        """Let the conversation go through this message: an earlier swipe, another branch."""
        await self._again(session, lambda sitting: sitting.choose(message))
        return await self.view(session)

    async def edit(self, session: str, message: str, text: str) -> SessionView:
        words = self._checked_words(text)
        await self._again(session, lambda sitting: sitting.edit(message, words))
        return await self.view(session)

    async def delete_message(self, session: str, message: str, *, following: bool = False) -> SessionView:
        await self._again(session, lambda sitting: sitting.delete(message, following=following))
        return await self.view(session)

    async def branch(self, session: str, message: str, *, new_session: bool = False) -> SessionView:
        """Go on from this message, in this session or in a new one that shares its past."""
        if not new_session:
            await self._again(session, lambda sitting: sitting.branch(message))
            return await self.view(session)
        old = await self.sit(session)
        await old.settled()
        old.state.message(message)
        run = await self._house.runs.fork(session, old.run.seq, f"branched at {message}")
        await self._house.runs.mark(run, "stopped")
        sitting = self._seat(Sitting(run, self._backstage))
        await sitting.branch(message)
        return session_view(run.id, sitting.state)

    # From and to other programs.

    async def chat(self, session: str) -> TavernChat:
        """The conversation as a chat file that other programs read."""
        record = await self._record(session)
        return chat_of(session, await self._state(session), record.created_at)

    async def take_in(
        self, chat: TavernChat, template: str | EpisodeTemplate, player: Persona, *, model: str | None = None
    ) -> tuple[SessionView, tuple[str, ...]]:
        """A new session that goes on from a chat held elsewhere, and remarks on what was left behind."""
        bring = brought(chat, self._house.clock.now())
        view = await self.open(template, player, model=model, greets=False)
        sitting = await self.sit(view.id)
        await sitting.bring(*bring.events)
        return await self.view(view.id), bring.remarks

    # The end of it.

    async def evaluate(self, session: str) -> Evaluated | EvaluationFailed:
        """Another evaluation of a completed episode."""
        return await (await self.sit(session)).evaluate_again()

    async def directors_cut(self, session: str) -> DirectorsCut:
        return directors_cut(await self._state(session))

    async def preview(self, session: str, parts: Sequence[Part] = DEFAULT) -> Snapshot:
        """What sharing these parts of a result would show."""
        return snapshot_of(await self._state(session), parts)

    async def share(
        self, session: str, parts: Sequence[Part] = DEFAULT, *, days: float | None = None, seen: str | None = None
    ) -> Share:
        """Share a frozen snapshot of a result, for some days or until it is revoked.

        With `seen`, the digest of a preview, nothing else than what was seen then is shared.
        """
        now = self._house.clock.now()
        snapshot = await self.preview(session, parts)
        if seen is not None and snapshot.digest != seen:
            raise InvalidConfig("This is not what you have seen: the result has changed since. Look at it again first.")
        if days is not None and not 0 < days <= 3650:
            raise InvalidConfig("A share lasts more than 0 and at most 3650 days.")
        share = Share(
            id=new_share_id(),
            session_id=session,
            snapshot=snapshot,
            created_at=now,
            expires_at=now + days * 86_400 if days is not None else None,
        )
        await self._house.store.share(share)
        return share

    async def shared(self, share_id: str) -> Share:
        """A share that is open. One that is unknown, revoked or expired is the same NotFound."""
        found = await self._house.store.shared(share_id) if len(share_id) <= LONGEST_ID else None
        if found is None or not found.is_open(self._house.clock.now()):
            raise NotFound("There is nothing here.")
        return found

    async def shares(self, session: str) -> tuple[Share, ...]:
        return await self._house.store.shares(session)

    async def revoke(self, share_id: str) -> None:
        if not await self._house.store.revoke(share_id):
            raise NotFound("There is nothing here.")

    async def count_view(self, share_id: str) -> None:
        await self.shared(share_id)
        await self._house.store.count_view(share_id)

    # What is kept of people.

    async def memories(self, player: str) -> tuple[tuple[str, Recalled], ...]:
        """Memories and hooks that characters keep of a player, each with the character's name."""
        return await self._house.store.kept_of(player)

    async def forget(self, player: str, memory: str) -> None:
        await self._house.store.forget(player, memory)

    async def relationship(self, character: str, player: str) -> tuple[Relationship, tuple[BondShift, ...]]:
        """How a character stands to a player, and every change that brought it there."""
        history = await self._house.store.bond_history(character, player)
        return await self._house.store.relationship(character, player), history

    async def player(self, player: str) -> Persona | None:
        return await self._house.store.player(player)

    async def delete(self, session: str) -> None:
        """Remove a session: its log, its messages, its results and shares, and what was kept of it."""
        record = await self._record(session)
        sitting = self._sittings.pop(session, None)
        if sitting is not None:
            await sitting.close(NotFound(f"Session {session} was deleted.", session=session))
        elif record.status == "playing" and _plays_elsewhere(record.player, self._house.runs.player):
            raise Fenced(f"A turn of session {session} is played by another process; try again.", session=session)
        await self._house.runs.delete(session)

    async def delete_player(self, player: str) -> int:
        """Remove a player with all their sessions; how many there were."""
        count = 0
        while found := await self._house.store.sessions(player, limit=100):
            for one in found:
                await self.delete(one.id)
                count += 1
        await self._house.store.dismiss(player)
        return count

    # The house itself.

    async def rebuild(self, session: str) -> None:
        """The tables of a session, made anew from its log."""
        sitting = await self.sit(session)
        await sitting.record()

    async def resume_unfinished(self) -> list[str]:
        """Play on the turns whose process died; the sessions they are of."""
        taken_up = []
        for record in await self._house.runs.find(kind=EPISODE, status="playing", limit=MANY):
            player = Player.read(record.player)
            if player is not None and player.may_be_alive():
                continue
            with suppress(
                StoreError, AuthorError
            ):  # taken by another process, of another version, or its model is gone
                await self.sit(record.id)
                taken_up.append(record.id)
        return taken_up

    async def settle(self, session: str) -> None:
        """Returns when nothing of a session is under way in this process."""
        sitting = self._sittings.get(session)
        if sitting is not None:
            await sitting.settled()

    async def close(self) -> None:
        """Stop every turn; the logs say where to go on."""
        for sitting in list(self._sittings.values()):
            await sitting.close(StoreUnavailable("The studio is closed; the session goes on when it is opened again."))
        self._sittings.clear()

    async def _sit(self, session: str) -> Sitting:
        record = await self._record(session)
        sitting = self._sittings.get(session)
        mine = record.player == str(self._house.runs.player)
        if sitting is not None and sitting.failure is None and mine:
            self._sittings.move_to_end(session)
            return sitting
        if sitting is not None:
            await sitting.close(Fenced(f"Session {session} was taken up by another process.", session=session))
            self._sittings.pop(session, None)
        run = await self._house.engine.adopt(session)
        sitting = self._seat(Sitting(run, self._backstage))
        row = await self._house.store.session(session)
        if row is None or row.seq < sitting.state.seq:
            await sitting.record()
        sitting.kick()
        if not sitting.busy:
            await self._house.runs.mark(run, "stopped")
        return sitting

    def _seat(self, sitting: Sitting) -> Sitting:
        self._sittings[sitting.run.id] = sitting
        most = self._house.settings.episodes.open_sessions
        if len(self._sittings) > most:
            away = [name for name, one in self._sittings.items() if one.at_rest and one is not sitting]
            for name in away[: len(self._sittings) - most]:
                del self._sittings[name]
        return sitting

    async def _again(self, session: str, act: Callable[[Sitting], Awaitable[_T]]) -> _T:
        """Do something with a session; once more if another process wrote to it in between."""
        try:
            return await act(await self.sit(session))
        except Fenced:
            self._sittings.pop(session, None)
            return await act(await self.sit(session))

    async def _record(self, session: str) -> RunRecord:
        missing = no_session(session)
        try:
            record = await self._house.runs.get(session)
        except NotFound:
            raise missing from None
        if record.id != session or record.kind != EPISODE:
            raise missing
        return record

    async def _state(self, session: str) -> EpisodeState:
        sitting = self._sittings.get(session)
        if sitting is not None and sitting.failure is None:
            return sitting.state
        await self._record(session)
        run = await self._house.runs.open(session)
        return episode_state(run.entries)

    def _players(self, run: EpisodeRun, state: EpisodeState) -> Players:
        opened, settings = state.session, self._house.settings
        models = self._house.models(run)
        model = models(opened.model, opened.character)
        return Players(
            model=model,
            director=models(opened.director, "director"),
            sheet=part_of(state, model, settings),
            settings=settings,
            suggest=self._suggest,
            shelf=shelf_or_problem(settings.project, opened.character),
        )

    async def _suggest(self, state: EpisodeState) -> Suggestion | None:
        opened = state.session
        with suppress(AuthorError):  # a file that cannot be read now costs the suggestion, not the end
            await asyncio.to_thread(self.repertoire)
        repertoire = self._repertoire or Repertoire(templates=(opened.template,))
        evaluated = state.evaluation
        return suggest(
            opened.template,
            repertoire,
            series=opened.series.name if opened.series else None,
            result=evaluated.result if evaluated else None,
            pack=opened.pack,
            display_name=opened.display_name,
            played=await self._house.store.played(opened.player.id),
        )

    def _checked_words(self, text: str) -> str:
        """What a player typed, as it is kept. Raises InvalidConfig for nothing, and for too much."""
        words, most = cleaned(text).strip(), self._house.settings.episodes.longest_message
        if not words:
            raise InvalidConfig("The message is empty. Say something, even '...'.")
        if len(words) > most:
            raise InvalidConfig(
                f"The message has {len(words):,} characters; at most {most:,} are taken at once. Send less.",
                length=len(words),
                limit=most,
            )
        return words


def no_session(session: str) -> NotFound:
    """What is said of a session that is not there, or not one's own: nobody can tell which."""
    return NotFound(f"There is no session '{session[:40]}'.", session=session[:40])


def _checked_id(client_id: str) -> str:
    if len(client_id) > LONGEST_ID or cleaned(client_id) != client_id or not client_id.strip():
        raise InvalidConfig(f"A message id has 1 to {LONGEST_ID} plain characters.")
    return client_id


def _plays_elsewhere(player: str, me: Player) -> bool:
    other = Player.read(player)
    return other is not None and other != me and other.may_be_alive()
