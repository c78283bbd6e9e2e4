"""The booth of a studio: opened when the first line is to be spoken, and once."""

from __future__ import annotations

from asyncio import Lock, to_thread
from typing import TYPE_CHECKING

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts

if TYPE_CHECKING:
    from dramaturg.voices.booth import Booth


class LazyBooth:
    """Opens the booth at its first use. `booth` is None until then, `silence` what keeps it from opening."""

    def __init__(self, settings: Settings, artifacts: Artifacts) -> None:
        self._settings = settings
        self._artifacts = artifacts
        self._opening = Lock()
        self.booth: Booth | None = None
        self.silence: VoiceError | None = None

    async def open(self) -> Booth:
        """Where lines are spoken. Raises VoiceError where nothing can speak here."""
        async with self._opening:
            if self.booth is None and self.silence is None:
                from dramaturg.voices.engines import open_booth

                try:
                    self.booth = await to_thread(open_booth, self._settings, self._artifacts)
                except VoiceError as error:
                    self.silence = error
        if self.booth is None:
            raise self.silence or VoiceError("Nothing can speak here.")
        return self.booth

    async def aclose(self) -> None:
        if self.booth is not None:
            await self.booth.aclose()
