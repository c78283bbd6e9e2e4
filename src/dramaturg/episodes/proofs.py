"""Whether a player's words can prove an objective that a model calls met.

What they mean is the model's to read. But who says no to a thing has not agreed to it, and who only says hello has
not done anything yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from dramaturg.episodes.clauses import clauses_of
from dramaturg.episodes.language import ENGLISH, likely_languages, tongues
from dramaturg.episodes.stance import Sentence, denied_clauses, sentences_of
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.words import common_words, content, stem, words

SHARED_LETTERS = 4
"""So many letters at their beginning make two words one: "firmo" and "firmar"."""
_REFUSING = re.compile(
    r"\b(?:refus|den(?:y|ies|ied)|declin|reject|resist|object|rechaz|nieg|neg[aá]|resiste|verweiger|weiger|leugn|lehn|"
    r"bestreit|nie\b|rifiut|recus|отказ|отриц|отверг)"
)
"""An objective that is met by saying no."""
_KEEPING = re.compile(
    r"\b(?:promis|swear|vow|keep|stay|remain|spare|forgiv|trust|protect|secre|silen|confes|admit|promet|jura|guard|"
    r"perd[oó]n|pardon|confi|versprech|verspricht|schwör|bleib|verzei|vergib|vertrau|geheim|schweig|gesteh|reste|avou|"
    r"promett|giur|rest[ai]|segret|ammett|segred|fica|обещ|клян|оста|прощ|прост|довер|тайн|молч|призна)"
)
"""An objective for which a no in other words may be the proof: "I won't tell anyone" keeps a secret."""
_BARE = frozenset(
    ("do", "it", "that", "want", "way", "never", "nothing", "no", "not", "will", "wont", "would", "think", "chance")
)
_GREETING = re.compile(
    r"\b(?:greet|hello|welcom|polite|salud|grü|begrü|höflich|salu|poli|educad|cumpriment|привет|здоров)"
)
_HALF_A_GREETING = frozenset(
    ("good", "bom", "boa", "god", "bonne", "buena", "dobry", "добрый", "guten", "day", "dag", "tag")
)


def why_no_proof(quote: str, said: str, objective: str) -> str:
    """Why a quote from what the player said cannot show that an objective is met; empty if it may."""
    asked = objective.casefold()
    if _greets(quote) and not _GREETING.search(asked):
        return "it is only a greeting"
    if _REFUSING.search(asked) or any(denied for _, denied in _clauses(objective)):
        return ""
    sentences = [one.raw for one in sentences_of(said) if is_quoted(quote, one.raw) or is_quoted(one.raw, quote)]
    clauses = [clause for text in sentences or [said] for clause in _clauses(text)]
    return "the player denies it" if _denies(clauses, asked) else ""


def _denies(clauses: Sequence[tuple[str, bool]], objective: str) -> bool:
    """Whether something is denied, and nothing is said that may be the deed all the same."""
    denials = [text for text, denied in clauses if denied]
    said = [text for text, denied in clauses if not denied]
    if not denials or any(_shares(text, objective) for text in said):
        return False
    if any(_shares(text, objective) for text in denials):
        return True
    if any(_tells(text) for text in said):
        return False
    return not (_KEEPING.search(objective) and any(not _BARE.issuperset(content(text)) for text in denials))


def _clauses(text: str) -> Iterator[tuple[str, bool]]:
    """What a text says, clause by clause, and whether it is denied."""
    for sentence in sentences_of(text):
        languages = likely_languages(sentence.raw) or _denying(sentence.raw)
        if not languages or ENGLISH in languages:
            yield from denied_clauses(sentence)
        else:
            yield from _abroad(sentence, languages)


def _denying(text: str) -> tuple[str, ...]:
    """The languages in which a word of a text denies: "Nunca." tells no more than that."""
    return tuple(code for code, tongue in tongues().items() if not tongue.denies.isdisjoint(words(text)))


def _abroad(sentence: Sentence, languages: Sequence[str]) -> Iterator[tuple[str, bool]]:
    denied = {
        (one.start, one.end) for code in languages for one in clauses_of(sentence.text, code) if one.stance == "denied"
    }
    for one in clauses_of(sentence.text, languages[0]):
        yield one.text, (one.start, one.end) in denied


def _shares(text: str, objective: str) -> bool:
    asked = {word[:SHARED_LETTERS] for word in content(objective) if len(word) >= SHARED_LETTERS}
    return any(word[:SHARED_LETTERS] in asked for word in content(text) if len(word) >= SHARED_LETTERS)


def _tells(text: str) -> bool:
    """Whether a clause has a word of some weight: not "never", and not "I will not do it"."""
    return any(stem(word) not in common_words() and word not in _small_words() for word in content(text))


@cache
def _small_words() -> frozenset[str]:
    return frozenset(word for one in tongues().values() for word in (*one.common, *one.denies, *one.greets))


def _greets(quote: str) -> bool:
    """Whether a quote is a greeting and at most a name."""
    said = words(quote)
    greetings = [word for word in said if any(word in one.greets for one in tongues().values())]
    if not greetings or (len(greetings) == 1 and greetings[0] in _HALF_A_GREETING):
        return False
    rest = [word for word in said if word not in greetings]
    return not rest or (len(rest) == 1 and rest[0].title() in quote)
