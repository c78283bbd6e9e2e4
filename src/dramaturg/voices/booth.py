"""The booth: turns a line of text into a mastered WAV file among the artifacts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from secrets import token_hex
from typing import Protocol

import orjson

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices import profiles
from dramaturg.voices.cache import LineCache, Master
from dramaturg.voices.port import SpeechRequest, Voice
from dramaturg.voices.postprocess import MASTERING, postprocessed, resampled
from dramaturg.voices.recording import Recording
from dramaturg.voices.spoken_text import spoken


class SpeechEngine(Voice, Protocol):
    """A voice that holds resources: threads, a connection."""

    async def aclose(self) -> None: ...


class Booth:
    """Records lines with one engine.

    `remark` is for the listener: that another engine speaks than the preferred one, and why. Concurrent requests for
    the same line are synthesized once; at most `concurrency` lines are synthesized at a time. With a cache, lines are
    kept in it.
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
        self._slots = asyncio.Semaphore(self._settings.concurrency or concurrency)
        self._in_progress: dict[str, asyncio.Task[Master]] = {}

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
        keep: bool = True,
    ) -> Recording:
        """Write the line to the file `to` below the artifacts' root, atomically.

        Without `keep`, the line is somebody's own: it is neither looked up in the cache nor left there.

        `voice` pins a voice, and `speaker` is looked up under `[voices] cast`; see `profiles.choose_voice`. Raises
        VoiceError if the line cannot be spoken, InvalidConfig for an unknown profile or an invalid path, and
        StoreUnavailable if the file cannot be written.
        `cached` is true if nothing had to be synthesized for it, or a concurrent request shared its result.
        """
        chosen = profiles.choose_voice(
            self.engine, self.voice.known(), self._settings, profile_name=profile, voice=voice, speaker=speaker
        )
        request = SpeechRequest(text=spoken(text), voice=chosen.voice, delivery=chosen.delivery)
        self._artifacts.path(to)
        key = self._key(request) if keep else f"own/{token_hex(16)}"
        shared = key in self._in_progress
        master = await self._shared(key, request, keep=keep)
        await asyncio.to_thread(self._artifacts.write_bytes, to, master.wav)
        return Recording(
            path=to,
            engine=self.engine,
            voice=request.voice,
            profile=profile,
            spoken=request.text,
            bytes=len(master.wav),
            cached=shared or master.from_cache,
            **dict(master.metadata),
        )

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
        """Close the engine; lines in progress are cancelled."""
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

    async def _shared(self, key: str, request: SpeechRequest, *, keep: bool) -> Master:
        """One synthesis for all concurrent callers; a caller that is cancelled does not cancel it for the others."""
        task = self._in_progress.get(key)
        if task is None:
            task = asyncio.create_task(self._cached_or_spoken(key, request, self._cache if keep else None))
            self._in_progress[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if task.cancelled() and not (caller and caller.cancelling()):
                raise VoiceError("The booth was closed before the line was spoken.") from None
            raise

    def _forget(self, key: str, task: asyncio.Task[Master]) -> None:
        self._in_progress.pop(key, None)
        if not task.cancelled():
            # Retrieved, so that asyncio does not warn about a failure whose callers have all been cancelled.
            task.exception()

    async def _cached_or_spoken(self, key: str, request: SpeechRequest, cache: LineCache | None) -> Master:
        found = await asyncio.to_thread(cache.get, key) if cache else None
        if found:
            return found
        async with self._slots:
            sound = await self.voice.speak(request)
        master = await asyncio.to_thread(postprocessed, sound, self.engine)
        if cache:
            await asyncio.to_thread(cache.put, key, master)
        return master

    def _resampled(self, recording: Recording, rate: int) -> Master:
        try:
            data = self._artifacts.path(recording.path).read_bytes()
        except OSError as error:
            raise VoiceError(f"{recording.path} cannot be read: {error.strerror}.", path=recording.path) from error
        return resampled(data, rate, recording)
