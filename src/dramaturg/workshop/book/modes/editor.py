"""EDITOR: the draft is revised."""

from __future__ import annotations

from dramaturg.workshop.book.modes.gates import book_misses
from dramaturg.workshop.book.modes.mode import ModeRules

MODE = ModeRules(
    name="EDITOR",
    place=4,
    misses=book_misses,
    sections=("active", "voice", "corrections", "knowledge", "near", "memory", "alerts", "notebooks"),
    has_prose=True,
)
