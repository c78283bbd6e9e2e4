"""What tests of episodes need: a project on disk, a studio with one model behind every name, and answers in form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import yaml

from dramaturg.episodes.events import Persona
from dramaturg.episodes.rehearsal_report import RehearsalReport
from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedAnswer, ScriptedModel
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.kernel.store import open_store
from dramaturg.studio import Studio
from tests.one_model import OneModel

MINA = """# Mina - Bartender

## Personality
- Quick, dry, kinder than she lets on

## Background
- Ran away from a law degree
"""
ANNA = Persona(id="anna", name="Anna")
FLIRT: dict[str, object] = {
    "name": "last-orders",
    "character": "mina",
    "title": "Last orders",
    "scene_card": {"title": "A bar after closing", "text": "One lamp is still lit."},
    "opening_line": "We're closed. Sit down.",
    "completion_mode": "turn_limited",
    "turn_budget": 3,
    "evaluation": "flirt_archetype",
}


def spoken(dialogue: str = "You took your time.", **more: object) -> str:
    """An answer as a model that keeps to the form gives it."""
    form = {"action": "She wipes a glass", "dialogue": dialogue, "internal": "He is nervous", "mood": "dry"}
    return json.dumps({**form, "tension_shift": 0.1, **more}, ensure_ascii=False)


def kind_of(request: ModelRequest) -> str:
    """answer, extraction, evaluation; of a repair, what is repaired."""
    return next(kind for kind in ("answer", "extraction", "evaluation") if f"/{kind}" in request.key)


def house(
    answer: Callable[[ModelRequest], ScriptedAnswer] | ScriptedAnswer | None = None,
    *,
    extraction: Callable[[ModelRequest], ScriptedAnswer] | ScriptedAnswer = "{}",
    evaluation: Callable[[ModelRequest], ScriptedAnswer] | ScriptedAnswer = "{}",
) -> ScriptedModel:
    """A model that plays, extracts and evaluates as it is told."""
    parts: Mapping[str, Callable[[ModelRequest], ScriptedAnswer] | ScriptedAnswer] = {
        "answer": spoken() if answer is None else answer,
        "extraction": extraction,
        "evaluation": evaluation,
    }

    def speak(request: ModelRequest) -> ScriptedAnswer:
        part = parts[kind_of(request)]
        return part(request) if callable(part) else part

    return ScriptedModel(speak)


class Halting(ScriptedModel):
    """Streams an answer in pieces and stops before some of them: until `go` is set, or for good with an error."""

    def __init__(self, text: str, *, after: int, error: Exception | None = None) -> None:
        super().__init__(lambda request: text if kind_of(request) == "answer" else "{}")
        self.go, self.reached = asyncio.Event(), asyncio.Event()
        self._after, self._error = after, error

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        number = 0
        async for piece in super().stream(request):
            if number == self._after and not self.go.is_set():
                self.reached.set()
                if self._error is not None:
                    self.go.set()
                    raise self._error
                await self.go.wait()
            number += 1
            await asyncio.sleep(0)
            yield piece


def write_project(project: Path, *templates: Mapping[str, object], series: Mapping[str, object] | None = None) -> None:
    (project / ".claude" / "agents").mkdir(parents=True, exist_ok=True)
    (project / ".claude" / "agents" / "mina.md").write_text(MINA, encoding="utf-8")
    (project / "episodes").mkdir(exist_ok=True)
    for template in templates:
        (project / "episodes" / f"{template['name']}.yaml").write_text(yaml.safe_dump(dict(template)), encoding="utf-8")
    if series is not None:
        (project / "series").mkdir(exist_ok=True)
        (project / "series" / f"{series['name']}.yaml").write_text(yaml.safe_dump(dict(series)), encoding="utf-8")


@asynccontextmanager
async def studio_of(
    project: Path,
    model: Model,
    *templates: Mapping[str, object],
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[Studio]:
    write_project(project, *(templates or (FLIRT,)))
    settings = settings or read_settings(project, {})
    store = await open_store(settings)
    studio = Studio(settings, clock or StillClock(), store, OneModel(model))
    try:
        yield studio
    finally:
        await studio.episodes.close()
        await studio.engine.close()
        await studio.booth.aclose()
        await store.close()


async def say(studio: Studio, session: str, text: str, client_id: str = "") -> list[StreamEvent]:
    """One turn, and what follows it."""
    events = [event async for event in studio.episodes.say(session, text, client_id)]
    await studio.episodes.settle(session)
    return events


def types(events: list[StreamEvent]) -> list[str]:
    return [event.type for event in events]


async def rehearsed(studio: Studio, episode: str, *, most_turns: int) -> RehearsalReport:
    """What comes of a rehearsal that is played to its end."""
    run = await studio.episodes.rehearsals.open(episode, most_turns=most_turns)
    await studio.start(run)
    return studio.episodes.rehearsals.kind.result(run)
