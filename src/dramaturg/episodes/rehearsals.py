"""Rehearsals as runs: begun, listed and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from dramaturg.characters import load_card
from dramaturg.episodes.rehearsal.cues import Temper
from dramaturg.episodes.rehearsal.players import TEMPERS
from dramaturg.episodes.rehearsal_report import RehearsalReport
from dramaturg.episodes.rehearsal_room import MOST_TURNS
from dramaturg.episodes.rehearsal_run import PLAYER, REHEARSAL, RehearsalKind, RehearsalOpened, RehearsalRun
from dramaturg.episodes.template import named_template
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.costs import answers
from dramaturg.kernel.store import Status
from dramaturg.kernel.values import Value

if TYPE_CHECKING:
    from dramaturg.episodes.front import Episodes


class RehearsalSummary(Value):
    """A rehearsal in brief. Times are seconds since 1970."""

    run: str = Field(examples=["1mkq8zt4c0v7hxw3rn"])
    episode: str = Field(examples=["the-ferryman"])
    title: str
    status: Status
    created_at: float
    models: tuple[str, ...] = Field(description="the models that answered as the character and its director so far")
    players: str = Field(description="the model that plays the players")
    played: int = Field(description="sessions that are over")
    of: int = Field(description="sessions in all")
    completed: int = Field(description="sessions in which the episode was completed")
    leaks: int
    clues_never_found: int
    now: Temper | None = Field(None, description="the player who plays now")


class RehearsalDetail(RehearsalSummary):
    """A rehearsal with what came of it so far."""

    report: RehearsalReport


class RehearsalRuns:
    """The rehearsals of a project's episodes."""

    def __init__(self, resources: Resources, episodes: Episodes) -> None:
        self._resources = resources
        self.kind = RehearsalKind(resources, episodes)

    async def open(
        self,
        episode: str,
        *,
        times: int = 1,
        most_turns: int = MOST_TURNS,
        model: str | None = None,
        director: str | None = None,
        players: str = REHEARSAL,
    ) -> RehearsalRun:
        """A new rehearsal of an episode as its file stands. Raises NotFound, or InvalidConfig and InvalidSettings."""
        resources = self._resources
        template = named_template(resources.settings.project, episode)
        for character in template.characters or (template.character,):
            load_card(resources.settings.project, character)
        for name in filter(None, (players, model, director)):
            resources.gateway.open(name)
        opened = RehearsalOpened(
            template=template,
            tempers=TEMPERS,
            times=times,
            most_turns=most_turns,
            model=model,
            director=director,
            players=players,
        )
        return await resources.runs.create(self.kind, template.name, opening=(opened,))

    async def newest(self, limit: int = 50, episode: str | None = None) -> tuple[RehearsalSummary, ...]:
        """The rehearsals of all episodes or of one, newest first."""
        found = []
        for record in await self._resources.runs.find(kind=REHEARSAL, limit=limit):
            if episode is not None and record.name != episode:
                continue
            try:
                found.append(self._detail(await self._resources.runs.open_as(self.kind, record.id)))
            except NotFound:  # deleted meanwhile
                continue
        return tuple(RehearsalSummary.model_validate(one.model_dump(exclude={"report"})) for one in found)

    async def detail(self, run_id: str) -> RehearsalDetail:
        """A rehearsal with its report so far. Raises NotFound, also for a run of another kind."""
        return self._detail(await self._resources.runs.open_as(self.kind, run_id))

    def _detail(self, run: RehearsalRun) -> RehearsalDetail:
        state = self.kind.fold(run.entries)
        asked, report = state.rehearsal, state.report
        return RehearsalDetail(
            run=run.id,
            episode=asked.template.name,
            title=asked.template.title or asked.template.name,
            status=run.record.status,
            created_at=run.record.created_at,
            models=tuple(dict.fromkeys(one.answer.model for one in answers(run.entries) if one.who != PLAYER)),
            players=asked.players,
            played=len(state.played),
            of=len(state.rounds),
            completed=sum(one.completed for one in report.sessions),
            leaks=report.leaks,
            clues_never_found=len(report.clues_never_found),
            now=state.now.temper if state.now and run.record.status == "playing" else None,
            report=report,
        )
