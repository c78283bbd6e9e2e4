"""Keywords in a talk: not whether a word was typed, but whether something was said or done with it.

"I'm not sorry" is no apology, "what if it was you?" accuses nobody, and a list of words tells no story. English is
read by its grammar; in other languages a question, or a word that denies in the same clause, is enough to doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.episodes.clauses import clauses_of
from dramaturg.episodes.language import ENGLISH, denies_or_supposes, language_of, likely_languages, tongues
from dramaturg.episodes.stance import Sentence, is_definite, is_ironic, is_unsaid, sentences_of, stance_at

FEWEST_OTHERS = 2
"""How many other words make a sentence of a player's keyword."""
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_CLAUSE = frozenset(("i", "you", "he", "she", "it", "they", "we"))
_JOINS = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "o", "e"))
_NOT_MINE = re.compile(
    r"\b(?:(?:you|he|she|they|it|we|somebody|someone|who|people)(?:'ll|'d|'ve)?|should|could|would|must|might|may|to|will|"
    r"gonna|ought|won't|rather|than)(?: (?:just|also|all|have|has|had|never|always|really|finally|be|not|even))*\s*$"
)
_ASKED_FOR = re.compile(
    r"^\W{0,3}(?:(?:please|so|and|now|ok|okay|maybe you could|could you|can you|just|then)\W{1,3}){0,3}"
    r"(?:tell|say|list|explain|describe|talk|speak|show|give|what|who|whose|which|where|when|why|how|whom|mention)\b"
)


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A keyword and the sentence it stands in, as it was typed."""

    keyword: str
    sentence: str
    mentioned: bool = False


@lru_cache(maxsize=2048)
def _pattern(keyword: str) -> re.Pattern[str] | None:
    folded = keyword.casefold().replace("’", "'")
    if _UNSPACED.search(folded):
        return re.compile(re.escape(folded.strip()))
    found = ["'?".join(re.escape(mark) for mark in word.replace("'", "")) for word in _WORDS.findall(folded)]
    whole = r"[\W_]{1,3}".join(found)
    return re.compile(rf"(?<![\w']){whole}(?!\w)") if found else None


def _hits(sentence: Sentence, keywords: Iterable[str]) -> Iterator[tuple[str, re.Match[str]]]:
    for keyword in keywords:
        pattern = _pattern(keyword)
        if pattern is not None and (found := pattern.search(sentence.text)):
            yield keyword, found


def meant(said: str, keywords: tuple[str, ...]) -> KeywordHit | None:
    """The first of these that the speaker says in earnest and of themselves; None if they only mention it."""
    jest = is_ironic(said)
    for sentence in sentences_of(said):
        if jest or _is_list(sentence, keywords):
            continue
        for keyword, found in _hits(sentence, keywords):
            if _is_earnest(sentence, found) and (_is_clause(keyword) or not _is_others(sentence, found)):
                return KeywordHit(keyword, sentence.raw)
    return None


def stated(said: str, keywords: tuple[str, ...], others: tuple[str, ...] = ()) -> KeywordHit | None:
    """The first of these that a player states in a sentence of their own, which names none of the `others`.

    In a message of a few words it is only `mentioned`.
    """
    if is_ironic(said):
        return None
    for sentence in sentences_of(said):
        if not sentence.own or _ASKED_FOR.search(sentence.text) or next(_hits(sentence, others), None):
            continue
        for keyword, found in _hits(sentence, keywords):
            told = _is_told(sentence, keyword, found)
            if _is_earnest(sentence, found) or (told and _is_guess(sentence, found)):
                return KeywordHit(keyword, sentence.raw, mentioned=not told)
    return None


def named(said: str, keywords: tuple[str, ...]) -> KeywordHit | None:
    """The first of these that a player names at all, in whatever way."""
    for sentence in sentences_of(said):
        for keyword, _ in _hits(sentence, keywords):
            return KeywordHit(keyword, sentence.raw, mentioned=True)
    return None


def mentioned(said: str, keywords: tuple[str, ...]) -> KeywordHit | None:
    """The first of these that a player names as something known, or without asking or denying it."""
    for sentence in sentences_of(said):
        for keyword, found in _hits(sentence, keywords):
            if is_definite(sentence, *found.span()) or not _is_unsaid(sentence, found):
                return KeywordHit(keyword, sentence.raw, mentioned=True)
    return None


def spoken(answered: str, keywords: tuple[str, ...], said: str = "") -> KeywordHit | None:
    """The first of these that a character tells. To ask or deny it is not to tell it, and neither is to repeat what
    the player typed and nothing else."""
    heard = {keyword for sentence in sentences_of(said) for keyword, _ in _hits(sentence, keywords)}
    for sentence in sentences_of(answered):
        for keyword, found in _hits(sentence, keywords):
            if _is_unsaid(sentence, found):
                continue
            if keyword not in heard or _is_told(sentence, keyword, found):
                return KeywordHit(keyword, sentence.raw)
    return None


def _is_unsaid(sentence: Sentence, found: re.Match[str]) -> bool:
    languages = likely_languages(sentence.raw)
    if not languages or ENGLISH in languages:
        return is_unsaid(sentence, *found.span())
    if any(denies_or_supposes(found[0], language) for language in languages):
        return False
    return sentence.asks or any(_is_denied(sentence, found, language) for language in languages)


def _is_denied(sentence: Sentence, found: re.Match[str], language: str) -> bool:
    start, end = found.span()
    before = _WORDS.findall(sentence.text[:start])[-1:] or _WORDS.findall(found[0])[:1]
    tongue = tongues().get(language)
    if tongue is None or not tongue.definite.isdisjoint(before):
        return False
    bare = sentence.text[:start] + "_" * (end - start) + sentence.text[end:]
    return any(one.stance == "denied" for one in clauses_of(bare, language) if one.start <= start < one.end)


def _is_told(sentence: Sentence, keyword: str, found: re.Match[str]) -> bool:
    """Whether there is a sentence around a keyword, and not only the keyword."""
    if _UNSPACED.search(keyword):
        return len(sentence.text.strip()) > len(keyword) + FEWEST_OTHERS
    rest = _WORDS.findall(f"{sentence.text[: found.start()]} {sentence.text[found.end() :]}")
    return len([word for word in rest if word not in _JOINS]) >= FEWEST_OTHERS


def _is_earnest(sentence: Sentence, found: re.Match[str]) -> bool:
    language = language_of(sentence.raw, ENGLISH)
    if language != ENGLISH:
        around = (one for one in clauses_of(sentence.text, language) if one.start <= found.start() < one.end)
        return sentence.own and not sentence.asks and all(one.stance == "asserted" for one in around)
    return stance_at(sentence, *found.span()) == "asserted"


def _is_guess(sentence: Sentence, found: re.Match[str]) -> bool:
    """A statement with a question mark: "So there are two keys?" """
    if not sentence.asks or language_of(sentence.raw, ENGLISH) != ENGLISH:
        return False
    return stance_at(Sentence(sentence.text.rstrip(" ?"), sentence.raw, asks=False), *found.span()) == "asserted"


def _is_clause(keyword: str) -> bool:
    said = _WORDS.findall(keyword.casefold())
    return len(said) > 1 and bool(_CLAUSE.intersection(said))


def _is_others(sentence: Sentence, found: re.Match[str]) -> bool:
    """Whether somebody else does it, or it is only wanted: "you should apologise", "I want to kiss you"."""
    return bool(_NOT_MINE.search(sentence.text[: found.start()][-60:]))


def _is_list(sentence: Sentence, keywords: tuple[str, ...]) -> bool:
    """Whether a sentence is several keywords and hardly anything else."""
    hits = [found.span() for keyword, found in _hits(sentence, keywords) if not _is_clause(keyword)]
    if _apart(hits) < 2:
        return False
    rest = "".join(" " if any(a <= place < b for a, b in hits) else mark for place, mark in enumerate(sentence.text))
    return len([word for word in _WORDS.findall(rest) if word not in _JOINS]) < FEWEST_OTHERS


def _apart(spans: Iterable[tuple[int, int]]) -> int:
    """How many of these stand side by side: of "te lo prometo" and the "prometo" in it, one."""
    count, reached = 0, -1
    for start, end in sorted(spans, key=lambda span: span[1]):
        if start >= reached:
            count, reached = count + 1, end
    return count
