"""The booth: turns a line of text into a mastered WAV file among the artifacts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from errno import EDQUOT, ENOSPC
from hashlib import sha256
from secrets import token_hex
from typing import Protocol

import orjson

from dramaturg.kernel.errors import DramaturgError, StoreUnavailable, VoiceError
from dramaturg.kernel.files import read_file
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices import profiles
from dramaturg.voices.cache import LARGEST_LINE, LineCache, Master
from dramaturg.voices.coverage import SpokenBy, languages_of, voice_for
from dramaturg.voices.languages import language_of
from dramaturg.voices.paces import at_pace
from dramaturg.voices.port import Sound, SpeechRequest, Voice
from dramaturg.voices.postprocess import MASTERING, postprocessed, resampled
from dramaturg.voices.queue import ANY_TIME, SpeechOrder, SpeechPlace, SpeechQueue
from dramaturg.voices.recording import Recording
from dramaturg.voices.spoken_text import spoken

CLOSED = "The booth was closed before the line was spoken."


class SpeechEngine(Voice, Protocol):
    """A voice that holds resources: threads, a connection."""

    async def aclose(self) -> None: ...


class Booth:
    """Records lines with one engine.

    `remark` is for the listener: which engine speaks, if another one was to be expected, and why. Concurrent requests
    for the same line are synthesized once; at most `concurrency` lines are synthesized at a time. With a cache, lines
    are kept in it.
    """

    def __init__(
        self,
        engine: SpeechEngine,
        artifacts: Artifacts,
        settings: VoiceSettings | None = None,
        *,
        cache: LineCache | None = None,
        concurrency: int = 2,
        remark: str = "",
    ) -> None:
        self.voice = engine
        self.remark = remark
        self._artifacts = artifacts
        self._settings = settings or VoiceSettings()
        self._cache = cache
        self._queue = SpeechQueue(self._settings.concurrency or concurrency)
        self._in_progress: dict[str, asyncio.Task[Master]] = {}
        self._closed = False

    @property
    def engine(self) -> str:
        return self.voice.engine

    async def record(
        self,
        text: str,
        to: str,
        *,
        profile: str | None = None,
        voice: str | None = None,
        speaker: str | None = None,
        language: str = "",
        order: SpeechOrder = ANY_TIME,
        keep: bool = True,
    ) -> Recording:
        """Write the line to the file `to` below the artifacts' root, atomically.

        Without `keep`, the line is somebody's own: it is neither looked up in the cache nor left there.

        `voice` pins a voice, and `speaker` is looked up under `[voices] cast`; see `profiles.choose_voice`. `language`
        is the one to expect; a line that is clearly in another one is spoken by a voice of that. Raises LineUnspeakable
        if there is none or the line has no words, VoiceError if it cannot be spoken, InvalidConfig for an unknown
        profile or an invalid path, and StoreUnavailable if the file cannot be written.
        `cached` is true if nothing had to be synthesized for it, or a concurrent request shared its result.
        """
        place = self._queue.enter(order.lane, order.rank)
        try:
            self._artifacts.path(to)
            chosen = profiles.choose_voice(
                self.engine, self.voice.known(), self._settings, profile_name=profile, voice=voice, speaker=speaker
            )
            request, by = await self._request(spoken(text), chosen, language)
        except BaseException:  # reason: whatever it is, the place must not hold back others
            place.leave()
            raise
        key = self._key(request) if keep else f"own/{token_hex(16)}"
        shared = key in self._in_progress
        master = await self._shared(key, request, place, keep=keep)
        await asyncio.to_thread(self._write, to, master.wav)
        return Recording(
            path=to,
            engine=self.engine,
            voice=request.voice,
            profile=profile,
            spoken=request.text,
            bytes=len(master.wav),
            cached=shared or master.from_cache,
            language=by.language,
            **dict(master.metadata),
        )

    async def warm_up(self) -> None:
        """Load the engine and what finds out languages, so that the first line does not wait for it."""
        await asyncio.to_thread(language_of, "Nothing is said yet.")
        voice = profiles.cast_of(self.engine).order[0]
        if self.engine in profiles.OFFLINE:
            await self.voice.speak(SpeechRequest(text="Hello.", voice=voice))

    def lane(self, name: str) -> AbstractContextManager[None]:
        """Keep a lane of the queue open while its lines come in; see `SpeechQueue`."""
        return self._queue.lane(name)

    async def copy_at(self, recording: Recording, rate: int, to: str) -> Recording:
        """The same line at another sample rate, for stages that want 48 kHz. Word times stay the same."""
        master = await asyncio.to_thread(self._resampled, recording, rate)
        await asyncio.to_thread(self._artifacts.write_bytes, to, master.wav)
        return recording.model_copy(update={"path": to, "bytes": len(master.wav), **dict(master.metadata)})

    def casting(self, pins: Sequence[str | None]) -> tuple[str, ...]:
        """One voice per seat, each distinct unless pinned."""
        known = self.voice.known()
        named = [profiles.voice_named(pin, self.engine, known) if pin else None for pin in pins]
        return profiles.casting(self.engine, named)

    def narrator(self) -> str:
        """The narrator's voice."""
        return profiles.narrator(self.engine, self.voice.known(), self._settings)

    async def aclose(self) -> None:
        """Close the engine; lines in progress are cancelled, and none is spoken from now on."""
        self._closed = True
        for task in list(self._in_progress.values()):
            task.cancel()
        await asyncio.gather(*self._in_progress.values(), return_exceptions=True)
        await self.voice.aclose()

    async def __aenter__(self) -> Booth:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _key(self, request: SpeechRequest) -> str:
        parts = [self.engine, self.voice.model, MASTERING, request.model_dump(mode="json")]
        return sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()

    async def _request(self, said: str, chosen: profiles.VoiceChoice, expected: str) -> tuple[SpeechRequest, SpokenBy]:
        """What is asked of the engine: a voice that speaks the line's language, at the common pace."""
        engine, model = self.engine, self.voice.model
        decides = bool(languages_of(engine, model, chosen.voice, self._settings))
        language = await asyncio.to_thread(language_of, said, expected) if decides else expected
        by = voice_for(language, chosen.voice, engine, model, self.voice.known(), self._settings)
        delivery = at_pace(chosen.delivery, self.engine, by.voice)
        return SpeechRequest(text=said, voice=by.voice, delivery=delivery), by

    async def _shared(self, key: str, request: SpeechRequest, place: SpeechPlace, *, keep: bool) -> Master:
        """One synthesis for all concurrent callers; a caller that is cancelled does not cancel it for the others."""
        task = self._in_progress.get(key)
        if self._closed:
            place.leave()
            raise VoiceError(CLOSED)
        if task is None:
            task = asyncio.create_task(self._cached_or_spoken(key, request, place, self._cache if keep else None))
            self._in_progress[key] = task
            task.add_done_callback(lambda done: self._forget(key, done, place))
        else:
            place.leave()
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if task.cancelled() and not (caller and caller.cancelling()):
                raise VoiceError(CLOSED) from None
            raise

    def _forget(self, key: str, task: asyncio.Task[Master], place: SpeechPlace) -> None:
        place.leave()
        self._in_progress.pop(key, None)
        if not task.cancelled():
            # Retrieved, so that asyncio does not warn about a failure whose callers have all been cancelled.
            task.exception()

    async def _cached_or_spoken(
        self, key: str, request: SpeechRequest, place: SpeechPlace, cache: LineCache | None
    ) -> Master:
        found = await asyncio.to_thread(cache.get, key) if cache else None
        if found:
            return found
        async with place:
            sound = await self._spoken(request)
        master = await asyncio.to_thread(postprocessed, sound, self.engine)
        if cache:
            await asyncio.to_thread(cache.put, key, master)
        return master

    async def _spoken(self, request: SpeechRequest) -> Sound:
        try:
            return await self.voice.speak(request)
        except DramaturgError:
            raise
        except Exception as error:  # reason: an engine that dies in the middle of a line costs that line only
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise VoiceError(f"{self.engine} broke off in the middle of the line ({reason}).") from error

    def _write(self, to: str, wav: bytes) -> None:
        """Write a line. On a full disk, what is only cached makes room for it."""
        while True:
            try:
                self._artifacts.write_bytes(to, wav)
            except StoreUnavailable as error:
                if self._cache is None or not _is_full(error) or not self._cache.make_room(len(wav)):
                    raise
            else:
                return

    def _resampled(self, recording: Recording, rate: int) -> Master:
        try:
            data = read_file(self._artifacts.path(recording.path), LARGEST_LINE)
        except OSError as error:
            raise VoiceError(f"{recording.path} cannot be read: {error.strerror}.", path=recording.path) from error
        return resampled(data, rate, recording)


def _is_full(error: StoreUnavailable) -> bool:
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in (ENOSPC, EDQUOT)
