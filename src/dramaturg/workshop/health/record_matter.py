"""The fields of a scene's front matter that only health checks read, in the spellings that writers use."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dramaturg.workshop.graph.names import quote_around
from dramaturg.workshop.health.values import Evidence, SceneKind, Told

_NUMBER = re.compile(r"-?\d{1,4}(?:[.,]\d{1,3})?")
_WORDS = {
    2.0: ("low", "calm", "quiet", "niedrig", "ruhig", "bas", "baja"),
    5.0: ("medium", "middle", "moderate", "mittel", "moyen", "media"),
    8.0: ("high", "hoch", "haut", "alta"),
    10.0: ("extreme", "peak", "maximum"),
}
_LEVELS = {word: level for level, words in _WORDS.items() for word in words}
_NO = frozenset("no none false never n nein nicht non 0 -".split())
_YES = frozenset("yes true y ja oui si sí 1".split())
_KINDS: Mapping[str, SceneKind] = {
    **dict.fromkeys(("flashback", "flash back", "flash-back", "rückblende", "memory", "backstory"), "flashback"),
    **dict.fromkeys(("dream", "nightmare", "vision", "traum", "rêve", "sueño"), "dream"),
    **dict.fromkeys(("letter", "diary", "document", "brief", "tagebuch", "lettre", "carta"), "letter"),
}
TENSION = ("tension", "tension_level", "spannung", "intensity")
CHALLENGE = ("flaw_challenged", "flaw_challenge", "challenges_flaw", "flaw")
RESONANCE = ("resonance", "theme_resonance", "theme_score")
KIND = ("kind", "type", "scene_type", "scene_kind")
SCALE = 10.0
"""Tension and resonance are numbers from 0 to this."""


def scene_kind(said: Mapping[str, object]) -> SceneKind:
    """What a scene is, so far as the order of the story goes."""
    for name in KIND:
        found = _KINDS.get(" ".join(str(said.get(name, "")).split()).casefold())
        if found is not None:
            return found
    return "scene"


def level(value: object) -> float | None:
    """A number from 0 to 10, as `7`, `7/10`, `70%` or `high`; None if it is none."""
    if isinstance(value, bool) or value is None:
        return None
    said = " ".join(str(value).split()).casefold()
    if said in _LEVELS:
        return _LEVELS[said]
    found = _NUMBER.match(said)
    if found is None:
        return None
    number = float(found[0].replace(",", "."))
    rest = said[found.end() :].strip()
    if rest.startswith("%"):
        number = number / 100 * SCALE
    elif rest.startswith("/") and (of := _NUMBER.match(rest[1:].strip())):
        whole = float(of[0].replace(",", "."))
        number = number / whole * SCALE if whole > 0 else -1.0
    return number if 0 <= number <= SCALE else None


def is_so(value: object) -> bool | None:
    """Yes or no; any other words are a yes with its explanation. None if nothing is said."""
    if value is None:
        return None
    if isinstance(value, bool):
        return value
    said = " ".join(str(value).split()).casefold()
    if not said:
        return None
    return said not in _NO and not said.startswith(("no,", "no.", "nein,"))


def is_bare_yes(value: object) -> bool:
    """Whether a yes comes without any words of its own."""
    return isinstance(value, bool) or " ".join(str(value).split()).casefold() in _YES


def told_level(path: str, head: str, said: Mapping[str, object], names: tuple[str, ...]) -> Told[float] | None:
    for name in names:
        found = level(said.get(name))
        if found is not None:
            return Told(found, matter_line(path, head, name))
    return None


def told_challenge(path: str, head: str, body: str, said: Mapping[str, object]) -> Told[bool] | None:
    """Whether the scene challenges the flaw. Words that stand in the prose are quoted from there."""
    for name in CHALLENGE:
        found = is_so(said.get(name))
        if found is None:
            continue
        value = said.get(name)
        if found and not is_bare_yes(value) and (at := body.find(str(value))) >= 0:
            start, end = quote_around(body, at, at + len(str(value)))
            return Told(True, Evidence(file=path, paragraph=paragraph_at(body, at), quote=body[start:end]))
        return Told(found, matter_line(path, head, name))
    return None


def matter_line(path: str, head: str, name: str) -> Evidence:
    """The line of the front matter that has a field."""
    for line in head.splitlines():
        field = line.partition(":")[0].strip().casefold().replace("-", "_").replace(" ", "_")
        if field == name:
            return Evidence(file=path, quote=line.strip(), origin="front matter")
    return Evidence(file=path, origin="front matter")


def paragraph_at(body: str, at: int) -> int:
    """The number of the paragraph that has a place of the text, counted from 1."""
    return len(re.findall(r"\S\n[ \t]*\n", body[:at])) + 1
