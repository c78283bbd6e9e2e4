"""A scene in which a test plays Bob: a scripted cast in a real studio, and a person who answers each cue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.events import SceneEvent, SceneRun
from dramaturg.scenes.person.shown import SeatCue, SeatEvent
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.studio import Studio
from tests.scenes.directions.steered import SCENE, said_by
from tests.scenes.memory.staging import studio_of
from tests.stage import write_cards

CAST = ("alice", "bob", "carol")
PERSON: dict[str, object] = {"played_by": "person", "wait": True}


def scene_with(bob: dict[str, object] | None = None, **changes: object) -> dict[str, object]:
    """The supper, with Bob played as the sheet says."""
    return {**SCENE, "maxBeats": 3, "parts": {"bob": bob or PERSON}, **changes}


@dataclass
class SeatedScene:
    """A run that is played, and the person who plays Bob in it."""

    studio: Studio
    run: SceneRun
    model: ScriptedModel
    holder: str = ""
    shown: list[SeatEvent] = field(default_factory=list)
    playing: asyncio.Task[None] | None = None

    async def sit(self, holder: str = "") -> None:
        _, self.holder = await self.studio.scenes.seats.take(self.run, "Bob", holder=holder)

    async def say(self, text: str, **options: object) -> None:
        run = await self.studio.scenes.open_run(self.run.id)
        await self.studio.scenes.seats.say(run, "bob", self.holder, text, **options)

    async def answer(self, *texts: str) -> None:
        """Answer each cue with the next text; after the last one the person leaves."""
        left = list(texts)
        async for _, event in self.studio.scenes.seats.follow(self.run.id, "bob"):
            self.shown.append(event)
            if isinstance(event, SeatCue) and left:
                await self.say(left.pop(0))
            elif isinstance(event, SeatCue):
                await self.studio.scenes.seats.leave(self.run, "bob", self.holder)

    async def play(self, *texts: str) -> SceneState:
        """Play to the end, with Bob's answers."""
        self.playing = self.studio.start(self.run)
        async with asyncio.timeout(240):
            await asyncio.gather(self.playing, self.answer(*texts))
        return self.state

    @property
    def state(self) -> SceneState:
        return scene_state(self.run.entries)

    @property
    def page(self) -> list[str]:
        return [line.rendered() for line in self.state.lines]

    def lines_of(self, speaker: str) -> list[str]:
        return [line.rendered() for line in self.state.lines if line.speaker == speaker]

    def events(self, kind: type[SceneEvent]) -> list[SceneEvent]:
        return [entry.event for entry in self.run.entries if isinstance(entry.event, kind)]

    def heard(self) -> list[str]:
        return [event.text for event in self.shown if event.type == "seat.heard"]


@asynccontextmanager
async def seated(
    project: Path, scene: dict[str, object] | None = None, answer: object = said_by, *, sits: bool = True
) -> AsyncIterator[SeatedScene]:
    """A scene that is opened and not played yet; the person holds the seat, unless told otherwise."""
    write_cards(project, CAST)
    model = ScriptedModel(answer, name="able")
    async with studio_of(project, model) as studio:
        run = await studio.scenes.open(scene_from(scene or scene_with()), model="able")
        seat = SeatedScene(studio, run, model)
        if sits:
            await seat.sit()
        yield seat


def asked(model: ScriptedModel) -> list[str]:
    """The keys of the lines that the model was asked for."""
    return [request.key for request in model.requests if request.purpose == "acting"]


def prompt_of(request: ModelRequest) -> str:
    return "\n".join([request.system, *(message.text for message in request.messages)])
