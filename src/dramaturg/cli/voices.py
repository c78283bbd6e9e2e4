"""`voices`: who can speak aloud here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import MODEL, check_can_write, perform, print_json, settings_of, stdout, tell, with_engine
from dramaturg.cli.group import noun
from dramaturg.cli.options import Force, Json, Project
from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.voices.audition import Audition
from dramaturg.voices.engines import EngineState

if TYPE_CHECKING:
    from dramaturg.kernel.settings import Settings
    from dramaturg.voices.audition import Audition
    from dramaturg.voices.engines import EngineState
    from dramaturg.voices.recording import Recording

app = noun(invoke_without_command=True)


@app.callback()
def list_voices(context: typer.Context, project: Project = Path(), json: Json = False) -> None:
    """List engines and why each can or cannot speak, their voices, and the profiles; unless a command follows."""
    if context.invoked_subcommand is not None:
        return
    from dramaturg.cli.voices_view import print_voices
    from dramaturg.voices.engines import survey
    from dramaturg.voices.profiles import profiles

    async def work() -> list[EngineState]:
        return survey(settings_of(project))

    states = perform(work, json=json)
    if json:
        for one in (*states, *profiles().values()):
            print_json(one.model_dump(mode="json"))
    else:
        print_voices(states, profiles().values())


@app.command("say")
def say_line(
    text: Annotated[str, typer.Argument(help="The text. Stage directions, Markdown and links are not read aloud.")],
    project: Project = Path(),
    voice: Annotated[str | None, typer.Option(help="A voice of the engine, or the name of a profile.")] = None,
    profile: Annotated[
        str | None, typer.Option(help="How it is said; also chooses the voice, if none is named.")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="kokoro, hibari, elevenlabs, openai-compatible or silent.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The WAV file to write.", show_default="line.wav")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Speak a line into a WAV file."""
    from dramaturg.cli.voices_view import loudness
    from dramaturg.kernel.store import Artifacts
    from dramaturg.voices.engines import open_booth

    async def work() -> tuple[Recording, Path]:
        file = _free(out, force=force)
        settings = with_engine(settings_of(project), engine)
        async with open_booth(settings, Artifacts(file.parent), keep=False) as booth:
            if booth.remark:
                tell(booth.remark, "yellow")
            return await booth.record(text, file.name, profile=profile, voice=voice), file

    recording, file = perform(work, json=json)
    if json:
        print_json(recording.model_dump(mode="json") | {"path": str(file)})
        return
    measured = "silence" if recording.silent else loudness(recording.lufs)
    spoken = f"{recording.engine}, {recording.voice}, {recording.duration_ms / 1000:.1f} s, {measured}"
    tell(f"Written to {file}: {spoken}")


@app.command("languages")
def list_languages() -> None:
    """What each voice really speaks, and how fast, as a table in Markdown."""
    from dramaturg.cli.edge import echo
    from dramaturg.voices.coverage import coverage_rows

    for row in coverage_rows():
        echo(row)


@app.command("check")
def check_voices(
    project: Project = Path(),
    engine: Annotated[str | None, typer.Option(help="Only this engine.", show_default="all offline ones")] = None,
    json: Json = False,
) -> None:
    """Have every voice speak a sentence, and measure it."""
    from dramaturg.cli.voices_view import audition_row
    from dramaturg.voices.audition import SENTENCE

    async def work() -> list[Audition]:
        heard = []
        async for one in _auditions(with_engine(settings_of(project), engine)):
            heard.append(one)
            if json:
                print_json(one.model_dump(mode="json"))
            else:
                stdout().print(audition_row(one), soft_wrap=True)
        return heard

    if not json:
        stdout().print(f"Each voice says: “{SENTENCE}”", soft_wrap=True)
    heard = perform(work, json=json)
    faulty = [one for one in heard if one.fault]
    if not json:
        stdout().print(f"{len(heard) - len(faulty)} of {len(heard)} voices work.")
    if faulty:
        raise typer.Exit(MODEL)


async def _auditions(settings: Settings) -> AsyncIterator[Audition]:
    from dramaturg.voices.audition import Audition, audition
    from dramaturg.voices.engines import open_engine
    from dramaturg.voices.profiles import OFFLINE, cast_of

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


def _free(out: Path | None, *, force: bool) -> Path:
    """The named file, or else the first of line.wav, line-2.wav … that does not exist."""
    if out is None:
        names = (Path(f"line-{number}.wav" if number > 1 else "line.wav") for number in count(1))
        return next(path for path in names if not path.exists())
    check_can_write(out, force=force)
    if out.suffix.lower() != ".wav":
        raise InvalidConfig(f"{out} would contain WAV data. Call it {out.name}.wav.", file=str(out))
    return out
