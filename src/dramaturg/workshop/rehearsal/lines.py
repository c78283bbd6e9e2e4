"""The lines of the rehearsal company's Foreman: one for each occasion, with the book's own words filled in."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dramaturg.kernel.models.rehearsal.sheet import load_sheet
from dramaturg.workshop.rehearsal.weakness import raised, short_quote

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import ForemanCue

_SLOT = re.compile(r"\{(\w+)\}")
_HELD = {
    "flaw": "protagonist.fatal_flaw",
    "lie": "protagonist.the_lie",
    "start": "protagonist.arc_start",
    "midpoint": "protagonist.arc_midpoint",
    "end": "protagonist.arc_resolution",
    "theme": "theme.central_theme",
    "statement": "theme.theme_statement",
}


def foreman_bank() -> Mapping[str, tuple[str, ...]]:
    """The Foreman's lines, by heading."""
    return load_sheet(__package__, "foreman.txt")


def slots_of(cue: ForemanCue, protagonist: str, values: Mapping[str, str]) -> dict[str, str]:
    """What the lines may mention of a book, by the name of the slot."""
    slots = {slot: short_quote(values.get(where, "")) for slot, where in _HELD.items()}
    first = protagonist.split()[0] if protagonist else "your protagonist"
    return {**slots, "name": first, "title": cue.title, "next": cue.next_mode}


def line_for(cue: ForemanCue, occasion: str, slots: Mapping[str, str]) -> str:
    """A line for an occasion whose slots can all be filled; empty if there is none."""
    # Quoted words of the writer must not be taken for a tag.
    values = {slot: text.replace("<", "‹").replace(">", "›") for slot, text in slots.items()}
    known = {**values, **{word[:1].upper() + word[1:]: raised(value) for word, value in values.items()}}
    entries = foreman_bank().get(occasion, ())
    rng = random.Random(f"{cue.title}/{cue.turn}/{occasion}")
    for line in rng.sample(entries, len(entries)):
        if all(known.get(slot) for slot in _SLOT.findall(line)):
            return _SLOT.sub(lambda found: known[found[1]], line).replace(" // ", "\n\n")
    return ""
