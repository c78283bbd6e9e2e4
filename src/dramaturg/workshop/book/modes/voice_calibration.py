"""VOICE_CALIBRATION: the narrative voice is found and locked."""

from __future__ import annotations

from dramaturg.workshop.book.modes.gates import voice_misses
from dramaturg.workshop.book.modes.mode import ModeRules

MODE = ModeRules(
    name="VOICE_CALIBRATION",
    place=2,
    misses=voice_misses,
    sections=("voice", "work_order", "corrections", "knowledge", "memory", "notebooks", "alerts"),
)
