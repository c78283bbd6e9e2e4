"""The end of a mystery: which clues came out, whom the player accused, and a verdict that code gives from the ledger.

A model may add what it can quote; it decides nothing. The culprit and the proofs are the author's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, JsonValue, TypeAdapter

from dramaturg.episodes.answer_request import Quote
from dramaturg.episodes.director import AccusationMark
from dramaturg.episodes.events import RejectedClaim
from dramaturg.episodes.keywords import spoken, stated
from dramaturg.episodes.memory import CarriedClue
from dramaturg.episodes.state import ChatMessage
from dramaturg.episodes.template import Clue, ClueLedger, Suspect
from dramaturg.kernel.text.escape import cleaned
from dramaturg.kernel.text.quotes import find_quote
from dramaturg.kernel.text.words import content
from dramaturg.kernel.values import Value

FEWEST_QUOTED = 2
SHARED = 2
"""How many content words a quote must share with the clue it is meant to show."""
Judged = Literal["right", "right_unproven", "partly_right", "wrong", "none"]
CheckedResult = Mapping[str, JsonValue]
_RESULT: TypeAdapter[CheckedResult] = TypeAdapter(Mapping[str, JsonValue])


class ClueClaim(Value):
    """A clue that has come out, and the words that show it."""

    id: str
    quote: Quote


class MysteryClaim(Value):
    """The form for a mystery."""

    clues: tuple[ClueClaim, ...] = ()
    theory: str = Field("", max_length=500)
    theory_quote: Quote = ""


class FoundClue(Value):
    """A clue that came out: the words that show it, and the earlier episode they were said in."""

    id: str
    text: str
    quote: str
    episode: str = ""


class Verdict(Value):
    """What the ledger says about an accusation. `proofs` prove the culprit, or clear who was wrongly accused."""

    judged: Judged = "none"
    suspects: tuple[str, ...] = ()
    quote: str = ""
    text: str = ""
    proofs: tuple[FoundClue, ...] = ()
    proofs_total: int = 0


def accused_last(marks: Sequence[AccusationMark], *, first: bool) -> tuple[AccusationMark, ...]:
    """The accusation that counts: the first one where it ends the episode, else the player's latest."""
    if not marks:
        return ()
    turn = marks[0].turn if first else marks[-1].turn
    return tuple({mark.suspect: mark for mark in marks if mark.turn == turn}.values())


def check_mystery(
    claim: MysteryClaim,
    ledger: ClueLedger,
    talk: Sequence[ChatMessage],
    *,
    carried: Sequence[CarriedClue] = (),
    accused: Sequence[AccusationMark] = (),
) -> tuple[CheckedResult, tuple[RejectedClaim, ...]]:
    """The result of a mystery: the clues by keywords, by checked quotes and from earlier episodes, and the verdict."""
    refused: list[RejectedClaim] = []
    found = {one.id: one for one in _carried(ledger, carried)} | {one.id: one for one in _said(ledger, talk)}
    known = {clue.id: clue for clue in ledger.clues}
    everything = [one.text for one in talk]
    for one in claim.clues:
        told = known.get(one.id)
        reason = "no such clue" if told is None else _why_not(one.quote, told.text, everything)
        if reason or told is None:
            refused.append(RejectedClaim(what=f"clue {one.id}", quote=one.quote, reason=reason))
        else:
            found.setdefault(one.id, FoundClue(id=told.id, text=told.text, quote=" ".join(one.quote.split())))
    theory = " ".join(cleaned(claim.theory).split())
    players = [one.text for one in talk if one.role == "player"]
    if theory and not find_quote(claim.theory_quote, players, fewest=FEWEST_QUOTED):
        refused.append(RejectedClaim(what="theory", quote=claim.theory_quote, reason="the quote is not the player's"))
        theory = ""
    verdict = verdict_of(ledger, accused, found)
    cleared = [one.name for one in ledger.suspects if one.cleared_by and all(clue in found for clue in one.cleared_by)]
    result = {
        "clues_found": [_shown(found[clue.id]) for clue in ledger.clues if clue.id in found],
        "clues_total": len(ledger.clues),
        "suspects_cleared": cleared,
        "current_theory": theory,
        **_shown_verdict(verdict, ledger),
    }
    return _RESULT.validate_python(result), tuple(refused)


def verdict_of(ledger: ClueLedger, accused: Sequence[AccusationMark], found: Mapping[str, FoundClue]) -> Verdict:
    """The verdict on an accusation; "none" if nobody was accused or the ledger names no culprit."""
    culprits = ledger.culprits
    if not accused or not culprits:
        return Verdict()
    named = {mark.suspect for mark in accused}
    guilty = [one for one in culprits if one.name in named]
    wrongly = [mark for mark in accused if mark.suspect not in {one.name for one in culprits}]
    told = Verdict(suspects=tuple(mark.suspect for mark in accused), quote=accused[0].quote)
    if wrongly:
        return _wrong(told, ledger, wrongly[0].suspect, found, guilty)
    proofs = [clue for one in guilty for clue in one.proven_by]
    shown = tuple(found[clue] for clue in dict.fromkeys(proofs) if clue in found)
    total, who = len(set(proofs)), _listed([one.name for one in guilty])
    judged: Judged = "right"
    text = f"You were right about {who}."
    if total and len(shown) == total:
        text = f"You were right about {who}, and you can prove it."
    elif total:
        judged = "right_unproven"
        text = f"You were right about {who}, but you cannot prove it: {len(shown)} of {total} proofs came out."
    if len(guilty) < len(culprits):
        judged, text = "partly_right", f"{text} But {who} did not act alone."
    return told.model_copy(update={"judged": judged, "text": text, "proofs": shown, "proofs_total": total})


def _wrong(
    told: Verdict, ledger: ClueLedger, name: str, found: Mapping[str, FoundClue], guilty: Sequence[Suspect]
) -> Verdict:
    suspect = ledger.suspect(name)
    clearing = tuple(found[clue] for clue in (suspect.cleared_by if suspect else ()) if clue in found)
    text = f"You were wrong about {name}."
    if suspect and clearing and len(clearing) == len(suspect.cleared_by):
        text += " You had found what clears them."
    elif suspect and suspect.cleared_by:
        text += " What clears them had not come out yet."
    judged: Judged = "wrong"
    if guilty:
        judged, text = "partly_right", f"You were right about {_listed([one.name for one in guilty])}. {text}"
    return told.model_copy(update={"judged": judged, "text": text, "proofs": clearing, "proofs_total": len(clearing)})


def _shown_verdict(verdict: Verdict, ledger: ClueLedger) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {"verdict": verdict.judged}
    if verdict.judged == "none":
        return shown
    shown["accusation"] = {"suspects": list(verdict.suspects), "quote": verdict.quote}
    shown["verdict_text"] = verdict.text
    shown["proofs"] = [_shown(one) for one in verdict.proofs]
    shown["proofs_total"] = verdict.proofs_total
    if verdict.judged in ("right", "right_unproven") and ledger.solution:
        shown["solution"] = ledger.solution
    return shown


def _shown(one: FoundClue) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {"id": one.id, "text": one.text, "quote": one.quote}
    return {**shown, "episode": one.episode} if one.episode else shown


def _said(ledger: ClueLedger, talk: Sequence[ChatMessage]) -> list[FoundClue]:
    """The clues whose keywords were said: by the character, or stated by the player in a sentence."""
    found = []
    for clue in ledger.clues:
        others = tuple(word for other in ledger.clues if other is not clue for word in other.keywords)
        hit = next((sentence for one in talk if (sentence := _sentence(clue, others, one))), "")
        if hit:
            found.append(FoundClue(id=clue.id, text=clue.text, quote=hit))
    return found


def _sentence(clue: Clue, others: tuple[str, ...], message: ChatMessage) -> str:
    if message.role == "character":
        hit = spoken(message.text, clue.keywords)
    else:
        hit = stated(message.text, clue.keywords, others)
    return hit.sentence if hit is not None and not hit.mentioned else ""


def _carried(ledger: ClueLedger, carried: Sequence[CarriedClue]) -> list[FoundClue]:
    texts = {clue.id: clue.text for clue in ledger.clues}
    return [
        FoundClue(id=one.id, text=texts[one.id], quote=one.quote, episode=one.episode)
        for one in carried
        if one.id in texts
    ]


def _why_not(quote: str, clue: str, talk: Sequence[str]) -> str:
    if not find_quote(quote, talk, fewest=FEWEST_QUOTED):
        return "the quote is not in the talk"
    shared = set(content(quote)) & set(content(clue))
    return "" if len(shared) >= SHARED else "the quote does not speak of the clue"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)
