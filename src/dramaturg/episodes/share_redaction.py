"""The texts of a shared result without the player's words and name, where the player did not choose to show them.

Only what a model wrote is checked: titles, clues and descriptions are the author's. A sentence that repeats a run of
the player's words is left out, and so is one that quotes any of them, however few.
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
_SENTENCE_END = re.compile(r'(?<=[.!?…。！？])(?![.!?…。！？"”“»«」』\'’)])\s*|(?<=[.!?…。！？]["”“»«」』])\s+')
_QUOTED = re.compile(
    r'"([^"]{1,400})"|[“„]([^“”„]{1,400})[”“]|[«»]([^«»]{1,400})[»«]|「([^」]{1,400})」|『([^』]{1,400})』'
)


class _PlayerWords:
    """What a player said: the runs that would give them away, and each message as words."""

    def __init__(self, said: Iterable[str]) -> None:
        spoken = [words(text) for text in said]
        self._runs = frozenset(run for message in spoken for run in _runs(message, whole=True))
        self._messages = frozenset(f" {' '.join(message)} " for message in spoken if message)

    def are_in(self, text: str) -> bool:
        """Whether a text repeats them: by a run, as a quotation of any length, or by being nothing else."""
        if any(run in self._runs for run in _runs(words(text))) or f" {' '.join(words(text))} " in self._messages:
            return True
        quoted = (f" {' '.join(words(span))} " for found in _QUOTED.findall(text) for span in found if words(span))
        return any(span in message for span in quoted for message in self._messages)


def without_words(result: Mapping[str, JsonValue], said: Iterable[str]) -> Mapping[str, JsonValue]:
    """The result without quotes, and without sentences that repeat what the player said."""
    spoken = _PlayerWords(said)
    kept = {key: _unquoted(value) for key, value in result.items()}
    return {
        key: _silent(value, spoken, INSTEAD.get(key, "")) if key in WRITTEN else value for key, value in kept.items()
    }


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


def _silent(value: JsonValue, spoken: _PlayerWords, instead: str = "") -> JsonValue:
    if isinstance(value, dict):
        return {key: _silent(part, spoken) for key, part in value.items()}
    if isinstance(value, list):
        return [
            one for one in (_silent(part, spoken) for part in value) if one not in ("", {"text": ""}, {"signal": ""})
        ]
    if not isinstance(value, str) or not value:
        return value
    kept = [one for one in _SENTENCE_END.split(value) if one and not spoken.are_in(one)]
    text = " ".join(kept)
    return instead if not text or spoken.are_in(text) else text


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
