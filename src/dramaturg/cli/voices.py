"""`voices`: who can speak aloud here, a line said to a file, and every voice measured."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import get_args

import typer
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import MODEL, perform, say, settings_of, stdout, tell
from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.settings import Settings, VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.voices.audition import SENTENCE, Audition, audition
from dramaturg.kernel.voices.engines import OFFLINE, EngineState, open_booth, open_engine, survey
from dramaturg.kernel.voices.profiles import cast_of, profiles
from dramaturg.kernel.voices.recording import Recording

ENGINES: tuple[str, ...] = get_args(VoiceSettings.model_fields["engine"].annotation)


@dataclass(frozen=True, slots=True)
class SayOptions:
    """How a line is said, and where to."""

    voice: str | None = None
    profile: str | None = None
    engine: str | None = None
    out: Path | None = None
    force: bool = False
    json: bool = False


def list_voices(project: Path, json: bool) -> None:
    """Engines with why each can or cannot speak, their voices, the profiles."""

    async def work() -> list[EngineState]:
        return survey(settings_of(project))

    states = perform(work, json=json)
    if json:
        for state in states:
            say(state.model_dump(mode="json"))
        for one in profiles().values():
            say(one.model_dump(mode="json"))
        return
    console = stdout()
    for state in states:
        console.print(_heading(state), soft_wrap=True)
        if state.voices:
            console.print(_listed({voice.name: voice.description for voice in state.voices}))
    console.print("\nProfiles, for --profile and for agents that choose how a line is said:")
    console.print(_listed({one.name: one.about for one in profiles().values()}))


def say_line(text: str, project: Path, options: SayOptions) -> None:
    """Speak a text into a WAV file. What is not read aloud (stage directions, links) is left out."""

    async def work() -> tuple[Recording, Path]:
        out = _free(options.out, force=options.force)
        settings = with_engine(settings_of(project), options.engine)
        async with open_booth(settings, Artifacts(out.parent), keep=False) as booth:
            if booth.remark:
                tell(booth.remark, "yellow")
            return await booth.record(text, out.name, profile=options.profile, voice=options.voice), out

    recording, out = perform(work, json=options.json)
    if options.json:
        say(recording.model_dump(mode="json") | {"path": str(out)})
        return
    measured = "silence" if recording.silent else _loudness(recording.lufs)
    tell(
        f"Written to {out}: {recording.engine}, {recording.voice}, {recording.duration_ms / 1000:.1f} s, {measured}",
    )


def check_voices(project: Path, engine: str | None, json: bool) -> None:
    """Measure each voice; exit 3 if one is silent or broken, or the engine cannot speak."""

    async def work() -> list[Audition]:
        heard = []
        async for one in _auditions(with_engine(settings_of(project), engine)):
            heard.append(one)
            if json:
                say(one.model_dump(mode="json"))
            else:
                stdout().print(_row(one), soft_wrap=True)
        return heard

    if not json:
        stdout().print(f"Each voice says: “{SENTENCE}”", soft_wrap=True)
    heard = perform(work, json=json)
    faulty = [one for one in heard if one.fault]
    if not json:
        stdout().print(f"{len(heard) - len(faulty)} of {len(heard)} voices are in order.")
    if faulty:
        raise typer.Exit(MODEL)


async def _auditions(settings: Settings) -> AsyncIterator[Audition]:
    wanted = settings.voices.engine
    for name in OFFLINE if wanted == "auto" else (wanted,):
        try:
            engine = open_engine(name, settings)
        except VoiceError as error:
            yield Audition(engine=name, voice="-", fault=error.message)
            continue
        voices = [listing.name for listing in engine.known()] or cast_of(name).order
        try:
            # The first line also pays for loading the engine, and is not measured.
            await audition(engine, voices[0], "Hello.")
            for voice in voices:
                yield await audition(engine, voice)
        finally:
            await engine.aclose()


def with_engine(settings: Settings, engine: str | None) -> Settings:
    if engine is None:
        return settings
    if engine not in ENGINES:
        raise InvalidConfig(f"There is no engine '{engine}'. Known here: {', '.join(ENGINES)}.", engine=engine)
    return settings.model_copy(update={"voices": settings.voices.model_copy(update={"engine": engine})})


def _free(out: Path | None, *, force: bool) -> Path:
    """The file to write: the one that was named, else the first of line.wav, line-2.wav … that is not there."""
    if out is None:
        names = (Path(f"line-{number}.wav" if number > 1 else "line.wav") for number in count(1))
        return next(path for path in names if not path.exists())
    if out.is_dir() or not out.name:
        raise InvalidConfig(f"{out} is a folder. Give the name of a file.", file=str(out))
    if out.suffix.lower() != ".wav":
        raise InvalidConfig(f"{out} would be a WAV file by another name. Call it {out.name}.wav.", file=str(out))
    if out.exists() and not force:
        raise InvalidConfig(f"{out} exists already. Give another name, or --force.", file=str(out))
    return out


def _heading(state: EngineState) -> Text:
    text = Text(state.engine, style="bold")
    mark, style = ("usable", "green") if state.usable else ("not usable", "yellow")
    return text.append(f"  {mark}: {state.reason}", style)


def _listed(rows: dict[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for name, about in rows.items():
        table.add_row(name, Text(about, style="dim"))
    return table


def _row(one: Audition) -> Text:
    text = Text(f"{one.engine:8} {one.voice:12}")
    if one.duration_ms:
        peak = f"{one.peak_db:5.1f} dBTP" if one.peak_db is not None else "    no peak"
        text.append(
            f" {one.duration_ms / 1000:5.2f} s  {_loudness(one.lufs)}  {peak}  "
            f"{one.cpu:6.3f} CPU s a second  {one.words:2} words"
        )
    return text.append(f"  FAULT: {one.fault}", "bold red") if one.fault else text


def _loudness(lufs: float | None) -> str:
    return f"{lufs:5.1f} LUFS" if lufs is not None else "too short for a loudness"
