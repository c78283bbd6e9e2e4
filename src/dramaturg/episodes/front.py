"""The front of episodes: everything the faces do with templates and sessions."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from dramaturg.characters import load_card
from dramaturg.characters.exchange import CharacterFiles
from dramaturg.characters.load import own_model
from dramaturg.episodes.branches import BranchTree, branch_tree, branching_point
from dramaturg.episodes.chat_file import brought, chat_of, named_by, with_note
from dramaturg.episodes.cut import DirectorsCut, directors_cut
from dramaturg.episodes.deleted_players import PlayerDeleted
from dramaturg.episodes.events import EvaluationFailed, EvaluationGiven, Persona, Suggestion
from dramaturg.episodes.hosted import HostedSessions
from dramaturg.episodes.kind import EpisodeKind
from dramaturg.episodes.new_session import LONGEST_ID, Casting, EpisodeDeps, prepare
from dramaturg.episodes.open_session import OpenSession, voice_set
from dramaturg.episodes.open_sessions import OpenSessions
from dramaturg.episodes.players import Players
from dramaturg.episodes.rehearsals import RehearsalRuns
from dramaturg.episodes.series import all_series
from dramaturg.episodes.session_speech import copy_recordings, delete_recordings, recording_in
from dramaturg.episodes.shares import Shares
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.store import EpisodeStore, PlayerStore
from dramaturg.episodes.suggestion import Repertoire, suggest
from dramaturg.episodes.tavern_chat import TavernChat
from dramaturg.episodes.template import EpisodeTemplate, all_templates, named_template
from dramaturg.episodes.views import SessionRecord, SessionView, session_view
from dramaturg.episodes.wire import DoneEvent, StreamEvent
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.judge import who_judges
from dramaturg.kernel.runs import START, Mark, Resources
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.text.escape import cleaned
from dramaturg.trust import check_authored_model
from dramaturg.voices.lazy_booth import LazyBooth

BLANK = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))
"""The categories of characters that say nothing: spaces and control characters. A new emoji has none here yet."""


class CardEpisode(NamedTuple):
    """An episode whose character comes from files of its own, in place of the template's."""

    template: EpisodeTemplate
    character: CharacterFiles


class Episodes:
    """The episodes of a story project and the sessions in which they are played."""

    def __init__(self, resources: Resources, booth: LazyBooth) -> None:
        self._resources = resources
        self.tables = EpisodeStore(resources.database)
        casting, window = partial(_cast, resources), partial(_window, resources)
        self._deps = EpisodeDeps(resources.settings, self.tables, casting, window)
        self.players = Players(self.tables, PlayerStore(resources.database), resources.clock, self.delete)
        self._open = OpenSessions(resources, self.tables, self._suggest, self.players, booth)
        self.shares = Shares(resources.clock, self.tables, self._open.state)
        self.record, self.state, self.entries = self._open.record, self._open.state, self._open.entries
        self.hosted = HostedSessions(self.tables, self._open.state)
        self.rehearsals = RehearsalRuns(resources, self)

    @property
    def kind(self) -> EpisodeKind:
        return self._open.kind

    # What can be played.

    def repertoire(self) -> Repertoire:
        """Every episode and series of the project, reread; an unreadable file does not hide the others."""
        project = self._resources.settings.project
        templates, series = all_templates(project), all_series(project)
        return Repertoire(
            templates=templates.values,
            series=series.values,
            unreadable_templates=templates.unreadable,
            unreadable_series=series.unreadable,
        )

    async def publish(self) -> Repertoire:
        """The same, and also saved to the tables `episode_templates` and `series`."""
        found = self.repertoire()
        await self.tables.know(found.templates, found.series, self._resources.clock.now())
        return found

    # Opening.

    async def open(
        self,
        template: str | EpisodeTemplate | CardEpisode,
        player: Persona,
        *,
        model: str | Casting | None = None,
        series: str | None = None,
        seed: int | None = None,
        session_id: str | None = None,
        greets: bool = True,
        voice: bool | None = None,
    ) -> SessionView:
        """A new session. Nothing is written before the template, its card and models are checked.
        If the player is deleted meanwhile, nothing is left of it; raises PlayerDeleted.
        `voice` says whether the character's messages are spoken; else the template does, else the settings. Without
        `greets`, nobody speaks first. `session_id` is for callers that need to find the session again under a key of
        their own (`kernel.runs.ids.id_for`).
        """
        resources = self._resources
        run_id = session_id or new_id(resources.clock.now())
        await self._open.wait_for_reviews(player.id)
        asked, character = template if isinstance(template, CardEpisode) else (template, None)
        plays, director = model if isinstance(model, Casting) else (model, None)
        prepared = await prepare(
            self._deps, asked, player, run_id, model=plays, series=series, seed=seed, character=character
        )
        if director is not None:
            resources.gateway.open(director)
            prepared = replace(prepared, opened=prepared.opened.model_copy(update={"director": director}))
        wanted = prepared.opened.template
        spoken = next(one for one in (voice, wanted.voice, resources.settings.episodes.voice) if one is not None)
        opening = prepared.first_entries(voice_set(resources.settings, on=True) if spoken else None, greets=greets)
        run = await resources.runs.create(self.kind, wanted.name, prepared.opened.seed, run_id=run_id, opening=opening)
        await resources.runs.mark(run, "stopped")
        await self.tables.know((wanted,), (prepared.series,) if prepared.series else (), resources.clock.now())
        opened = self.kind.perform(run)
        opened.begin()
        await opened.tables.record(opened)
        await _check_entered(self, run.id)
        opened.kick()
        opened.speech.go_on()
        return session_view(run.id, opened.state, busy=opened.is_in_turn)

    async def session(self, session: str) -> OpenSession:
        """A session, open in this process. Raises NotFound; RunFenced while another process plays a turn of it."""
        return await self._open.hold(session)

    async def recorded(self, session: str) -> SessionRecord | None:
        """What the tables know of a session, by its whole id; None if there is none."""
        return await self._open.recorded(session)

    async def view(self, session: str) -> SessionView:
        """What the player may currently see of a session."""
        opened = self._open.get(session)
        if opened is not None:
            return session_view(session, opened.state, busy=opened.is_in_turn)
        return session_view(session, await self._open.state(session))

    async def branches(self, session: str) -> BranchTree:
        """Every message of a session, on all its branches."""
        return branch_tree(await self._open.state(session))

    async def sessions(self, player: str | None = None, limit: int = 100) -> tuple[SessionRecord, ...]:
        """The sessions of a player, or of all, newest first."""
        return await self.tables.sessions(player, limit)

    # Talking.

    async def send(self, session: str, text: str, client_id: str = "", *, to: str = "") -> Mark:
        """Logs what the player says and starts the turn; follow the stream after the mark that is returned.

        In a group, `to` is the one whom the player whispers to: nobody else hears it, or the answer.

        Repeating a `client_id` does not start a second turn: it leads to the first one, or retries it if it failed.
        """
        words = self._checked_words(text)
        client_id = _checked_id(client_id) if client_id else new_id(self._resources.clock.now())
        return await self._open.act(session, lambda opened: opened.take(words, client_id, to=to))

    async def say(
        self, session: str, text: str, client_id: str = "", *, to: str = ""
    ) -> AsyncGenerator[StreamEvent, None]:
        """The same, with the turn's events up to `done`. Disconnecting does not cancel the turn."""
        client_id = _checked_id(client_id) if client_id else new_id(self._resources.clock.now())
        mark = await self.send(session, text, client_id, to=to)
        async with aclosing(self.turn(session, mark, client_id)) as events:
            async for event in events:
                yield event

    async def pick(self, session: str, choice: str, client_id: str = "") -> Mark:
        """The player picks one of the choices offered. Raises NotFound for any other."""
        client_id = _checked_id(client_id) if client_id else new_id(self._resources.clock.now())

        async def take(opened: OpenSession) -> Mark:
            offered = opened.state.offered.choices if opened.state.offered else ()
            found = next((one for one in offered if one.id == choice), None)
            if found is None and opened.state.said_as(client_id) is None:
                known = ", ".join(one.id for one in offered) or "none now"
                raise NotFound(f"'{choice}' is not one of the choices (offered: {known}).", choice=choice)
            return await opened.take(found.said if found else "", client_id, choice)

        return await self._open.act(session, take)

    def follow(self, session: str, after: Mark = START) -> AsyncGenerator[StreamEvent, None]:
        """What the player sees after a mark, then whatever comes, whichever process plays the session."""
        return self._open.stream(session, after)

    async def turn(self, session: str, after: Mark, client_id: str | None = None) -> AsyncGenerator[StreamEvent, None]:
        """The same up to the end of a turn: the one of `client_id`, without those it waits for, or the next."""
        async with aclosing(self._open.stream(session, after, client_id)) as events:
            async for event in events:
                yield event
                if isinstance(event, DoneEvent) and (client_id is None or event.client_id == client_id):
                    return

    async def retry(self, session: str) -> Mark:
        """Requests a missing answer again."""
        return await self._open.act(session, lambda opened: opened.retry())

    async def swipe(self, session: str, message: str, wish: str = "") -> Mark:
        """Requests another answer in place of this one; `choose` goes back to the earlier one.

        `wish` is what the player wants of it, in their own words.
        """
        wanted = self._checked_words(wish) if wish.strip() else ""
        return await self._open.act(session, lambda opened: opened.swipe(message, wanted))

    async def go_on(self, session: str, speaker: str = "") -> Mark:
        """Requests more from the character, who spoke last; in a group, `speaker` may be another."""
        return await self._open.act(session, lambda opened: opened.go_on(speaker))

    async def draft(self, session: str) -> str:
        """A draft of the player's next message. Nothing is said by it until it is sent. Raises ModelError."""
        return await self._open.act(session, lambda opened: opened.draft())

    # Models and voices.

    async def set_model(self, session: str, model: str) -> SessionView:
        """Has another model play from now on; in a group, it plays everybody. Raises what opening it raises."""
        plays, director = await self._deps.cast("", None, model)
        await self._open.act(session, lambda opened: opened.set_model(plays, director))
        return await self.view(session)

    async def set_voice(self, session: str, *, on: bool) -> SessionView:
        """Has the character's messages spoken from now on, or no longer."""
        await self._open.act(session, lambda opened: opened.set_voice(on=on))
        return await self.view(session)

    def recording(self, session: str, file: str) -> str:
        """The path of a recording below the data folder. Raises NotFound for anything that cannot be one."""
        return recording_in(self._resources.artifacts, session, file)

    # Changing what was said.

    async def choose(self, session: str, message: str) -> SessionView:
        """Makes the conversation continue through this message: an earlier swipe or another branch."""
        await self._open.act(session, lambda opened: opened.choose(message))
        return await self.view(session)

    async def edit(self, session: str, message: str, text: str) -> SessionView:
        words = self._checked_words(text)
        await self._open.act(session, lambda opened: opened.edit(message, words))
        return await self.view(session)

    async def delete_message(self, session: str, message: str, *, following: bool = False) -> SessionView:
        await self._open.act(session, lambda opened: opened.delete(message, following=following))
        return await self.view(session)

    async def branch(self, session: str, message: str, *, new_session: bool = False) -> SessionView:
        """Continues from this message, in this session or in a new one that shares its past."""
        if not new_session:
            await self._open.act(session, lambda opened: opened.branch(message))
            return await self.view(session)
        at = await branching_point(self._resources.runs, self.session, session, message)
        run = await self._resources.runs.fork(session, at, f"branched at {message}")
        await self._resources.runs.mark(run, "stopped")
        await asyncio.to_thread(copy_recordings, self._resources.artifacts, session, run.id)
        branched = self.kind.perform(run)
        await branched.branch(message)
        await _check_entered(self, run.id)
        return session_view(run.id, branched.state)

    # From and to other programs.

    async def chat(self, session: str) -> TavernChat:
        """The conversation as a chat file that other programs read."""
        record = await self._open.record(session)
        return chat_of(session, await self._open.state(session), record.created_at)

    async def take_in(
        self,
        chat: TavernChat,
        template: str | EpisodeTemplate,
        player: Persona,
        *,
        model: str | None = None,
        reviewed: bool = True,
        session_id: str | None = None,
    ) -> tuple[SessionView, tuple[str, ...]]:
        """A new session that continues a chat from another program, with remarks on what was left out.

        If `reviewed`, a model looks for memories in its latest exchanges at once; otherwise when it is played on.
        """
        now, project = self._resources.clock.now(), self._resources.settings.project
        wanted = named_template(project, template) if isinstance(template, str) else template
        noted, remark = with_note(wanted, chat, load_card(project, wanted.character).display_name)
        bring = await asyncio.to_thread(brought, chat, now)
        view = await self.open(noted, named_by(chat, player), model=model, greets=False, session_id=session_id)
        opened = await self.session(view.id)
        await opened.bring(*bring.entries_for(opened.state.session), reviewed=reviewed)
        return await self.view(view.id), (*bring.remarks_for(opened.state.session), *filter(None, (remark,)))

    # The end of an episode.

    async def evaluate(self, session: str) -> EvaluationGiven | EvaluationFailed:
        """Evaluates a completed episode again."""
        return await (await self.session(session)).evaluate_again()

    async def directors_cut(self, session: str) -> DirectorsCut:
        return directors_cut(await self._open.state(session))

    async def delete(self, session: str) -> None:
        """Deletes a session with its log, messages, recordings, results, shares and memories."""
        await self._open.drop(session)
        await self._resources.runs.delete(session)
        await asyncio.to_thread(delete_recordings, self._resources.artifacts, session)

    async def rebuild(self, session: str) -> None:
        """Rebuild the tables of a session from its log."""
        await (opened := await self.session(session)).tables.record(opened)

    async def settle(self, session: str) -> None:
        """Returns when a session is idle in this process."""
        if (opened := self._open.get(session)) is not None:
            await opened.settled()

    async def close(self) -> None:
        """Stops every turn; the logs say where to continue."""
        await self._open.close()

    async def _suggest(self, state: EpisodeState) -> Suggestion | None:
        opened = state.session
        repertoire = await asyncio.to_thread(self.repertoire)
        playable = self._resources.settings.players.open
        if playable is not None and "*" not in playable:
            found = tuple(one for one in repertoire.templates if one.name in playable)
            repertoire = repertoire.model_copy(update={"templates": found})
        evaluated = state.evaluation
        return suggest(
            opened.template,
            repertoire,
            series=opened.series.name if opened.series else None,
            result=evaluated.result if evaluated else None,
            pack=opened.pack,
            display_name=opened.display_name,
            played=await self.tables.played(opened.player.id),
        )

    def _checked_words(self, text: str) -> str:
        return checked_words(text, self._resources.settings.episodes.longest_message)


def _window(resources: Resources, model: str) -> int:
    return resources.gateway.open(model).profile.context_window


async def _check_entered(episodes: Episodes, session: str) -> None:
    """Raises PlayerDeleted if the player of a new session was deleted meanwhile, and leaves nothing of it."""
    if await episodes.tables.session(session) is None:
        with suppress(NotFound):  # whoever deleted the player found it
            await episodes.delete(session)
        raise PlayerDeleted


async def _cast(resources: Resources, character: str, own: str | None, model: str | None) -> tuple[str, str]:
    """The names of the models for a character and for the director; both have been opened once."""
    gateway, models = resources.gateway, resources.settings.models
    plays = model or own_model(models.characters, character)
    plays = plays or check_authored_model(resources.settings, own, f"the card of {character}")
    plays = plays or (await resources.choose()).name
    director = who_judges(None if model else models.director, plays, gateway.open(plays).profile)[0]
    gateway.open(director)
    await gateway.ready()
    return plays, director


def checked_words(text: str, most: int) -> str:
    """What a player typed, cleaned. Raises InvalidConfig if it is empty or too long."""
    words = cleaned(text).strip()
    if all(unicodedata.category(mark) in BLANK for mark in words):
        raise InvalidConfig("The message is empty. Type something, even '...'.")
    if len(words) > most:
        raise InvalidConfig(
            f"The message has {len(words):,} characters; the limit is {most:,}. Please shorten it.",
            length=len(words),
            limit=most,
        )
    return words


def _checked_id(client_id: str) -> str:
    if len(client_id) > LONGEST_ID or cleaned(client_id) != client_id or not client_id.strip():
        raise InvalidConfig(f"A message id has 1 to {LONGEST_ID} plain characters.")
    return client_id
