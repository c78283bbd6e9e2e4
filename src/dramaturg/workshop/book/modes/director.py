"""DIRECTOR: the scenes are drafted."""

from __future__ import annotations

from dramaturg.workshop.book.modes.gates import draft_misses
from dramaturg.workshop.book.modes.mode import ModeRules

MODE = ModeRules(
    name="DIRECTOR",
    place=3,
    misses=draft_misses,
    sections=(
        "active", "voice", "scene", "corrections", "knowledge", "near", "memory", "alerts", "progress", "notebooks",
    ),
    has_prose=True,
)  # fmt: skip
