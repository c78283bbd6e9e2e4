"""Views of a session, for the tables and the faces, which can be rebuilt from the log at any time."""

from __future__ import annotations

from collections.abc import Sequence
from operator import not_
from typing import Literal

import orjson
from pydantic import Field

from dramaturg.episodes.director import BeatProgress, DirectorState, direct_each
from dramaturg.episodes.events import LineSpoken, Persona, SeriesPlace, Suggestion
from dramaturg.episodes.memory import BondShift, MemoryNote, kept_id
from dramaturg.episodes.result_card import ResultCard, result_card
from dramaturg.episodes.state import ChatMessage, ChatRole, EpisodeState
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.template import SceneCard
from dramaturg.episodes.wire import (
    EvaluationStatus,
    Glance,
    GroupFace,
    ShownAnswer,
    ShownChoice,
    ShownRecording,
    faces_of,
    progress_label,
    shown_answer,
    shown_recording,
    stand_in_remark,
)
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import Value

SessionStatus = Literal["open", "complete"]


class SessionRecord(Value):
    """A row of `sessions`. `director_state` is JSON; `seq` is the last log entry that the row reflects."""

    id: str
    player_id: str
    template: str
    character: str
    series: str | None
    status: SessionStatus
    turn_count: int
    director_state: str
    completion_trigger: str | None
    parent_id: str | None
    seq: int
    created_at: float
    updated_at: float


class MessageRecord(Value):
    """A row of `messages`, which has the current conversation. `metadata` is JSON."""

    session_id: str
    id: str
    position: int
    role: ChatRole
    content: str
    metadata: str
    at: float


class ConcernRecord(Value):
    """For the host: a message that spoke of self-harm or abuse, and to whom help was offered."""

    session_id: str
    player_id: str
    template: str
    message_id: str
    at: float
    concern: Literal["self_harm", "abuse"]
    language: str
    quote: str


class KeptRecord(Value):
    """A stored memory or hook."""

    id: str
    kind: Literal["memory", "hook"]
    message_id: str
    kept: MemoryNote
    at: float
    character: str = ""


class ShiftRecord(Value):
    """A stored change in a relationship."""

    message_id: str
    shift: BondShift
    at: float
    character: str = ""


class ShownMessage(Value):
    """A message as the player sees it. `siblings` are the swipes at its place, oldest first."""

    id: str
    role: ChatRole
    content: str
    at: float
    structured: ShownAnswer | None = None
    edited: bool = False
    siblings: tuple[str, ...] = ()
    recordings: tuple[ShownRecording, ...] = Field((), description="its spoken parts, in order")
    care: str = Field("", description="what the player was told outside the story, after a message about harm")
    speaker: str = Field("", description="in a group: who said it", exclude_if=not_)
    name: str = Field(
        "", description="who spoke, in a group or if it was neither this character nor this player", exclude_if=not_
    )
    to: str = Field("", description="in a group: the only one who heard the player say it", exclude_if=not_)
    whispered: bool = Field(False, description="in a group: said by or to one alone", exclude_if=not_)


class StoryProgress(Value):
    """How far the story has come, if the template shows it; never the name of a beat."""

    index: int = Field(ge=1)
    total: int


class SessionView(Value):
    """A session as its player sees it."""

    id: str
    template: str
    title: str
    character: str
    player: Persona
    scene_card: SceneCard | None
    series: SeriesPlace | None
    progress: str = ""
    story: StoryProgress | None = Field(None, description="the same as the last `beat` event")
    remark: str = Field("", description="if no model plays: that the rehearsal company does, and cannot converse")
    status: SessionStatus
    director: Glance
    messages: tuple[ShownMessage, ...]
    choices: tuple[ShownChoice, ...] = ()
    completion_trigger: str | None = None
    evaluation: object | None = Field(None, description="the result, if there is one")
    evaluation_status: EvaluationStatus = "none"
    card: ResultCard | None = Field(None, description="the result as it is shown, if there is one")
    suggestion: Suggestion | None = None
    busy: bool = Field(False, description="a turn is under way")
    retry: bool = Field(False, description="the last answer did not come and can be asked for again")
    directors_cut: bool = Field(False, description="the hidden layer may be opened")
    voice: bool = Field(False, description="the character's messages are spoken")
    mark: str = Field("", description="follow the stream after this place")
    cast: tuple[GroupFace, ...] = Field((), description="the characters of a group", exclude_if=not_)


def session_record(session_id: str, state: EpisodeState, created_at: float, parent: str | None) -> SessionRecord:
    opened, director = state.session, state.director
    return SessionRecord(
        id=session_id,
        player_id=opened.player.id,
        template=opened.template.name,
        character=opened.character,
        series=opened.series.name if opened.series else None,
        status="complete" if state.completion else "open",
        turn_count=director.turn_count,
        director_state=state_json(director),
        completion_trigger=director.completion_trigger,
        parent_id=parent,
        seq=state.seq,
        created_at=created_at,
        updated_at=state.conversation[-1].at if state.conversation else created_at,
    )


def state_json(director: DirectorState) -> str:
    """The director's state in its stored form: beats, signals, curve and flags."""
    return director.model_dump_json()


def message_records(session_id: str, state: EpisodeState, last: int | None = None) -> list[MessageRecord]:
    """The rows of the conversation; with `last`, only that many of the newest."""
    talk = list(enumerate(state.conversation))
    wanted = talk if last is None else talk[-last:]
    turns = {one.message_id: number for number, one in enumerate(state.exchanges, start=1)}
    each = _each(state) if last is None else _latest(state)
    return [
        MessageRecord(
            session_id=session_id,
            id=message.id,
            position=position,
            role=message.role,
            content=message.text,
            metadata=_metadata(message, turns.get(message.id), each.get(message.id), state),
            at=message.at,
        )
        for position, message in wanted
    ]


def _each(state: EpisodeState) -> dict[str, BeatProgress]:
    """Where the story stood after each exchange."""
    after = direct_each(state.template, state.exchanges)
    return {exchange.message_id: progress for exchange, progress in zip(state.exchanges, after, strict=True)}


def _latest(state: EpisodeState) -> dict[str, BeatProgress]:
    if not state.exchanges:
        return {}
    director = state.director
    return {state.exchanges[-1].message_id: BeatProgress(director.current_beat, director.completion_eligible)}


def _metadata(message: ChatMessage, turn: int | None, progress: BeatProgress | None, state: EpisodeState) -> str:
    told: dict[str, object] = {}
    parts = message.structured
    if parts is not None:
        told["structured"] = {
            "dialogue": parts.dialogue,
            "action": parts.action,
            "mood": parts.mood,
            "tension_shift": parts.tension_shift,
        }
    if turn is not None and progress is not None:
        exchange = state.exchanges[turn - 1]
        reading, findings = exchange.reading, exchange.findings
        signals = {*(reading.signals if reading else ()), *(one.name for one in (findings.signals if findings else ()))}
        told["director"] = {
            "turn_number": turn,
            "beat": progress.beat.value,
            "user_signals": sorted(signals),
            "completion_eligible": progress.completion_eligible,
        }
    if message.client_id:
        told["client_id"] = message.client_id
    if message.speaker:
        told["speaker"] = message.speaker
    if message.private:
        told["private"] = message.private
    return orjson.dumps(told).decode()


def kept_records(state: EpisodeState) -> list[KeptRecord]:
    """What the character remembers of the current conversation; in a group, what each of them does."""
    if state.cast and not state.me:
        return [record for one in state.cast for record in kept_records(state.heard_by(one.character))]
    root = state.session.root
    records: list[KeptRecord] = []
    for exchange in state.exchanges:
        if exchange.findings is None:
            continue
        at = state.messages[exchange.message_id].at
        for kind, found in (("memory", exchange.findings.memories), ("hook", exchange.findings.hooks)):
            records.extend(
                KeptRecord.model_validate(
                    {
                        "id": kept_id(root, exchange.message_id, kind, place),
                        "kind": kind,
                        "message_id": exchange.message_id,
                        "kept": kept,
                        "at": at,
                        "character": state.me,
                    }
                )
                for place, kept in enumerate(found)
            )
    return records


def shift_records(state: EpisodeState) -> list[ShiftRecord]:
    if state.cast and not state.me:
        return [record for one in state.cast for record in shift_records(state.heard_by(one.character))]
    return [
        ShiftRecord(
            message_id=one.message_id,
            shift=one.findings.shift,
            at=state.messages[one.message_id].at,
            character=state.me,
        )
        for one in state.exchanges
        if one.findings is not None and one.findings.shift is not None
    ]


def session_view(session_id: str, state: EpisodeState, *, busy: bool = False) -> SessionView:
    """What the player may currently see of a session."""
    opened, director = state.session, state.director
    complete = state.completion is not None
    evaluation = state.evaluation if complete else None
    suggestion = state.suggestions[-1].suggestion if state.suggestions else None
    # An answer on its way is not in the view, so the stream has to give all of it.
    mark = state.seq if state.asked is None else state.asked.seq - 1
    return SessionView(
        id=session_id,
        template=opened.template.name,
        title=opened.template.shown_title,
        character=opened.display_name,
        player=opened.player,
        scene_card=opened.template.scene_card,
        series=opened.series,
        progress=progress_label(opened),
        story=_story(state),
        remark=stand_in_remark(opened),
        status="complete" if complete else "open",
        director=Glance(
            turn_count=director.turn_count,
            beat=director.current_beat,
            completion_eligible=director.completion_eligible,
        ),
        messages=shown_messages(state.conversation, state),
        choices=tuple(
            ShownChoice(id=one.id, label=one.label) for one in (state.offered.choices if state.offered else ())
        ),
        completion_trigger=director.completion_trigger,
        evaluation=evaluation.result if evaluation else None,
        evaluation_status="ready" if evaluation else "not_ready" if complete and opened.template.evaluation else "none",
        card=result_card(evaluation.evaluation_type, evaluation.result) if evaluation else None,
        suggestion=suggestion,
        busy=busy,
        retry=not busy and state.failed is not None and state.unanswered is not None,
        directors_cut=complete and opened.template.directors_cut,
        voice=state.voice is not None,
        mark=str(mark),
        cast=faces_of(opened),
    )


def _story(state: EpisodeState) -> StoryProgress | None:
    if state.template.progress == "hidden":
        return None
    return StoryProgress(index=state.director.current_beat.place + 1, total=len(StoryBeat))


def shown_messages(messages: Sequence[ChatMessage], state: EpisodeState) -> tuple[ShownMessage, ...]:
    spoken: dict[str, list[LineSpoken]] = {}
    for line in sorted(state.spoken.values(), key=lambda one: one.number):
        spoken.setdefault(line.message_id, []).append(line)
    return tuple(
        ShownMessage(
            id=one.id,
            role=one.role,
            content=one.text,
            at=one.at,
            structured=shown_answer(one) if one.role == "character" else None,
            edited=one.edited,
            care=one.care,
            siblings=state.siblings(one.id),
            recordings=tuple(shown_recording(line) for line in spoken.get(one.id, ())),
            speaker=one.speaker,
            name=_shown_name(one, state),
            to=one.private if one.role == "player" else "",
            whispered=bool(one.private),
        )
        for one in messages
    )


def _shown_name(message: ChatMessage, state: EpisodeState) -> str:
    """Who spoke, if it does not go without saying: one of a group, or somebody of an imported chat."""
    own = state.session.player.name if message.role == "player" else state.name_of(message.speaker)
    if message.speaker:
        return message.name or own
    return message.name if message.name != own else ""


def conversation_text(state: EpisodeState) -> str:
    """A session as text: who talks, and what is said on its current path."""
    opened = state.session
    player = opened.player.name or "You"
    lines = [
        f"{one.name or own}{_aside(one, state)}: {one.text}"
        for one in state.conversation
        for own in [player if one.role == "player" else state.name_of(one.speaker)]
    ]
    ended = [f"[{state.completion.trigger}]"] if state.completion is not None else []
    return "\n\n".join([f"{opened.template.shown_title}", *lines, *ended]) + "\n"


def _aside(one: ChatMessage, state: EpisodeState) -> str:
    """What stands behind a speaker's name: to whom it was whispered, and whether it was edited."""
    whom = f" (whispers to {state.name_of(one.private)})" if one.private and one.role == "player" else ""
    aloud = " (whispers)" if one.private and one.role != "player" else ""
    return f"{whom}{aloud}{' (edited)' if one.edited else ''}"


def no_session(session: str) -> NotFound:
    """The error for a session that does not exist or belongs to somebody else; the two are indistinguishable."""
    return NotFound(f"There is no session '{session[:40]}'.", session=session[:40])
