"""Grammatical person: a phrase in the third person, turned into the first and second for a speaker and a listener."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TITLES = {"dr.": "Doctor", "dr": "Doctor", "doctor": "Doctor", "captain": "Captain", "capt.": "Captain"}
_FORMAL = frozenset(("mr.", "mrs.", "ms.", "mr", "mrs", "ms", "sir", "lady", "lord", "aunt", "uncle", "old", "miss"))
_POSSESSIVE = re.compile(r"\b(his|her|their|its) own\b|\b(his|her|their)\b", re.IGNORECASE)
_AFTER_OBJECT = re.compile(
    r"^(?:$|[.,;:!?]|\s+(?:a|an|the|some|to|for|from|with|about|of|on|in|at|by|and|that|what|how|his|her|their)\b)"
)
_CAUSES = re.compile(r"\b(?:let|make|help|watch|see|hear|have|give|tell|show|teach|ask)\s$")
_SUBJECT_FOLLOWS = re.compile(r"^\s+(?:is|was|has|had|will|would|can|could|should|did|does|must|\w+(?:ed|s))\b")


def address(name: str) -> str:
    """How somebody is addressed: 'Captain Rhee' → 'Captain', 'Alice Chen' → 'Alice'. Empty if unsure."""
    words = name.split()
    if not words or words[0].lower() == "the":
        return ""
    first = words[0].lower()
    if first in _TITLES and len(words) > 1:
        return _TITLES[first]
    if first in _FORMAL:
        return name
    return words[0]


def forms_of(name: str) -> tuple[str, ...]:
    """Every way a text may name a member of the cast, longest first."""
    words = name.split()
    plain = [word for word in words if len(word) > 2 and word.lower() not in (*_TITLES, *_FORMAL, "the")]
    found = dict.fromkeys([name, *plain])
    return tuple(sorted(found, key=len, reverse=True))


def shifted(text: str, subject: str, speaker: str, listener: str, names: Sequence[str]) -> str | None:
    """`text` is about `subject`; returns it as `speaker` would say it to `listener`, or None if unsure.

    Possessives are read as the subject's own; an object pronoun as the listener.
    """
    me = {speaker: ("I", "me", "my"), listener: ("you", "you", "your")}
    present = "|".join(re.escape(form) for name in me if name for form in forms_of(name))
    plain = re.sub(rf"\b(?:his|her|their) (?:[a-z]+ ){{1,2}}(?={present})", "", text) if present else text
    out = _pronouns(plain, me.get(subject))
    if out is None:
        return None
    for name in names:
        if name in me and (out := _named(out, name, me[name])) is None:
            return None
    return out


def _pronouns(text: str, own: tuple[str, str, str] | None) -> str | None:
    if own is None:
        return re.sub(r"\bthey\b", "we", text)
    subject, _, possessive = own
    out = re.sub(r"\b(?:himself|herself|themselves)\b", "myself" if subject == "I" else "yourself", text)
    out = re.sub(r"\b(?:he|she|they)(?=\s+(?:will|would|can|could|should|must|had|did)\b)", subject, out)
    if re.search(r"\b(?:he|she|they) (?:is|are|was|were|has|have|does|do)\b", out):
        return _with_be(out, subject, possessive)
    out = re.sub(r"\bthey\b", "we", re.sub(r"\b(?:he|she)\b", subject, out))
    return _objects(out, possessive)


def _with_be(text: str, subject: str, possessive: str) -> str:
    forms = {
        "is": "am",
        "are": "am",
        "was": "was",
        "were": "was",
        "has": "have",
        "have": "have",
        "does": "do",
        "do": "do",
    }
    if subject == "you":
        forms |= {"is": "are", "are": "are", "was": "were", "were": "were"}
    out = re.sub(r"\b(?:he|she|they) (is|are|was|were|has|have|does|do)\b", lambda m: f"{subject} {forms[m[1]]}", text)
    return _objects(out, possessive)


def _objects(text: str, possessive: str) -> str:
    def turn(found: re.Match[str]) -> str:
        word = found[0].lower()
        rest = text[found.end() :]
        if word == "her" and (_AFTER_OBJECT.match(rest) or _CAUSES.search(text[: found.start()])):
            return "you" if possessive == "my" else "me"
        return possessive

    out = re.sub(r"\b(?:his|her|their)\b", turn, text)
    return re.sub(r"\b(?:him|them)\b", "you" if possessive == "my" else "me", out)


def _named(text: str, name: str, forms: tuple[str, str, str]) -> str | None:
    _, object_, possessive = forms
    out = text
    for form in forms_of(name):
        spot = rf"(?<!\w){re.escape(form)}"
        out = re.sub(rf"{spot}['’]s(?!\w)", possessive, out)
        found = re.search(rf"{spot}(?!\w)", out)
        if found and _SUBJECT_FOLLOWS.match(out[found.end() :]):
            return None
        out = re.sub(rf"{spot}(?!\w)", object_, out)
    return out
