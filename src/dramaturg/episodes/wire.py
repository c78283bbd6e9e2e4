"""What the player is sent, exactly as the clients of an episode expect it. Nothing hidden has a place here."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from dramaturg.episodes.apology import apology
from dramaturg.episodes.events import (
    AnswerFailed,
    BeatReached,
    CareOffered,
    ChoicesOffered,
    EvaluationGiven,
    LineSpoken,
    LineUnspoken,
    OpeningSpoken,
    SessionOpened,
    Suggestion,
    SuggestionMade,
    Trigger,
    TurnEnded,
    TurnObserved,
)
from dramaturg.episodes.persona_name import listed
from dramaturg.episodes.spoken_lines import Manner
from dramaturg.episodes.state import ChatMessage, EpisodeState
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.kernel.models.rehearsal.company import NAME as REHEARSAL
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.values import Value

STAND_IN = "No model is playing: the rehearsal company speaks {name}'s own lines and cannot hold a conversation."
UNSPOKEN_LINE = "This line could not be spoken."
UNSPOKEN_MESSAGE = "This message could not be spoken: the speech engine is not available."
EvaluationStatus = Literal["ready", "not_ready", "none"]


class ShownAnswer(Value):
    """An answer in its parts, without what the character thought."""

    dialogue: str
    action: str
    mood: str


class Glance(Value):
    """The part of the director's state that is sent with a message."""

    turn_count: int
    beat: StoryBeat
    completion_eligible: bool


class GroupFace(Value):
    """One of the characters of a group, as the player sees them."""

    id: str
    name: str
    role: str = ""


class SceneCardEvent(Value):
    """The opening: where the scene is set, and who meets whom."""

    id: str
    type: Literal["scene_card"] = "scene_card"
    title: str
    text: str
    image: str | None = None
    character: str
    player_role: str = ""
    objective: str = ""
    progress: str = ""
    remark: str = Field("", description="if no model plays: that the rehearsal company does, and cannot converse")
    cast: tuple[GroupFace, ...] = Field((), description="the characters of a group", exclude_if=not_)


class ChunkEvent(Value):
    """The next piece of the answer. `message_id` changes if the answer had to be requested again."""

    id: str
    type: Literal["chunk"] = "chunk"
    content: str
    message_id: str
    speaker: str = Field("", description="in a group: who speaks", exclude_if=not_)
    name: str = Field("", description="in a group: the speaker's name", exclude_if=not_)


class MessageCompleteEvent(Value):
    """The whole answer."""

    id: str
    type: Literal["message_complete"] = "message_complete"
    message_id: str
    content: str
    structured: ShownAnswer
    director: Glance
    speaker: str = Field("", description="in a group: who spoke", exclude_if=not_)
    name: str = Field("", description="in a group: the speaker's name", exclude_if=not_)
    whispered: bool = Field(False, description="in a group: nobody but the player heard it", exclude_if=not_)


class ShownRecording(Value):
    """A part of a message that can be heard: `GET /v1/sessions/{run_id}/audio/{file}`."""

    number: int = Field(description="its place among the spoken parts of the message, from 1")
    file: str
    manner: Manner = Field(description="what the character says, or narration")
    text: str
    duration_ms: int
    sample_rate: int
    bytes: int
    sha256: str
    silent: bool = Field(False, description="made by the silent engine, so there is nothing to hear")


class AudioEvent(ShownRecording):
    """A part of a message was spoken. It may come while the answer is still arriving, or after `done`."""

    id: str
    type: Literal["audio"] = "audio"
    message_id: str


class AudioFailedEvent(Value):
    """A part of a message, or with `whole` all of it, could not be spoken; its text is complete."""

    id: str
    type: Literal["audio_failed"] = "audio_failed"
    message_id: str
    number: int
    code: str
    message: str
    whole: bool = False


class CareEvent(Value):
    """Outside the story: the player's message speaks of self-harm or abuse, and this says where to find help."""

    id: str
    type: Literal["care"] = "care"
    message_id: str
    text: str
    language: str


class BeatEvent(Value):
    """The progress of the story, if the template shows it; never the name of a beat."""

    id: str
    type: Literal["beat"] = "beat"
    index: int
    total: int
    label: str = ""


class ShownChoice(Value):
    """Something the player may pick."""

    id: str
    label: str


class ChoicePromptEvent(Value):
    """The player may pick one of these, or type."""

    id: str
    type: Literal["choice_prompt"] = "choice_prompt"
    prompt: str
    choices: tuple[ShownChoice, ...]


class EpisodeCompleteEvent(Value):
    """The episode is complete; the talk may continue. Without an evaluation, the status says whether to expect one."""

    id: str
    type: Literal["episode_complete"] = "episode_complete"
    trigger: Trigger | None
    evaluation: Mapping[str, JsonValue] | None = None
    evaluation_type: str | None = None
    evaluation_status: EvaluationStatus = "none"
    next_suggestion: Suggestion | None = None


class DoneEvent(Value):
    """The turn is over. In a natural pause of an open talk it comes with a suggestion."""

    id: str
    type: Literal["done"] = "done"
    client_id: str = ""
    next_suggestion: Suggestion | None = None


class ErrorEvent(Value):
    """The answer failed; the player's message is kept. With `retry`, trying again may help. The cause is in the log."""

    id: str
    type: Literal["error"] = "error"
    code: str
    message: str
    message_id: str
    retry: bool = True
    speaker: str = Field("", description="in a group: who could not answer", exclude_if=not_)
    name: str = Field("", description="in a group: their name", exclude_if=not_)


StreamEvent = Annotated[
    SceneCardEvent
    | ChunkEvent
    | MessageCompleteEvent
    | AudioEvent
    | AudioFailedEvent
    | CareEvent
    | BeatEvent
    | ChoicePromptEvent
    | EpisodeCompleteEvent
    | DoneEvent
    | ErrorEvent,
    Field(discriminator="type"),
]

FINAL_CODES = frozenset({"KEY_REJECTED", "MODEL_NOT_FOUND", "BUDGET_EXCEEDED", "PROMPT_ERROR", "INVALID_SETTINGS"})
"""Failures that a retry will not fix."""


def shown(entry: Entry[Event], state: EpisodeState, at: Mark | None = None) -> StreamEvent | None:
    """What the player sees of an entry, if anything. `state` is that of the session, then or later.

    `at` is the place in the stream, if it is not that of the entry.
    """
    event, mark = entry.event, str(at or Mark(entry.seq))
    match event:
        case LineSpoken() | LineUnspoken():
            return _heard(event, state, mark)
        case SessionOpened():
            return _scene_card(event, mark)
        case OpeningSpoken() | TurnObserved():
            return _complete(event, state, mark)
        case CareOffered():
            return CareEvent(id=mark, message_id=event.message_id, text=event.text, language=event.language)
        case BeatReached() if state.template.progress != "hidden":
            return BeatEvent(id=mark, index=event.beat.place + 1, total=len(StoryBeat), label=_label(state))
        case ChoicesOffered():
            choices = tuple(ShownChoice(id=one.id, label=one.label) for one in event.choices)
            return ChoicePromptEvent(id=mark, prompt=event.prompt, choices=choices)
        case SuggestionMade(after="completion") | EvaluationGiven(again=True):
            suggestion = event.suggestion if isinstance(event, SuggestionMade) else None
            return _episode_complete(event.message_id, suggestion, state, mark)
        case TurnEnded():
            return DoneEvent(id=mark, client_id=event.client_id, next_suggestion=_pause(entry, state))
        case AnswerFailed():
            retry = event.code not in FINAL_CODES
            said = apology(event.code, event.error)
            who = {"speaker": event.speaker, "name": state.name_of(event.speaker)} if event.speaker else {}
            return ErrorEvent(id=mark, code=event.code, message=said, message_id=event.message_id, retry=retry, **who)
    return None


def _heard(event: LineSpoken | LineUnspoken, state: EpisodeState, mark: str) -> AudioEvent | AudioFailedEvent | None:
    """What was made of a line, unless its words no longer stand."""
    if isinstance(event, LineSpoken):
        is_here = event.file in state.spoken
        made = shown_recording(event).model_dump()
        return AudioEvent(id=mark, message_id=event.message_id, **made) if is_here else None
    if event.file not in state.unspoken:
        return None
    said = UNSPOKEN_MESSAGE if event.whole else UNSPOKEN_LINE
    return AudioFailedEvent(
        id=mark, message_id=event.message_id, number=event.number, code=event.code, message=said, whole=event.whole
    )


def shown_recording(event: LineSpoken) -> ShownRecording:
    """A recording as its player may see it."""
    return ShownRecording(
        number=event.number,
        file=event.file,
        manner=event.manner,
        text=event.text,
        duration_ms=event.duration_ms,
        sample_rate=event.sample_rate,
        bytes=event.bytes,
        sha256=event.sha256,
        silent=event.silent,
    )


def _scene_card(event: SessionOpened, mark: str) -> SceneCardEvent:
    card, template = event.template.scene_card, event.template
    return SceneCardEvent(
        id=mark,
        title=card.title if card else template.shown_title,
        text=card.text if card else "",
        image=card.image if card else None,
        character=event.display_name,
        player_role=template.player.role,
        objective=template.player.objective,
        progress=progress_label(event),
        remark=stand_in_remark(event),
        cast=faces_of(event),
    )


def faces_of(event: SessionOpened) -> tuple[GroupFace, ...]:
    """The characters of a group, in their order."""
    return tuple(GroupFace(id=one.character, name=one.display_name, role=one.role) for one in event.cast)


def stand_in_remark(event: SessionOpened) -> str:
    """One line for the player if the rehearsal company plays; empty if a model does."""
    if event.cast:
        names = [one.display_name for one in event.cast if one.model == REHEARSAL]
        return STAND_IN.format(name=listed(names)) if names else ""
    return STAND_IN.format(name=event.display_name) if event.model == REHEARSAL else ""


def progress_label(event: SessionOpened) -> str:
    """ "Episode 2 of 4", if the template shows it."""
    place = event.series
    return f"Episode {place.number} of {place.total}" if place and event.template.progress == "label" else ""


def _label(state: EpisodeState) -> str:
    return progress_label(state.session)


def _complete(event: OpeningSpoken | TurnObserved, state: EpisodeState, mark: str) -> MessageCompleteEvent | None:
    message = state.messages.get(event.message_id)
    if message is None or not event.announces:
        return None
    glance = (
        Glance(turn_count=event.turn_count, beat=event.beat, completion_eligible=event.completion_eligible)
        if isinstance(event, TurnObserved)
        else Glance(turn_count=0, beat=StoryBeat.ESTABLISHMENT, completion_eligible=False)
    )
    return MessageCompleteEvent(
        id=mark,
        message_id=message.id,
        content=message.text,
        structured=shown_answer(message),
        director=glance,
        speaker=message.speaker,
        name=state.name_of(message.speaker) if message.speaker else "",
        whispered=bool(message.private),
    )


def shown_answer(message: ChatMessage) -> ShownAnswer:
    """A message in its parts, as the player may see it."""
    parts = message.structured
    if parts is None or message.edited:
        return ShownAnswer(dialogue=message.text, action="", mood="")
    return ShownAnswer(dialogue=parts.dialogue, action=parts.action, mood=parts.mood)


def _episode_complete(
    message_id: str, suggestion: Suggestion | None, state: EpisodeState, mark: str
) -> EpisodeCompleteEvent:
    wanted = state.template.evaluation
    found = next((one for one in reversed(state.evaluations) if _is_of(one, message_id, wanted)), None)
    completed = next((one for one in reversed(state.completions) if one.message_id == message_id), None)
    status: EvaluationStatus = "ready" if found else "not_ready" if wanted else "none"
    return EpisodeCompleteEvent(
        id=mark,
        trigger=completed.trigger if completed else state.director.completion_trigger,
        evaluation=found.result if found else None,
        evaluation_type=wanted,
        evaluation_status=status,
        next_suggestion=suggestion or (state.suggestions[-1].suggestion if state.suggestions else None),
    )


def _is_of(one: EvaluationGiven, message_id: str, wanted: str | None) -> bool:
    return one.message_id == message_id and one.evaluation_type == wanted


def _pause(entry: Entry[Event], state: EpisodeState) -> Suggestion | None:
    event = entry.event
    if not isinstance(event, TurnEnded) or not event.answered or not event.message_id:
        return None
    return next(
        (one.suggestion for one in state.suggestions if one.after == "pause" and one.message_id == event.message_id),
        None,
    )
