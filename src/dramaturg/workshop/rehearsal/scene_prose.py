"""How the rehearsal company writes a section of a scene: sentences from a sheet, to the word target. It is poor.

Where the scene was performed, the lines of the actors stand in it, in their order.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dramaturg.kernel.models.rehearsal.sheet import load_sheet
from dramaturg.workshop.rehearsal.passages import kinds_of

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.draft_cue import SectionCue

SENTENCES = 3
"""A paragraph of narration has up to so many."""
_NO_NAME = frozenset("the a an mr mrs ms miss dr der die das herr frau".split())
_LINE = re.compile(r"(?P<who>[^\[\]\"“”:]{1,60}?) (?:\[[^\]]{1,300}\] )?[\"“](?P<words>[^\"”]{1,2000})[\"”]")


def section_text(cue: SectionCue) -> str:
    """A section of as many words as were asked for, or as many as its performed lines need; the same for one cue."""
    paragraphs = [one for one in map(_told, cue.lines) if one]
    missing = cue.words - _words(paragraphs)
    filled: list[str] = []
    for one in _narration(cue):
        if _words(filled) + len(one.split()) / 2 > missing:
            break
        filled.append(one)
    return "\n\n".join(_woven(_grouped(filled), paragraphs))


def _narration(cue: SectionCue) -> Iterator[str]:
    """Sentences in the measure of the strategy; when the sheet is spent, it begins anew."""
    sheet, round_ = load_sheet(__package__, "passages.txt"), 0
    name = _short_name(cue.told_by) or "Ruth"
    kinds = [kind for kind in kinds_of(cue.strategy) if kind != "talk"] or ["action"]
    while True:
        rng = random.Random(f"{cue.letter}/{cue.strategy}/{cue.about}/{cue.number}/{round_}")
        left = {kind: rng.sample(sheet[kind], len(sheet[kind])) for kind in dict.fromkeys(kinds)}
        while all(left.values()):
            for kind in kinds:
                if left[kind]:
                    yield left[kind].pop().replace("{name}", name)
        round_ += 1


def _short_name(name: str) -> str:
    """The first word of a name, unless that is an article or a title."""
    parts = name.partition("(")[0].partition(",")[0].split()
    return " ".join(parts) if parts and parts[0].casefold().rstrip(".") in _NO_NAME else "".join(parts[:1])


def _grouped(sentences: list[str]) -> list[str]:
    return [" ".join(sentences[at : at + SENTENCES]) for at in range(0, len(sentences), SENTENCES)]


def _woven(narration: list[str], spoken: list[str]) -> Iterator[str]:
    """The spoken paragraphs in their order, spread over the narration."""
    for place, one in enumerate(narration):
        yield one
        yield from spoken[len(spoken) * place // len(narration) : len(spoken) * (place + 1) // len(narration)]
    if not narration:
        yield from spoken


def _told(line: str) -> str:
    """A line of a transcript as prose; empty for what is no line."""
    found = _LINE.match(line)
    if found is None:
        return ""
    words = found["words"].strip()
    closed = words if words.endswith(("?", "!", "—")) else f"{words.rstrip('.')},"
    return f"“{closed}” said {found['who'].strip()}."


def _words(paragraphs: list[str]) -> int:
    return sum(len(one.split()) for one in paragraphs)
