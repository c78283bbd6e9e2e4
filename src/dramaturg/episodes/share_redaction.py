"""The texts of a shared result without the player's words and name, where the player did not choose to show them, and
without what no character said.

Only what a model wrote is checked: titles, clues and descriptions are the author's. A sentence that repeats a run of
the player's words is left out, and so is one that quotes any of them, however few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from dramaturg.kernel.text.words import words

WRITTEN = frozenset({"summary", "emotional_arc", "remark", "current_theory", "key_moments", "primary_signals"})
"""The keys of a result that a model wrote."""
RUN, LONG_RUN, TELLING = 3, 5, 4
"""Words in a row that give a player away: three with two long ones among them, or five of any kind."""
INSTEAD = {"current_theory": "The player has a theory.", "summary": "What was said stays with the player."}
NAMELESS = "the player"
UNSPACED = 0x2E80
"""From this character on, scripts set no spaces between words."""
SHORTEST_NAME = 3
"""How many letters a part of a name has that is replaced by itself: more than an initial."""
_SENTENCE_END = re.compile(r'(?<=[.!?…。！？])(?![.!?…。！？"”“»«」』\'’)])\s*|(?<=[.!?…。！？]["”“»«」』])\s+')
_QUOTED = re.compile(
    r'"([^"]{1,400})"|[“„]([^“”„]{1,400})[”“]|[«»]([^«»]{1,400})[»«]|「([^」]{1,400})」|『([^』]{1,400})』'
)


class _SpokenWords:
    """What was said: the runs of words that would tell it again, and each message as words."""

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
    """The result without quotes of what was said in these messages, and without sentences that repeat it."""
    spoken = _SpokenWords(said)
    kept = {key: _unquoted(value, spoken.are_in) for key, value in result.items()}
    return {
        key: _silent(value, spoken, INSTEAD.get(key, "")) if key in WRITTEN else value for key, value in kept.items()
    }


def without_quotes(result: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The result without any quotes."""
    return {key: _unquoted(value, lambda _: True) for key, value in result.items()}


def nameless(result: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    """The result with the player's name replaced."""
    pattern = _name_pattern(name)
    if pattern is None:
        return result
    return {key: _nameless(value, pattern) if key in WRITTEN else value for key, value in result.items()}


def without_name(text: str, name: str) -> str:
    """A text with the player's name replaced."""
    pattern = _name_pattern(name)
    return text if pattern is None else pattern.sub(NAMELESS, text)


def _name_pattern(name: str) -> re.Pattern[str] | None:
    """The whole name, however it is spelled, and its parts, spelled as names; None for no name."""
    if len(name.strip()) < 2:
        return None
    whole = r"\s{1,9}".join(map(re.escape, name.split()))
    spelled = {form for part in _parts(name) for form in (part, part.title(), part.upper())}
    wanted = (f"(?i:{whole})", *map(re.escape, sorted(spelled, key=len, reverse=True)))
    return re.compile("|".join(_bounded(one, name) for one in wanted))


def _parts(name: str) -> Iterator[str]:
    """The parts by which somebody with this name may be called."""
    parts = [part.strip(".,") for part in name.split()]
    if len(parts) > 1:
        yield from (one for one in parts if len(one) >= SHORTEST_NAME and (one[0].isupper() or name.islower()))


def _bounded(pattern: str, name: str) -> str:
    """As a whole word, in scripts that divide words."""
    return rf"(?<!\w)(?:{pattern})(?!\w)" if all(ord(mark) < UNSPACED for mark in name) else pattern


def _unquoted(value: JsonValue, is_refused: Callable[[str], bool]) -> JsonValue:
    if isinstance(value, dict):
        return {
            key: _unquoted(part, is_refused)
            for key, part in value.items()
            if key != "quote" or not (isinstance(part, str) and is_refused(part))
        }
    return [_unquoted(part, is_refused) for part in value] if isinstance(value, list) else value


def _silent(value: JsonValue, spoken: _SpokenWords, instead: str = "") -> JsonValue:
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
