"""How the rehearsal company writes a passage: sentences from a sheet, in the measure of the strategy."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dramaturg.kernel.models.rehearsal.sheet import load_sheet

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.voice_cues import PassageCue

_MEASURE: Mapping[str, tuple[str, ...]] = {
    "ACTION": ("action", "action", "place", "action", "talk"),
    "CHARACTER": ("thought", "place", "thought", "action", "thought"),
    "DIALOGUE": ("talk", "action", "talk", "thought", "talk"),
    "BALANCED": ("place", "action", "thought", "talk"),
}


def passage_text(cue: PassageCue) -> str:
    """A passage of about as many words as asked for, the same for the same cue; no sentence comes twice."""
    sheet = load_sheet(__package__, "passages.txt")
    rng = random.Random(f"{cue.number}/{cue.strategy}/{cue.about}")
    left = {kind: rng.sample(lines, len(lines)) for kind, lines in sheet.items()}
    name = cue.protagonist.split()[0] if cue.protagonist.split() else "Ruth"
    kinds = kinds_of(cue.strategy)
    paragraphs: list[str] = []
    written, turn = 0, 0
    while written < cue.words and any(left.values()):
        kind = kinds[turn % len(kinds)]
        kind = kind if left[kind] else next(one for one, lines in left.items() if lines)
        line = left[kind].pop().replace("{name}", name)
        paragraphs += line.split(" // ") if kind == "talk" else [_with_more(line, left[kind], rng, name)]
        written = sum(len(one.split()) for one in paragraphs)
        turn += 1
    return "\n\n".join(paragraphs)


def kinds_of(strategy: str) -> tuple[str, ...]:
    """The kinds of sentences of a strategy, in their measure."""
    return _MEASURE.get(strategy, _MEASURE["BALANCED"])


def _with_more(line: str, left: list[str], rng: random.Random, name: str) -> str:
    """A paragraph of one to three sentences of a kind."""
    more = [left.pop().replace("{name}", name) for _ in range(rng.randrange(3)) if left]
    return " ".join([line, *more])
