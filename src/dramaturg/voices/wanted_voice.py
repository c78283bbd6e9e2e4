"""The voice a character asks for, where the engine has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import VoiceSettings


class CastingBooth(Protocol):
    """The part of a booth that gives out voices."""

    def casting(self, pins: Sequence[str | None]) -> tuple[str, ...]:
        """One voice per seat, distinct unless pinned. Raises VoiceError for a pin it does not know."""
        ...

    def narrator(self) -> str:
        """The narrator's voice. Raises VoiceError if the one in the settings is unknown."""
        ...


def wanted_voice(
    own: str | None, name: str, display_name: str, booth: CastingBooth, settings: VoiceSettings, remarks: list[str]
) -> str | None:
    """The voice of the card (`own`), else of `[voices] cast`; None, with a remark, if the engine does not have it."""
    wanted = own or settings.cast.get(name) or settings.cast.get(display_name)
    if not wanted:
        return None
    try:
        return booth.casting([wanted])[0]
    except VoiceError as error:
        remarks.append(f"{display_name} does not have the requested voice: {error.message}")
        return None


def narrator_voice(booth: CastingBooth, remarks: list[str]) -> str | None:
    """The narrator's voice; None, with a remark, if the engine does not have the one in the settings."""
    try:
        return booth.narrator()
    except VoiceError as error:
        remarks.append(f"The narrator does not have the voice from the settings: {error.message}")
        return None
