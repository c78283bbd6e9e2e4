"""Reasons for which an entry is out of the question, whatever is said."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.episodes.lore_scan.scan import LoreMessage, LoreState, LoreSurroundings
from dramaturg.kernel.characters.lorebook.entry import LoreEntry


def closed(
    entry: LoreEntry, messages: Sequence[LoreMessage], state: LoreState, around: LoreSurroundings
) -> tuple[bool, str]:
    """Whether an entry is shut out, and a reason if it is one that passes with time."""
    if not _is_for(entry, around) or not _is_asked(entry, around):
        return True, ""
    answers = sum(not message.is_user for message in messages)
    waits = _waits(entry, answers, len(messages))
    if waits:
        return True, waits
    if entry.decorators.dont_activate_after_match and state.holds(entry.uid, "matched"):
        return True, "matched before"
    cooling = state.holds(entry.uid, "cooldown")
    if cooling and not state.holds(entry.uid, "sticky"):
        return True, f"cools down until message {cooling.end}"
    return False, ""


def _is_for(entry: LoreEntry, around: LoreSurroundings) -> bool:
    """The filters of characters, of tags and of what kind of answer is wanted."""
    asked = entry.characters
    if asked.names and (around.char in asked.names) == asked.excludes:
        return False
    if asked.tags and bool(set(asked.tags) & set(around.tags)) == asked.excludes:
        return False
    return not entry.triggers or around.trigger in entry.triggers


def _is_asked(entry: LoreEntry, around: LoreSurroundings) -> bool:
    """The decorators that ask for a greeting, a picture of the player or room."""
    asked = entry.decorators
    if asked.is_greeting is not None and around.greeting is not None and asked.is_greeting != around.greeting:
        return False
    if asked.is_user_icon is not None and asked.is_user_icon != around.user_icon:
        return False
    return not (asked.ignore_on_max_context and around.is_full)


def _waits(entry: LoreEntry, answers: int, length: int) -> str:
    asked = entry.decorators
    if length < entry.delay:
        return f"waits for message {entry.delay}"
    if asked.activate_only_after is not None and answers < asked.activate_only_after:
        return f"waits for answer {asked.activate_only_after}"
    every = asked.activate_only_every
    if every and every > 0 and answers % every:
        return f"only at every answer {every}"
    return ""
