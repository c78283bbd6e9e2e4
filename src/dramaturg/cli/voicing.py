"""`runs voice`: sound for what was played before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import open_studio, perform, print_json, settings_of, tell, with_engine
from dramaturg.cli.options import Json, Project, RunId
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.ensemble.kind import EnsembleKind
    from dramaturg.studio import Studio
    from dramaturg.voices.voicing import VoicedLines, VoicingRequest


def voice_run(
    run: RunId,
    project: Project = Path(),
    engine: Annotated[
        str | None, typer.Option(help="The speech engine.", show_default="the one the run began with")
    ] = None,
    voice: Annotated[str | None, typer.Option(help="A voice of the engine, or the name of a profile.")] = None,
    slot: Annotated[int | None, typer.Option(min=1, max=6, help="Only this slot of a session.")] = None,
    line: Annotated[
        int | None, typer.Option(min=1, help="Only this line; in a session, counted by turn and slot.")
    ] = None,
    json: Json = False,
) -> None:
    """Have a session, a scene or an act spoken that has no sound, only what failed, or some lines anew."""
    from dramaturg.voices.voicing import VoicingRequest

    async def work() -> None:
        asked = VoicingRequest(engine=engine, voice=voice, slot=slot, line=line)
        settings = settings_of(project)
        with_engine(settings, engine)
        async with open_studio(settings) as studio:
            await _voice(studio, run, asked, json=json)

    perform(work, json=json)


async def _voice(studio: Studio, run_id: str, asked: VoicingRequest, *, json: bool) -> None:
    from dramaturg.ensemble.kind import EnsembleKind
    from dramaturg.voices.voicing import voiceable

    found, kind = await studio.runs.open_with_kind(run_id)
    match kind:
        case EnsembleKind():
            await _voice_session(studio, kind, found.id, asked, json=json)
        case _:
            from dramaturg.cli.audio_view import speech_progress

            able = voiceable(kind, found)
            with speech_progress(quiet=json) as on_line:
                voiced = await able.voice(found, asked, on_line)
            _print_lines(voiced, json=json)


async def _voice_session(studio: Studio, kind: EnsembleKind, run_id: str, asked: VoicingRequest, *, json: bool) -> None:
    from dramaturg.cli.ensemble_view import print_manifest, watch_voicing

    manifest = await watch_voicing(studio, run_id, asked, json=json)
    print_manifest(manifest, studio.settings.project, json=json)


def _print_lines(voiced: VoicedLines, *, json: bool) -> None:
    lines, missing = voiced.spoken.passages, voiced.spoken.missing
    if json:
        for one in lines:
            made = one.recording.model_dump(mode="json", exclude={"words"})
            print_json({"line": int(one.id), "speaker": one.speaker, "status": "spoken", **made})
        for lost in missing:
            print_json({"line": int(lost.id), "speaker": lost.speaker, "status": "unspoken", "reason": lost.reason})
        return
    for remark in voiced.remarks:
        tell(remark)
    tell(f"{counted(len(lines), 'line')} spoken by {voiced.engine}. 'dramaturg runs listen' mixes them.")
    for lost in missing:
        tell(f"Line {lost.id} stays text: {lost.reason}")
