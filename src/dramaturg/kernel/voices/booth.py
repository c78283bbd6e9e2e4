"""The booth: a line goes in as text and comes out as a finished WAV file in the artifacts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol

import orjson

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.voices import profiles
from dramaturg.kernel.voices.finishing import MASTERING, finished, resampled
from dramaturg.kernel.voices.port import Utterance, Voice
from dramaturg.kernel.voices.recording import Recording
from dramaturg.kernel.voices.shelf import Master, Shelf
from dramaturg.kernel.voices.wording import spoken


class Engine(Voice, Protocol):
    """A voice that holds something open: threads, a connection."""

    async def aclose(self) -> None: ...


class Booth:
    """Records lines with one engine.

    `remark` says what whoever listens should know: that this is not the engine that was hoped for, and why.
    Equal requests at once are spoken once; at most `at_once` lines are being spoken. Lines are kept on the shelf
    if there is one.
    """

    def __init__(
        self,
        engine: Engine,
        artifacts: Artifacts,
        settings: VoiceSettings | None = None,
        *,
        shelf: Shelf | None = None,
        at_once: int = 2,
        remark: str = "",
    ) -> None:
        self.voice = engine
        self.remark = remark
        self._artifacts = artifacts
        self._settings = settings or VoiceSettings()
        self._shelf = shelf
        self._places = asyncio.Semaphore(self._settings.concurrency or at_once)
        self._under_way: dict[str, asyncio.Task[Master]] = {}

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
    ) -> Recording:
        """The line as a file `to` below the artifacts' root, whole or not at all.

        `voice` pins one, and `speaker` is looked up under `[voices] cast`; see `profiles.reading`. Raises VoiceError
        where the line cannot be spoken, InvalidConfig for a profile or a path that cannot be, StoreUnavailable
        where the disk refuses.
        `cached` is true where nothing had to be spoken for it, or somebody else had just asked for the same.
        """
        chosen = profiles.reading(
            self.engine, self.voice.known(), self._settings, profile_name=profile, voice=voice, speaker=speaker
        )
        wanted = Utterance(text=spoken(text), voice=chosen.voice, delivery=chosen.delivery)
        self._artifacts.path(to)
        key = self._key(wanted)
        shared = key in self._under_way
        master = await self._shared(key, wanted)
        await asyncio.to_thread(self._artifacts.write_bytes, to, master.wav)
        return Recording(
            path=to,
            engine=self.engine,
            voice=wanted.voice,
            profile=profile,
            spoken=wanted.text,
            bytes=len(master.wav),
            cached=shared or master.kept,
            **dict(master.label),
        )

    async def copy_at(self, recording: Recording, rate: int, to: str) -> Recording:
        """The same line in another sample rate, for stages that want 48 kHz. Its times stay."""
        master = await asyncio.to_thread(self._resampled, recording, rate)
        await asyncio.to_thread(self._artifacts.write_bytes, to, master.wav)
        return recording.model_copy(update={"path": to, "bytes": len(master.wav), **dict(master.label)})

    def casting(self, pins: Sequence[str | None]) -> tuple[str, ...]:
        """One voice a seat, each its own where none is pinned."""
        known = self.voice.known()
        named = [profiles.voice_named(pin, self.engine, known) if pin else None for pin in pins]
        return profiles.casting(self.engine, named)

    def narrator(self) -> str:
        """The voice that tells what happens."""
        return profiles.narrator(self.engine, self.voice.known(), self._settings)

    async def aclose(self) -> None:
        """Nothing more is spoken here; lines under way are given up."""
        for task in list(self._under_way.values()):
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        await self.voice.aclose()

    async def __aenter__(self) -> Booth:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _key(self, wanted: Utterance) -> str:
        asked = [self.engine, self.voice.model, MASTERING, wanted.model_dump(mode="json")]
        return sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()

    async def _shared(self, key: str, wanted: Utterance) -> Master:
        """What one synthesis gives to all who ask for it meanwhile; one of them going away stops nobody else's."""
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.create_task(self._kept_or_spoken(key, wanted))
            self._under_way[key] = task
            task.add_done_callback(lambda done: self._over(key, done))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            asking = asyncio.current_task()
            if task.cancelled() and not (asking and asking.cancelling()):
                raise VoiceError("The booth was closed before the line was spoken.") from None
            raise

    def _over(self, key: str, task: asyncio.Task[Master]) -> None:
        self._under_way.pop(key, None)
        if not task.cancelled():
            # Looked at, so that nobody is told of a failure that all who asked have gone away from.
            task.exception()

    async def _kept_or_spoken(self, key: str, wanted: Utterance) -> Master:
        kept = await asyncio.to_thread(self._shelf.get, key) if self._shelf else None
        if kept:
            return kept
        async with self._places:
            sound = await self.voice.speak(wanted)
        master = await asyncio.to_thread(finished, sound, self.engine)
        if self._shelf:
            await asyncio.to_thread(self._shelf.put, key, master)
        return master

    def _resampled(self, recording: Recording, rate: int) -> Master:
        try:
            data = self._artifacts.path(recording.path).read_bytes()
        except OSError as error:
            raise VoiceError(f"{recording.path} cannot be read: {error.strerror}.", path=recording.path) from error
        return resampled(data, rate, recording)
