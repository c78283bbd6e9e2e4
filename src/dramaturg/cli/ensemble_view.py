"""A session of the ensemble in a terminal: watched as it is played, and what it made."""

from __future__ import annotations

from contextlib import closing
from functools import singledispatchmethod
from pathlib import Path

from rich.console import Console
from rich.status import Status
from rich.text import Text

from dramaturg.cli.edge import print_json, stdout, tell
from dramaturg.cli.interruption import resumable
from dramaturg.ensemble.events import EnsembleRun
from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.ensemble.transcript import TITLES, dropped_note
from dramaturg.ensemble.wire import (
    RouteDone,
    SessionDone,
    SessionEvent,
    SessionQueued,
    SessionRemark,
    SessionVoiced,
    SessionVoicing,
    SlotAudio,
    SlotDone,
    SlotErrorEvent,
    SlotStart,
    TurnSkip,
    TurnStart,
    sent_events,
)
from dramaturg.kernel.text.counts import counted
from dramaturg.studio import Studio
from dramaturg.voices.voicing import VoicingRequest

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")


async def watch_session(studio: Studio, run: EnsembleRun, *, json: bool) -> SessionManifest:
    """Play a session and print it from its beginning. If it is interrupted or fails, say how to resume it."""
    task = studio.start(run)
    async with resumable(studio, run.id, "session", json=json):
        await _print_session(studio, run.id, 0, json=json)
        await task
    return studio.ensemble.manifest(run)


async def watch_voicing(studio: Studio, run_id: str, asked: VoicingRequest, *, json: bool) -> SessionManifest:
    """Have a session spoken that is over, and print each line as it is. If interrupted, say how to resume it."""
    before = await studio.ensemble.open_run(run_id)
    after = sum(1 for _ in sent_events(before.id, before.entries))
    await studio.ensemble.voice(before.id, asked)
    async with resumable(studio, before.id, "voicing", json=json):
        await _print_session(studio, before.id, after, json=json)
    await studio.engine.settled(before.id)
    return studio.ensemble.manifest(await studio.ensemble.open_run(before.id))


async def _print_session(studio: Studio, run_id: str, after: int, *, json: bool) -> None:
    if json:
        async for event in studio.ensemble.follow(run_id, after):
            print_json(event.model_dump(mode="json", by_alias=True, exclude_none=True))
        return
    with closing(EnsembleView(stdout())) as view:
        async for event in studio.ensemble.follow(run_id, after):
            view.show(event)


class EnsembleView:
    """Prints a session as it happens: texts as they arrive, and at the bottom who is still thinking or speaking."""

    def __init__(self, console: Console, *, live: bool = True) -> None:
        self._console = console
        self._thinking: set[int] = set()
        self._unheard = self._heard = 0
        self._skipped = ""
        self._status: Status | None = console.status("") if live and console.is_terminal else None
        if self._status is not None:
            self._status.start()

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, event: SessionEvent) -> None:
        """Print one event; those that a person at a terminal does not need are skipped."""
        self._shown(event)
        if self._status is not None:
            self._status.update(self._status_line())

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
        self._unheard = max(0, self._unheard - 1)
        self._heard += 1
        text = self._name(event.slot_id, event.agent_id)
        if event.status == "unspoken":
            self._row(text.append(f" stays text: {event.reason}", style="yellow"))
        elif self._status is None:
            seconds = (event.duration_ms or 0) / 1000
            heard = counted(self._heard, "line")
            tell(f"  turn {event.turn_index}, {text.plain}: spoken, {seconds:.1f} s ({heard} so far)")

    @_shown.register
    def _(self, event: SessionVoicing) -> None:
        self._unheard = event.line_count
        lines = counted(event.line_count, "line")
        self._row(Text(f"{event.engine} is asked to speak {lines}.", style="dim"))

    @_shown.register
    def _(self, event: SessionVoiced) -> None:
        self.close()
        rest = f", {event.failed_count} failed" if event.failed_count else ""
        rest += f", {event.unspoken_count} stay text" if event.unspoken_count else ""
        self._row(Text(f"{counted(event.spoken_count, 'line')} spoken{rest}.", style="dim"))

    @_shown.register
    def _(self, event: SlotErrorEvent) -> None:
        self._thinking.discard(event.slot_id)
        self._unheard -= event.error.type == "tts_error"
        text = self._name(event.slot_id, event.agent_id)
        self._row(text.append(f": {event.error.message}", style="red"))

    @_shown.register
    def _(self, event: RouteDone) -> None:
        if event.dropped:
            self._row(Text(dropped_note(len(event.dropped)), style="dim"))

    @_shown.register
    def _(self, event: TurnSkip) -> None:
        if event.message != self._skipped:  # what ends two turns is told once
            self._row(Text(f"\n{event.message}", style="dim"))
        self._skipped = event.message

    @_shown.register
    def _(self, event: SessionRemark) -> None:
        self._row(Text(event.message, style="dim"))

    @_shown.register
    def _(self, event: SessionQueued) -> None:
        self._row(Text("This kiosk is answering others first; your question is queued.", style="dim"))

    @_shown.register
    def _(self, event: SessionDone) -> None:
        self.close()

    def _name(self, slot: int, agent: str) -> Text:
        colour = COLOURS[(slot - 1) % len(COLOURS)]
        return Text().append(f"{slot} ", style="dim").append(agent, style=f"bold {colour}")

    def _status_line(self) -> Text:
        thinking = f"{len(self._thinking)} thinking" if self._thinking else ""
        speaking = f"{self._heard} of {self._heard + self._unheard} lines spoken" if self._unheard > 0 else ""
        return Text(", ".join(filter(None, (thinking, speaking))), style="dim")

    def _row(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


def print_manifest(manifest: SessionManifest, project: Path, *, json: bool) -> None:
    """What a session made, and where it is."""
    if json:
        print_json(manifest.model_dump(mode="json", by_alias=True))
        return
    sounds = [line.audio for turn in manifest.turns for line in turn.lines if line.audio]
    seconds = sum(sound.duration_ms for sound in sounds) / 1000
    console = stdout()
    folder = project / "data" / "artifacts" / "tts" / "sessions" / manifest.session_id
    is_silent = bool(sounds) and all(sound.silent for sound in sounds)
    what = "silence (the engine is meant for tests)" if is_silent else "speech"
    files = counted(len(sounds), "WAV file")
    heard = f"{files}, {seconds:.0f} s of {what} by {sounds[0].engine}" if sounds else "text only"
    console.print(Text(f"\n{heard}", style="dim"), soft_wrap=True)
    console.print(Text(" ".join((f"{folder}/", *_children(folder))), style="dim"), soft_wrap=True)
    console.print(Text(f"session {manifest.session_id}", style="dim"), soft_wrap=True)


def _children(folder: Path) -> list[str]:
    """What is in a folder, by name; nothing if it does not exist."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(f"{child.name}/" if child.is_dir() else child.name for child in found)
