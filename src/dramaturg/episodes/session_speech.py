"""The speech of a session: what the character says is recorded in the background, part by part, while the talk goes on.

The log says what was spoken, so a session that was killed speaks nothing twice. A line that cannot be spoken costs its
sound; the text never waits for it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from dramaturg.characters import parse_card
from dramaturg.episodes.card_prompts import PLAIN
from dramaturg.episodes.events import EpisodeEvent, LineSpoken, LineUnspoken
from dramaturg.episodes.spoken_lines import Manner, MessageCutter, SpokenPart, is_quoted, numbered, spoken_parts
from dramaturg.episodes.state import ChatMessage, EpisodeState
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound, StoreError, StoreUnavailable, VoiceError
from dramaturg.kernel.files import read_file
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.cache import LARGEST_LINE
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.wanted_voice import narrator_voice, wanted_voice
from dramaturg.voices.wav import read_wav

if TYPE_CHECKING:
    from dramaturg.voices.booth import Booth

FOLDER = "sessions"
AUDIO_FILE = re.compile(r"m\d{1,9}-\d{1,6}-[0-9a-f]{12}\.wav")
BROKEN = "The speech engine failed: {error}"


def audio_folder(session_id: str) -> str:
    """The folder of a session's recordings, below the data folder and apart from what the author's token opens."""
    return f"{FOLDER}/{session_id}"


@dataclass(frozen=True, slots=True)
class SpeechDeps:
    """What speaking needs: the booth, where its files go, and the voices."""

    booth: LazyBooth
    artifacts: Artifacts
    settings: VoiceSettings


class _Line(NamedTuple):
    """A part of a message that is to be spoken, the file it goes to, and in a group whose words it has."""

    message_id: str
    number: int
    file: str
    part: SpokenPart
    speaker: str


class _Casting(NamedTuple):
    """The voice for each manner of each speaker, and what was asked for and is not there."""

    voices: dict[tuple[str, Manner], str]
    remark: str


@dataclass(slots=True)
class _LiveMessage:
    """An answer that is still arriving."""

    message_id: str
    cutter: MessageCutter
    speaker: str
    lines: list[_Line] = field(default_factory=list)

    def feed(self, text: str) -> None:
        parts = self.cutter.feed(text)
        found = numbered(parts, self.message_id, start=len(self.lines) + 1)
        self.lines.extend(_Line(self.message_id, *one, self.speaker) for one in found)


class SessionSpeech:
    """Speaks for one open session, one line after another."""

    def __init__(self, session: Performance[EpisodeEvent, EpisodeState], deps: SpeechDeps) -> None:
        self._session = session
        self._deps = deps
        self._task: asyncio.Task[None] | None = None
        self._live: _LiveMessage | None = None
        self._cut: dict[str, tuple[str, tuple[_Line, ...]]] = {}
        self._casting: _Casting | None = None

    @property
    def busy(self) -> bool:
        return self._task is not None and not self._task.done()

    def hear(self, message_id: str, text: str) -> None:
        """Takes in what is shown of an answer on its way; its complete sentences are spoken at once."""
        state = self._session.state
        if state.voice is None or not text or state.voice.by == "message":
            return
        if self._live is None or self._live.message_id != message_id:
            speaker = state.asked.event.speaker if state.asked is not None else ""
            cutter = MessageCutter(prose=_is_prose(state, speaker), narrates=state.voice.narration != "silent")
            self._live = _LiveMessage(message_id, cutter, speaker)
        self._live.feed(text)
        self.go_on()

    def go_on(self) -> None:
        """Speaks whatever is owed, in the background."""
        if not self.busy and self._session.broken is None and next(self._owed(), None) is not None:
            self._task = asyncio.create_task(self._speak(), name=f"speech of {self._session.id}")

    async def settled(self) -> None:
        """Returns when nothing is being spoken any more."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def close(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])

    async def tidy(self) -> None:
        """Removes the recordings of words that no longer stand."""
        if self._session.state.voice is None and not self._session.state.spoken:
            return
        artifacts = self._deps.artifacts
        kept = {*self._session.state.spoken, *(line.file for line in self._owed())}
        for name in await asyncio.to_thread(artifacts.names, audio_folder(self._session.id)):
            file = PurePosixPath(name).name
            if AUDIO_FILE.fullmatch(file) and file not in kept:
                with suppress(StoreUnavailable):
                    await asyncio.to_thread(artifacts.remove, name)

    def _owed(self) -> Iterator[_Line]:
        """The lines that are neither spoken nor failed, in the order of the conversation."""
        state = self._session.state
        if state.voice is None:
            return
        for message in state.conversation:
            if message.role == "character" and _number(message.id) > state.voice_since:
                yield from self._open_lines(message.id, self._lines_of(message))
        live, asked = self._live, state.asked
        if live is not None and asked is not None and asked.event.message_id == live.message_id:
            yield from self._open_lines(live.message_id, live.lines)

    def _open_lines(self, message_id: str, lines: tuple[_Line, ...] | list[_Line]) -> Iterator[_Line]:
        state = self._session.state
        if message_id not in state.mute:
            yield from (one for one in lines if one.file not in state.spoken and one.file not in state.unspoken)

    def _lines_of(self, message: ChatMessage) -> tuple[_Line, ...]:
        text, lines = self._cut.get(message.id, (None, ()))
        if text != message.text:
            state = self._session.state
            parts = spoken_parts(
                message.text,
                prose=_is_prose(state, message.speaker),
                narrates=state.voice is not None and state.voice.narration != "silent",
                whole=state.voice is not None and state.voice.by == "message",
            )
            lines = tuple(_Line(message.id, *one, message.speaker) for one in numbered(parts, message.id))
            self._cut[message.id] = (message.text, lines)
        return lines

    async def _speak(self) -> None:
        while (line := next(self._owed(), None)) is not None:
            event = await self._recorded(line)
            if line not in self._owed():
                await self.tidy()  # the words were changed while they were spoken
                continue
            try:
                await self._session.write(event)
            except StoreError:
                return  # whoever holds the session now, or opens it next, speaks the rest

    async def _recorded(self, line: _Line) -> LineSpoken | LineUnspoken:
        try:
            booth = await self._deps.booth.open()
        except VoiceError as error:
            return _unspoken(line, error.message, error.code, whole=True)
        try:
            return await self._record(booth, line)
        except DramaturgError as error:
            return _unspoken(line, error.message, error.code)
        except Exception as error:  # noqa: BLE001 # reason: whatever an engine does, it costs the sound only
            return _unspoken(line, BROKEN.format(error=str(error) or type(error).__name__), VoiceError.code)

    async def _record(self, booth: Booth, line: _Line) -> LineSpoken:
        casting = self._casting or self._cast(booth)
        remark = casting.remark if self._casting is None else ""
        self._casting = casting
        voice, path = casting.voices[line.speaker, line.part.manner], f"{audio_folder(self._session.id)}/{line.file}"
        made = await asyncio.to_thread(self._measured, path)
        if made is None:
            recording = await booth.record(line.part.text, path, voice=voice, keep=False)
            made = recording.model_dump(include={"duration_ms", "sample_rate", "bytes", "sha256", "silent"})
        said = {"message_id": line.message_id, "number": line.number, "file": line.file, **line.part._asdict()}
        return LineSpoken.model_validate(
            {**said, "engine": booth.engine, "voice": voice, "remark": remark, **made}, strict=False
        )

    def _measured(self, path: str) -> dict[str, object] | None:
        """A recording that is there already: a process ended between its file and its entry in the log."""
        try:
            data = read_file(self._deps.artifacts.found(path), LARGEST_LINE)
            wav = read_wav(data)
        except (OSError, VoiceError):
            return None
        return {
            "duration_ms": round(wav.seconds * 1000),
            "sample_rate": wav.sample_rate,
            "bytes": len(data),
            "sha256": sha256(data).hexdigest(),
            "silent": not any(wav.pcm),
        }

    def _cast(self, booth: Booth) -> _Casting:
        """A character has the voice of its card, else of `[voices] cast`, else one that nobody else has."""
        state, remarks = self._session.state, list[str]()
        speakers = [one.character for one in state.cast] or [""]
        pins = [self._pin(state.heard_by(one), booth, remarks) for one in speakers]
        narrator = narrator_voice(booth, remarks)
        try:
            *speaks, tells = booth.casting([*pins, narrator])
        except InvalidConfig:  # an engine with too few voices for all of them
            speaks = [booth.casting([pin])[0] for pin in pins]
            tells = speaks[0]
        by_narrator = state.voice is not None and state.voice.narration == "narrator"
        voices: dict[tuple[str, Manner], str] = {}
        for speaker, voice in zip(speakers, speaks, strict=True):
            voices[speaker, "speech"] = voice
            voices[speaker, "narration"] = tells if by_narrator else voice
        return _Casting(voices, " ".join(remarks))

    def _pin(self, state: EpisodeState, booth: Booth, remarks: list[str]) -> str | None:
        """The voice that a character asks for."""
        opened = state.session
        own = parse_card(opened.character, state.card).voice
        return wanted_voice(own, opened.character, opened.display_name, booth, self._deps.settings, remarks)


def copy_recordings(artifacts: Artifacts, session_id: str, to: str) -> None:
    """Copies the recordings of a session to one that was branched off it."""
    for name in artifacts.names(audio_folder(session_id)):
        if AUDIO_FILE.fullmatch(file := PurePosixPath(name).name):
            artifacts.write_bytes(f"{audio_folder(to)}/{file}", artifacts.found(name).read_bytes())


def recording_in(artifacts: Artifacts, session: str, file: str) -> str:
    """The path of a session's recording below the data folder. Raises NotFound for anything that cannot be one."""
    name = f"{audio_folder(session)}/{file}"
    if not AUDIO_FILE.fullmatch(file) or not artifacts.found(name).is_file():
        raise NotFound(f"There is no recording '{file[:80]}' in this session.", file=file[:80])
    return name


def delete_recordings(artifacts: Artifacts, session_id: str) -> None:
    """Removes the recordings of a session."""
    with suppress(StoreUnavailable):
        artifacts.remove(audio_folder(session_id))


def _unspoken(line: _Line, error: str, code: str, *, whole: bool = False) -> LineUnspoken:
    return LineUnspoken(
        message_id=line.message_id, number=line.number, file=line.file, error=error, code=code, whole=whole
    )


def _is_prose(state: EpisodeState, speaker: str) -> bool:
    """Whether this character's words stand between quotation marks, in narration."""
    prompts = state.all_prompts.get(speaker, PLAIN) if speaker else state.prompts
    first = next((one for one in state.path if one.role == "character" and one.speaker == speaker), None)
    return prompts.style == "prose" and first is not None and is_quoted(first.text)


def _number(message_id: str) -> int:
    digits = message_id.removeprefix("m")
    return int(digits) if digits.isdecimal() else 0
