"""`ensemble`: ask six voices something, from the command line."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import singledispatchmethod
from pathlib import Path

from rich.console import Console
from rich.status import Status
from rich.text import Text

from dramaturg.cli.edge import MODEL, fail, perform, say, settings_of, stdout, tell
from dramaturg.cli.voices import with_engine
from dramaturg.ensemble.events import EnsembleRun
from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.ensemble.request import ChatRequest, request_from
from dramaturg.ensemble.wire import (
    RouteDone,
    SessionDone,
    SessionEvent,
    SessionQueued,
    SessionRemark,
    SlotAudio,
    SlotDone,
    SlotErrorEvent,
    SlotStart,
    TurnSkip,
    TurnStart,
    sent_events,
)
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.studio import Studio

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")
TITLES = {1: "They answer", 2: "They comment on each other", 3: "They reply"}


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How the ensemble is asked, and how that is shown."""

    slots: str = ""
    audio: bool = True
    kiosk: str = "main"
    model: str | None = None
    engine: str | None = None
    json: bool = False


def ask(message: str, project: Path, options: AskOptions) -> None:
    async def work() -> SessionManifest:
        settings = with_engine(settings_of(project), options.engine)
        request = _request(message, options)
        async with Studio.open(settings) as studio:
            if not options.model and not options.json and not settings.models.default:
                tell((await studio.choose()).reason, "dim")
            run = await studio.open_ensemble(request, model=options.model)
            return await _watch(studio, run, studio.start(run), options)

    manifest = perform(work, json=options.json)
    if options.json:
        say(manifest.model_dump(mode="json", by_alias=True))
    else:
        _farewell(manifest, project)
    if not manifest.completed_slots:
        import typer

        raise typer.Exit(MODEL)


def reset(kiosk: str, project: Path) -> None:
    async def work() -> None:
        async with Studio.open(settings_of(project)) as studio:
            await studio.reset(kiosk)

    perform(work)
    tell(f"Kiosk '{kiosk}' begins anew. What was said stays in its sessions.")


def show_session(run: EnsembleRun) -> None:
    """A session as it was, from its log."""
    view = EnsembleView(stdout(), live=False)
    for event in sent_events(run.id, run.entries):
        view.show(event)


async def resume_session(studio: Studio, run: EnsembleRun, *, json: bool) -> None:
    """Play a session on, and show it from its beginning."""
    manifest = await _watch(studio, run, studio.start(run), AskOptions(json=json))
    if json:
        say(manifest.model_dump(mode="json", by_alias=True))
    else:
        _farewell(manifest, studio.settings.project)


def _request(message: str, options: AskOptions) -> ChatRequest:
    asked: dict[str, object] = {"message": message, "kiosk": options.kiosk}
    if not options.audio:
        asked["audio"] = False
    if options.slots:
        asked["slots"] = _slots(options.slots)
    return request_from(asked)


def _slots(typed: str) -> list[int]:
    """'4' is the first four; '2,5,6' are those three."""
    parts = [part.strip() for part in typed.split(",")]
    if not all(part.isdecimal() and len(part) < 4 for part in parts):
        raise InvalidConfig(f"--slots is how many answer, or their numbers with commas (found '{typed}').")
    numbers = [int(part) for part in parts]
    return list(range(1, numbers[0] + 1)) if len(numbers) == 1 else numbers


async def _watch(studio: Studio, run: EnsembleRun, task: asyncio.Task[None], options: AskOptions) -> SessionManifest:
    view = None if options.json else EnsembleView(stdout())
    try:
        async for event in studio.session_events(run.id):
            if view is not None:
                view.show(event)
            else:
                say_event(event)
        await task
    except asyncio.CancelledError:
        await studio.engine.cancel(run.id)
        if view is not None:
            view.close()
            tell(f"\nStopped. Nothing is lost. Play on with: dramaturg runs resume {run.id}{_where(studio)}")
        raise
    except DramaturgError as error:
        if view is not None:
            view.close()
        fail(error, json=options.json)
    return studio.manifest(run)


def _where(studio: Studio) -> str:
    project = studio.settings.project
    return "" if project == Path() else f" --project {project}"


def say_event(event: SessionEvent) -> None:
    say(event.model_dump(mode="json", by_alias=True, exclude_none=True))


class EnsembleView:
    """Prints a session as it happens: texts as they come, and at the foot what is still being thought or spoken."""

    def __init__(self, console: Console, *, live: bool = True) -> None:
        self._console = console
        self._thinking: set[int] = set()
        self._unheard = 0
        self._status: Status | None = console.status("") if live and console.is_terminal else None
        if self._status is not None:
            self._status.start()

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, event: SessionEvent) -> None:
        """One event; what a person at a terminal does not need is passed over."""
        self._shown(event)
        if self._status is not None:
            self._status.update(self._foot())

    @singledispatchmethod
    def _shown(self, event: SessionEvent) -> None:
        pass

    @_shown.register
    def _(self, event: TurnStart) -> None:
        self._row(Text(f"\n{TITLES[event.turn_index]}", style="bold"))

    @_shown.register
    def _(self, event: SlotStart) -> None:
        self._thinking.add(event.slot_id)

    @_shown.register
    def _(self, event: SlotDone) -> None:
        self._thinking.discard(event.slot_id)
        self._unheard += 1
        text = self._name(event.slot_id, event.agent_id)
        if event.target_slot_id is not None:
            text.append(f" → {event.target_slot_id}", style="dim")
        text.append(f" ({event.voice_profile}): ", style="dim")
        self._row(text.append(event.text or event.comment or ""))

    @_shown.register
    def _(self, event: SlotAudio) -> None:
        self._unheard -= 1

    @_shown.register
    def _(self, event: SlotErrorEvent) -> None:
        self._thinking.discard(event.slot_id)
        self._unheard -= event.error.type == "tts_error"
        text = self._name(event.slot_id, event.agent_id)
        self._row(text.append(f": {event.error.message}", style="red"))

    @_shown.register
    def _(self, event: RouteDone) -> None:
        if event.dropped:
            self._row(Text(f"({len(event.dropped)} comments too many for one slot were left aside)", style="dim"))

    @_shown.register
    def _(self, event: TurnSkip) -> None:
        self._row(Text(f"\n{event.message}", style="dim"))

    @_shown.register
    def _(self, event: SessionRemark) -> None:
        self._row(Text(event.message, style="dim"))

    @_shown.register
    def _(self, event: SessionQueued) -> None:
        self._row(Text("Others are being answered at this kiosk; this is next.", style="dim"))

    @_shown.register
    def _(self, event: SessionDone) -> None:
        self.close()

    def _name(self, slot: int, agent: str) -> Text:
        colour = COLOURS[(slot - 1) % len(COLOURS)]
        return Text().append(f"{slot} ", style="dim").append(agent, style=f"bold {colour}")

    def _foot(self) -> Text:
        thinking = f"{len(self._thinking)} thinking" if self._thinking else ""
        speaking = f"{self._unheard} still to be spoken" if self._unheard > 0 else ""
        return Text(", ".join(filter(None, (thinking, speaking))), style="dim")

    def _row(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


def _farewell(manifest: SessionManifest, project: Path) -> None:
    sounds = [line.audio for turn in manifest.turns for line in turn.lines if line.audio]
    seconds = sum(sound.duration_ms for sound in sounds) / 1000
    console = stdout()
    folder = project / "data" / "artifacts" / "tts" / "sessions" / manifest.session_id
    heard = f"{len(sounds)} WAV files, {seconds:.0f} s of speech by {sounds[0].engine}" if sounds else "text only"
    console.print(Text(f"\n{heard}", style="dim"), soft_wrap=True)
    console.print(Text(f"{folder}/ session.json turn_1/ turn_2/ turn_3/", style="dim"), soft_wrap=True)
    console.print(Text(f"session {manifest.session_id}", style="dim"), soft_wrap=True)
