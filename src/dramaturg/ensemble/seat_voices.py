"""The voices of a session: a distinct voice for each of up to six seats."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.ensemble.events import Seat
from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.voices.booth import Booth
from dramaturg.voices.profiles import profile


def seat_voices(cast: Sequence[Seat], booth: Booth, settings: VoiceSettings) -> dict[int, str]:
    """A distinct voice for each seat; a line's profile then only says how it is spoken.

    A seat gets the voice pinned for it (in `ensemble.yaml`, or under `[voices] cast`), else that of its own
    profile if no other seat has it, else the next free one. If the engine has too few, profiles decide line by line.
    """
    pins: list[str | None] = []
    for seat in cast:
        pinned = seat.voice or settings.cast.get(seat.agent_id)
        own = profile(seat.voice_profile).on(booth.engine).voice
        pins.append(pinned or (own if own not in pins else None))
    try:
        return dict(zip((seat.slot_id for seat in cast), booth.casting(pins), strict=True))
    except (InvalidConfig, VoiceError):
        return {}
