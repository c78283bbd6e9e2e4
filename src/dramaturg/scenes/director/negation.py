"""Whether a sub-goal says what must not happen, in the languages that goals are written in.

"Inés no revela el código" does: nothing shows it before the scene is over. "Inés promete no volver" does not: a
promise is a deed, and one line shows it. What counts is whether the verb of a main clause is denied, so a negation is
looked at with what stands before it: a verb of saying or learning, or a word that opens a clause inside the clause.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from dramaturg.scenes.director.tables import begins, lexicon, meets

_ELISION = re.compile(r"\b(n|l|d|qu|s|j|m|t|c|jusqu|dell|nell|all|un)['’ʼ](?=[^\W\d_]{2})")
_WORD = re.compile(r"[^\W_]+")
_SEGMENT = re.compile(r"[,;:،؛，；]")
KANA = re.compile(r"[\u3040-\u30ff]")
HAN = re.compile(r"[\u3400-\u9fff]")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ROMANCE_INFINITIVE = re.compile(r"\w{2,}(?:[aei]r(?:se|l[aeo]s?|me|te|nos)?|[aei]r(?:e|si|l[aeio]|mi|ti|ci|gli))$")
_RUSSIAN_INFINITIVE = re.compile(r"[а-яё]{2,}(?:ть|ться|ти|тись|чь)$")
_JAPANESE_CLOSE = " 。．.!！"
LONGEST_GOAL = 2000
"""How much of a goal is read, in characters: a sentence, and much more. Every word is held against all others."""


@lru_cache(maxsize=1024)
def keeps_quiet(text: str) -> bool:
    """Whether a goal says that somebody keeps a secret or his peace, which only the end of a scene can show."""
    folded = _folded(text)
    if UNSPACED.search(folded):
        places = [folded.find(sign) for sign in lexicon("silence")["unspaced"] if sign in folded]
        return bool(places) and not any(verb in folded[: min(places)] for verb in _row("chinese_declares"))
    for segment in _main_segments(folded):
        said = f" {' '.join(split_words(segment))} "
        for found in _quiet().finditer(said):
            before = said[: found.start()].split()
            if before[-1:] != ["to"] and not meets(before, (*_row("opens"), *_row("declares"))):
                return True
    return False


@lru_cache(maxsize=1024)
def breaks_silence(text: str) -> bool:
    """Whether a goal says that somebody is silent no longer, which is a deed."""
    table = lexicon("silence")
    for segment in _main_segments(_folded(text)):
        said = split_words(segment)
        place = next((spot for spot, word in enumerate(said) if word in table["silent"]), len(said))
        denied = meets(said[:place], (*_row("never"), *_row("after_verb"), *table["denied"]))
        if place < len(said) and denied and meets(said, table["broken"]):
            return True
    return False


@lru_cache(maxsize=1024)
def denies(text: str) -> bool:
    """Read once for each text: a scene asks it of every goal in every beat."""
    folded = _folded(text)
    if KANA.search(folded):
        return _denies_in_japanese(folded)
    if HAN.search(folded):
        return _denies_in_chinese(folded)
    return _denies_in_words(folded)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text[:LONGEST_GOAL]).casefold()


def _denies_in_japanese(text: str) -> bool:
    said = text.rstrip(_JAPANESE_CLOSE)
    return said.endswith(_row("japanese_end")) and not said.endswith(_row("japanese_must"))


def _denies_in_chinese(text: str) -> bool:
    bare = re.sub("|".join(_row("chinese_other")), "", text)
    places = [place for sign in _row("chinese") if (place := bare.find(sign)) >= 0]
    return bool(places) and not any(verb in bare[: min(places)] for verb in _row("chinese_declares"))


def _denies_in_words(text: str) -> bool:
    led: list[str] = []
    for number, segment in enumerate(_main_segments(text)):
        said = split_words(segment)
        if any(_Clause(led, said, number == 0).denied_at(place) for place in range(len(said))):
            return True
        led += said
    return False


def _main_segments(text: str) -> Sequence[str]:
    """What stands between commas, without clauses that depend on others."""
    segments = [part for part in _SEGMENT.split(text) if part.strip()]
    inner = (*_row("opens"), *_row("relative"))
    return [
        part
        for number, part in enumerate(segments)
        if split_words(part)[:1]
        and not (len(segments) > 1 and split_words(part)[0] in (inner if number else _row("opens")))
        and not (number and _opens_in_norse([*split_words(segments[number - 1]), split_words(part)[0]]))
    ]


def split_words(text: str) -> list[str]:
    """The words of a folded text; an elided word is one of its own ("n'ouvre" is "n", "ouvre")."""
    split = _ELISION.sub(r"\1 ", text)
    return _WORD.findall(re.sub(r"(?<=\w)['’ʼ](?=\w)", "", split))


class _Clause:
    """A part of a goal, with the words of the goal before it."""

    def __init__(self, led: Sequence[str], said: Sequence[str], is_first: bool) -> None:
        self._led, self._said, self._is_first = led, said, is_first

    def denied_at(self, place: int) -> bool:
        """Whether the word at this place denies the verb of the clause."""
        is_lead = self._is_first and place == 0 and self._said[0] in _row("leading")
        if is_lead:
            return not self._is_more(place)
        if not self._negates(place) or self._is_more(place) or self._is_infinitive(place):
            return False
        before = self._said[:place]
        if meets(before, _row("opens")) or _opens_in_norse(before):
            return False
        declared = meets([*self._led, *before], _row("declares"))
        return not declared or self._is_object(place) or self._follows_its_verb(place)

    def _negates(self, place: int) -> bool:
        word = self._said[place]
        if word == "not":
            return place > 0 and self._said[place - 1] in _row("auxiliary")
        if word in ("ne", "n"):
            return meets(self._said[place + 1 : place + 6], _row("second"))
        return word in _row("after_verb") or begins(self._said[place:], _row("never"))

    def _is_more(self, place: int) -> bool:
        return (
            begins(self._said[place + 1 :], _row("only"))
            or begins(self._said[place:], _row("done_all_the_same"))
            or (place > 0 and self._said[place - 1] in _row("no_longer_before"))
            or meets(self._said[place + 1 :], _row("no_longer_after"))
        )

    def _is_infinitive(self, place: int) -> bool:
        """What follows is no verb of its own; alone at the beginning it is what somebody must not do."""
        if self._is_first and place == 0:
            return False
        word, follows = self._said[place], self._said[place + 1 : place + 2]
        if word in ("ne", "n"):
            return bool(follows) and follows[0] in _row("second")
        if word == "nie" and follows and follows[0].endswith("ć"):
            return True
        if word in _row("after_verb"):
            return not {"zu", "te"}.isdisjoint(self._said[place + 1 :])
        return bool(follows) and (
            follows[0] in _row("infinitive_marks")
            or (word in ("no", "non", "não", "nunca") and is_romance_infinitive(follows[0]))
            or (word == "не" and _RUSSIAN_INFINITIVE.match(follows[0]) is not None)
        )

    def _is_object(self, place: int) -> bool:
        """ "says nothing", "tells no one where": not what is said, but that nothing is."""
        taken = next((one.split() for one in _row("object") if begins(self._said[place:], (one,))), None)
        if taken is None or not _ends(self._said[:place], _row("declares")):
            return False
        follows = self._said[place + len(taken) :]
        return not follows or follows[0] in _row("after_object")

    def _follows_its_verb(self, place: int) -> bool:
        return self._said[place] in _row("after_verb") and meets(self._said[:place], _row("declares"))


def _opens_in_norse(said: Sequence[str]) -> bool:
    """Whether an "at" opens a clause, as in Norwegian and Danish: behind a verb of saying, with no English "at"."""
    place = next((spot for spot, word in enumerate(said) if word in _row("norse_declares")), len(said))
    return "at" in said[place + 1 :]


def is_romance_infinitive(word: str) -> bool:
    return word not in _row("no_infinitive") and _ROMANCE_INFINITIVE.match(word) is not None


def _ends(said: Sequence[str], phrases: Sequence[str]) -> bool:
    line = f" {' '.join(said)}"
    return any(line.endswith(f" {phrase}") for phrase in phrases)


def _row(name: str) -> tuple[str, ...]:
    return lexicon("negation")[name]


@cache
def _quiet() -> re.Pattern[str]:
    table = lexicon("silence")
    phrases = [re.escape(phrase).replace(r"\*\ ", r"(?:\w+ ){0,3}") for phrase in table["quiet"]]
    phrases += [re.escape(verb) + r" " + ending for verb, ending in zip(table["avoids"], table["avoided"], strict=True)]
    verbs, left = ("|".join(map(re.escape, table[row])) for row in ("leaves", "left"))
    return re.compile(rf" (?:{'|'.join(phrases)}|(?:{verbs}) (?:\w+ ){{0,7}}(?:{left}))(?= )")
