"""The tools. Each is a call of one front; an error is one sentence that says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from dramaturg.characters import known_cards, load_card
from dramaturg.ensemble.request import request_from
from dramaturg.episodes.card_talk import card_talk
from dramaturg.episodes.events import Persona
from dramaturg.episodes.wire import CareEvent, ErrorEvent, MessageCompleteEvent
from dramaturg.kernel.errors import AuthorError, DramaturgError, InvalidConfig, NotFound
from dramaturg.kernel.runs.costs import cost_table
from dramaturg.mcp_server.foreman import foreman_answer
from dramaturg.mcp_server.results import (
    CharacterAnswer,
    CharacterEntries,
    CharacterEntry,
    CostEntry,
    EnsembleAnswer,
    ForemanAnswer,
    RunCosts,
    RunEntries,
    RunEntry,
    RunProgress,
    RunTranscript,
    SceneEntries,
    SceneEntry,
)
from dramaturg.scenes.scene import find_scene, known_scenes
from dramaturg.scenes.wire import SceneResult
from dramaturg.server.run_pages import public_runs
from dramaturg.studio import Studio

P = ParamSpec("P")
T = TypeVar("T")
PLAYER = "mcp"
"""Whose sessions the talks through this door are."""
LONGEST_WAIT = 50.0
MOST_RUNS = 200
UNFINISHED = "[SCENE STOPPED"
RunId = Annotated[str, Field(description="the id of a run, or its first characters", max_length=40)]


def told(tool: Callable[P, Coroutine[object, object, T]]) -> Callable[P, Coroutine[object, object, T]]:
    """A tool whose errors reach the client as they reach a person: one sentence."""

    @wraps(tool)
    async def telling(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except DramaturgError as error:
            raise ToolError(f"{error.message} ({error.code})") from error

    return telling


def _settled_lines(text: str, status: str) -> list[str]:
    """The lines of a run that stay as they are: while it is played, not its end, which says it is unfinished."""
    lines = text.strip().splitlines()
    if status != "playing":
        return lines
    end = next((number for number, line in enumerate(lines) if line.startswith(UNFINISHED)), len(lines))
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _scene(project: Path, name: str) -> SceneEntry:
    try:
        config = find_scene(project, name)
    except AuthorError as error:
        return SceneEntry(name=name, problem=error.message)
    return SceneEntry(name=name, title=config.title, characters=list(config.characters))


def _character(project: Path, name: str) -> CharacterEntry:
    try:
        return CharacterEntry(name=name, display_name=load_card(project, name).display_name)
    except AuthorError as error:
        return CharacterEntry(name=name, problem=error.message)


class Tools:
    """The tools of one open studio."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    @property
    def all(self) -> tuple[Callable[..., Coroutine[object, object, object]], ...]:
        return (
            self.list_scenes, self.play_scene, self.follow_run, self.stop_run,
            self.list_characters, self.talk_to_character, self.ask_ensemble, self.consult_foreman,
            self.list_runs, self.read_transcript, self.read_costs,
        )  # fmt: skip

    @told
    async def list_scenes(self) -> SceneEntries:
        """List the scenes of this story project that play_scene can play, with their casts."""
        project = self._studio.settings.project
        return SceneEntries(scenes=[await asyncio.to_thread(_scene, project, name) for name in known_scenes(project)])

    @told
    async def play_scene(
        self,
        scene: Annotated[str, Field(description="the name of a scene, from list_scenes", max_length=80)],
        model: Annotated[
            str | None,
            Field(description="what plays: provider/model, or 'rehearsal' for scripted players without a model"),
        ] = None,
        seed: Annotated[int | None, Field(description="another seed gives the rehearsal company other lines")] = None,
    ) -> RunEntry:
        """Start a scene: its characters play the situation until its goal is reached or its beats are used up.

        Returns at once with the id of the run. Watch it with follow_run, and read it with read_transcript.
        """
        scenes = self._studio.scenes
        run = await scenes.open(find_scene(self._studio.settings.project, scene), model=model, seed=seed)
        scenes.start(run)
        return await self._entry(run.id)

    @told
    async def follow_run(
        self,
        run: RunId,
        after: Annotated[int, Field(ge=0, description="`after` of the last call; 0 for the beginning")] = 0,
        wait_seconds: Annotated[
            float, Field(ge=0, le=LONGEST_WAIT, description="how long to wait for something new")
        ] = 20.0,
    ) -> RunProgress:
        """What has happened in a run since the last look: waits until there is something new, or the run is over.

        Call it again with the returned `after` until `is_over` is true.
        """
        run_id = await self._open_to_us(run)
        opened, kind = await self._studio.runs.open_with_kind(run_id)
        lines = _settled_lines(kind.show(opened), opened.record.status)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                while len(lines) <= after and opened.record.status == "playing":
                    async with aclosing(self._studio.runs.tail(run_id, opened.seq)) as entries:
                        await anext(entries, None)
                    opened, kind = await self._studio.runs.open_with_kind(run_id)
                    lines = _settled_lines(kind.show(opened), opened.record.status)
        status = opened.record.status
        return RunProgress(
            run=run_id, status=status, is_over=status != "playing", after=len(lines), lines=lines[after:]
        )

    @told
    async def stop_run(self, run: RunId) -> RunEntry:
        """Stop a run that is being played. What was played is kept, and `dramaturg runs resume` plays it on."""
        await self._studio.cancel(await self._open_to_us(run))
        return await self._entry(run)

    @told
    async def list_characters(self) -> CharacterEntries:
        """List the characters of this project whom talk_to_character can talk to."""
        project = self._studio.settings.project
        return CharacterEntries(
            characters=[await asyncio.to_thread(_character, project, name) for name in known_cards(project)]
        )

    @told
    async def talk_to_character(
        self,
        message: Annotated[str, Field(description="what is said to the character", min_length=1, max_length=8000)],
        character: Annotated[
            str | None, Field(description="whom to talk to, from list_characters; begins a new talk", max_length=120)
        ] = None,
        session: Annotated[
            str | None, Field(description="the session of an earlier answer; goes on with that talk", max_length=40)
        ] = None,
    ) -> CharacterAnswer:
        """Say something to a character and get the answer. Give a character to begin a talk, or a session to go on.

        The character remembers the talk, and what it learned about you in earlier ones.
        """
        if (character is None) == (session is None):
            raise InvalidConfig("Give either a character, to begin a talk, or a session, to go on with one.")
        episodes, remark = self._studio.episodes, ""
        if session is None:
            card = await asyncio.to_thread(load_card, self._studio.settings.project, character or "")
            view = await episodes.open(card_talk(card), Persona(id=PLAYER), greets=False)
            session, remark = view.id, view.remark
        else:
            session = await self._own_session(session)
        answers: list[str] = []
        async with aclosing(episodes.say(session, message)) as events:
            async for event in events:
                if isinstance(event, ErrorEvent):
                    raise ToolError(f"{event.message} ({event.code}) Your message is kept in session {session}.")
                if isinstance(event, MessageCompleteEvent):
                    answers.append(event.content)
                elif isinstance(event, CareEvent):
                    answers.append(event.text)
        return CharacterAnswer(session=session, answer="\n\n".join(answers), remark=remark)

    @told
    async def ask_ensemble(
        self,
        message: Annotated[str, Field(description="what is asked", min_length=1, max_length=4000)],
        slots: Annotated[
            list[int] | None, Field(description="who answers, by number, such as [1, 2]; all of them if not set")
        ] = None,
        kiosk: Annotated[str, Field(description="whose conversation this goes on with", max_length=64)] = PLAYER,
    ) -> EnsembleAnswer:
        """Ask up to six voices: each answers, comments on another, and replies to comments. Takes a whole session."""
        asked = request_from({"message": message, "slots": slots, "kiosk": kiosk, "audio": False})
        run = await self._studio.ensemble.ask(asked)
        async for _ in self._studio.ensemble.follow(run.id):
            pass
        opened, kind = await self._studio.runs.open_with_kind(run.id)
        return EnsembleAnswer(run=run.id, text=kind.show(opened).strip())

    @told
    async def consult_foreman(
        self,
        message: Annotated[str, Field(description="what the writer says to the Foreman", min_length=1)],
    ) -> ForemanAnswer:
        """Say something to the Foreman, the editor who plans this project's book with its writer.

        He answers and may act: record decisions, ask notebooks, write pages of the story bible, begin long work. What
        needs the writer's yes is offered, not done; say yes in the next message to confirm it.
        """
        return await foreman_answer(self._studio.workshop, message)

    @told
    async def list_runs(
        self,
        kind: Annotated[
            str | None, Field(description="only runs of this kind: scene, act, ensemble, foreman, why", max_length=40)
        ] = None,
        limit: Annotated[int, Field(ge=1, le=MOST_RUNS)] = 20,
    ) -> RunEntries:
        """List what was played here, newest first. Players' sessions with characters are private and not listed."""
        shown = (await public_runs(self._studio.runs, limit, kind=kind)).records
        return RunEntries(runs=[RunEntry(run=one.id, kind=one.kind, name=one.name, status=one.status) for one in shown])

    @told
    async def read_transcript(self, run: RunId) -> RunTranscript:
        """Read a run as text: the lines of a scene, the answers of an ensemble, a talk of yours with a character."""
        opened, kind = await self._studio.runs.open_with_kind(await self._open_to_us(run))
        result = kind.result(opened)
        status = opened.record.status
        if not isinstance(result, SceneResult):
            return RunTranscript(run=opened.id, status=status, text=kind.show(opened).strip())
        return RunTranscript(
            run=opened.id,
            status=status,
            text=result.transcript,
            goal_achieved=result.metadata.goal_achieved if status == "ended" else None,
            reason=result.metadata.reason or "",
        )

    @told
    async def read_costs(self, run: RunId) -> RunCosts:
        """What a run has used: calls, tokens and money, in all and by character and purpose."""
        opened, kind = await self._studio.runs.open_with_kind(await self._open_to_us(run))
        table = cost_table(await kind.paid_entries(opened), kind.step_of)
        total = table.total
        return RunCosts(
            run=opened.id,
            calls=total.calls,
            input_tokens=total.input_tokens,
            output_tokens=total.output_tokens,
            usd=total.usd,
            by_role=[CostEntry.of(row) for row in table.rows],
        )

    async def _entry(self, run: str) -> RunEntry:
        record = await self._studio.runs.get(run)
        return RunEntry(run=record.id, kind=record.kind, name=record.name, status=record.status)

    async def _open_to_us(self, run: str) -> str:
        """The whole id of a run that may be read here. Raises NotFound, also for a session of somebody else's."""
        record = await self._studio.runs.get(run)
        if self._studio.runs.kind_of(record).private:
            return await self._own_session(record.id)
        return record.id

    async def _own_session(self, session: str) -> str:
        record = await self._studio.episodes.tables.session(session)
        if record is None or record.player_id != PLAYER:
            raise NotFound(
                f"There is no session '{session[:40]}' of yours. Begin one with a character.", run=session[:40]
            )
        return record.id
