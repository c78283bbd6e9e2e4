"""What the cast remembers of earlier scenes, in a form that lines can mention: who did what to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.models.rehearsal.verbs import is_past
from dramaturg.scenes.rehearsal.playbook import Playbook

LONGEST_MATTER = 12
_DONE = re.compile(
    r"^(?P<who>.{1,80}?) (?P<verb>promised|apologised to|forgave|admitted to|thanked|accused|threatened) "
    r"(?P<whom>.{1,80}?): “(?P<quote>.+)”"
)
_BONDS = (("distrust", r"distrust |wary of "), ("trust", r"trust "))
_WILL = re.compile(r"\bI(?:'ll| will) (?P<vp>(?:never )?[a-z][^.!?;]*)")
_PAST = re.compile(r"\bI (?P<did>(?P<verb>[a-z]+) [^.!?;,]+)")
_VAGUE = re.compile(
    r"\b(?:that|this|so|there)$|^(?:never )?(?:do|try|be|have|tell|say|go|think|let|see) (?:it|that|so)\b"
)
# What is mentioned first.
LATE = frozenset({"forgave", "apologised", "thanked", "trust", "distrust"})
"""What can still be mentioned when the scene is almost over."""
_RANKS = ("promised", "admitted", "forgave", "accused", "threatened", "apologised", "thanked", "distrust", "trust")


@dataclass(frozen=True, slots=True)
class Reminiscence:
    """Something between `me`, who remembers it, and `other`. `mine` is set if I did it.

    `matter` is what was promised, as a base verb phrase, or admitted, in the past; in the words of whoever did it.
    """

    me: str
    other: str
    kind: str
    mine: bool = False
    matter: str = ""

    @property
    def tag(self) -> str:
        """The heading in the bank."""
        return f"{'my-' if self.mine else ''}{self.kind}{'' if self.matter else '-bare'}"


@lru_cache(maxsize=256)
def reminiscences_of(book: Playbook) -> tuple[Reminiscence, ...]:
    """What the cast remembers of each other, the most noteworthy first."""
    names = tuple(part.name for part in book.cast)
    found = [one for part in book.cast for one in _read(part, names)]
    return tuple(sorted(found, key=lambda one: (not one.matter and one.kind == "promised", _RANKS.index(one.kind))))


def _read(part: Part, names: tuple[str, ...]) -> Iterator[Reminiscence]:
    for line in part.memories:
        done = _DONE.match(line)
        if done:
            who, whom, kind = done["who"], done["whom"], done["verb"].split()[0]
            other = whom if who == "You" else who
            if other in names and "you" in (who.lower(), whom.lower()):
                yield Reminiscence(part.name, other, kind, who == "You", _matter(kind, done["quote"]))
        elif line.startswith("You "):
            yield from _bond(part.name, line, names)


def _bond(me: str, line: str, names: tuple[str, ...]) -> Iterator[Reminiscence]:
    for kind, words in _BONDS:
        found = re.search(rf"^You (?:are )?(?:{words})(?P<name>[\w' -]+?)(?: deeply)?(?=[,.])", line)
        if found and found["name"] in names:
            yield Reminiscence(me, found["name"], kind)


def _matter(kind: str, quote: str) -> str:
    """The promise or the fault itself, if the quoted words name it."""
    said = quote.replace("’", "'")
    if kind == "promised":
        found = _WILL.search(said)
        vp = found["vp"].strip(" ,") if found else ""
    elif kind == "admitted":
        past = next((one for one in _PAST.finditer(said) if is_past(one["verb"])), None)
        vp = past["did"].strip() if past else ""
    else:
        return ""
    usable = vp and len(vp.split()) <= LONGEST_MATTER and not _VAGUE.search(vp)
    return vp if usable else ""
