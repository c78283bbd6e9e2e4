"""What the run of a rehearsal is: simulated players' sessions, one after the other, and what came of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.episodes.new_session import Casting
from dramaturg.episodes.rehearsal.cues import Temper
from dramaturg.episodes.rehearsal_report import RehearsalReport, RehearsedSession, report_of
from dramaturg.episodes.rehearsal_room import RehearsalRound, rehearse_once, rounds_of
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.runs import Entry, Kind, ModelAnswered, Performance, Resources, Run
from dramaturg.kernel.runs.damage import unopened
from dramaturg.kernel.runs.events import Audience, Event, KernelEvent
from dramaturg.kernel.runs.fold import Fold

if TYPE_CHECKING:
    from dramaturg.episodes.front import Episodes

REHEARSAL = "rehearsal"
PLAYER = "player"
"""Who asks for a simulated player's words, as the log names it."""


class RehearsalOpened(Event):
    """An episode is rehearsed as it stands now: by which players, how often, with which models."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["rehearsal.opened"] = "rehearsal.opened"
    template: EpisodeTemplate
    tempers: tuple[Temper, ...]
    times: int
    most_turns: int
    model: str | None = None
    director: str | None = None
    players: str = REHEARSAL


class RehearsalSessionStarted(Event):
    """A simulated player begins to play; `time` counts from 0."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["rehearsal_session.started"] = "rehearsal_session.started"
    temper: Temper
    time: int


class RehearsalSessionEnded(Event):
    """A simulated player has played. Its session is deleted; this is what remains of it."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["rehearsal_session.ended"] = "rehearsal_session.ended"
    time: int
    session: RehearsedSession

    @property
    def is_progress(self) -> bool:
        return True


class RehearsalEnded(Event):
    """All players have played."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["rehearsal.ended"] = "rehearsal.ended"


RehearsalEvent = Annotated[
    RehearsalOpened | RehearsalSessionStarted | RehearsalSessionEnded | RehearsalEnded | KernelEvent,
    Field(discriminator="type"),
]
REHEARSAL_EVENTS: TypeAdapter[RehearsalEvent] = TypeAdapter(RehearsalEvent)
RehearsalRun: TypeAlias = Run[RehearsalEvent]


@dataclass(frozen=True, slots=True)
class RehearsalState:
    """What is rehearsed, who has played, and who plays now."""

    opened: RehearsalOpened | None = None
    played: tuple[RehearsalSessionEnded, ...] = ()
    now: RehearsalRound | None = None

    @property
    def rehearsal(self) -> RehearsalOpened:
        if self.opened is None:
            raise unopened("rehearsal")
        return self.opened

    @property
    def rounds(self) -> tuple[RehearsalRound, ...]:
        return rounds_of(self.rehearsal.tempers, self.rehearsal.times)

    @property
    def open_rounds(self) -> tuple[RehearsalRound, ...]:
        """The sessions that are still to be played."""
        done = {(one.session.temper, one.time) for one in self.played}
        return tuple(one for one in self.rounds if one not in done)

    @property
    def report(self) -> RehearsalReport:
        """What came of it so far."""
        return report_of(self.rehearsal.template, [one.session for one in self.played])


REHEARSAL_FOLD = Fold(RehearsalState())


@REHEARSAL_FOLD.on(RehearsalOpened)
def _(event: RehearsalOpened, state: RehearsalState, entry: Entry[Event]) -> RehearsalState:
    return replace(state, opened=event)


@REHEARSAL_FOLD.on(RehearsalSessionStarted)
def _(event: RehearsalSessionStarted, state: RehearsalState, entry: Entry[Event]) -> RehearsalState:
    return replace(state, now=RehearsalRound(event.temper, event.time))


@REHEARSAL_FOLD.on(RehearsalSessionEnded)
def _(event: RehearsalSessionEnded, state: RehearsalState, entry: Entry[Event]) -> RehearsalState:
    return replace(state, played=(*state.played, event), now=None)


class RehearsalKind(Kind[RehearsalEvent, RehearsalState]):
    """A rehearsal. A session that was broken off is played anew when it is resumed; the others stand."""

    name = REHEARSAL
    noun = "a rehearsal of an episode"
    events = REHEARSAL_EVENTS
    fold = REHEARSAL_FOLD

    def __init__(self, resources: Resources, episodes: Episodes) -> None:
        self._resources = resources
        self._episodes = episodes

    async def play(self, performance: Performance[RehearsalEvent, RehearsalState]) -> None:
        asked = performance.state.rehearsal
        player = self._resources.models(performance)(asked.players, PLAYER)
        for one in performance.state.open_rounds:
            await performance.write(RehearsalSessionStarted(temper=one.temper, time=one.time))
            rehearsed = await rehearse_once(
                self._episodes,
                asked.template,
                one,
                player,
                most_turns=asked.most_turns,
                models=Casting(asked.model, asked.director),
                rehearsal=performance.id,
            )
            paid = (_in_round(answered, one) for answered in rehearsed.paid)
            await performance.write(*paid, RehearsalSessionEnded(time=one.time, session=rehearsed.session))
        await performance.write(RehearsalEnded())

    def result(self, run: RehearsalRun) -> RehearsalReport:
        return self.fold(run.entries).report

    def show(self, run: RehearsalRun) -> str:
        report = self.result(run)
        completed = sum(one.completed for one in report.sessions)
        never = ", ".join(report.beats_never_reached) or "none"
        unfound = ", ".join(clue.id for clue in report.clues_never_found)
        lines = [
            f"{report.template}: {completed} of {len(report.sessions)} complete",
            *(
                f"{one.temper.replace('_', ' ')}: {one.turns} turns, {one.trigger or 'no end'}"
                for one in report.sessions
            ),
            f"Beats never reached: {never}. Leaks: {report.leaks}.",
            *([f"Clues never found: {unfound}."] if unfound else []),
        ]
        return "\n".join(lines) + "\n"


def _in_round(answered: ModelAnswered, one: RehearsalRound) -> ModelAnswered:
    """An answer of a session, under a key that tells it from those of the others."""
    return answered.model_copy(update={"key": f"{one.temper}-{one.time}/{answered.key}"})
