"""Voicing the lines of a scene or an act: those without a file are spoken, or some anew, by the same or another engine.

Which voice a single line was given is kept beside the lines of its engine, and heard again whenever they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.files import read_file
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.audioplay.recordings import (
    AudioplayBooth,
    OnLine,
    VoiceCasting,
    cast_voices,
    line_path,
    speak_lines,
)
from dramaturg.scenes.audioplay.script import SpokenLine, spoken_lines
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.state import scene_state
from dramaturg.voices.voicing import VoicedLines, VoicingRequest

PINS, LARGEST_PINS, LONGEST_NUMBER = "voices.json", 4_000_000, 9


@dataclass(frozen=True, slots=True)
class VoicedScript:
    """What can be voiced: the spoken lines of a scene or an act (`noun`), its title, and the folder of its lines."""

    noun: str
    title: str
    folder: str
    lines: Sequence[SpokenLine]


async def voice_scene(
    run: SceneRun,
    booth: AudioplayBooth,
    artifacts: Artifacts,
    settings: VoiceSettings,
    asked: VoicingRequest,
    on_line: OnLine = lambda done, total: None,
) -> VoicedLines:
    """Speak the lines that are asked for. Raises NotFound or InvalidConfig if there are none, and VoiceError."""
    state = scene_state(run.entries)
    casting = cast_voices(state.cast, state.cards, booth, settings)
    script = VoicedScript(
        "scene", state.scene.config.title, f"{state.scene.folder}/lines", spoken_lines(run.id, run.entries)
    )
    return await voice_lines(script, casting, booth, artifacts, asked, on_line)


async def voice_lines(
    script: VoicedScript,
    casting: VoiceCasting,
    booth: AudioplayBooth,
    artifacts: Artifacts,
    asked: VoicingRequest,
    on_line: OnLine = lambda done, total: None,
) -> VoicedLines:
    """The same for any script."""
    folder = script.folder
    lines = lines_to_voice(script, asked, artifacts, booth.engine)
    pins = dict(await asyncio.to_thread(pinned_lines, artifacts, folder, booth.engine))
    if asked.voice:
        (voice,) = booth.casting([asked.voice])
        pins |= {line.number: voice for line in lines}
        kept = orjson.dumps({str(number): name for number, name in pins.items()})
        await asyncio.to_thread(artifacts.write_bytes, f"{folder}/{booth.engine}/{PINS}", kept)
    spoken = await speak_lines(
        lines,
        booth,
        casting,
        title=script.title,
        folder=folder,
        on_line=on_line,
        pins=pins,
        script=script.lines,
    )
    return VoicedLines(booth.engine, spoken, casting.remarks)


def lines_to_voice(
    script: VoicedScript, asked: VoicingRequest, artifacts: Artifacts, engine: str
) -> Sequence[SpokenLine]:
    """The lines that a request is about."""
    noun, lines = script.noun, script.lines
    if asked.slot is not None:
        article = "An" if noun[0] in "aeiou" else "A"
        raise InvalidConfig(
            f"{article} {noun} has no slots. Name a line, as 'dramaturg runs listen --json' numbers it.",
            slot=asked.slot,
        )
    if not lines:
        raise InvalidConfig(f"Nobody says anything in this {noun}, so there is nothing to speak.")
    if asked.line is not None:
        found = [line for line in lines if line.number == asked.line]
        if not found:
            known = ", ".join(str(line.number) for line in lines if line.number)
            raise NotFound(f"Line {asked.line} is not spoken in this {noun}; lines {known} are.", line=asked.line)
        return found
    if asked.is_anew:
        return lines
    silent = [line for line in lines if not artifacts.path(line_path(line, script.folder, engine)).exists()]
    if not silent:
        raise InvalidConfig(
            f"Every line of this {noun} has its sound by {engine}. To have it spoken anew, name an engine, a voice or "
            "a line."
        )
    return silent


def pinned_lines(artifacts: Artifacts, folder: str, engine: str) -> Mapping[int, str]:
    """The voices that single lines were given, by their numbers."""
    try:
        found = orjson.loads(read_file(artifacts.path(f"{folder}/{engine}/{PINS}"), LARGEST_PINS))
    except (OSError, orjson.JSONDecodeError):
        return {}
    rows = found.items() if isinstance(found, dict) else ()
    return {int(number): voice for number, voice in rows if _is_number(number) and isinstance(voice, str)}


def _is_number(text: str) -> bool:
    """Whether a text can be the number of a line; a longer one would not be converted."""
    return text.isdecimal() and len(text) <= LONGEST_NUMBER
