"""What a sub-goal asks for: who must do which deed, to whom, and about what."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from dramaturg.kernel.models.rehearsal.verbs import (
    base_of_gerund,
    base_of_past,
    base_of_third,
    gerund_of,
    is_past,
    past_of,
)
from dramaturg.scenes.rehearsal.banks import sheet
from dramaturg.scenes.rehearsal.cast_names import CastNames
from dramaturg.scenes.rehearsal.playbook import Playbook

_LEAD = re.compile(r"^(?:and|then|finally|eventually|in the end|at last|so|that|until|have|make)\s+", re.IGNORECASE)
_ADVERB = re.compile(
    r"^(?:\w+ly|finally|then|at last|must|should|will|can|has to|needs to|have to|need to|also|both|all|each|"
    r"eventually|just|still|in the end)\s+",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"^(?:they(?: all| both)?|both(?: of them)?|everyone|everybody|all(?: \w+)?|we|"
    r"the (?:two|three|four|five|pair|others|group|crew|team|family|siblings|friends|sisters|brothers|couple|party|"
    r"housemates)(?: of them)?)\b\s*",
    re.IGNORECASE,
)
_NOT = re.compile(r"^(?:does not|doesn't|do not|don't|never|must not)\s+", re.IGNORECASE)
_TO = re.compile(r"\b(?P<never>never |not )?to (?P<vp>[a-z][\w'’-]*+(?: .*|$))")
_WILL = re.compile(
    r"\bthat (?:he|she|they|it|\w+)(?:['’]ll| will| would)(?P<not> not| never)? (?P<vp>.+)|"
    r"\bthat (?:he|she|they) (?P<wont>won['’]t) (?P<vp2>.+)"
)
_THAT_PAST = re.compile(r"\b(?:that |to )?(?:he|she|they) (?P<did>[a-z]+ .*)")
_ING = re.compile(r"\b(?:for|of|to|about|into|over) (?:having )?(?P<ing>[a-z]+ing)\b(?P<rest>.*)")
_WHAT = re.compile(r"\b(?P<what>(?:what|who|where|why|how|when|which) .+)")
_ABOUT = re.compile(r"\b(?:about|on|over|regarding|upon) (?P<thing>.+)")
_HELP = re.compile(
    r"\bfor (?:some |a bit of )?(?:help|a hand|assistance|advice)(?: (?:with|about|on|in) (?P<thing>.+)|$)"
)
_PICKS = re.compile(
    r"^(?:chooses?|picks?|decides? (?:on|for)) (?P<thing>(?!between\b|to\b|what\b|who\b|how\b|whether\b)[^,;]+)$"
)
_EVERYDAY = frozenset({"invite", "welcome", "price", "sell", "hire", "bet", "breakup", "catch", "lie"})
_INVITED_TO = frozenset("stay come join dance sit eat sing play visit live work move dine sail ride speak".split())
_MUTUAL = frozenset({"agree", "reconcile", "argue", "part"})


@dataclass(frozen=True, slots=True)
class Deed:
    """A sub-goal as a deed. `actors` is empty if anybody will do.

    `do` is what the actor will do, as a base verb phrase; `did` what was done, in the past; `thing` the noun
    it is about; `what` an indirect question or a clause. All still in the author's third person.
    """

    number: int
    text: str
    kind: str
    actors: tuple[str, ...] = ()
    partner: str = ""
    do: str = ""
    did: str = ""
    thing: str = ""
    what: str = ""
    denied: bool = False

    @property
    def mutual(self) -> bool:
        return self.kind in _MUTUAL and len(self.actors) != 1


@lru_cache(maxsize=512)
def deeds_of(book: Playbook) -> tuple[Deed, ...]:
    """The sub-goals of a scene in order."""
    cast = CastNames(tuple(part.name for part in book.cast))
    deeds: list[Deed] = []
    for number, text in enumerate(book.goals, start=1):
        deeds.append(_read(number, text, cast, deeds, book.prompt))
    return tuple(deeds)


def _read(number: int, text: str, cast: CastNames, before: list[Deed], prompt: str) -> Deed:
    clean = _LEAD.sub("", " ".join(text.split()).strip(" .;,"))
    actors, predicate = _actors(clean, cast, before)
    predicate = _with_name_for_him(predicate, [name for name in cast.names if name not in actors], before, prompt)
    denied = bool(_NOT.match(predicate))
    predicate = _NOT.sub("", predicate)
    while _ADVERB.match(predicate):
        predicate = _ADVERB.sub("", predicate, count=1)
    kind = _kind(predicate)
    if not actors and not _group(clean) and kind not in _MUTUAL:
        kind = kind if kind in ("apologise", "reveal", "confess") else "fact"
    partner = next((name for name in cast.find(predicate) if name not in actors), "")
    deed = Deed(number, clean, kind, actors, partner, denied=denied)
    return _detailed(deed, predicate, cast)


def _actors(clean: str, cast: CastNames, before: list[Deed]) -> tuple[tuple[str, ...], str]:
    name = cast.pattern()
    named = re.match(
        rf"^(?:(?:the|a|an|old|young)\s+)?({name}(?:(?:,? and |, | & ){name})*)(?:['’]s)?(?=\W|$)[\s,]*", clean
    )
    if named:
        return cast.find(named[1]), clean[named.end() :].strip()
    group = _GROUP.match(clean)
    if group:
        return (), clean[group.end() :].strip()
    pronoun = re.match(r"^(?:he|she)\s+", clean, re.IGNORECASE)
    if pronoun and before:
        return before[-1].actors, clean[pronoun.end() :]
    return (), clean


def _is_he(name: str, clause: str) -> bool:
    """Whether a clause names somebody and goes on with 'he'."""
    named = re.search(rf"\b{re.escape(name)}\b", clause)
    return named is not None and re.search(r"\b(?:he|his|him)\b", clause[named.end() :]) is not None


def _with_name_for_him(predicate: str, others: list[str], before: list[Deed], prompt: str) -> str:
    """'Odile decides to let him stay', with three people: 'him' is a 'he' elsewhere, and the latest of those to act."""
    if len(others) < 2 or not re.search(r"\bhim\b", predicate):
        return predicate
    told = " ".join((prompt, *(deed.text for deed in before)))
    clauses = re.split(r"[.;,]", told)
    men = [name for name in others if any(_is_he(name, clause) for clause in clauses)]
    acted = [name for deed in before for name in deed.actors if name in (men or others)]
    meant = acted[-1] if acted else men[0] if len(men) == 1 else ""
    return re.sub(r"\bhim\b", meant, predicate) if meant else predicate


def _group(clean: str) -> bool:
    return bool(_GROUP.match(clean))


@cache
def _lexicon() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The kind of deed, by the first words that fit."""
    rows = (row.partition(": ") for row in sheet("deeds")["lexicon"])
    return tuple((kind, re.compile(f"(?:{words})", re.IGNORECASE)) for kind, _, words in rows)


def _kind(predicate: str) -> str:
    for kind, pattern in _lexicon():
        if pattern.match(predicate):
            return kind
    first = predicate.split(" ", 1)[0].lower()
    if re.search(r"\bapolog", predicate):
        return "apologise"
    return "fact" if is_past(first) or first in ("is", "are", "has") else "do"


def _detailed(deed: Deed, predicate: str, cast: CastNames) -> Deed:
    everyone = cast.names
    if deed.kind == "persuade":
        who = deed.partner or next((name for name in everyone if name not in deed.actors), "")
        do = found["vp"] if (found := _TO.search(predicate)) else _ing_base(predicate)
        return replace(deed, kind="yield", actors=(who,), partner=deed.actors[0] if deed.actors else "", do=do)
    if deed.kind == "learn":
        teller = deed.partner or next((name for name in everyone if name not in deed.actors), "")
        learner = deed.actors[0] if deed.actors else ""
        return replace(_about(deed, predicate), kind="reveal", actors=(teller,), partner=learner)
    if deed.kind == "decide" and len(deed.actors) != 1:
        deed = replace(deed, kind="agree")
    if deed.kind == "agree" and len(deed.actors) == 1 and not deed.partner:
        deed = replace(deed, kind="yield")
    if deed.kind == "agree" and deed.partner:
        deed = replace(deed, actors=(*deed.actors, deed.partner) if deed.actors else ())
    return _about(deed, predicate)


def _about(deed: Deed, predicate: str) -> Deed:
    if deed.kind in _EVERYDAY:
        return _everyday(deed, predicate)
    do, did = _do(deed.kind, predicate), _did(deed.kind, predicate)
    what = found["what"] if (found := _WHAT.search(predicate)) else ""
    about = _ABOUT.search(predicate)
    if deed.kind == "ask" and (found := _HELP.search(predicate)):
        return replace(deed, thing=found["thing"] or "")
    if deed.kind == "decide" and not do and (found := _PICKS.match(predicate)):
        return replace(deed, thing=found["thing"])
    thing = about["thing"] if about else _object(predicate)
    if (
        (do and deed.kind != "give")
        or thing.split(" ", 1)[0].endswith("ing")
        or re.match(r"(?:that|to|what|who|how|why)\b", thing)
    ):
        thing = ""
    return replace(deed, do=do, did=did, thing=thing, what=what)


def _everyday(deed: Deed, predicate: str) -> Deed:
    """What is sold, what an invitation is for, what a bet is about."""
    if deed.kind == "invite":
        to = re.search(r"\bto (?P<x>.+)", predicate)
        thing = to["x"] if to else ""
        is_verb = bool(thing) and thing.split()[0] in _INVITED_TO
        return replace(deed, do=thing if is_verb else "", thing="" if is_verb else thing)
    if deed.kind == "bet":
        that = re.search(r"\bthat (?P<x>.+)", predicate)
        return replace(deed, what=that["x"] if that else "")
    if deed.kind == "lie":
        return replace(deed, what=found["what"] if (found := _WHAT.search(predicate)) else "")
    if deed.kind in ("sell", "price"):
        return replace(deed, thing=_object(re.sub(r"^\w+ a price (?:for|on) ", "", predicate)))
    return deed


def _do(kind: str, predicate: str) -> str:
    found = _WILL.search(predicate)
    if found:
        vp = found["vp"] or found["vp2"]
        return f"never {vp}" if found["not"] == " never" else f"not {vp}" if found["not"] or found["wont"] else vp
    to = _TO.search(predicate)
    if kind in ("promise", "refuse", "decide", "order", "agree", "yield", "offer", "ask", "warn") and to:
        return f"{to['never'] or ''}{to['vp']}".strip()
    if kind in ("do", "stay", "leave", "give"):
        verb, _, rest = predicate.partition(" ")
        return f"{base_of_third(verb.lower())} {rest}".strip()
    return ""


def _did(kind: str, predicate: str) -> str:
    ing = _ING.search(predicate)
    if ing and ing["ing"] not in ("nothing", "something", "everything", "anything"):
        return f"{past_of(base_of_gerund(ing['ing']))}{ing['rest']}"
    if kind in ("confess", "reveal") and (found := _THAT_PAST.search(predicate)):
        words = found["did"].split()
        return found["did"] if is_past(words[0]) or words[0] in ("was", "had", "did") else ""
    if kind == "fact" and is_past(predicate.split(" ", 1)[0]):
        return predicate
    return ""


def _object(predicate: str) -> str:
    """The words right after the verb, if they look like a noun phrase."""
    *before, last = re.split(r"[,;]", predicate)
    for clause in (*before, last):
        found = re.search(r"\b(?:the|a|an|his|her|their|some|this|that|these) .", clause)
        if found:
            goes_on = re.compile(r" (?:to|from|with|for|in|on|at) ").search(clause, found.end())
            if goes_on or clause is last:
                return clause[found.start() : goes_on.start() if goes_on else None]
    return ""


def _ing_base(predicate: str) -> str:
    found = re.search(r"\binto (\w+ing)\b(.*)", predicate)
    return f"{base_of_gerund(found[1])}{found[2]}" if found else ""


def doing(do: str) -> str:
    """'go out in the storm' → 'going out in the storm'."""
    verb, _, rest = do.partition(" ")
    if verb in ("", "never", "not"):
        return ""
    return f"{gerund_of(verb)} {rest}".strip()


def going(do: str) -> str:
    """'go out in the storm' → 'going out in the storm', 'sell the boat' → 'going to sell the boat'."""
    if not do or do.startswith(("never ", "not ")):
        return ""
    return doing(do) if do.startswith("go ") else f"going to {do}"


def done_to_do(did: str) -> str:
    """'missed a deadline' → 'miss a deadline'."""
    verb, _, rest = did.partition(" ")
    return f"{base_of_past(verb)} {rest}".strip()


def who_of(deed: Deed) -> str:
    """What somebody is to do, where it must be settled who: 'goes first' in 'who goes first'."""
    found = re.fullmatch(r"who (?P<vp>[a-z]+s(?: [a-z]+){0,3})", deed.what) if deed.kind == "agree" else None
    return found["vp"] if found and " and " not in found["vp"] else ""
