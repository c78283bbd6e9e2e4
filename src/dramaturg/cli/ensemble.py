"""`ensemble`: ask up to six voices."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import MODEL, in_studio, open_studio, perform, settings_of, tell, with_engine
from dramaturg.cli.group import noun
from dramaturg.cli.option_group import OptionGroup, command_with
from dramaturg.cli.options import Json, Model, Project, SessionId
from dramaturg.kernel.errors import InvalidConfig, NotFound

if TYPE_CHECKING:
    from dramaturg.ensemble.events import QuestionHeard
    from dramaturg.ensemble.manifest import SessionManifest
    from dramaturg.studio import Studio

app = noun()


@OptionGroup
def spoken_question(
    spoken: Annotated[
        Path | None,
        typer.Option(
            help="A recording of the question, instead of typing it; - reads it from a pipe.", allow_dash=True
        ),
    ] = None,
) -> Path | None:
    """The recording of a question, if there is one."""
    return spoken


@app.command("ask", cls=command_with(spoken_question))
def ask(
    message: Annotated[str, typer.Argument(help="Your question.", show_default=False)] = "",
    project: Project = Path(),
    slots: Annotated[
        str, typer.Option(help="How many answer, or their numbers, comma-separated.", show_default="all")
    ] = "",
    audio: Annotated[bool, typer.Option(help="Speak every line.")] = True,
    kiosk: Annotated[str, typer.Option(help="The kiosk whose conversation this continues.")] = "main",
    engine: Annotated[
        str | None,
        typer.Option(help="The speech engine: kokoro, hibari (fast), elevenlabs, openai-compatible, silent."),
    ] = None,
    model: Model = None,
    json: Json = False,
) -> None:
    """Ask the ensemble, and follow its three turns live."""
    from dramaturg.cli.ensemble_view import print_manifest, watch_session
    from dramaturg.ensemble.request import request_from

    spoken = spoken_question()

    async def work() -> SessionManifest:
        settings = with_engine(settings_of(project), engine)
        if message and spoken is not None:
            raise InvalidConfig("Type a question, or give a recording of one with --spoken FILE, not both.")
        if not message.strip() and spoken is None:
            raise InvalidConfig("The message is empty. Type a question, or give a recording with --spoken FILE.")
        asked: dict[str, object] = {"message": message, "kiosk": kiosk}
        if not audio:
            asked["audio"] = False
        if slots:
            asked["slots"] = _slots(slots)
        request_from({**asked, "message": message or "…"})
        async with open_studio(settings) as studio:
            heard = await _heard(studio, spoken) if spoken is not None else None
            if heard is not None and not json:
                tell(f"Heard: {heard.text}", "dim")
            request = request_from({**asked, "message": heard.text if heard is not None else message})
            if not model and not json and not settings.models.default:
                tell((await studio.choose()).reason, "dim")
            return await watch_session(studio, await studio.ensemble.open(request, model=model, heard=heard), json=json)

    manifest = perform(work, json=json)
    print_manifest(manifest, project, json=json)
    if not manifest.completed_slots:
        raise typer.Exit(MODEL)


async def _heard(studio: Studio, file: Path) -> QuestionHeard:
    """What a recording asks; it is stored first."""
    questions = studio.ensemble.questions
    return await questions.hear(await questions.keep(_sound(file)))


def _sound(file: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise NotFound(f"{file} cannot be read: {error.strerror}.", file=str(file)) from error


def _slots(typed: str) -> list[int]:
    """'4' means the first four; '2,5,6' means those three."""
    from dramaturg.ensemble.ensemble import MOST

    parts = [part.strip() for part in typed.split(",")]
    if not all(part.isdecimal() and len(part) < 4 for part in parts):
        raise InvalidConfig(f"--slots takes how many answer, or their numbers, comma-separated (found '{typed}').")
    numbers = [int(part) for part in parts]
    if len(numbers) == 1 and numbers[0] > MOST:
        raise InvalidConfig(f"There are {MOST} seats, and {numbers[0]} were asked for. Ask for 1 to {MOST}.")
    return list(range(1, numbers[0] + 1)) if len(numbers) == 1 else numbers


@app.command("mix")
def mix(
    session: SessionId,
    project: Project = Path(),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The WAV file to write.", show_default="in the session's folder")
    ] = None,
    json: Json = False,
) -> None:
    """Mix and master a session: every voice in its place, with subtitles and chapters."""
    from dramaturg.cli.audio_view import listen

    listen(session, project, out=out, json=json)


@app.command("reset")
def reset(
    project: Project = Path(),
    kiosk: Annotated[str, typer.Option(help="The kiosk whose conversation starts over.")] = "main",
) -> None:
    """Start a kiosk's conversation over: the next question is answered without the earlier ones."""
    in_studio(project, lambda studio: studio.ensemble.reset(kiosk))
    tell(f"Kiosk '{kiosk}' starts over. Earlier sessions are kept.")
