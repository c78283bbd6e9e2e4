"""The requests of an episode: the stable part, then the conversation, then the state and the latest words.

The player's words are escaped and wrapped in <player>, and so are their name and what they tell about themselves;
everything a model once said about them is escaped. So players cannot inject state, notes or instructions, and nothing
of theirs is in the system prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from xml.sax.saxutils import unescape

import orjson
from pydantic import AfterValidator, Field

from dramaturg.characters import Card, parse_card
from dramaturg.episodes.answer import AnswerForm
from dramaturg.episodes.director import DirectorState, direct, watched_words
from dramaturg.episodes.events import SessionOpened
from dramaturg.episodes.memory import Relationship, relationship_after
from dramaturg.episodes.rehearsal.cues import AnswerCue, EpisodeBook, TalkLine
from dramaturg.episodes.rehearsal.material import material_of
from dramaturg.episodes.state import ROOT, ChatMessage, EpisodeState
from dramaturg.episodes.templates import episode_template, note_text
from dramaturg.kernel.models.forms import form_of
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.prompts import Layer, Prompt, assemble
from dramaturg.kernel.prompts.window import Window, message_tokens
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.escape import cleaned, escaped, escaped_attribute

TURN_RESERVE = 1200
LEAST_TALK = 200
HISTORY = Window(step=8)
"""A long conversation is shortened by eight messages at a time, so that its beginning rarely changes."""


Quote = Annotated[str, AfterValidator(unescape), Field(max_length=1000)]
"""Words that a model quotes. They were sent escaped and may come back escaped."""


def plain(text: str) -> str:
    """Text for a prompt: cleaned and escaped."""
    return escaped(cleaned(text))


@dataclass(frozen=True, slots=True)
class Moment:
    """The point at which an answer is wanted: after these messages, in this state, with this note."""

    history: tuple[ChatMessage, ...]
    director: DirectorState
    relationship: Relationship
    note: str
    lore: tuple[str, ...] = ()
    care: bool = False


def moment_of(state: EpisodeState, parent: str) -> Moment:
    """The moment after a message; only the messages that lead to it count."""
    here = parent == state.tip
    history = state.conversation if here else leading_to(state, parent)
    exchanges = state.exchanges if here else state.exchanges_in(history)
    shifts = [one.findings.shift for one in exchanges if one.findings is not None and one.findings.shift is not None]
    last = exchanges[-1].message_id if exchanges else ROOT
    cares = bool(history) and bool(history[-1].care)
    return Moment(
        history=history,
        director=state.director if here else direct(state.template, exchanges),
        relationship=relationship_after(shifts, state.session.recalled.relationship),
        note=note_text("care") if cares else state.notes.get(last, ""),
        care=cares,
    )


def leading_to(state: EpisodeState, parent: str) -> tuple[ChatMessage, ...]:
    """The messages from the first to this one, without deleted ones."""
    found: list[ChatMessage] = []
    while parent:
        message = state.messages[parent]
        if not message.deleted:
            found.append(message)
        parent = message.parent
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class Sheet:
    """The part of a character's prompt that does not change during a session."""

    card: Card
    system: Prompt
    book: EpisodeBook


def part_of(state: EpisodeState, model: Model, settings: Settings) -> Sheet:
    """The part of the prompt that stays the same throughout a session, within the model's context window."""
    opened = state.session
    card = parse_card(opened.character, state.card)
    budget = model.profile.context_window - settings.models.max_tokens - TURN_RESERVE - LEAST_TALK
    return Sheet(card, assemble(_layers(card, opened), budget), book_of(card, opened))


def _layers(card: Card, opened: SessionOpened) -> tuple[Layer, ...]:
    template, place = opened.template, opened.series
    scene = template.scene_card
    situation = [template.opening_situation, f"{scene.title}. {scene.text}".strip() if scene else ""]
    frame = episode_template("character").render(
        name=card.display_name,
        role=card.role,
        title=template.shown_title,
        situation="\n\n".join(text for text in situation if text),
        player_role=template.player.role,
        notes=template.notes.strip(),
        secrets=card.secrets,
        languages=" and ".join(card.languages),
        series=f"{place.title}, episode {place.number} of {place.total}" if place else "",
    )
    return (
        Layer(name="card", text=card.text.strip() or card.description),
        Layer(name="episode", text=frame),
        Layer(name="format", text=episode_template("format").render(name=card.display_name)),
    )


def book_of(card: Card, opened: SessionOpened) -> EpisodeBook:
    """The session as the rehearsal company reads it."""
    template = opened.template
    ledger = template.clue_ledger
    return EpisodeBook(
        name=template.name,
        title=template.shown_title,
        character=Part(
            name=card.display_name,
            role=card.role,
            sections=tuple((section.heading, section.lines) for section in card.sections),
            tempo=card.tempo,
        ),
        situation=template.opening_situation or (template.scene_card.text if template.scene_card else ""),
        player_role=template.player.role,
        player_objective=template.player.objective,
        turns=template.turns,
        instructions=tuple((contract.beat.value, contract.instruction) for contract in template.beats),
        objective=template.criteria.met_when,
        objective_words=template.criteria.keywords,
        clues=tuple((clue.id, clue.text, clue.keywords) for clue in ledger.clues) if ledger else (),
        archetypes=tuple((one.key, one.signals) for one in opened.pack.archetypes) if opened.pack else (),
        memories=tuple(one.text for one in opened.recalled.memories),
        previously=opened.recalled.previously,
        seed=opened.seed,
        material=material_of(card, opened.player.name),
        watched=watched_words(template),
        suspects=tuple(one.name for one in ledger.suspects) if ledger else (),
    )


def answer_request(
    state: EpisodeState, part: Sheet, moment: Moment, model: Model, settings: Settings, *, key: str
) -> ModelRequest:
    """The request for one answer."""
    talk = moment.history
    newest = talk[-1] if talk and talk[-1].role == "player" else None
    earlier = talk[:-1] if newest is not None else talk
    room = model.profile.context_window - settings.models.max_tokens - TURN_RESERVE - part.system.receipt.tokens
    messages = _told(earlier, min(settings.episodes.history_tokens, max(room, LEAST_TALK)))
    words = plain(newest.text) if newest is not None else ""
    messages = tuple(_alternating((*messages, Message("user", _turn(state, moment, words)))))
    swipe = sum(one.parent == (newest.id if newest else ROOT) for one in state.messages.values())
    spoke = tuple(TalkLine(one.role == "player", one.text) for one in talk)
    cue = AnswerCue(part.book, spoke, moment.director.current_beat.value, moment.note, swipe, moment.lore, moment.care)
    return ModelRequest(
        key=key,
        purpose="acting",
        system=part.system.text,
        messages=messages,
        max_tokens=settings.models.max_tokens,
        temperature=settings.models.temperature,
        output=form_of(AnswerForm),
        cue=cue if reads_cues(model) else None,
    )


def reads_cues(model: Model) -> bool:
    """Whether a model reads cues as well as the prompt: only the rehearsal company and test doubles do."""
    return model.profile.reads_cues


def _turn(state: EpisodeState, moment: Moment, words: str) -> str:
    recalled, bond, player = state.session.recalled, moment.relationship, state.session.player
    return episode_template("turn").render(
        player_name=plain(player.name),
        player_about=plain(player.about),
        previously=plain(recalled.previously),
        memories=tuple(plain(one.text) for one in recalled.memories),
        hooks=tuple(plain(one.text) for one in recalled.hooks),
        tone=escaped_attribute(cleaned(bond.tone)),
        trust=f"{bond.trust:+.2f}",
        tension=f"{bond.tension:.2f}",
        beat=moment.director.current_beat.value,
        note=plain(moment.note),
        words=words,
        lore=tuple(plain(text) for text in moment.lore),
    )


def _told(talk: Sequence[ChatMessage], budget: int) -> tuple[Message, ...]:
    """The most recent messages that fit, as they are sent to a model, beginning with the player."""
    messages = [_message(one) for one in talk]
    kept = _alternating(HISTORY.newest(messages, budget, lambda message: message_tokens(message.text)))
    if kept and kept[0].role == "assistant":
        kept.insert(0, Message("user", "<player>\n\n</player>"))
    return tuple(kept)


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """Providers require alternating roles, so consecutive messages of one side are joined."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, f"{merged[-1].text}\n{message.text}")
        else:
            merged.append(message)
    return merged


def _message(one: ChatMessage) -> Message:
    if one.role == "player":
        return Message("user", f"<player>\n{plain(one.text)}\n</player>")
    parts = one.structured
    if parts is None or one.edited:
        form = {"action": "", "dialogue": cleaned(one.text)}
    else:
        form = {"action": parts.action, "dialogue": parts.dialogue, "mood": parts.mood}
    return Message("assistant", orjson.dumps(form).decode())
