"""Simulated players: six tempers for the rehearsal room, one of which tries to read hidden text."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from dramaturg.episodes.rehearsal.chat import sentences
from dramaturg.kernel.text.tables import table

if TYPE_CHECKING:
    from dramaturg.episodes.rehearsal.cues import PlayerCue, Temper

TEMPERS: tuple[Temper, ...] = ("eager", "shy", "hostile", "silent", "off_topic", "breaker")
_PATIENCE = 4
"""The turn after which eager and hostile players pursue the objective."""


@cache
def _lines() -> Mapping[str, tuple[str, ...]]:
    """What players of each temper type."""
    raw = table(__package__, "players.toml")
    return {temper: tuple(rows["any"]) for temper, rows in raw.items()}


def player_text(cue: PlayerCue) -> str:
    """The player's next words: plain text, as a person would type it."""
    rng = random.Random(f"{cue.book.seed}/{cue.book.name}/{cue.temper}/{cue.turn}")
    if cue.choices and cue.temper in ("eager", "hostile"):
        return f"choice:{cue.choices[0]}"
    if cue.temper in ("eager", "hostile") and cue.turn > _PATIENCE and (aim := _aim(cue, rng)):
        return aim
    if cue.temper in ("eager", "shy") and cue.book.clues and cue.turn % 2 == 0:
        return _asks(cue)
    lines = _lines()[cue.temper]
    return lines[(cue.turn - 1) % len(lines)]


def _aim(cue: PlayerCue, rng: random.Random) -> str:
    """Pursue the objective, like a player who has understood it."""
    words = cue.book.objective_words or (("it was you",) if cue.book.suspects else ())
    return f"I'll say it plainly: {rng.choice(words)}." if words and cue.turn % 2 else ""


def _asks(cue: PlayerCue) -> str:
    """Ask about one clue after another."""
    _, text, keywords = cue.book.clues[(cue.turn // 2 - 1) % len(cue.book.clues)]
    about = keywords[0] if keywords else sentences(text)[0].split()[-1].strip(".")
    opening = "Maybe you could tell me" if cue.temper == "shy" else "Tell me"
    return f"{opening} about {about}."
