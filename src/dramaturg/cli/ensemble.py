"""`ensemble`: ask up to six voices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import MODEL, in_studio, open_studio, perform, settings_of, tell, with_engine
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Model, Project, SessionId
from dramaturg.kernel.errors import InvalidConfig

if TYPE_CHECKING:
    from dramaturg.ensemble.manifest import SessionManifest

app = noun()


@app.command("ask")
def ask(
    message: Annotated[str, typer.Argument(help="Your question.")],
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

    async def work() -> SessionManifest:
        settings = with_engine(settings_of(project), engine)
        asked: dict[str, object] = {"message": message, "kiosk": kiosk}
        if not audio:
            asked["audio"] = False
        if slots:
            asked["slots"] = _slots(slots)
        request = request_from(asked)
        async with open_studio(settings) as studio:
            if not model and not json and not settings.models.default:
                tell((await studio.choose()).reason, "dim")
            return await watch_session(studio, await studio.ensemble.open(request, model=model), json=json)

    manifest = perform(work, json=json)
    print_manifest(manifest, project, json=json)
    if not manifest.completed_slots:
        raise typer.Exit(MODEL)


def _slots(typed: str) -> list[int]:
    """'4' means the first four; '2,5,6' means those three."""
    parts = [part.strip() for part in typed.split(",")]
    if not all(part.isdecimal() and len(part) < 4 for part in parts):
        raise InvalidConfig(f"--slots takes how many answer, or their numbers, comma-separated (found '{typed}').")
    numbers = [int(part) for part in parts]
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
