"""What tests need to ask an ensemble: a studio with a model of their own, and a session played to its end."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dramaturg.ensemble.events import EnsembleRun
from dramaturg.ensemble.request import request_from
from dramaturg.ensemble.wire import sent_events
from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Model, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import EnsembleSettings, ModelSettings, Settings
from dramaturg.kernel.store import open_store
from dramaturg.studio import Studio
from tests.ensemble.booth import Fault, ToneBooth

PROFILES = {
    "calm_precise": "even and exact", "warm_gravel": "low and warm", "confident_charming": "sure of itself",
    "playful_expressive": "lively", "dry_measured": "dry", "bright_chatty": "quick and bright",
}  # fmt: skip
SCRIPTED = "scripted"


class HouseGateway(Gateway):
    """A gateway that knows one model more."""

    def __init__(self, settings: Settings, clock: Clock, model: Model | None) -> None:
        super().__init__(settings, clock)
        self._scripted = model

    def open(self, name: str) -> Model:
        return self._scripted if name == SCRIPTED and self._scripted else super().open(name)


@asynccontextmanager
async def open_table(
    project: Path,
    model: Model | None = None,
    *,
    audio: bool = True,
    fault: Fault | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    **ensemble: Any,
) -> AsyncGenerator[Studio, None]:
    """A studio whose ensemble is played by `model`, else by the company, and spoken by a booth of tones."""
    base = settings or Settings(project=project)
    chosen = base.model_copy(
        update={
            "models": ModelSettings(default=SCRIPTED if model else "rehearsal"),
            "ensemble": EnsembleSettings(audio=audio, **ensemble),
        }
    )
    clock = clock or StillClock()
    store = await open_store(chosen)
    gateway = HouseGateway(chosen, clock, model)
    studio = Studio(chosen, clock, store, gateway)
    studio.ensemble.voice_profiles = PROFILES
    studio.booth.booth = ToneBooth(studio.artifacts, fault) if audio else None
    try:
        yield studio
    finally:
        await studio.engine.close()
        await gateway.aclose()
        await store.close()


async def asked(studio: Studio, message: str = "What is courage?", **request: Any) -> EnsembleRun:
    """A session played to its end."""
    run = await studio.ensemble.open(request_from({"message": message, **request}))
    await studio.start(run)
    return await studio.ensemble.open_run(run.id)


async def play(
    project: Path, model: Model | None = None, message: str = "What is courage?", **options: Any
) -> EnsembleRun:
    """Open a table, ask once, close it."""
    request = {key: options.pop(key) for key in ("slots", "kiosk", "turn3", "seed") if key in options}
    async with open_table(project, model, **options) as studio:
        return await asked(studio, message, **request)


def sent(run: EnsembleRun, name: str | None = None) -> list[dict[str, Any]]:
    """What a session sent, as JSON; of one event only, if it is named."""
    payloads = [json.loads(event.payload()) for event in sent_events(run.id, run.entries)]
    return [payload for payload in payloads if name is None or payload["event"] == name]


def scripted(answers: Mapping[str, Any] | Callable[[ModelRequest], Any]) -> ScriptedModel:
    """A model that answers by the key of a request, `turn-1/slot-2`; in protocol where nothing is said."""

    def answer(request: ModelRequest) -> Any:
        given = answers(request) if callable(answers) else answers.get(request.key)
        return in_protocol(request) if given is None else given

    return ScriptedModel(answer, name=SCRIPTED)


def in_protocol(request: ModelRequest) -> str:
    turn, slot = (int(part[-1]) for part in request.key.partition("#")[0].split("/"))
    if turn != 2:
        return json.dumps({"text": f"Slot {slot} speaks in turn {turn}.", "voice_profile": "dry_measured"})
    return json.dumps({"targetSlotId": slot % 6 + 1, "comment": f"Slot {slot} has a word.", "voice_profile": ""})


def comment(target: object, text: str = "I like that.") -> str:
    return json.dumps({"targetSlotId": target, "comment": text, "voice_profile": "calm_precise"})
