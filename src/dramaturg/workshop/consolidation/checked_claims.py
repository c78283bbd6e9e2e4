"""What becomes of a model's claims: facts with the text's own words, or refusals with a reason. Nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.words import function_words, words
from dramaturg.workshop.consolidation.bonds import names_bond
from dramaturg.workshop.consolidation.claims import FactClaim, NameClaim, ReadClaims
from dramaturg.workshop.consolidation.comparison import COLOURS, colours_in
from dramaturg.workshop.consolidation.evidence import Passage, find_passage
from dramaturg.workshop.consolidation.framing import is_earlier, is_told, sentence_of
from dramaturg.workshop.consolidation.speech import is_spoken
from dramaturg.workshop.consolidation.texts import StoryText, TextPiece, paragraph_at
from dramaturg.workshop.consolidation.timeline import EARLIER
from dramaturg.workshop.graph.predicates import PREDICATES, Predicate
from dramaturg.workshop.graph.register import Register, checked
from dramaturg.workshop.graph.values import Entity, EntityKind, Fact, Modality, folded

SOURCE = "extraction"
Reason: TypeAlias = Literal["quote", "predicate", "name", "several", "speaker", "value", "framed", "impossible"]
REASONS: Mapping[Reason, str] = {
    "quote": "the words do not stand in the text",
    "predicate": "no such predicate or modality",
    "name": "whom or what it means does not stand in the text",
    "several": "the name is one of several",
    "speaker": "it is said in speech, and nobody knows by whom",
    "value": "the quoted words do not say it",
    "framed": "the sentence does not tell it as true",
    "impossible": "it cannot be",
}
_MODALITIES: Mapping[str, Modality] = {
    **{name: name for name in get_args(Modality)},
    "claim": "claimed",
    "said": "claimed",
    "lie": "claimed",
    "told": "claimed",
    "reported": "claimed",
    "belief": "believed",
    "thought": "believed",
    "suspected": "believed",
    "assumed": "believed",
    "dream": "dreamed",
    "imagined": "dreamed",
    "vision": "dreamed",
    "plan": "planned",
    "intended": "planned",
    "fact": "narrated",
    "true": "narrated",
    "narration": "narrated",
    "stated": "narrated",
}
_PAST = frozenset(
    "earlier past flashback before previously memory früher damals antes pasado avant passé jadis".split()
)
_NOW = frozenset("now present current scene unknown none na jetzt ahora maintenant".split())
_MYSELF = frozenset(
    ("the narrator", *"i me narrator ich erzähler erzählerin yo narrador narradora je narrateur".split())
)
_PLACES = frozenset({"located_in", "road_to"})


@dataclass(frozen=True, slots=True)
class RefusedClaim:
    """A claim that became no fact, and why."""

    claim: FactClaim | NameClaim
    reason: Reason


@dataclass(frozen=True, slots=True)
class CheckedClaims:
    """The facts of a piece, and the claims that were refused."""

    facts: tuple[Fact, ...]
    refused: tuple[RefusedClaim, ...]


class _Refused(Exception):
    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def check_claims(claims: ReadClaims, text: StoryText, piece: TextPiece, register: Register) -> CheckedClaims:
    """The claims about a piece of a text. Whom they introduce is in the register afterwards."""
    facts: list[Fact] = []
    refused: list[RefusedClaim] = []
    for name in claims.names:
        try:
            _add_name(name, text, piece, register)
        except _Refused as error:
            refused.append(RefusedClaim(name, error.reason))
    for claim in claims.facts:
        try:
            facts.append(_fact(claim, text, piece, register))
        except _Refused as error:
            refused.append(RefusedClaim(claim, error.reason))
    return CheckedClaims(tuple(facts), tuple(refused))


def _fact(claim: FactClaim, text: StoryText, piece: TextPiece, register: Register) -> Fact:
    predicate, modality = PREDICATES.get(claim.predicate), _MODALITIES.get(claim.modality)
    if predicate is None or modality is None or predicate.craft or predicate.evident:
        raise _Refused("predicate")
    passage = find_passage(claim.quote, piece.text)
    if passage is None:
        raise _Refused("quote")
    quote = piece.text[passage.start : passage.end]
    sentence = piece.text[slice(*sentence_of(piece.text, passage.start, passage.end))]
    if not _says(predicate, claim.object, quote) or not names_bond(predicate.name, sentence):
        raise _Refused("value")
    modality, by = _voice(modality, claim.by, text, piece, passage)
    kind: EntityKind = "location" if predicate.name in _PLACES else "character"
    if claim.kind in get_args(EntityKind):
        kind = cast("EntityKind", claim.kind)
    subject = _entity(claim.subject, kind, text, register)
    target, value = _object(claim, predicate, text, register)
    holder = _entity(by, "character", text, register) if by and modality != "narrated" else None
    start = piece.start + passage.start
    is_past = not claim.time and is_earlier(predicate.name, piece.text, passage.start, passage.end)
    fact = Fact(
        0, subject.id, predicate.name, target, value,
        modality=modality, holder=holder.id if holder else None,
        time_from=EARLIER if is_past else _time(claim.time, text),
        time_to="" if claim.time or is_past else text.time_to,
        file=text.path, paragraph=paragraph_at(text, start), start=start, quote=quote, source=SOURCE,
    )  # fmt: skip
    problems = len(register.problems)
    kept = checked(fact, register, text.path)
    del register.problems[problems:]
    if kept is None:
        raise _Refused("impossible")
    if modality == "narrated" and not is_told(predicate.name, piece.text, passage.start, passage.end):
        raise _Refused("framed")
    return kept


def _voice(modality: Modality, by: str, text: StoryText, piece: TextPiece, passage: Passage) -> tuple[Modality, str]:
    """The modality of a claim and who holds it: what is spoken is claimed, and what a writer says is planned."""
    if text.is_planned:
        return "planned", ""
    if modality == "narrated" and is_spoken(piece.text, passage.start, passage.end):
        if not by:
            raise _Refused("speaker")
        return "claimed", by
    if modality in ("claimed", "believed", "dreamed") and not by:
        raise _Refused("speaker")
    return modality, by


def _entity(name: str, kind: EntityKind, text: StoryText, register: Register) -> Entity:
    """Who bears a name: someone known, or someone new whose name stands in the text."""
    if folded(name) in _MYSELF and text.pov:
        name = text.pov
    try:
        found = register.known(name)
    except InvalidConfig as error:
        raise _Refused("several") from error
    if found is not None:
        return found
    if not _is_name(name) or not _stands(name, text):
        raise _Refused("name")
    return _in_short(name, text, register) or register.entity(kind, name, SOURCE)


def _in_short(name: str, text: StoryText, register: Register) -> Entity | None:
    """The character whose full name stands in the same text and has this one as a part: Jonas is Jonas Brandt.

    Elsewhere a part of a name proves nothing: another Jonas may be meant.
    """
    short = words(name)
    full = [
        one
        for one in register.all("character")
        if len(words(one.name)) > len(short) and set(short) <= set(words(one.name)) and _stands(one.name, text)
    ]
    if len(full) > 1:
        raise _Refused("several")
    return register.entity("character", full[0].name, SOURCE, (name,)) if full else None


def _object(claim: FactClaim, predicate: Predicate, text: StoryText, register: Register) -> tuple[int | None, str]:
    if predicate.name in ("present_at", "shows"):
        return _scene(text, register), ""
    if predicate.name in ("is_alive", "is_dead"):
        return None, ""
    if not claim.object:
        raise _Refused("value")
    if predicate.name == "road_to":  # "Milan, 3 days"
        place, _, way = claim.object.rpartition(",")
        return _entity((place or way).strip(), "location", text, register).id, way.strip() if place else ""
    if predicate.object_kind is not None:
        return _entity(claim.object, predicate.object_kind, text, register).id, ""
    try:
        known = register.known(claim.object) if predicate.name == "knows" else None
    except InvalidConfig as error:
        raise _Refused("several") from error
    return (known.id, "") if known is not None else (None, claim.object)


def _scene(text: StoryText, register: Register) -> int:
    if not text.scene:
        raise _Refused("impossible")
    return register.entity("event", text.scene, text.path).id


def _add_name(claim: NameClaim, text: StoryText, piece: TextPiece, register: Register) -> None:
    """Another name of someone, if one passage has both names and nobody else bears it; either may be the known one."""
    passage = find_passage(claim.quote, piece.text)
    if passage is None:
        raise _Refused("quote")
    quote = piece.text[passage.start : passage.end]
    if not all(_is_name(name) and _has(quote, name) for name in (claim.name, claim.alias)):
        raise _Refused("name")
    name, alias = claim.name, claim.alias
    try:
        if register.known(name) is None and register.known(alias) is not None:
            name, alias = alias, name
        meant, other = _entity(name, "character", text, register), register.known(alias)
        if meant.kind != "character" or (other is not None and not register.same(meant.id, other.id)):
            raise _Refused("several")
        register.entity("character", meant.name, SOURCE, (alias,))
    except InvalidConfig as error:
        raise _Refused("several") from error


def _says(predicate: Predicate, value: str, quote: str) -> bool:
    """Whether the quoted words can say a value: a colour must be named there, and a number if any is."""
    if predicate.name in COLOURS:
        meant, said = colours_in(value), colours_in(quote)
        return bool(meant & said) if meant else bool(set(words(value)) & set(words(quote)))
    if predicate.name in ("age", "born_on", "died_on"):
        numbers = {word for word in words(quote) if word.isdecimal()}
        return not numbers or bool(
            numbers & {word.lstrip("0") for word in words(value) if word.isdecimal()} | (numbers & set(words(value)))
        )
    return True


def _time(claimed: str, text: StoryText) -> str:
    """The story time of a claim; one that does not stand in the text orders nothing."""
    said = set(words(claimed))
    if not said or said <= _NOW:
        return text.time_from
    if said & _PAST:
        return EARLIER
    numbers = {word.lstrip("0") for word in said if word.isdecimal()}
    held = {word.lstrip("0") for word in words(text.text) if word.isdecimal()} if numbers else set()
    return (
        claimed
        if numbers and numbers <= held
        else text.time_from
        if folded(claimed) == folded(text.time_from)
        else EARLIER
    )


def _is_name(name: str) -> bool:
    said = words(name)
    return bool(said) and not all(word in function_words() for word in said) and any(map(str.isalpha, said))


def _stands(name: str, text: StoryText) -> bool:
    return _has(text.text, name)


def _has(text: str, name: str) -> bool:
    """Whether the words of a name stand in a text, one after the other; inflected by a letter or two at the end."""
    wanted = words(name)
    if not wanted:
        return False
    said = words(text)
    return any(
        _inflects(word, wanted[0])
        and len(said) - place >= len(wanted)
        and all(_inflects(one, other) for one, other in zip(said[place:], wanted, strict=False))
        for place, word in enumerate(said)
    )


def _inflects(word: str, name: str) -> bool:
    return word == name or (len(name) > 3 and word.startswith(name) and len(word) - len(name) <= 2)
