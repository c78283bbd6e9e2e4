"""The evaluation of an episode: a model judges, only what its quotes support counts, and nothing is made up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, JsonValue, TypeAdapter

from dramaturg.characters import parse_card
from dramaturg.episodes.answer_request import Quote, book_of, plain
from dramaturg.episodes.director import PARTING
from dramaturg.episodes.events import EvaluationFailed, EvaluationGiven, RejectedClaim
from dramaturg.episodes.mystery import CheckedResult, MysteryClaim, accused_last, check_mystery
from dramaturg.episodes.packs import EvaluationPack
from dramaturg.episodes.rehearsal.cues import EvaluationCue, TalkLine
from dramaturg.episodes.signals import signals_in
from dramaturg.episodes.state import ChatMessage, EpisodeState
from dramaturg.episodes.templates import episode_template
from dramaturg.kernel.errors import BudgetExceeded, ModelError
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.text.escape import cleaned, escaped_attribute
from dramaturg.kernel.text.quotes import find_quote
from dramaturg.kernel.values import Value
from dramaturg.model_notes.structured import ask

SUMMARY = "episode_summary"
MYSTERY = "mystery_progress"
RULES = "rules"
"""Who judged, where no model did."""
MAX_TOKENS = 1200
TRIES = 2
FEWEST_QUOTED = 2
_RESULT: TypeAdapter[CheckedResult] = TypeAdapter(Mapping[str, JsonValue])


class ScoreClaim(Value):
    """How well one archetype fits, 0 to 1."""

    archetype: str
    score: float = Field(ge=0, le=1)


class EvidenceClaim(Value):
    """A signal, and the player's words for it."""

    signal: str = Field(max_length=100)
    quote: Quote


class ArchetypeClaim(Value):
    """The form for an evaluation by a pack."""

    archetype: str
    confidence: float = Field(ge=0, le=1)
    scores: tuple[ScoreClaim, ...] = ()
    primary_signals: tuple[EvidenceClaim, ...] = ()
    description: str = Field("", max_length=500)


class MomentClaim(Value):
    """A turn of the talk, and the words of it."""

    text: str = Field(max_length=300)
    quote: Quote


class SummaryClaim(Value):
    """The form for a summary."""

    summary: str = Field(max_length=2000)
    key_moments: tuple[MomentClaim, ...] = ()
    emotional_arc: str = Field("", max_length=500)


class UnprovenAnswer(Exception):
    """A model's answer whose claims no quote supports. Never leaves this module."""

    def __init__(self, reason: str, refused: tuple[RejectedClaim, ...] = ()) -> None:
        super().__init__(reason)
        self.reason, self.refused = reason, refused


async def evaluate(
    state: EpisodeState, evaluation: str, model: Model, *, again: bool = False
) -> EvaluationGiven | EvaluationFailed:
    """Evaluates the current conversation. After two failed attempts the result is "not ready"."""
    at = state.conversation[-1].id if state.conversation else ""
    given = sum(one.evaluation_type == evaluation for one in state.evaluations)
    count = given + sum(one.evaluation_type == evaluation for one in state.unready)
    reason, refused = "", tuple[RejectedClaim, ...]()
    for attempt in range(1, TRIES + 1):
        key = f"{at}/evaluation/{evaluation}/{count}-{attempt}"
        try:
            result, refused = await _ask(state, evaluation, model, key)
        except UnprovenAnswer as unproven:
            reason, refused = unproven.reason, unproven.refused
        except (ModelError, BudgetExceeded) as error:
            reason, refused = error.message, ()
        else:
            return EvaluationGiven(
                message_id=at,
                evaluation_type=evaluation,
                result=result,
                model=model.name,
                again=again,
                refused=refused,
            )
    if evaluation == MYSTERY and state.template.clue_ledger is not None and state.director.accusations:
        # A verdict needs no model: the ledger and the player's words are enough.
        result, _ = _checked_mystery(MysteryClaim(), state)
        return EvaluationGiven(
            message_id=at, evaluation_type=evaluation, result=result, model=RULES, again=again, refused=refused
        )
    return EvaluationFailed(message_id=at, evaluation_type=evaluation, error=reason, tries=TRIES, refused=refused)


def _checked_mystery(claim: MysteryClaim, state: EpisodeState) -> tuple[CheckedResult, tuple[RejectedClaim, ...]]:
    ledger = state.template.clue_ledger
    assert ledger is not None, "a mystery has a ledger"
    accused = accused_last(state.director.accusations, first=state.template.by_accusation)
    carried = state.session.recalled.clues
    result, refused = check_mystery(claim, ledger, state.counted, carried=carried, accused=accused)
    return _with_whispers(result, state), refused


def _with_whispers(result: CheckedResult, state: EpisodeState) -> CheckedResult:
    """The result with those clues marked that came out in whispers only: their words are told to nobody later."""
    aloud = [one.text for one in state.counted if not one.private]
    clues = result.get("clues_found")
    if len(aloud) == len(state.counted) or not isinstance(clues, list):
        return result
    marked = [
        {**one, "whispered": True}
        if isinstance(one, dict) and not one.get("episode") and not find_quote(str(one.get("quote", "")), aloud)
        else one
        for one in clues
    ]
    return _RESULT.validate_python({**result, "clues_found": marked})


async def _ask(
    state: EpisodeState, evaluation: str, model: Model, key: str
) -> tuple[CheckedResult, tuple[RejectedClaim, ...]]:
    talk, name = _judged(state, evaluation), state.session.display_name
    ledger, pack = state.template.clue_ledger, state.session.pack
    if evaluation == SUMMARY:
        request = _request(state, key, episode_template("evaluate_summary").render(name=name), model, "summary")
        return check_summary((await ask(model, request, SummaryClaim)).value, talk)
    if evaluation == MYSTERY and ledger is not None:
        system = episode_template("evaluate_mystery").render(clues=ledger.clues)
        request = _request(state, key, system, model, "mystery")
        return _checked_mystery((await ask(model, request, MysteryClaim)).value, state)
    if pack is None or pack.name != evaluation:
        raise UnprovenAnswer(f"This episode has no evaluation '{evaluation}'.")
    system = episode_template("evaluate_archetype").render(question=pack.question, archetypes=pack.archetypes)
    request = _request(state, key, system, model, "archetype")
    return check_archetype((await ask(model, request, ArchetypeClaim)).value, pack, talk)


def _judged(state: EpisodeState, evaluation: str) -> tuple[ChatMessage, ...]:
    """What an evaluation looks at. A summary is told to every character later, so no whisper is in it."""
    return tuple(one for one in state.counted if evaluation != SUMMARY or not one.private)


def _evidence(text: str) -> list[tuple[str, str]]:
    """The signals of a message, each with the first sentence that shows it."""
    parts = [part.strip() for part in re.split(r"(?<=[.!?…])\s+|\n", text) if part.strip()]
    shown = ((kind, next((part for part in parts if kind in signals_in(part)), text)) for kind in signals_in(text))
    return [(kind, words) for kind, words in shown if kind != PARTING]


EvaluationKind = Literal["archetype", "summary", "mystery"]


def _request(state: EpisodeState, key: str, system: str, model: Model, kind: EvaluationKind) -> ModelRequest:
    talk = _judged(state, SUMMARY if kind == "summary" else kind)
    signals = state.director.user_signals
    listed = ", ".join(f"{name} {count}" for name, count in signals.items()) if kind == "archetype" else ""
    text = episode_template("talk").render(
        messages=tuple(_line(state.name_of(one.speaker), one) for one in talk), signals=listed
    )
    book = book_of(parse_card(state.session.character, state.card), state.session)
    spoke = tuple(TalkLine(one.role == "player", one.text) for one in talk)
    evidence = tuple((kind, one) for text in talk if text.role == "player" for kind, one in _evidence(text.text))
    cue = EvaluationCue(book, kind, spoke, tuple(signals.items()), evidence)
    return ModelRequest(
        key=key,
        purpose="judging",
        system=system,
        messages=(Message("user", text),),
        max_tokens=MAX_TOKENS,
        cue=cue if model.profile.reads_cues else None,
    )


def _line(name: str, one: ChatMessage) -> str:
    if one.role == "player":
        return f"<player>{plain(one.text)}</player>"
    return f'<character name="{escaped_attribute(cleaned(name))}">{plain(one.text)}</character>'


def check_archetype(
    claim: ArchetypeClaim, pack: EvaluationPack, talk: Sequence[ChatMessage]
) -> tuple[CheckedResult, tuple[RejectedClaim, ...]]:
    """The result of a pack. The scores decide; a signal counts only with the player's own words."""
    said = _said(talk)
    refused: list[RejectedClaim] = []
    signals: list[dict[str, JsonValue]] = []
    for one in claim.primary_signals:
        if find_quote(one.quote, said, fewest=FEWEST_QUOTED):
            signals.append({"signal": " ".join(one.signal.split()), "quote": " ".join(one.quote.split())})
        else:
            refused.append(RejectedClaim(what="signal", quote=one.quote, reason="the quote is not the player's"))
    scores = {one.key: 0.0 for one in pack.archetypes}
    scores.update({one.archetype: one.score for one in claim.scores if one.archetype in scores})
    best = max(scores.values())
    chosen = claim.archetype
    if best > 0 and scores.get(chosen, 0.0) < best:
        chosen = next(key for key, score in scores.items() if score == best)
    archetype = pack.archetype(chosen)
    if archetype is None:
        raise UnprovenAnswer(f"'{claim.archetype}' is not one of {', '.join(scores)}.", tuple(refused))
    if not signals:
        raise UnprovenAnswer("no signal is shown by the player's own words.", tuple(refused))
    result = {
        "archetype": archetype.key,
        "title": archetype.title,
        "confidence": round(claim.confidence, 2),
        "scores": {key: round(score, 2) for key, score in scores.items()},
        "primary_signals": signals,
        "description": archetype.description,
        "remark": " ".join(cleaned(claim.description).split()),
    }
    return _RESULT.validate_python(result), tuple(refused)


def check_summary(claim: SummaryClaim, talk: Sequence[ChatMessage]) -> tuple[CheckedResult, tuple[RejectedClaim, ...]]:
    """The result of a summary, which needs at least one moment that is really in the talk."""
    everything = [one.text for one in talk]
    kept = [one for one in claim.key_moments if find_quote(one.quote, everything, fewest=FEWEST_QUOTED)]
    refused = tuple(
        RejectedClaim(what="moment", quote=one.quote, reason="the quote is not in the talk")
        for one in claim.key_moments
        if one not in kept
    )
    summary = " ".join(cleaned(claim.summary).split())
    if not summary:
        raise UnprovenAnswer("there is no summary.", refused)
    if not kept:
        raise UnprovenAnswer("no moment is shown by words that were said.", refused)
    result = {
        "summary": summary,
        "key_moments": [{"text": one.text, "quote": " ".join(one.quote.split())} for one in kept],
        "emotional_arc": " ".join(cleaned(claim.emotional_arc).split()),
    }
    return _RESULT.validate_python(result), refused


def _said(talk: Sequence[ChatMessage]) -> list[str]:
    return [one.text for one in talk if one.role == "player"]
