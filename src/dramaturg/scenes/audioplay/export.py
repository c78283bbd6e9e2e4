"""A run as an audio play: its lines spoken, mixed and written beside its other files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.audioplay.recordings import AudioplayBooth, VoiceCasting, cast_voices, speak_lines
from dramaturg.scenes.audioplay.script import SpokenLine, spoken_lines
from dramaturg.scenes.audioplay.voicing import pinned_lines
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.state import scene_state
from dramaturg.voices.export import ExportTarget, ProgrammeExport, export_programme, export_target
from dramaturg.voices.listen import ListenRequest


async def export_audioplay(
    run: SceneRun, booth: AudioplayBooth, artifacts: Artifacts, settings: VoiceSettings, asked: ListenRequest
) -> ProgrammeExport:
    """Record a scene, mix it and write it. Lines recorded earlier are reused.

    Raises VoiceError if no line could be spoken, InvalidConfig if the file belongs to something else.
    """
    state = scene_state(run.entries)
    folder = state.scene.folder
    target = export_target(run.id, run.record.kind, artifacts, folder, asked.out)
    casting = cast_voices(state.cast, state.cards, booth, settings)
    lines = spoken_lines(run.id, run.entries, narrator=asked.narrator)
    title = state.scene.config.title
    return await export_lines(lines, casting, booth, artifacts, target, asked, title=title, folder=f"{folder}/lines")


async def export_lines(
    lines: Sequence[SpokenLine],
    casting: VoiceCasting,
    booth: AudioplayBooth,
    artifacts: Artifacts,
    target: ExportTarget,
    asked: ListenRequest,
    *,
    title: str,
    folder: str,
) -> ProgrammeExport:
    """Record these lines below `folder`, mix them and write the whole to its target."""
    # The narrator's opening is to a scene what the question is to a session.
    lines = [line for line in lines if line.number or asked.question is not False]
    pins = await asyncio.to_thread(pinned_lines, artifacts, folder, booth.engine)
    programme = await speak_lines(lines, booth, casting, title=title, folder=folder, on_line=asked.on_line, pins=pins)
    programme = programme.model_copy(update={"backdrop": asked.backdrop})
    export = await asyncio.to_thread(export_programme, programme, target, artifacts.root)
    return replace(export, remarks=casting.remarks)
