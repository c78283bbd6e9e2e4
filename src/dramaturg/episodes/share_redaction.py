"""The texts of a shared result without the player's words and name, where the player did not choose to show them.

Only what a model wrote is checked: titles, clues and descriptions are the author's. A sentence that repeats a run of
the player's words is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from dramaturg.kernel.text.words import words

WRITTEN = frozenset({"summary", "emotional_arc", "remark", "current_theory", "key_moments", "primary_signals"})
"""The keys of a result that a model wrote."""
RUN, LONG_RUN, TELLING = 3, 5, 4
"""Words in a row that give a player away: three with two long ones among them, or five of any kind."""
INSTEAD = {"current_theory": "The player has a theory.", "summary": "What was said stays with the player."}
NAMELESS = "the player"
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s*")


def without_words(result: Mapping[str, JsonValue], said: Iterable[str]) -> Mapping[str, JsonValue]:
    """The result without quotes, and without sentences that repeat what the player said."""
    runs = frozenset(run for text in said for run in _runs(words(text), whole=True))
    kept = {key: _unquoted(value) for key, value in result.items()}
    return {key: _silent(value, runs, INSTEAD.get(key, "")) if key in WRITTEN else value for key, value in kept.items()}


def without_name(result: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    """The result with the player's name replaced."""
    if len(name) < 2:
        return result
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return {key: _nameless(value, pattern) if key in WRITTEN else value for key, value in result.items()}


def _unquoted(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _unquoted(part) for key, part in value.items() if key != "quote"}
    return [_unquoted(part) for part in value] if isinstance(value, list) else value


def _silent(value: JsonValue, runs: frozenset[tuple[str, ...]], instead: str = "") -> JsonValue:
    if isinstance(value, dict):
        return {key: _silent(part, runs) for key, part in value.items()}
    if isinstance(value, list):
        return [one for one in (_silent(part, runs) for part in value) if one not in ("", {"text": ""}, {"signal": ""})]
    if not isinstance(value, str) or not value:
        return value
    kept = [one for one in _SENTENCE_END.split(value) if one and not _repeats(one, runs)]
    text = " ".join(kept)
    return instead if not text or _repeats(text, runs) else text


def _repeats(text: str, runs: frozenset[tuple[str, ...]]) -> bool:
    return any(run in runs for run in _runs(words(text)))


def _runs(found: Sequence[str], *, whole: bool = False) -> Iterator[tuple[str, ...]]:
    """The runs of words by which somebody could be recognised. A short message counts as a whole."""
    for start in range(len(found)):
        pair, three, five = found[start : start + 2], found[start : start + RUN], found[start : start + LONG_RUN]
        if len(three) == RUN and sum(len(word) >= TELLING for word in three) >= 2:
            yield tuple(three)
        if len(five) == LONG_RUN:
            yield tuple(five)
        if len(pair) == 2 and (not whole or len(found) == 2) and all(len(word) >= TELLING for word in pair):
            yield tuple(pair)


def _nameless(value: JsonValue, pattern: re.Pattern[str]) -> JsonValue:
    if isinstance(value, dict):
        return {key: _nameless(part, pattern) for key, part in value.items()}
    if isinstance(value, list):
        return [_nameless(part, pattern) for part in value]
    return pattern.sub(NAMELESS, value) if isinstance(value, str) else value
