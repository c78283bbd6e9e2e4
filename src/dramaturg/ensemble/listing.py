"""What a face shows before it asks: the seats as they are written, and how each could sound."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from dramaturg.ensemble.ensemble import Slot, Turn3, read_ensemble
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import WireValue
from dramaturg.voices.engines import survey


class VoiceOption(WireValue):
    """Something a seat can sound like: a profile, or a voice of a speech engine."""

    name: str
    about: str = ""


class EngineVoices(WireValue):
    """A speech engine, whether it can be used here, and its voices."""

    engine: str
    usable: bool
    reason: str
    voices: tuple[VoiceOption, ...] = ()


class EnsembleListing(WireValue):
    """The ensemble of a project. A request may ask some of its slots, with other models and voices."""

    name: str
    slots: tuple[Slot, ...]
    turn3: Turn3 | None = None
    profiles: tuple[VoiceOption, ...] = Field(description="voice profiles: how a line is spoken")
    engine: str = Field(description="the speech engine that speaks here; empty if none can")
    engines: tuple[EngineVoices, ...]


def listed_ensemble(project: Path, profiles: Mapping[str, str], settings: Settings) -> EnsembleListing:
    """Blocking: looks for the speech engines. Raises InvalidConfig if `ensemble.yaml` cannot be read."""
    ensemble, states, wanted = read_ensemble(project), survey(settings), settings.voices.engine
    speaking = [one.engine for one in states if one.usable and wanted in ("auto", one.engine)]
    return EnsembleListing(
        name=ensemble.name,
        slots=ensemble.slots,
        turn3=ensemble.turn3,
        profiles=tuple(VoiceOption(name=name, about=about) for name, about in profiles.items()),
        engine=speaking[0] if speaking else "",
        engines=tuple(
            EngineVoices(
                engine=state.engine,
                usable=state.usable,
                reason=state.reason,
                voices=tuple(VoiceOption(name=one.name, about=one.description) for one in state.voices),
            )
            for state in states
        ),
    )
