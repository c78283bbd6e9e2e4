"""The booths of a studio, one per engine: each opened when the first line is to be spoken with it, and once."""

from __future__ import annotations

from asyncio import Lock, to_thread
from typing import TYPE_CHECKING

from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.settings import ENGINES, Settings
from dramaturg.kernel.store import Artifacts
from dramaturg.trust import require_consent

if TYPE_CHECKING:
    from dramaturg.voices.booth import Booth


class LazyBooth:
    """Opens the booth at its first use. `booth` is None until then, `silence` what keeps it from opening."""

    def __init__(self, settings: Settings, artifacts: Artifacts) -> None:
        self._settings = settings
        self._artifacts = artifacts
        self._opening = Lock()
        self._others: dict[str, Booth] = {}
        self.booth: Booth | None = None
        self.silence: VoiceError | None = None

    async def open(self, engine: str | None = None) -> Booth:
        """Where lines are spoken: by the engine of the settings, unless another is named.

        Raises VoiceError where nothing can speak here, InvalidConfig for an unknown engine, and NotTrusted for one that
        the user has not allowed.
        """
        async with self._opening:
            if engine is not None and (self.booth is None or self.booth.engine != engine):
                return await self._other(engine)
            if self.booth is None and self.silence is None:
                try:
                    self.booth = await to_thread(_opened, self._settings, self._artifacts)
                except VoiceError as error:
                    self.silence = error
        if self.booth is None:
            raise self.silence or VoiceError("Nothing can speak here.")
        return self.booth

    async def warm_up(self) -> str:
        """Open the booth and load its engine; what is said about it. Raises VoiceError."""
        booth = await self.open()
        await booth.warm_up()
        return booth.remark or f"{booth.engine} speaks."

    async def aclose(self) -> None:
        for booth in (self.booth, *self._others.values()):
            if booth is not None:
                await booth.aclose()

    async def _other(self, engine: str) -> Booth:
        if engine not in ENGINES or engine == "auto":
            known = ", ".join(name for name in ENGINES if name != "auto")
            raise InvalidConfig(f"There is no engine '{engine}'. Available: {known}.", engine=engine)
        if engine not in self._others:
            voices = self._settings.voices.model_copy(update={"engine": engine})
            settings = self._settings.model_copy(update={"voices": voices})
            require_consent(settings)
            self._others[engine] = await to_thread(_opened, settings, self._artifacts)
        return self._others[engine]


def _opened(settings: Settings, artifacts: Artifacts) -> Booth:
    from dramaturg.voices.engines import open_booth

    return open_booth(settings, artifacts)
