"""Eligibility: what rules an entry out, whatever the messages say."""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.characters.lorebook.entry import LoreEntry
from dramaturg.characters.lorebook.scan import HeldEffects, LoreSurroundings


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An entry cannot be told; `reason` is empty if it never could be in this chat, however long it goes on."""

    reason: str = ""


def exclusion_of(
    entry: LoreEntry, length: int, answers: int, held: HeldEffects, around: LoreSurroundings
) -> Exclusion | None:
    """Why an entry cannot be told after so many messages, so many of them answers; None if it can."""
    if not _passes_filters(entry, around) or not _passes_decorators(entry, around):
        return Exclusion()
    waiting = _waiting(entry, answers, length)
    if waiting:
        return Exclusion(waiting)
    if entry.decorators.dont_activate_after_match and (entry.uid, "matched") in held:
        return Exclusion("matched before")
    cooling = held.get((entry.uid, "cooldown"))
    if cooling and (entry.uid, "sticky") not in held:
        return Exclusion(f"cools down until message {cooling.end}")
    return None


def _passes_filters(entry: LoreEntry, around: LoreSurroundings) -> bool:
    """Whether the character, its tags and the kind of answer wanted pass the entry's filters."""
    asked = entry.characters
    if asked.names and (around.char in asked.names) == asked.excludes:
        return False
    if asked.tags and bool(set(asked.tags) & set(around.tags)) == asked.excludes:
        return False
    return not entry.triggers or around.trigger in entry.triggers


def _passes_decorators(entry: LoreEntry, around: LoreSurroundings) -> bool:
    """Whether the greeting, the user's icon and the room left are what the entry's decorators ask for."""
    asked = entry.decorators
    if asked.is_greeting is not None and around.greeting is not None and asked.is_greeting != around.greeting:
        return False
    if asked.is_user_icon is not None and asked.is_user_icon != around.user_icon:
        return False
    return not (asked.ignore_on_max_context and around.is_full)


def _waiting(entry: LoreEntry, answers: int, length: int) -> str:
    asked = entry.decorators
    if length < entry.delay:
        return f"waits for message {entry.delay}"
    if asked.activate_only_after is not None and answers < asked.activate_only_after:
        return f"waits for answer {asked.activate_only_after}"
    every = asked.activate_only_every
    if every and every > 0 and answers % every:
        return f"only at every answer {every}"
    return ""


def is_standing(entry: LoreEntry) -> bool:
    """Whether an entry is told always and everywhere: constant, with no dice, rivals, times or occasions."""
    asked = entry.decorators
    conditional = (
        entry.probability < 100,
        entry.groups,
        entry.delay,
        entry.cooldown,
        entry.delay_until_recursion,
        entry.triggers,
        asked.activate_only_after,
        asked.activate_only_every,
        asked.dont_activate_after_match,
        asked.dont_activate,
        asked.is_greeting is not None,
        asked.is_user_icon is not None,
        asked.ignore_on_max_context,
    )
    return entry.enabled and entry.constant and not any(conditional)
