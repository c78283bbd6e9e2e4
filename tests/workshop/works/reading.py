"""A small work for tests: every scene is asked for its mood, one judge sees the moods, and a file has the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from dramaturg.kernel.models.port import Cue, CueAnswer
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult


class ReadingRequest(WorkRequest):
    scenes: int = Field(3, ge=0, le=50)


class ReadingResult(WorkResult):
    moods: dict[str, str]
    verdict: str


class Mood(Value):
    mood: str


class MoodFound(Event):
    """A mood was written down."""

    type: Literal["mood.found"] = "mood.found"
    scene: str
    mood: str


@dataclass(frozen=True, slots=True)
class ReadingCue(Cue):
    text: str

    def answer(self) -> CueAnswer:
        return CueAnswer(self.text)


class Reading(LongWork[ReadingRequest, ReadingResult]):
    """The moods of a book."""

    name = "reading"
    noun = "a reading"
    request = ReadingRequest
    result = ReadingResult
    events = (MoodFound,)

    async def plan(self, book: BookSources, request: ReadingRequest) -> WorkPlan:
        return WorkPlan(cells=_moods(request), later=(_verdict("?"),), blind_spots=("the story bible",))

    async def play(self, context: WorkContext[ReadingRequest]) -> ReadingResult:
        found = await context.ask_for(Mood, _moods(context.request))
        moods = {key: answer.mood for key, answer in found.answers.items()}
        told = {event.scene for event in context.own if isinstance(event, MoodFound)}
        await context.tell(*(MoodFound(scene=key, mood=mood) for key, mood in moods.items() if key not in told))
        judged = await context.ask([_verdict(", ".join(moods.values()))])
        verdict = judged.answers["verdict"].text
        Artifacts(context.book.project / "data").write_text("reading.txt", verdict)
        return ReadingResult(said=f"Read {len(moods)} scenes: {verdict}", moods=moods, verdict=verdict)


def _moods(request: ReadingRequest) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            key=f"scene-{number}",
            use="extraction",
            system="Name the mood of a scene.",
            text=f"Scene {number}: the lamp goes out.",
            max_tokens=50,
            cue=ReadingCue(f'{{"mood": "dark {number}"}}'),
        )
        for number in range(1, request.scenes + 1)
    )


def _verdict(moods: str) -> Cell:
    cue = ReadingCue("A gloomy book.")
    return Cell(key="verdict", use="judge", system="Judge the moods.", text=moods, max_tokens=80, cue=cue)


WORK = Reading()
