"""One turn of an episode: the player has spoken, the character answers, the director observes. Read it top to bottom.

The log decides where to continue, so the same function finishes a turn that was killed at any point. The player's words
are in the log before it begins; a complete answer is never paid for twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dramaturg.characters.bookshelf import NO_BOOKS, Bookshelf, lore_budget
from dramaturg.episodes import apology
from dramaturg.episodes.answer_names import names_in
from dramaturg.episodes.answer_request import Moment, Sheet, answer_request, moment_for
from dramaturg.episodes.answer_stream import ANSWER_READER, AnswerReader
from dramaturg.episodes.conversation import ChatMessage
from dramaturg.episodes.director import DirectorState, PlayerExchange, observe, pace
from dramaturg.episodes.evaluation import evaluate
from dramaturg.episodes.events import (
    AnswerAsked,
    AnswerFailed,
    BeatReached,
    CharacterAnswered,
    ChoicesOffered,
    EpisodeCompleted,
    EpisodeEvent,
    PaceDecided,
    Suggestion,
    SuggestionMade,
    TurnEnded,
    TurnObserved,
)
from dramaturg.episodes.extraction import extract
from dramaturg.episodes.language import is_english
from dramaturg.episodes.lore import tell
from dramaturg.episodes.review import due_extractions
from dramaturg.episodes.speakers import SpeakerChoice, next_speaker
from dramaturg.episodes.state import INTERRUPTED_CODE, ROOT, EpisodeState
from dramaturg.kernel.errors import BudgetExceeded, ModelError, ModelRejected, ModelUnreadable, PromptError
from dramaturg.kernel.floor import play_round
from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.models.port import Model, ModelAnswer
from dramaturg.kernel.models.wrappers import open_stream
from dramaturg.kernel.prompts.window import message_tokens
from dramaturg.kernel.settings import Settings

if TYPE_CHECKING:
    from dramaturg.episodes.open_session import OpenSession

PAUSES_APART = 4
"""How many turns must pass before a pause brings another suggestion."""
LONGEST_ANSWER = 3600.0
"""Seconds for one answer in a group; a provider's own limits are shorter."""
INTERRUPTED = AnswerFailed(
    message_id="",
    parent=None,
    error=apology.INTERRUPTED,
    code=INTERRUPTED_CODE,
)


@dataclass(frozen=True, slots=True)
class SessionModels:
    """The models of the character and the director, and what both need. `members` has those of each one of a group."""

    model: Model
    director: Model
    sheet: Sheet
    settings: Settings
    suggest: Callable[[EpisodeState], Awaitable[Suggestion | None]]
    shelf: Bookshelf = NO_BOOKS
    members: Mapping[str, SessionModels] = field(default_factory=dict)

    def of(self, speaker: str) -> SessionModels:
        """The models with which a member of a group is played."""
        return self.members.get(speaker, self)


async def play_turn(session: OpenSession, models: SessionModels) -> None:
    """Plays the current turn to its end, continuing from whatever the log already has."""
    client_id = session.state.turn or ""
    try:
        if session.state.cast:
            await answer_together(session, models)
        elif session.state.asked is not None or session.state.unanswered is not None or not session.state.path:
            await answer(session, models)
    except (ModelError, BudgetExceeded, PromptError) as error:
        await session.write(
            failure(session.state, error.message, error.code), TurnEnded(client_id=client_id, answered=False)
        )
        return
    if session.state.cast and session.state.unanswered is not None:
        # Everybody who was to answer has failed, which the log says already.
        await session.write(TurnEnded(client_id=client_id, answered=False))
        return
    if waits_for_judgement(session.state):
        await look_closer(session, models)
    await complete(session, models)
    await session.tables.advance(session)
    last = session.state.conversation[-1].id if session.state.conversation else ""
    await session.write(TurnEnded(client_id=client_id, message_id=last))


async def refuse_turn(session: OpenSession, why: str, code: str) -> None:
    """Ends a turn that cannot be played: a limit was reached, or the player's token ended, while its message waited.

    It can be retried later.
    """
    await session.write(
        failure(session.state, why, code),
        TurnEnded(client_id=session.state.turn or "", answered=False),
    )


def waits_for_judgement(state: EpisodeState) -> bool:
    """Whether this turn waits for a model: it decides about the end, or reads an accusation the rules cannot."""
    if state.template.waits_for_judgement:
        return True
    return state.template.by_accusation and any(not is_english(one.said) for one in state.exchanges[-1:])


async def answer_together(session: OpenSession, models: SessionModels) -> None:
    """The answers of a group to one message, one after the other; each hears those before it.

    Whoever fails costs only its own answer. A swipe, or more of what was said last, is one answer.
    """
    while session.state.asked is not None or (session.state.turn and next_speaker(session.state) is not None):
        speaker = session.state.asked.event.speaker if session.state.asked is not None else "group"
        round_ = await play_round({speaker: answer(session, models)}, timeout=LONGEST_ANSWER)
        for one in round_.failures:
            await session.write(failure(session.state, one.error.message, one.error.code))


async def answer(session: OpenSession, models: SessionModels) -> None:
    """The character's answer, streamed as it arrives, and the director's quick observation of the exchange."""
    state = session.state
    asked = state.asked.event if state.asked is not None else question(state, state.tip or None)
    if state.asked is None:
        await session.write(asked)
    elif session.is_lost(state.asked):
        # Its pieces stay in the log, and the model is asked again.
        await session.write(INTERRUPTED.model_copy(update=_place(asked)))
        asked = question(session.state, asked.parent, asked.wish, like=asked)
        await session.write(asked)
    reader = await perform(session, models, asked)
    parts = read_answer_with(ANSWER_READER, lambda: reader.answer, key=asked.key)
    if reader.declined:
        raise ModelRejected(f"{models.model.name} declined to play. Please try again.", key=asked.key)
    if parts.is_empty:
        raise ModelUnreadable(f"{models.model.name} gave an empty answer. Please try again.", key=asked.key)
    answered = CharacterAnswered(
        message_id=asked.message_id,
        parent=asked.parent,
        content=reader.content,
        structured=parts,
        read="prose" if reader.is_prose else "form",
        speaker=asked.speaker,
        whispered=asked.whispered,
    )
    await session.write(answered, *look(session.state, answered))


def _place(asked: AnswerAsked) -> Mapping[str, str | None]:
    return {"message_id": asked.message_id, "parent": asked.parent, "speaker": asked.speaker}


def question(
    state: EpisodeState, parent: str | None, wish: str = "", *, like: AnswerAsked | ChatMessage | None = None
) -> AnswerAsked:
    """The request for an answer to this message; `wish` is what the player wants of it.

    In a group, whoever's turn it is is asked, or the speaker of an answer `like` this one.
    """
    message_id = state.next_id
    asked = AnswerAsked(message_id=message_id, parent=parent, key=f"{message_id}/answer", wish=wish)
    if state.cast:
        asked = asked.model_copy(update=_speaker(state, like))
    return asked.model_copy(update={"note": moment_for(state, asked.speaker, parent or ROOT).note})


def _speaker(state: EpisodeState, like: AnswerAsked | ChatMessage | None) -> Mapping[str, str | bool]:
    if isinstance(like, AnswerAsked):
        return {"speaker": like.speaker, "whispered": like.whispered, "why": like.why}
    if like is not None:
        return {"speaker": like.speaker, "whispered": bool(like.private), "why": "requested"}
    chosen = next_speaker(state) or SpeakerChoice(state.cast[0].character, "turn")
    return {"speaker": chosen.speaker, "whispered": chosen.whispered, "why": chosen.why}


async def perform(session: OpenSession, models: SessionModels, asked: AnswerAsked) -> AnswerReader:
    """Streams the model's answer; every piece is recorded at once, only words and gestures are shown."""
    models = models.of(asked.speaker)
    moment = replace(moment_for(session.state, asked.speaker, asked.parent or ROOT), wish=asked.wish)
    if not models.shelf.is_empty:
        moment = await inform(session, models, asked, moment)
    state = session.state.heard_by(asked.speaker)
    request = answer_request(state, models.sheet, moment, models.model, models.settings, key=asked.key)
    reader, whole = AnswerReader(names_in(state.session, asked.speaker)), ""
    async with open_stream(models.model, request) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelAnswer):
                if piece.finish == "refusal":
                    reader.declined = True
                    continue
                # Whatever was not streamed: some servers send the end only with the complete answer.
                rest = piece.text[len(whole) :] if piece.text.startswith(whole) else ""
                session.hear_answer(asked.message_id, rest, _fed(reader, rest, asked.key))
            else:
                whole += piece
                session.hear_answer(asked.message_id, piece, _fed(reader, piece, asked.key))
    session.hear_answer(asked.message_id, "", read_answer_with(ANSWER_READER, reader.close, key=asked.key))
    return reader


def _fed(reader: AnswerReader, piece: str, key: str) -> str:
    return read_answer_with(ANSWER_READER, lambda: reader.feed(piece), key=key)


async def inform(session: OpenSession, models: SessionModels, asked: AnswerAsked, moment: Moment) -> Moment:
    """The moment with its lore, which is logged first and never looked up twice."""
    told = session.state.lore.get(asked.message_id)
    if told is None:
        budget = lore_budget(models.settings.episodes.lore_tokens, models.model.profile.context_window)
        is_full = sum(message_tokens(one.text) for one in moment.history) > models.settings.episodes.history_tokens
        state = session.state.heard_by(asked.speaker)
        told = await tell(state, models.shelf, asked, moment.history, budget, is_full=is_full)
        await session.write(told)
    return replace(moment, lore=told.told)


def look(state: EpisodeState, answered: CharacterAnswered) -> tuple[EpisodeEvent, ...]:
    """The quick observation: counters, beats, choices, and the note for the next answer. Rules only."""
    before = state.director if state.conversation else DirectorState()
    after = _with(state, answered)
    alone = PlayerExchange(answered.message_id, "", answered.content)
    exchange = after.exchanges[-1] if after.exchanges else alone
    if answered.message_id in exchange.others:
        # Another answer to the same message: the exchange grows, and is observed again.
        grown = TurnObserved(
            message_id=exchange.message_id, digest=exchange.digest, reading=observe(after.template, exchange)
        )
        return (_announced(answered.message_id, alone, after), grown, *follow_up(before, after, exchange.message_id))
    if exchange.message_id != answered.message_id or exchange is alone:
        return (_announced(answered.message_id, alone, after),)
    return (_announced(answered.message_id, exchange, after), *follow_up(before, after, answered.message_id))


def _announced(message_id: str, exchange: PlayerExchange, state: EpisodeState) -> TurnObserved:
    director = state.director
    return TurnObserved(
        message_id=message_id,
        digest=exchange.digest,
        reading=observe(state.template, exchange),
        announces=True,
        turn_count=director.turn_count,
        beat=director.current_beat,
        completion_eligible=director.completion_eligible,
    )


def follow_up(before: DirectorState, state: EpisodeState, message_id: str) -> tuple[EpisodeEvent, ...]:
    """What follows from an observation: new beats, their choices, the pace."""
    director, template = state.director, state.template
    known = {mark.beat for mark in before.marks}
    events: list[EpisodeEvent] = []
    for mark in director.marks:
        if mark.beat in known or mark.turn == 0:
            continue
        events.append(BeatReached(message_id=message_id, beat=mark.beat, turn=mark.turn, by=mark.by, quote=mark.quote))
        contract = template.contract(mark.beat)
        if contract is not None and contract.choices:
            events.append(ChoicesOffered(message_id=message_id, prompt=contract.prompt, choices=contract.choices))
    decided = pace(template, director)
    events.append(PaceDecided(message_id=message_id, note=decided.note, reason=decided.reason))
    return tuple(events)


def _with(state: EpisodeState, answered: CharacterAnswered) -> EpisodeState:
    """The state as it will be once the answer is in the log."""
    return state.after([answered])


async def look_closer(session: OpenSession, models: SessionModels) -> None:
    """If the end depends on what a model sees, the model is asked before the turn is over."""
    last = session.state.exchanges[-1] if session.state.exchanges else None
    due = due_extractions(session.state)
    newest = {last.message_id, *last.others} if last is not None else set()
    for view, exchange in [one for one in due if one[1].message_id in newest] if session.state.cast else due[-1:]:
        before = session.state.director
        await session.write(await extract(view, exchange, models.director))
        if session.state.director.marks != before.marks:
            at = last.message_id if session.state.cast and last is not None else exchange.message_id
            await session.write(*follow_up(before, session.state, at))


async def complete(session: OpenSession, models: SessionModels) -> None:
    """Announces the end once, with the evaluation and a suggestion; in a pause of an open talk, only the suggestion."""
    state = session.state
    director = state.director
    if director.completion_trigger is not None:
        if state.completion is None:
            last = state.conversation[-1].id
            turn = director.completed_turn or director.turn_count
            await session.write(EpisodeCompleted(message_id=last, trigger=director.completion_trigger, turn=turn))
        await announce(session, models)
    elif state.template.completion_mode == "open" and director.pausing and state.exchanges:
        lately = {one.message_id for one in state.exchanges[-PAUSES_APART:]}
        if not any(one.message_id in lately for one in state.suggestions):
            suggestion, last = await models.suggest(state), state.exchanges[-1].message_id
            await session.write(SuggestionMade(message_id=last, after="pause", suggestion=suggestion))


async def announce(session: OpenSession, models: SessionModels) -> None:
    """Completes an announcement, skipping what the log already has."""
    completion = session.state.completion
    if completion is None or any(
        one.message_id == completion.message_id and one.after == "completion" for one in session.state.suggestions
    ):
        return
    wanted = session.state.template.evaluation
    tried = [one.message_id for one in session.state.evaluations] + [one.message_id for one in session.state.unready]
    if wanted is not None and completion.message_id not in tried:
        await session.write(await evaluate(session.state, wanted, models.director))
    suggestion = await models.suggest(session.state)
    await session.write(SuggestionMade(message_id=completion.message_id, after="completion", suggestion=suggestion))


def failure(state: EpisodeState, error: str, code: str) -> AnswerFailed:
    """The event for an answer that failed."""
    asked = state.asked.event if state.asked is not None else None
    return AnswerFailed(
        message_id=asked.message_id if asked else state.next_id,
        parent=asked.parent if asked else state.tip or None,
        error=error,
        code=code,
        speaker=asked.speaker if asked else "",
    )
