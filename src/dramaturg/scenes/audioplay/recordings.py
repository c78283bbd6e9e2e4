"""The recordings of an audio play: the voice of each character, and the spoken lines as a programme."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Protocol

from dramaturg.characters import parse_card
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.scenes.audioplay.cut_time import end_of
from dramaturg.scenes.audioplay.script import NARRATOR, SpokenLine
from dramaturg.scenes.cut import DASH
from dramaturg.scenes.events import CastMember
from dramaturg.voices.languages import language_of
from dramaturg.voices.programme import MissingPassage, Programme, ProgrammePassage, seats
from dramaturg.voices.queue import ANY_TIME, SpeechOrder
from dramaturg.voices.recording import Recording
from dramaturg.voices.wanted_voice import CastingBooth, narrator_voice, wanted_voice

OVERLAP_MS = 180
"""How long an interruption is heard together with the line it cuts."""
LINES_AHEAD = 8
NARRATOR_PROFILE = "gentle_storyteller"

OnLine = Callable[[int, int], None]


class AudioplayBooth(CastingBooth, Protocol):
    """The part of a booth that an audio play needs: a voice for each part, and each line as a file."""

    @property
    def engine(self) -> str: ...

    async def record(
        self,
        text: str,
        to: str,
        *,
        profile: str | None = None,
        voice: str | None = None,
        language: str = "",
        order: SpeechOrder = ANY_TIME,
    ) -> Recording: ...


@dataclass(frozen=True, slots=True)
class VoiceCasting:
    """The voice and seat of each part, by card name; the narrator is under "".

    `remarks` name the requested voices that were unavailable.
    """

    voices: Mapping[str, str]
    seats: Mapping[str, float]
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class _LineRecording:
    """The result of recording one line."""

    recording: Recording | None = None
    ends_at_ms: int | None = None
    reason: str = ""


@dataclass(slots=True)
class _Progress:
    total: int
    tell: OnLine
    done: int = field(default=0)

    def one_more(self) -> None:
        self.done += 1
        self.tell(self.done, self.total)


def cast_voices(
    cast: Sequence[CastMember], cards: Mapping[str, str], booth: AudioplayBooth, settings: VoiceSettings
) -> VoiceCasting:
    """Give each character the voice of its card, else of `[voices] cast`, else an unused one in cast order."""
    remarks: list[str] = []
    pins = [_pin(member, cards, booth, settings, remarks) for member in cast]
    narrator = narrator_voice(booth, remarks)
    # The narrator is cast with the others, so that nobody else gets that voice.
    given = booth.casting([*pins, narrator])
    names = [*(member.name for member in cast), ""]
    places = (*seats(len(pins)), 0.0)
    return VoiceCasting(dict(zip(names, given, strict=True)), dict(zip(names, places, strict=True)), tuple(remarks))


def _pin(
    member: CastMember, cards: Mapping[str, str], booth: AudioplayBooth, settings: VoiceSettings, remarks: list[str]
) -> str | None:
    card = parse_card(member.name, cards[member.name]) if member.name in cards else None
    return wanted_voice(card.voice if card else None, member.name, member.display_name, booth, settings, remarks)


async def speak_lines(
    lines: Sequence[SpokenLine],
    booth: AudioplayBooth,
    casting: VoiceCasting,
    *,
    title: str,
    folder: str,
    on_line: OnLine = lambda done, total: None,
    pins: Mapping[int, str] | None = None,
    script: Sequence[SpokenLine] = (),
) -> Programme:
    """Every line recorded below `folder`, and all of them as a programme.

    `pins` are the voices of single lines, by their numbers; `script` is all that is said, if these are only some of its
    lines, since a single one may not tell its language. A line that cannot be spoken is listed as missing; a disk
    failure stops everything.
    """
    places, count = asyncio.Semaphore(LINES_AHEAD), _Progress(len(lines), on_line)
    told = _Told(
        folder, await asyncio.to_thread(language_of, " ".join(line.said for line in script or lines)), pins or {}
    )

    async def one(line: SpokenLine) -> _LineRecording:
        async with places:
            spoken = await _record(line, booth, casting, told)
        count.one_more()
        return spoken

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(line)) for line in lines]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    return _programme(title, lines, [task.result() for task in tasks], casting)


@dataclass(frozen=True, slots=True)
class _Told:
    """What all lines of a play share: their folder, which is also their lane, the language, and pinned voices."""

    folder: str
    language: str
    pins: Mapping[int, str]


def line_path(line: SpokenLine, folder: str, engine: str) -> str:
    """The file of a line."""
    return f"{folder}/{engine}/{_file_name(line)}"


async def _record(line: SpokenLine, booth: AudioplayBooth, casting: VoiceCasting, told: _Told) -> _LineRecording:
    to = line_path(line, told.folder, booth.engine)
    record = partial(
        booth.record,
        to=to,
        profile=line.profile if line.who else NARRATOR_PROFILE,
        voice=told.pins.get(line.number) or casting.voices.get(line.who),
        language=told.language,
        order=SpeechOrder(lane=told.folder),
    )
    try:
        whole = await record(f"{line.said} {line.more}".rstrip())
        if not line.is_cut:
            return _LineRecording(whole)
        if ends_at := end_of(line.said, whole):
            return _LineRecording(whole, ends_at)
        # Without word times, only the part of the line that was heard is recorded.
        return _LineRecording(await record(line.said + DASH))
    except VoiceError as error:
        return _LineRecording(reason=error.message)


def _programme(
    title: str, lines: Sequence[SpokenLine], spoken: Sequence[_LineRecording], casting: VoiceCasting
) -> Programme:
    heard = [(line, one) for line, one in zip(lines, spoken, strict=True) if one.recording is not None]
    after = {line.number: follower for (line, _), (follower, _) in pairwise(heard)}
    passages = [
        ProgrammePassage(
            id=str(line.number),
            speaker=line.speaker,
            text=line.text,
            recording=one.recording,
            seat=casting.seats.get(line.who, 0.0),
            level=line.level,
            gap_ms=line.gap_ms,
            ends_at_ms=one.ends_at_ms,
            overlap_ms=OVERLAP_MS if line.number in after and after[line.number].cuts == line.number else 0,
            chapter=line.chapter,
        )
        for line, one in heard
        if one.recording is not None
    ]
    missing = [
        MissingPassage(id=str(line.number), speaker=line.speaker, text=line.text, reason=one.reason)
        for line, one in zip(lines, spoken, strict=True)
        if one.recording is None
    ]
    return Programme(title=title, passages=tuple(passages), missing=tuple(missing))


def _file_name(line: SpokenLine) -> str:
    who = re.sub(r"[^\w-]+", "-", line.who or NARRATOR.lower()).strip("-")[:40]
    return f"{line.number:04}-{who or 'somebody'}.wav"
