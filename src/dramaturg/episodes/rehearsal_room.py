"""The rehearsal room: a template played against simulated players, one session at a time.

Players of six tempers talk with the character; one of them tries to read what is hidden. What they were shown is
checked against everything they should not have seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dramaturg.characters import parse_card
from dramaturg.episodes.answer_request import book_of
from dramaturg.episodes.conversation import ChatMessage
from dramaturg.episodes.events import Persona
from dramaturg.episodes.new_session import Casting
from dramaturg.episodes.open_session import OpenSession
from dramaturg.episodes.rehearsal.cues import PlayerCue, TalkLine, Temper
from dramaturg.episodes.rehearsal_report import Leak, RehearsedLine, RehearsedSession
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.episodes.templates import episode_template
from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.runs import Mark, ModelAnswered
from dramaturg.kernel.runs.costs import answers
from dramaturg.kernel.text.words import runs, words

if TYPE_CHECKING:
    from dramaturg.episodes.front import Episodes

MOST_TURNS = 20
CHOSEN = Casting()
RUN = 6
"""How many consecutive hidden words count as a leak when shown."""
MARKS = ('"internal"', "tension_shift", "<state", "</state", "<note", "story_beat", "<player")
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
CHOICE = "choice:"


class RehearsalRound(NamedTuple):
    """A player's temper, and how often it has played before."""

    temper: Temper
    time: int


def rounds_of(tempers: Sequence[Temper], times: int) -> tuple[RehearsalRound, ...]:
    """The sessions of a rehearsal, in their order."""
    return tuple(RehearsalRound(temper, time) for temper, time in product(tempers, range(times)))


class Rehearsed(NamedTuple):
    """A session that is over, and the answers that were paid for in it."""

    session: RehearsedSession
    paid: tuple[ModelAnswered, ...]


async def rehearse_once(
    episodes: Episodes,
    template: EpisodeTemplate,
    round_: RehearsalRound,
    player_model: Model,
    *,
    most_turns: int = MOST_TURNS,
    models: Casting = CHOSEN,
    rehearsal: str,
) -> Rehearsed:
    """One player's session, with a separate seed from the second time on.

    `rehearsal` tells its player from those of other rehearsals at the same time.
    """
    temper, time = round_
    player = Persona(id=f"rehearsal-{rehearsal}-{temper}")
    await episodes.players.clear(player.id)
    try:
        seed = time + 1 if time else None
        view = await episodes.open(template, player, model=models, seed=seed, voice=False)
        session = await _play(episodes, view.id, temper, player_model, most_turns)
        opened = await episodes.session(view.id)
        return Rehearsed(session, answers(opened.run.entries))
    finally:
        await episodes.players.clear(player.id)


async def _play(episodes: Episodes, session: str, temper: Temper, player: Model, most_turns: int) -> RehearsedSession:
    shown: list[tuple[int, StreamEvent]] = []
    errors: list[str] = []
    async for event in episodes.turn(session, Mark()):
        shown.append((0, event))
    opened = await episodes.session(session)
    turn = 0
    while turn < most_turns and opened.state.completion is None:
        turn += 1
        text = await _next_words(opened, temper, turn, player)
        client_id = f"turn-{turn}"
        if text.startswith(CHOICE):
            mark = await episodes.pick(session, text.removeprefix(CHOICE), client_id)
        else:
            mark = await episodes.send(session, text, client_id)
        async for event in episodes.turn(session, mark, client_id):
            shown.append((turn, event))
            if event.type == "error":
                errors.append(event.message)
        await episodes.settle(session)
    return _rehearsed(opened.state, temper, turn, shown, errors)


async def _next_words(opened: OpenSession, temper: Temper, turn: int, player: Model) -> str:
    state = opened.state
    book = book_of(parse_card(state.session.character, state.card), state.session)
    spoke = tuple(TalkLine(one.role == "player", one.text) for one in state.conversation)
    choices = tuple(one.id for one in state.offered.choices) if state.offered else ()
    cue = PlayerCue(book, temper, spoke, turn, choices)
    told = "\n".join(f"{'You' if one.by_player else book.character.name}: {one.text}" for one in spoke)
    request = ModelRequest(
        key=f"player/{opened.id}/{turn}",
        purpose="acting",
        system=episode_template("player").render(temper=temper.replace("_", " "), objective=book.player_objective),
        messages=(Message("user", episode_template("player_turn").render(talk=told)),),
        max_tokens=120,
        cue=cue,
    )
    return (await player.complete(request)).text.strip() or "..."


def _rehearsed(
    state: EpisodeState, temper: Temper, turns: int, shown: Sequence[tuple[int, StreamEvent]], errors: Sequence[str]
) -> RehearsedSession:
    director, completion = state.director, state.completion
    evaluation = state.evaluation
    wanted = completion is not None and state.template.evaluation is not None
    suggestion = state.suggestions[-1].suggestion if state.suggestions else None
    return RehearsedSession(
        temper=temper,
        turns=turns,
        completed=completion is not None,
        trigger=completion.trigger if completion else None,
        completed_turn=director.completed_turn,
        beats={mark.beat.value: mark.turn for mark in director.marks},
        quotes={mark.beat.value: mark.quote for mark in director.marks if mark.quote},
        clues=director.clues,
        talk=tuple(_line(one, state.session.display_name) for one in state.conversation),
        tension=director.tension_curve,
        target=director.tension_target,
        evaluation_status="ready" if evaluation else "not_ready" if wanted else "none",
        evaluation=evaluation.result if evaluation else None,
        suggestion=suggestion.type if suggestion else "",
        signals=director.user_signals,
        leaks=tuple(leaks_in(state, shown)),
        errors=tuple(errors),
    )


def _line(said: ChatMessage, character: str) -> RehearsedLine:
    return RehearsedLine(speaker="" if said.role == "player" else said.speaker or character, text=said.text)


def leaks_in(state: EpisodeState, shown: Iterable[tuple[int, StreamEvent]]) -> Iterable[Leak]:
    """Everything hidden that was shown: marks of the form or the state, or a run of hidden words.

    Words that the player typed, that are on the character's card or that a note told it to say are not secret, nor are
    the names of the cast.
    """
    open_texts = [
        state.card,
        *state.cards.values(),
        state.template.opening_line,
        state.session.display_name,
        *(one.text for one in state.messages.values() if one.role == "player"),
    ]
    shown = tuple(shown)
    hidden = dict(_hidden(state))
    known = frozenset().union(*(runs(words(text), RUN) for text in (*open_texts, *_to_be_said(state))))
    secret = {source: runs(words(text), RUN) - known for source, text in hidden.items()}
    typed = "\n".join(open_texts)
    for turn, text in _texts(shown):
        for mark in MARKS:
            if mark in text and mark not in typed:
                yield Leak(source="form", words=mark, turn=turn)
        said = _runs(text)
        for source, secrets in secret.items():
            for found in sorted(said & secrets)[:1]:
                yield Leak(source=source, words=" ".join(found), turn=turn)
    # A result shows the ledger's clues; a character never does.
    spoken = [(turn, _runs(text)) for turn, text in _texts(shown, only=("chunk", "message_complete"))]
    for source, text in _ledger(state):
        ledger = runs(words(text), RUN) - known
        for turn, said in spoken:
            for found in sorted(said & ledger)[:1]:
                yield Leak(source=source, words=" ".join(found), turn=turn)


def _hidden(state: EpisodeState) -> Iterable[tuple[str, str]]:
    yield "notes of the template", state.template.notes
    for source, name in (("how to read", "reading"), ("how to answer", "format")):
        yield source, episode_template(name).render(name=state.session.display_name)
    for prompts in (state.prompts, *state.all_prompts.values()):
        for source, text in (("main prompt", prompts.system_prompt), ("instructions", prompts.post_history)):
            yield f"{source} of the card", text
        yield "note of the author", f"{prompts.reminder}\n{state.template.author_note}"
    for contract in state.template.beats:
        yield f"instruction of {contract.beat}", contract.instruction
    for message_id, note in state.notes.items():
        yield f"note after {message_id}", note
    for message in state.messages.values():
        if message.structured is not None:
            yield f"thought of {message.id}", message.structured.internal


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of words in each line: what is done and what is said are two things."""
    return frozenset().union(*(runs(words(line), RUN) for line in text.splitlines()))


def _ledger(state: EpisodeState) -> Iterable[tuple[str, str]]:
    ledger = state.template.clue_ledger
    if ledger is not None:
        yield "solution of the mystery", ledger.solution
        for clue in ledger.clues:
            yield f"clue {clue.id}", clue.text


def _to_be_said(state: EpisodeState) -> Iterable[str]:
    texts = (*state.notes.values(), *(contract.instruction for contract in state.template.beats))
    return [quoted for text in texts for quoted in _QUOTED.findall(text)]


def _texts(shown: Iterable[tuple[int, StreamEvent]], only: tuple[str, ...] | None = None) -> list[tuple[int, str]]:
    """What was shown, or only events of these types, with the pieces of each answer joined."""
    pieces: dict[tuple[int, str], str] = {}
    for turn, event in shown:
        if only is not None and event.type not in only:
            continue
        if event.type == "chunk":
            key = (turn, event.message_id)
            pieces[key] = pieces.get(key, "") + event.content
        else:
            told = event.content if event.type == "message_complete" else event.model_dump_json(exclude={"id", "type"})
            pieces[turn, f"{event.type} {event.id}"] = told
    return [(turn, text) for (turn, _), text in pieces.items()]
