"""How fast the voices speak: every voice is brought to the same pace, which a profile then varies.

People talk at 150 to 180 words a minute; left alone, the voices of an engine differ by a third. `paces.toml` has the
measured figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.values import Value
from dramaturg.voices.port import VoiceDelivery

TARGET = 165
"""Words a minute."""
SLOWEST, FASTEST = 0.5, 2.0


class VoicePace(Value):
    """A voice in words a minute: unasked (`own`), and calibrated (`heard`), for which `speed` is what it is asked.

    Without `heard`, the speed is an estimate that was not checked by ear or meter.
    """

    own: float
    speed: float
    heard: float | None = None


def pace_of(engine: str, voice: str) -> VoicePace | None:
    """The measured pace of a voice; None for one that was never measured, such as a hosted one."""
    return _read().get(engine, {}).get(voice)


def at_pace(delivery: VoiceDelivery, engine: str, voice: str) -> VoiceDelivery:
    """The delivery with its speed relative to the common pace, instead of to the voice's own."""
    pace = pace_of(engine, voice)
    if pace is None:
        return delivery
    speed = min(max(delivery.speed * pace.speed, SLOWEST), FASTEST)
    return delivery.model_copy(update={"speed": round(speed, 4)})


@cache
def _read() -> Mapping[str, Mapping[str, VoicePace]]:
    raw = table(__package__, "paces.toml")
    return {engine: {name: VoicePace.model_validate(row) for name, row in rows.items()} for engine, rows in raw.items()}
