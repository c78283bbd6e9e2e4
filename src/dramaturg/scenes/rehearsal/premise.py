"""The facts in a scene's prompt: who did what, the consequences, and the kind of world."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.kernel.models.rehearsal.verbs import base_of_gerund, base_of_past, is_past, past_of
from dramaturg.scenes.rehearsal.banks import sheet
from dramaturg.scenes.rehearsal.cast_names import CastNames
from dramaturg.scenes.rehearsal.deeds import deeds_of
from dramaturg.scenes.rehearsal.playbook import Playbook

_GOAL = re.compile(r"\b(?:scene\s+)?goals?\s*:", re.IGNORECASE)
_CLAUSE_END = re.compile(r",|;|\.(?:\s|$)|(?<!\s)\s+(?:and|but|while|because|so|which|who|when|after|before)\s")
_CAUSING = re.compile(r"\bcausing (?P<who>(?:the|a|his|her|their) [\w ]{1,60}?|\w+) to (?P<verb>\w+) (?P<rest>[^,.;]+)")
_COSTING = re.compile(
    r"\b(?:costing|which cost|that cost|and cost|it cost) (?P<who>the \w+|them|him|her|us|everyone|\w+) "
    r"(?P<what>(?:a|an|the|their|his|her) [^,.;]+)"
)
_PROPER = re.compile(
    r"\b(?:the )?((?:[A-Z][\w'’-]{1,40} ){1,6}"
    r"(?:project|account|case|contract|job|deal|file|bridge|mission|estate|report))\b"
)
_ABOUT = re.compile(
    r"\b(?:about|(?:argu|quarrel|fight|bicker|haggl|row|disput)\w* over|discuss(?:es)?|regarding) "
    r"(?P<thing>(?:the|a|an|their|his|her) [^,.;]+|[a-z]+(?: [a-z]+)?(?=[.,;]|$))"
)
_DET = re.compile(
    r"^(?:a|an|the|his|her|their|another|some|important|crucial|critical|very|major|big|small|key)\s+",
    re.IGNORECASE,
)
_HEAD_STOP = re.compile(
    r"(?<!\s)\s+(?:of|for|to|in|on|at|with|from|by|that|which|about|this|yesterday|tonight|again|and|"
    r"last (?:night|week|month))\b.*"
)
_PLACE = re.compile(r"(?<!\s)\s+(?:aboard|in|at|on|near|inside|before|during|while|with|between)\b.*")
_TAKES_OBJECT = "missed|lost|broke|stole|forgot|burned|ruined|sold|crashed|deleted|damaged|destroyed|hid|spoiled"
_DETERMINER = "the|a|an|his|her|their|my|your|our|this|that|these|some|everything|nothing|it|control"
_OURS = (
    "the team",
    "the company",
    "the crew",
    "the family",
    "the group",
    "the band",
    "the ship",
    "the firm",
    "them",
    "us",
    "everyone",
    "the whole team",
)

_DOMAINS: tuple[tuple[str, str], ...] = (
    (
        "ship",
        r"\b(?:ship|spaceship|spacecraft|station|orbit|airlock|hull|crew|starship|captain|deck|reactor)\b",
    ),
    (
        "storm",
        r"\b(?:storm|lighthouse|lamp|sea|rocks|harbou?r|keeper|manor|moor|fog|lantern|cellar|attic|crypt|island)\b",
    ),
    (
        "kitchen",
        r"\b(?:kitchen|galley|lemons?|slice|cake|pie|pizza|dinner|housemates?|flatmates?|fridge|recipe|restaurant|bakery)\b",
    ),
    (
        "crime",
        r"\b(?:heist|vault|police|detective|inspector|murder|thief|theft|stolen|stole|robbery|suspect)\b",
    ),
    (
        "office",
        r"\b(?:deadline|project|client|manager|office|team|meeting|company|contract|boss|report|budget)\b",
    ),
    (
        "home",
        r"\b(?:sister|brother|mother|father|daughter|son|wife|husband|family|wedding|house|home|garden)\b",
    ),
)


@dataclass(frozen=True, slots=True)
class Premise:
    """Facts for lines. Phrases are still in the author's third person; empty if the prompt does not say."""

    culprit: str = ""
    did: str = ""
    thing: str = ""
    noun: str = ""
    cost: str = ""
    project: str = ""
    domain: str = "any"


@lru_cache(maxsize=512)
def premise_of(book: Playbook) -> Premise:
    """Read a playbook's prompt. Nothing is guessed: what does not fit a known turn of phrase is left out."""
    cast = CastNames(tuple(part.name for part in book.cast))
    prompt = " ".join(_GOAL.split(book.prompt)[0].split()) or " ".join(book.prompt.split())
    culprit, did = _fault(prompt, cast)
    if not did:
        deed = next((deed for deed in deeds_of(book) if deed.actors and harmful(deed.did)), None)
        culprit, did = (deed.actors[0], deed.did) if deed else ("", "")
    did = _definite(did) if _speakable(did) else ""
    thing = _thing(did, prompt)
    proper = _PROPER.search(prompt)
    return Premise(
        culprit=culprit,
        did=did,
        thing=thing,
        noun=_noun(thing),
        cost=_cost(prompt),
        project=f"the {proper[1]}" if proper else "",
        domain=_domain(book, prompt),
    )


def harmful(did: str) -> bool:
    """Whether somebody would be blamed for it: 'broke the clock', but not 'helped with the plank'."""
    return bool(did) and base_of_past(did.split()[0]) in frozenset(" ".join(sheet("deeds")["harm"]).split())


def _fault(prompt: str, cast: CastNames) -> tuple[str, str]:
    """The first 'Bob missed …' or 'confronts Bob about missing …'."""
    name = cast.pattern()
    past = re.search(rf"(?<!\w)(?P<who>{name})(?: has| had)? (?P<verb>[a-z]+)(?= )(?P<rest> .*)", prompt)
    if past and is_past(past["verb"]):
        return cast.who(past["who"]), past["verb"] + _clause(past["rest"])
    about = re.search(
        rf"(?P<who>{name})[^.]*? (?:about|for|over|of) (?:having )?(?P<ing>[a-z]+ing)\b(?P<rest>.*)", prompt
    )
    if not about or about["ing"] in ("nothing", "something", "everything"):
        return "", ""
    head = prompt[: about.start("ing")]
    named = cast.find(head)
    accused = re.search(rf"(?:confronts?|accus\w+|blames?|questions?|challenges?) (?P<who>{name})", head)
    who = cast.who(accused["who"]) if accused else named[0] if named else ""
    return who, past_of(base_of_gerund(about["ing"])) + _clause(about["rest"])


def _clause(text: str) -> str:
    end = _CLAUSE_END.search(text)
    return text[: end.start()].rstrip() if end else text.rstrip(" .")


def _speakable(did: str) -> bool:
    """A short phrase without pronouns of unknown reference."""
    return bool(did) and len(did.split()) <= 14 and not re.search(r"\b(?:he|she|they|him|them|it|who)\b", did)


def _definite(did: str) -> str:
    """Everyone involved knows which one: 'missed an important project deadline' → 'missed the project deadline'."""
    known = re.sub(r"^(\w+) an? (?:important|crucial|critical|vital|major|key|big)\b", r"\1 the", did)
    return re.sub(rf"^({_TAKES_OBJECT}) (?!(?:{_DETERMINER})\b)([a-z]+)$", r"\1 the \2", known)


def _thing(did: str, prompt: str) -> str:
    found = re.search(r"^\w+ (?:out |up |off |away |down )?((?:the|a|an|his|her|their) .+)$", did)
    if not found:
        about = _ABOUT.search(prompt)
        thing = _PLACE.sub("", about["thing"]) if about else ""
        if thing and not re.match(rf"(?:{_DETERMINER}|who|what|how|why|whether)\b|\w+ing\b", thing):
            thing = f"the {thing}"
        return thing if thing.startswith("the ") and len(thing.split()) <= 6 else ""
    thing = _HEAD_STOP.sub("", found[1])
    while _DET.match(thing):
        thing = _DET.sub("", thing, count=1)
    return f"the {thing}" if 0 < len(thing.split()) <= 3 else ""


def _noun(thing: str) -> str:
    words = _HEAD_STOP.sub("", thing).split()
    last = words[-1] if words else ""
    return last if last.isalpha() and last.islower() and not last.endswith("s") else ""


def _cost(prompt: str) -> str:
    """The consequence, as a clause that anybody on stage can say."""
    found = _CAUSING.search(prompt)
    if found:
        who = found["who"].lower()
        subject = "we" if who in _OURS else found["who"]
        return f"{subject} {past_of(found['verb'])} {found['rest'].strip()}"
    cost = _COSTING.search(prompt)
    if cost:
        who = "us" if cost["who"].lower() in _OURS else cost["who"]
        return "" if who in ("him", "her") else f"it cost {who} {cost['what'].strip()}"
    return ""


def _domain(book: Playbook, prompt: str) -> str:
    roles = " ".join(part.role for part in book.cast)
    text = f"{prompt} {book.setting} {roles}".lower()
    counts = [(len(re.findall(pattern, text)), -place, name) for place, (name, pattern) in enumerate(_DOMAINS)]
    best = max(counts)
    return best[2] if best[0] >= 2 else "any"
