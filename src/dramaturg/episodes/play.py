"""One turn of an episode: the player has spoken, the character answers, the director looks on. Read it top to bottom.

The log decides where to go on, so a turn that was killed anywhere is finished by the same function. The player's words
are in the log before it begins; an answer that came whole is not paid for twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from dramaturg.episodes.director import DirectorState, Exchange, observe, pace
from dramaturg.episodes.evaluation import evaluate
from dramaturg.episodes.events import (
    AnswerAsked,
    AnswerFailed,
    BeatReached,
    CharacterAnswered,
    ChoicesOffered,
    EpisodeCompleted,
    Observed,
    PaceDecided,
    Suggested,
    Suggestion,
    TurnEnded,
)
from dramaturg.episodes.extraction import extract
from dramaturg.episodes.lore import NO_BOOKS, Bookshelf, tell
from dramaturg.episodes.prompting import Moment, Sheet, answer_request, moment_of
from dramaturg.episodes.state import ROOT, Asked, EpisodeState
from dramaturg.episodes.streaming import AnswerReader
from dramaturg.kernel.errors import BudgetExceeded, ModelError, ModelUnreadable, PromptError
from dramaturg.kernel.models.port import Model, ModelAnswer
from dramaturg.kernel.models.wrappers import open_stream
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings

PAUSES_APART = 4
"""So many turns pass before a pause is taken for another suggestion."""
INTERRUPTED = AnswerFailed(
    message_id="", parent=None, error="The answer broke off when the house went dark.", code="INTERRUPTED"
)


class Table(Protocol):
    """Where a turn is played: the session's state, its log, and whoever reads along."""

    @property
    def state(self) -> EpisodeState: ...

    async def write(self, *events: Event) -> None:
        """Into the log; safe when it returns, and in the state."""
        ...

    def is_lost(self, asked: Asked) -> bool:
        """Whether an earlier process put this question and did not live to hear the whole answer."""
        ...

    def hear(self, message_id: str, piece: str, shown: str) -> None:
        """A piece of an answer, and what may be shown of it."""
        ...

    async def keep(self) -> None:
        """The tables, as the log has them now."""
        ...


@dataclass(frozen=True, slots=True)
class Players:
    """Who plays the character, who looks on, and what both need."""

    model: Model
    director: Model
    sheet: Sheet
    settings: Settings
    suggest: Callable[[EpisodeState], Awaitable[Suggestion | None]]
    shelf: Bookshelf = NO_BOOKS


async def play_turn(table: Table, players: Players) -> None:
    """Play the turn that is under way from where its log stands to its end."""
    client_id = table.state.turn or ""
    try:
        if table.state.asked is not None or table.state.unanswered is not None or not table.state.path:
            await answer(table, players)
    except (ModelError, BudgetExceeded, PromptError) as error:
        await table.write(
            failure(table.state, error.message, error.code), TurnEnded(client_id=client_id, answered=False)
        )
        return
    if table.state.template.waits_for_judgement:
        await look_closer(table, players)
    await complete(table, players)
    await table.keep()
    last = table.state.conversation[-1].id if table.state.conversation else ""
    await table.write(TurnEnded(client_id=client_id, message_id=last))


async def answer(table: Table, players: Players) -> None:
    """The character's answer, streamed as it comes, and the director's quick look at the exchange."""
    state = table.state
    asked = state.asked.event if state.asked is not None else question(state, state.tip or None)
    if state.asked is None:
        await table.write(asked)
    elif table.is_lost(state.asked):
        # Its pieces stay in the log, and another question is put.
        await table.write(INTERRUPTED.model_copy(update={"message_id": asked.message_id, "parent": asked.parent}))
        asked = question(table.state, asked.parent)
        await table.write(asked)
    reader = await perform(table, players, asked)
    parts = reader.answer
    if parts.is_empty:
        raise ModelUnreadable(f"{players.model.name} gave an answer without words. Try again.", key=asked.key)
    answered = CharacterAnswered(
        message_id=asked.message_id,
        parent=asked.parent,
        content=reader.content,
        structured=parts,
        read="prose" if reader.is_prose else "form",
    )
    await table.write(answered, *look(table.state, answered))


def question(state: EpisodeState, parent: str | None) -> AnswerAsked:
    """The question for an answer that follows this message."""
    message_id = state.next_id
    note = moment_of(state, parent or ROOT).note
    return AnswerAsked(message_id=message_id, parent=parent, key=f"{message_id}/answer", note=note)


async def perform(table: Table, players: Players, asked: AnswerAsked) -> AnswerReader:
    """Let the model speak; every piece is heard at once, only its words and gestures are shown."""
    moment = moment_of(table.state, asked.parent or ROOT)
    if not players.shelf.is_empty:
        moment = await inform(table, players, asked, moment)
    request = answer_request(table.state, players.sheet, moment, players.model, players.settings, key=asked.key)
    reader, whole = AnswerReader(), ""
    async with open_stream(players.model, request) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelAnswer):
                # What was not streamed, if anything: some servers send the end only with the whole.
                rest = piece.text[len(whole) :] if piece.text.startswith(whole) else ""
                table.hear(asked.message_id, rest, reader.feed(rest))
            else:
                whole += piece
                table.hear(asked.message_id, piece, reader.feed(piece))
    table.hear(asked.message_id, "", reader.close())
    return reader


async def inform(table: Table, players: Players, asked: AnswerAsked, moment: Moment) -> Moment:
    """The moment with the lore that is told in it. It is written down first, and not looked for twice."""
    told = table.state.lore.get(asked.message_id)
    if told is None:
        told = tell(table.state, players.shelf, asked, moment.history, players.settings.episodes.lore_tokens)
        await table.write(told)
    return replace(moment, lore=tuple(one.text for one in told.told))


def look(state: EpisodeState, answered: CharacterAnswered) -> tuple[Event, ...]:
    """The quick look: counters, beats, what is offered, and the word for the next answer. Rules only."""
    before = state.director if state.conversation else DirectorState()
    after = _with(state, answered)
    if not after.exchanges or after.exchanges[-1].message_id != answered.message_id:
        return (_announced(answered.message_id, Exchange(answered.message_id, "", answered.content), after),)
    exchange = after.exchanges[-1]
    return (_announced(answered.message_id, exchange, after), *follow_up(before, after, answered.message_id))


def _announced(message_id: str, exchange: Exchange, state: EpisodeState) -> Observed:
    director = state.director
    return Observed(
        message_id=message_id,
        digest=exchange.digest,
        reading=observe(state.template, exchange),
        announces=True,
        turn_count=director.turn_count,
        beat=director.current_beat,
        completion_eligible=director.completion_eligible,
    )


def follow_up(before: DirectorState, state: EpisodeState, message_id: str) -> tuple[Event, ...]:
    """What follows from a look: the beats that are new, their choices, the pace."""
    director, template = state.director, state.template
    known = {mark.beat for mark in before.marks}
    events: list[Event] = []
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
    return state.after([Entry[Event](seq=state.seq + 1, at=0.0, event=answered)])


async def look_closer(table: Table, players: Players) -> None:
    """Where the end depends on what a model sees, it is asked before the turn is over."""
    due = table.state.to_extract[-1:]
    for exchange in due:
        before = table.state.director
        await table.write(await extract(table.state, exchange, players.director))
        if table.state.director.marks != before.marks:
            await table.write(*follow_up(before, table.state, exchange.message_id))


async def complete(table: Table, players: Players) -> None:
    """Announce the end once, with the evaluation and what to play next; in a pause of an open talk, only the latter."""
    state = table.state
    director = state.director
    if director.completion_trigger is not None:
        if state.completion is None:
            last = state.conversation[-1].id
            turn = director.completed_turn or director.turn_count
            await table.write(EpisodeCompleted(message_id=last, trigger=director.completion_trigger, turn=turn))
        await announce(table, players)
    elif state.template.completion_mode == "open" and director.pausing and state.exchanges:
        lately = {one.message_id for one in state.exchanges[-PAUSES_APART:]}
        if not any(one.message_id in lately for one in state.suggestions):
            suggestion, last = await players.suggest(state), state.exchanges[-1].message_id
            await table.write(Suggested(message_id=last, after="pause", suggestion=suggestion))


async def announce(table: Table, players: Players) -> None:
    """The rest of an announcement, whatever of it the log has already."""
    completion = table.state.completion
    if completion is None or any(
        one.message_id == completion.message_id and one.after == "completion" for one in table.state.suggestions
    ):
        return
    wanted = table.state.template.evaluation
    tried = [one.message_id for one in table.state.evaluations] + [one.message_id for one in table.state.unready]
    if wanted is not None and completion.message_id not in tried:
        await table.write(await evaluate(table.state, wanted, players.director))
    suggestion = await players.suggest(table.state)
    await table.write(Suggested(message_id=completion.message_id, after="completion", suggestion=suggestion))


def failure(state: EpisodeState, error: str, code: str) -> AnswerFailed:
    """What is said of an answer that did not come."""
    asked = state.asked.event if state.asked is not None else None
    return AnswerFailed(
        message_id=asked.message_id if asked else state.next_id,
        parent=asked.parent if asked else state.tip or None,
        error=error,
        code=code,
    )
