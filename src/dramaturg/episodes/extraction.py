"""After an exchange, a model is asked once what to keep of it. Only what its quotes support is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from pydantic import Field

from dramaturg.characters import parse_card
from dramaturg.episodes.accusation import case_of, is_asserted_abroad, suspect_called, suspects_named
from dramaturg.episodes.answer_request import Quote, book_of, plain
from dramaturg.episodes.director import SURE, PlayerExchange
from dramaturg.episodes.events import ExtractionFailed, Findings, FindingsExtracted, QuotedFinding, RejectedClaim
from dramaturg.episodes.language import is_english
from dramaturg.episodes.memory import BondShift, MemoryNote, Scope
from dramaturg.episodes.proofs import why_no_proof
from dramaturg.episodes.rehearsal.cues import ExtractionCue
from dramaturg.episodes.signals import signal_kinds
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.episodes.templates import episode_template
from dramaturg.kernel.errors import BudgetExceeded, ModelError
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.text.quotes import find_quote, is_quoted
from dramaturg.kernel.values import Value
from dramaturg.model_notes.structured import ask

MAX_TOKENS = 900
MOST_KEPT = 4
FEWEST_QUOTED = 2
MOST_SHIFT = 0.3


class KeptClaim(Value):
    """What a model would keep."""

    text: str = Field(max_length=500, description="one sentence")
    quote: Quote
    importance: float = Field(0.5, ge=0, le=1)
    scope: Scope = "character"


class BondClaim(Value):
    """What a model says happened between the two."""

    tone: str = Field("", max_length=60)
    trust: float = 0.0
    tension: float = 0.0
    quote: Quote = ""


class SignalClaim(Value):
    """A way of talking that a model saw."""

    kind: str = ""
    quote: Quote = ""


class BeatClaim(Value):
    """The step of the story that a model sees played."""

    name: str = ""
    quote: Quote = ""


class ObjectiveClaim(Value):
    """Whether the player has done what the episode is about."""

    met: bool = False
    confidence: float = 0.0
    quote: Quote = ""


class AccusationClaim(Value):
    """Whom the player accuses, as a model reads it, and whether they mean it."""

    suspect: str = ""
    asserted: bool = False
    quote: Quote = ""


class Extraction(Value):
    """The form a model fills in after an exchange."""

    memories: tuple[KeptClaim, ...] = ()
    hooks: tuple[KeptClaim, ...] = ()
    relationship: BondClaim = BondClaim()
    signals: tuple[SignalClaim, ...] = ()
    beat: BeatClaim = BeatClaim()
    objective: ObjectiveClaim = ObjectiveClaim()
    accusation: AccusationClaim = AccusationClaim()


async def extract(state: EpisodeState, exchange: PlayerExchange, model: Model) -> FindingsExtracted | ExtractionFailed:
    """What a model finds in one exchange, checked. If the model fails, the reading by rules stands."""
    name, template = state.session.display_name, state.template
    case = case_of(template, exchange.speaker)
    system = episode_template("extraction").render(
        name=name,
        kinds=", ".join(kind for kind in signal_kinds() if kind != "parting"),
        objective=template.criteria.met_when if template.completion_mode == "objective" else "",
        beats=", ".join(StoryBeat),
        suspects=", ".join(name for name, _ in case.suspects) if case is not None else "",
    )
    asked = episode_template("exchange").render(name=name, said=plain(exchange.said), answered=plain(exchange.answered))
    book = book_of(parse_card(state.session.character, state.card), state.session)
    cue = ExtractionCue(book, exchange.said, exchange.answered, state.director.current_beat.value)
    request = ModelRequest(
        key=f"{exchange.message_id}/{exchange.digest}/extraction",
        purpose="extraction",
        system=system,
        messages=(Message("user", asked),),
        max_tokens=MAX_TOKENS,
        cue=cue if model.profile.reads_cues else None,
    )
    try:
        claims = (await ask(model, request, Extraction)).value
    except (ModelError, BudgetExceeded) as error:
        return ExtractionFailed(message_id=exchange.message_id, digest=exchange.digest, error=error.message)
    findings, refused = check_extraction(claims, exchange, template)
    return FindingsExtracted(message_id=exchange.message_id, digest=exchange.digest, findings=findings, refused=refused)


def check_extraction(
    claims: Extraction, exchange: PlayerExchange, template: EpisodeTemplate
) -> tuple[Findings, tuple[RejectedClaim, ...]]:
    """Keeps what is quoted, rejects the rest with a reason. An objective needs the player's own words and certainty."""
    refused: list[RejectedClaim] = []

    def refuse(what: str, quote: str, reason: str) -> None:
        refused.append(RejectedClaim(what=what, quote=quote[:1000], reason=reason))

    both = (exchange.said, exchange.answered)
    findings = Findings(
        memories=_kept("memory", claims.memories, both, refuse),
        hooks=_kept("hook", claims.hooks, both, refuse),
        shift=_shift(claims.relationship, both, refuse),
        signals=tuple(_signals(claims, exchange, refuse)),
        beat=_beat(claims.beat, both, refuse),
        flags=_objective(claims.objective, exchange, template, refuse),
        accusations=_accusation(claims.accusation, exchange, template, refuse),
    )
    return findings, tuple(refused)


Refuse = Callable[[str, str, str], None]


def _kept(
    what: Literal["memory", "hook"], claims: tuple[KeptClaim, ...], both: Sequence[str], refuse: Refuse
) -> tuple[MemoryNote, ...]:
    kept: list[MemoryNote] = []
    for claim in claims:
        text = " ".join(claim.text.split())
        if not text:
            refuse(what, claim.quote, "there is no text")
        elif not find_quote(claim.quote, both, fewest=FEWEST_QUOTED):
            refuse(what, claim.quote, "the quote is not in the exchange")
        elif len(kept) >= MOST_KEPT:
            refuse(what, claim.quote, f"more than {MOST_KEPT}")
        else:
            kept.append(MemoryNote(text=text, quote=claim.quote, importance=claim.importance, scope=claim.scope))
    return tuple(kept)


def _shift(claim: BondClaim, both: Sequence[str], refuse: Refuse) -> BondShift | None:
    if not claim.tone and not claim.trust and not claim.tension:
        return None
    if not find_quote(claim.quote, both):
        refuse("relationship", claim.quote, "the quote is not in the exchange")
        return None
    return BondShift(
        tone=" ".join(claim.tone.split()),
        tension=max(-MOST_SHIFT, min(MOST_SHIFT, claim.tension)),
        trust=max(-MOST_SHIFT, min(MOST_SHIFT, claim.trust)),
        quote=claim.quote,
    )


def _signals(claims: Extraction, exchange: PlayerExchange, refuse: Refuse) -> Iterator[QuotedFinding]:
    known, seen = set(signal_kinds()) - {"parting"}, set()
    for claim in claims.signals:
        kind = claim.kind.strip().lower().replace(" ", "_")
        if kind not in known:
            refuse("signal", claim.quote, f"'{claim.kind}' is not a kind of signal")
        elif not is_quoted(claim.quote, exchange.said):
            refuse("signal", claim.quote, "the quote is not the player's")
        elif kind not in seen:
            seen.add(kind)
            yield QuotedFinding(name=kind, quote=claim.quote)


def _beat(claim: BeatClaim, both: Sequence[str], refuse: Refuse) -> QuotedFinding | None:
    name = claim.name.strip().lower()
    if not name:
        return None
    if name not in set(StoryBeat):
        refuse("beat", claim.quote, f"'{claim.name}' is not a beat")
        return None
    if not find_quote(claim.quote, both, fewest=FEWEST_QUOTED):
        refuse("beat", claim.quote, "the quote is not in the exchange")
        return None
    return QuotedFinding(name=name, quote=claim.quote)


def _accusation(
    claim: AccusationClaim, exchange: PlayerExchange, template: EpisodeTemplate, refuse: Refuse
) -> tuple[QuotedFinding, ...]:
    """An accusation in another language than English, which the rules read themselves."""
    case = case_of(template, exchange.speaker)
    if case is None or not claim.suspect.strip() or is_english(exchange.said):
        return ()
    suspect = suspect_called(claim.suspect, case)
    if not suspect:
        refuse("accusation", claim.quote, f"'{claim.suspect}' is no suspect")
    elif not is_quoted(claim.quote, exchange.said, fewest=FEWEST_QUOTED):
        refuse("accusation", claim.quote, "the quote is not the player's")
    elif suspect != case.you and suspect not in suspects_named(exchange.said, case):
        refuse("accusation", claim.quote, f"the player does not name {suspect}")
    elif not claim.asserted or not is_asserted_abroad(claim.quote, exchange.said, suspect, case):
        refuse("accusation", claim.quote, "it is not asserted")
    else:
        return (QuotedFinding(name=suspect, quote=claim.quote, by_player=True),)
    return ()


def _objective(
    claim: ObjectiveClaim, exchange: PlayerExchange, template: EpisodeTemplate, refuse: Refuse
) -> tuple[QuotedFinding, ...]:
    key = template.criteria.objective_key
    if not claim.met or key is None or not template.criteria.by_model:
        return ()
    if not claim.confidence > SURE:
        refuse("objective", claim.quote, f"confidence {claim.confidence:g} is not above {SURE:g}")
    elif not is_quoted(claim.quote, exchange.said):
        refuse("objective", claim.quote, "the quote is not the player's")
    elif reason := why_no_proof(claim.quote, exchange.said, template.criteria.met_when):
        refuse("objective", claim.quote, reason)
    else:
        return (QuotedFinding(name=key, quote=claim.quote),)
    return ()
