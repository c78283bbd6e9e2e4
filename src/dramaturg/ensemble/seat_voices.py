"""The voices of a session: a distinct voice for each of up to six seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dramaturg.ensemble.events import Seat, SeatVoice, VoicesCast
from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.voices.profiles import profile
from dramaturg.voices.wanted_voice import CastingBooth, wanted_voice


class SeatBooth(CastingBooth, Protocol):
    """The part of a booth that gives the seats their voices."""

    @property
    def engine(self) -> str: ...


@dataclass(frozen=True, slots=True)
class SeatCasting:
    """The voice of each seat, by slot; `remarks` name the pinned voices that the engine does not have."""

    voices: Mapping[int, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def event(self, engine: str) -> VoicesCast:
        """The casting as it stands in the log."""
        given = tuple(SeatVoice(slot_id=slot, voice=voice) for slot, voice in self.voices.items())
        return VoicesCast(engine=engine, voices=given)


def cast_seats(cast: Sequence[Seat], booth: SeatBooth, settings: VoiceSettings) -> SeatCasting:
    """A distinct voice for each seat; a line's profile then only says how it is spoken.

    A seat gets the voice pinned for it (in `ensemble.yaml`, or under `[voices] cast`) if this engine has it, else that
    of its own profile if no other seat has it, else the next free one. If the engine has too few, profiles decide
    line by line.
    """
    remarks: list[str] = []
    pins: list[str | None] = []
    for seat in cast:
        pinned = wanted_voice(seat.voice, seat.agent_id, seat.name, booth, settings, remarks)
        own = profile(seat.voice_profile).on(booth.engine).voice
        pins.append(pinned or (own if own not in pins else None))
    try:
        given = booth.casting(pins)
    except (InvalidConfig, VoiceError):
        given = ()
    return SeatCasting(dict(zip((seat.slot_id for seat in cast), given, strict=False)), tuple(remarks))
