"""Weaknesses in a writer's answer, by rule: a circumstance for a flaw, a topic for a theme, a mood for a beat."""

from __future__ import annotations

import re

_CIRCUMSTANCE = re.compile(
    r"\b(?:poor|broke|poverty|orphan\w*|unemployed|jobless|homeless|debts?|indebted|ill|sick|illness|cancer|blind|deaf"
    r"|disabled|hurt|widow\w*|divorced|alone|lonely|amnesia|cursed|hunted|wanted|exiled?|refugee|immigrant"
    r"|foreigner|young|old|bullied|abandoned|no money|no family|no home|unlucky"
    r"|bad luck|lost (?:his|her|their|an?))\b",
    re.I,
)
_INNER = re.compile(
    r"\b(?:refus\w+|mis?trust\w*|distrust\w*|trusts?|prid\w+|proud\w*|never|cannot|can't|can’t|won't|won’t|afraid|fear\w*"
    r"|believ\w+|control\w*|env\w+|jealous\w*|greed\w*|coward\w*|stubborn\w*|vain|vanity|hid\w+|lies|lying|asham\w+|shame"
    r"|guilt\w*|obsess\w*|arrogan\w*|selfish\w*|runs?|avoid\w*|rather|instead|unable|always|must|needs?|compuls\w*"
    r"|resent\w*|grudge\w*|bitter\w*|blames?|push\w+|keeps?|lets?|insists?|thinks?|inability)\b",
    re.I,
)
_VIRTUE = re.compile(
    r"\b(?:too (?:kind|nice|good|honest|loyal|generous|caring)|perfectionis\w+|cares? too much|works? too hard)\b", re.I
)
_PLATITUDE = re.compile(
    r"love (?:conquers|wins|is (?:important|all|everything|beautiful|good|the answer))|crime does(?: not|n't|n’t) pay"
    r"|good (?:always )?(?:wins|beats|triumphs|defeats)|be yourself|family is (?:important|everything)|never give up"
    r"|everything happens for a reason|(?:war|racism|violence|greed|lying) is (?:bad|wrong)|friendship is|follow your"
    r"|(?:is|are) (?:very |really )?important",
    re.I,
)
_ABOUT = re.compile(r"^\W*+(?:(?:it(?:'s|’s| is)|this is|the book is)\s++)?(?:all |just |really )?about\b", re.I)
_PULL = re.compile(r"\b(?:without|against|or|versus|vs|but|of|after|before|between|when|that|than|and)\b", re.I)
_VERB = re.compile(
    r"\b(?:is|are|was|be|has|have|costs?|makes?|leads?|turns?|kills?|saves?|needs?|must|can|cannot|can't|will|won't|does"
    r"|do|gives?|takes?|destroys?|begins?|ends?|means?|lives?|dies?|pays?|owes?|[a-z]{3,}(?:s|es))\b",
    re.I,
)
_MOOD = re.compile(
    r"^(?:\w+\s+){0,3}(?:happ\w+|sad\w*|angr\w+|better|worse|changed|grows?|free|lost|alone|hope\w*)\W*$", re.I
)
_PLACEHOLDER = re.compile(
    r"^\W*+(?:tbd|tba|todo|idk|dunno|n/?a|i (?:really )?(?:do not|don't|don’t) know(?: yet)?|no idea|not sure"
    r"|no clue|not decided|to be decided|hmm+|unsure)\b[\w\s]{0,20}\W*$|^\W*$",
    re.I,
)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s*")
QUOTED_WORDS = 18


def weakness(name: str, given: str, *, flaw: str = "") -> str:
    """Why an answer for a field is weak, in one word; empty if it is good."""
    text = given.strip()
    words = re.findall(r"[\w'’-]+", text)
    if name == "fatal_flaw":
        return _weak_flaw(text, len(words))
    if name == "the_lie":
        return "belief" if len(words) < 4 else "same" if _same(text, flaw) else ""
    if name.startswith("arc_"):
        return "mood" if len(words) < 4 or _MOOD.match(text) else ""
    if name == "central_theme":
        return "topic" if (_ABOUT.match(text) and len(words) < 6) or (not _PULL.search(text) and len(words) < 4) else ""
    if name == "theme_statement":
        if _PLATITUDE.search(text):
            return "platitude"
        return "claim" if len(words) < 5 or not _VERB.search(text) else ""
    if name.startswith("beat_"):
        return "event" if len(words) < 4 or _MOOD.match(text) else ""
    return ""


def _weak_flaw(text: str, count: int) -> str:
    if _VIRTUE.search(text):
        return "virtue"
    if _INNER.search(text):
        return ""
    if _CIRCUMSTANCE.search(text):
        return "circumstance"
    return "short" if count < 2 else ""


def _same(text: str, other: str) -> bool:
    mine, theirs = set(re.findall(r"\w{4,}", text.lower())), set(re.findall(r"\w{4,}", other.lower()))
    return bool(mine) and len(mine & theirs) >= 0.75 * len(mine) and bool(theirs)


def is_placeholder(text: str) -> bool:
    """Whether the writer says that they do not know."""
    return bool(_PLACEHOLDER.match(text))


def rules_in(text: str) -> list[str]:
    """The rules in an answer: one per line, else one per semicolon, else one per sentence."""
    lines = [_BULLET.sub("", line).strip() for line in text.splitlines()]
    parts = [line for line in lines if line]
    if len(parts) == 1:
        parts = [part.strip() for part in re.split(r";\s*|(?<=[.!?])\s+(?=[A-Z“\"])", parts[0])]
    return [part for part in parts if len(part.split()) >= 2]


def count_rules(text: str) -> int:
    return len(rules_in(text))


def short_quote(text: str) -> str:
    """The writer's own words, short enough to quote: the first sentence, or its beginning."""
    plain = " ".join(text.split()).strip(' “”"')
    first = re.split(r"(?<=[.!?])\s", plain)[0]
    words = first.split()
    if len(words) > QUOTED_WORDS:
        clause = re.split(r"[,;:—–]", first)[0]
        words = clause.split() if 3 <= len(clause.split()) <= QUOTED_WORDS else [*words[:QUOTED_WORDS], "…"]
    return " ".join(words).rstrip(".,;: ")


def raised(text: str) -> str:
    """The text with an initial capital."""
    return text[:1].upper() + text[1:]


def topic_of(text: str) -> str:
    """The key noun of a vague theme."""
    plain = re.sub(r"^\W*(?:it(?:'s| is)|this is|the book is)?\s*(?:all )?(?:about)?\s*", "", text.strip(), flags=re.I)
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", plain)
    return words[-1].lower() if words else "that"


def in_words(count: int) -> str:
    """A small number as a word."""
    words = (
        "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
    )
    return words[count] if count < len(words) else str(count)


def clipped(text: str) -> str:
    """A quotation, shortened to the end of a sentence."""
    plain = " ".join(text.split())
    ends = [found.end() for found in re.finditer(r"[.!?](?=\s|$)", plain) if found.end() <= 260]
    return plain[: ends[-1]] if ends else plain[:260].rsplit(" ", 1)[0]
