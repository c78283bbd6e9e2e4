"""The requests of an episode: the stable part, then the conversation, then the state and the latest words.

The player's words are escaped and wrapped in <player>, and so are their name and what they tell about themselves;
everything a model once said about them is escaped. So players cannot inject state, notes or instructions, and nothing
of theirs is in the system prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated
from xml.sax.saxutils import unescape

import orjson
from pydantic import AfterValidator, BeforeValidator, Field

from dramaturg.characters import Card, parse_card
from dramaturg.characters.body import without_section
from dramaturg.characters.lorebook.scan import ToldEntry
from dramaturg.characters.tavern.markdown import KEEP_IN_MIND
from dramaturg.episodes.answer import AnswerForm
from dramaturg.episodes.card_prompts import CardPrompts, instructions, main_prompt, reminder
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
from dramaturg.kernel.prompts.window import Window, message_tokens, prompt_room
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.escape import cleaned, escaped, escaped_attribute

TURN_RESERVE = 1200
LEAST_TALK = 200
HISTORY = Window(step=8)
"""A long conversation is shortened by eight messages at a time, so that its beginning rarely changes."""

_PLACES: Mapping[str, int] = {
    "before_char": 0,
    "after_char": 1,
    "personality": 2,
    "scenario": 3,
    "examples_top": 4,
    "examples_bottom": 5,
    "note_top": 6,
    "note_bottom": 7,
}
NOTHING_SAID = Message("user", "<player>\n\n</player>")

LONGEST_QUOTE = 1000


def _shortened(quote: object) -> object:
    return quote[:LONGEST_QUOTE] if isinstance(quote, str) else quote


Quote = Annotated[str, BeforeValidator(_shortened), AfterValidator(unescape), Field(max_length=LONGEST_QUOTE)]
"""Words that a model quotes, of a long passage its beginning. They were sent escaped and may come back escaped."""


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
    care: bool = False
    lore: tuple[ToldEntry, ...] = ()
    wish: str = ""


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


def moment_for(state: EpisodeState, speaker: str, parent: str) -> Moment:
    """The moment as a member of a group knows it. The director's note is for whoever answers a message first."""
    whole = moment_of(state, parent)
    if not speaker:
        return whole
    own = moment_of(state.heard_by(speaker), parent)
    is_first = not whole.history or whole.history[-1].role == "player"
    return replace(own, director=whole.director, note=whole.note if is_first else "", care=whole.care)


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
    budget = prompt_room(model, settings.models.max_tokens, TURN_RESERVE + LEAST_TALK)
    return Sheet(card, assemble(_layers(card, opened, state.prompts), budget), book_of(card, opened))


def _layers(card: Card, opened: SessionOpened, prompts: CardPrompts) -> tuple[Layer, ...]:
    template, place, name = opened.template, opened.series, card.display_name
    scene = template.scene_card
    situation = [template.opening_situation, f"{scene.title}. {scene.text}".strip() if scene else ""]
    company = _company(opened)
    frame = episode_template("character").render(
        title=template.shown_title,
        situation="\n\n".join(text for text in situation if text),
        player_role=template.player.role,
        notes=template.notes.strip(),
        secrets=card.secrets,
        languages=" and ".join(card.languages),
        series=f"{place.title}, episode {place.number} of {place.total}" if place else "",
    )
    own = episode_template("main").render(name=name, role=card.role).strip()
    return (
        *_standing("lore above", prompts, above=True),
        Layer(name="card", text=_card_text(card, prompts)),
        *_standing("lore below", prompts, above=False),
        Layer(name="main", text=main_prompt(prompts, card, own)),
        Layer(name="episode", text=frame),
        *((Layer(name="company", text=company),) if company else ()),
        Layer(name="format", text="\n\n".join(_format(card, opened, prompts))),
    )


def _company(opened: SessionOpened) -> str:
    """Who else is there, in a group."""
    others = [one for one in opened.cast if one.character != opened.character]
    if not others:
        return ""
    return episode_template("group").render(
        name=opened.display_name,
        others=tuple(f"{one.display_name}, {one.role}" if one.role else one.display_name for one in others),
    )


def _card_text(card: Card, prompts: CardPrompts) -> str:
    """The card without what stands elsewhere."""
    text = card.text
    if prompts.reminder:
        place = next((n for n, one in enumerate(card.sections) if one is card.section(KEEP_IN_MIND)), None)
        text = text if place is None else without_section(text, place)
    return text.strip() or card.description or card.display_name


def _standing(name: str, prompts: CardPrompts, *, above: bool) -> Iterator[Layer]:
    """Lore that always holds, above or below the card; the first layers to go if space is short."""
    texts = tuple(
        f"<lore>{plain(one.text)}</lore>" for one in prompts.standing if (one.position == "before_char") == above
    )
    if texts:
        yield Layer(name=name, entries=texts, required=False, priority=-1)


def _format(card: Card, opened: SessionOpened, prompts: CardPrompts) -> Iterator[str]:
    """How messages are read and how to answer; what a card adds to messages is explained only if it adds something."""
    name = card.display_name
    yield episode_template("reading").render(name=name).strip()
    if not prompts.is_plain or opened.template.author_note:
        own_language = prompts.is_imported and not card.languages and bool(card.greetings)
        yield episode_template("marks").render(name=name, own_language=own_language).strip()
    yield episode_template("format_prose" if prompts.style == "prose" else "format").render(name=name)


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
    newest = talk[-1] if talk and (talk[-1].role == "player" or talk[-1].speaker != state.me) else None
    earlier = talk[:-1] if newest is not None else talk
    turn = Message("user", _turn(state, part, moment, newest))
    insertions = tuple(_insertions(state, part, moment))
    reserve = max(TURN_RESERVE, sum(message_tokens(text) for text in (turn.text, *(one.text for one in insertions))))
    room = model.profile.context_window - settings.models.max_tokens - reserve - part.system.receipt.tokens
    prose = state.prompts.style == "prose"
    messages = _told(state, earlier, min(settings.episodes.history_tokens, max(room, LEAST_TALK)), prose=prose)
    messages = tuple(_alternating(inserted((*messages, turn), insertions)))
    swipe = sum(
        one.parent == (newest.id if newest else ROOT) and one.speaker == state.me for one in state.messages.values()
    )
    spoke = tuple(TalkLine(one.role == "player", one.text) for one in talk)
    lore, beat = tuple(one.text for one in moment.lore), moment.director.current_beat.value
    cue = AnswerCue(part.book, spoke, beat, moment.note, swipe, lore, moment.care)
    return ModelRequest(
        key=key,
        purpose="acting",
        system=part.system.text,
        messages=messages,
        max_tokens=settings.models.max_tokens,
        temperature=settings.models.temperature,
        output=None if prose else form_of(AnswerForm),
        cue=cue if model.profile.reads_cues else None,
    )


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text that stands `depth` messages above the newest, or `depth` below the oldest if `from_oldest` is set."""

    text: str
    depth: int
    from_oldest: bool = False


def inserted(messages: Sequence[Message], insertions: Iterable[Insertion]) -> list[Message]:
    """The messages with the texts between them; at depth 0 a text stands below the newest message."""
    at: dict[int, list[str]] = {}
    for one in insertions:
        place = min(one.depth, len(messages)) if one.from_oldest else max(0, len(messages) - one.depth)
        at.setdefault(place, []).append(one.text)
    whole: list[Message] = []
    for place in range(len(messages) + 1):
        whole += [Message("user", text) for text in at.get(place, ())]
        whole += messages[place : place + 1]
    return whole


def _insertions(state: EpisodeState, part: Sheet, moment: Moment) -> Iterator[Insertion]:
    """What the card, its lore and the episode want said at a depth of the conversation."""
    prompts, template = state.prompts, state.session.template
    if prompts.is_plain and not template.author_note:
        return
    if text := reminder(prompts, part.card, len(moment.history)):
        yield Insertion(f"<reminder>{plain(text)}</reminder>", prompts.reminder_depth)
    if template.author_note.strip():
        yield Insertion(f"<reminder>{plain(template.author_note.strip())}</reminder>", template.author_note_depth)
    for one in moment.lore:
        if one.position == "at_depth":
            mark = "thought" if one.role == "assistant" else "lore"
            yield Insertion(f"<{mark}>{plain(one.text)}</{mark}>", max(0, one.depth), one.from_oldest)


def _turn(state: EpisodeState, part: Sheet, moment: Moment, newest: ChatMessage | None) -> str:
    recalled, bond, player = state.session.recalled, moment.relationship, state.session.player
    own = episode_template("after").render(name=part.card.display_name).strip()
    last = instructions(state.prompts, part.card, own, len(moment.history))
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
        heard=(_heard(state, newest),) if newest is not None else (),
        goes_on=bool(moment.history) and newest is None,
        wish=plain(moment.wish),
        instructions=(f"<instructions>{plain(last)}</instructions>",) if last else (),
        lore=tuple(plain(one.text) for one in _in_state(state.prompts, moment.lore)),
    )


def _in_state(prompts: CardPrompts, lore: Sequence[ToldEntry]) -> list[ToldEntry]:
    """The lore of the newest message, in the order of its positions; all of it if no position is known to the model."""
    known = {one.uid for one in prompts.standing}
    new = [one for one in lore if one.uid not in known or not one.uid]
    if prompts.is_plain:
        return new
    return sorted(
        (one for one in new if one.position != "at_depth"), key=lambda one: _PLACES.get(one.position, len(_PLACES))
    )


def _told(state: EpisodeState, talk: Sequence[ChatMessage], budget: int, *, prose: bool) -> tuple[Message, ...]:
    """The most recent messages that fit, as they are sent to a model, beginning with the player."""
    messages: list[Message] = []
    for place, one in enumerate(talk):
        if place and _is_mine(one, state) and _is_mine(talk[place - 1], state) and one.parent == talk[place - 1].id:
            messages.append(NOTHING_SAID)  # the character was asked to go on
        messages.append(_message(state, one, prose=prose))
    kept = list(HISTORY.newest(messages, budget, lambda message: message_tokens(message.text)))
    if kept and kept[0].role == "assistant":
        kept.insert(0, NOTHING_SAID)
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


def _is_mine(one: ChatMessage, state: EpisodeState) -> bool:
    """Whether the character who is asked said it."""
    return one.role == "character" and one.speaker == state.me


def _heard(state: EpisodeState, one: ChatMessage) -> str:
    """What a character hears: the player's words, or those of somebody else in the group."""
    if one.role == "player":
        mark = "<player whispers>" if one.private else "<player>"
        return f"{mark}\n{plain(one.text)}\n</player>"
    return (
        f'<character name="{escaped_attribute(cleaned(state.name_of(one.speaker)))}">\n{plain(one.text)}\n</character>'
    )


def _message(state: EpisodeState, one: ChatMessage, *, prose: bool = False) -> Message:
    if not _is_mine(one, state):
        return Message("user", _heard(state, one))
    if prose:
        return Message("assistant", plain(one.text))
    parts = one.structured
    if parts is None or one.edited:
        form = {"action": "", "dialogue": plain(one.text)}
    else:
        form = {"action": parts.action, "dialogue": parts.dialogue, "mood": parts.mood}
    return Message("assistant", orjson.dumps(form).decode())
