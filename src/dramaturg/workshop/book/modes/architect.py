"""ARCHITECT: the story bible is planned."""

from __future__ import annotations

from dramaturg.workshop.book.modes.gates import bible_misses
from dramaturg.workshop.book.modes.mode import ModeRules

MODE = ModeRules(
    name="ARCHITECT",
    place=1,
    misses=bible_misses,
    sections=("work_order", "corrections", "knowledge", "notebooks", "memory", "alerts"),
    researches=True,
)
