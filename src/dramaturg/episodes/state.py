"""The state of a session: a fold over its events.

The messages are a tree; the conversation is one path through it. Whatever is done to it (a swipe, an edit, a
deletion, a branch), the director's state is that of the messages which remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from dramaturg.episodes.card_prompts import PLAIN, CardPrompts
from dramaturg.episodes.conversation import ChatMessage, ChatRole, is_heard, paired, played, together
from dramaturg.episodes.director import DirectorState, FoldedExchanges, PlayerExchange, direct_on
from dramaturg.episodes.events import (
    AnswerAsked,
    AnswerFailed,
    AnswerPieces,
    CardKept,
    CareOffered,
    CharacterAnswered,
    ChoiceMade,
    ChoicesOffered,
    EpisodeCompleted,
    EvaluationFailed,
    EvaluationGiven,
    ExtractionFailed,
    Findings,
    FindingsExtracted,
    GroupMember,
    LineSpoken,
    LineUnspoken,
    LoreTold,
    MessageChosen,
    MessageDeleted,
    MessageEdited,
    MessageImported,
    MessageReceived,
    ModelSet,
    OpeningSpoken,
    OriginalKept,
    PaceDecided,
    PlayerSpoke,
    PromptsKept,
    Reading,
    SessionBranched,
    SessionOpened,
    SuggestionMade,
    TurnEnded,
    TurnObserved,
    VoiceSet,
)
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs.damage import unopened
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.fold import Fold

__all__ = ["ROOT", "ChatMessage", "ChatRole", "EpisodeState", "PendingAnswer", "episode_state"]

ROOT = ""
FOLDED = "_folded"
INTERRUPTED_CODE = "INTERRUPTED"


@dataclass(frozen=True, slots=True)
class PendingAnswer:
    """A question to the character's model that has no answer in the conversation yet."""

    seq: int
    event: AnswerAsked
    pieces: str = ""


@dataclass(frozen=True)
class EpisodeState:
    """Immutable; every entry makes a new one.

    `me` is the member of a group whose view of the session this is; it is empty for the session itself.
    """

    opened: SessionOpened | None = None
    card: str = ""
    original: str | None = None
    messages: Mapping[str, ChatMessage] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[tuple[str, str], Reading] = field(default_factory=dict)
    findings: Mapping[tuple[str, str], Findings] = field(default_factory=dict)
    unreadable: frozenset[tuple[str, str]] = frozenset()
    notes: Mapping[str, str] = field(default_factory=dict)
    lore: Mapping[str, LoreTold] = field(default_factory=dict)
    prompts: CardPrompts = PLAIN
    cards: Mapping[str, str] = field(default_factory=dict)
    all_prompts: Mapping[str, CardPrompts] = field(default_factory=dict)
    unable: frozenset[str] = frozenset()
    me: str = ""
    asked: PendingAnswer | None = None
    waiting: tuple[MessageReceived, ...] = ()
    turn: str | None = None
    failed: AnswerFailed | None = None
    ended_turns: frozenset[str] = frozenset()
    offered: ChoicesOffered | None = None
    completions: tuple[EpisodeCompleted, ...] = ()
    evaluations: tuple[EvaluationGiven, ...] = ()
    unready: tuple[EvaluationFailed, ...] = ()
    suggestions: tuple[SuggestionMade, ...] = ()
    voice: VoiceSet | None = None
    voice_since: int = 0
    spoken: Mapping[str, LineSpoken] = field(default_factory=dict)
    unspoken: frozenset[str] = frozenset()
    mute: frozenset[str] = frozenset()
    count: int = 0
    seq: int = 0

    @property
    def session(self) -> SessionOpened:
        if self.opened is None:
            raise unopened("session")
        return self.opened

    @property
    def template(self) -> EpisodeTemplate:
        return self.session.template

    @property
    def cast(self) -> tuple[GroupMember, ...]:
        """The characters of a group; none if there is only one."""
        return self.session.cast

    def member(self, character: str) -> GroupMember | None:
        return next((one for one in self.cast if one.character == character), None)

    def name_of(self, speaker: str) -> str:
        """How a character is called; the session's own if it is the only one."""
        member = self.member(speaker)
        return member.display_name if member is not None else self.session.display_name

    def heard_by(self, character: str) -> EpisodeState:
        """The session as one member of a group knows it: its own card, memories and lore, and what it has heard.

        Without a name, the session itself. What was whispered to others keeps its place and loses its words.
        """
        member = self.member(character)
        if member is None or self.me:
            return self
        own = {"character": character, "display_name": member.display_name, "recalled": member.recalled}
        messages = {
            key: one if is_heard(one, character) else replace(one, text="", structured=None, care="", deleted=True)
            for key, one in self.messages.items()
        }
        view = _with(
            self,
            me=character,
            opened=self.session.model_copy(update={**own, "model": member.model}),
            card=self.cards.get(character, ""),
            prompts=self.all_prompts.get(character, PLAIN),
            messages=messages,
            lore={
                key: told for key, told in self.lore.items() if key in messages and messages[key].speaker == character
            },
        )
        view.__dict__.pop(FOLDED, None)
        return view

    @cached_property
    def path(self) -> tuple[ChatMessage, ...]:
        """The messages of the conversation in order, deleted ones included."""
        found, here = [], self.chosen.get(ROOT, "")
        while here:
            found.append(self.messages[here])
            here = self.chosen.get(here, "")
        return tuple(found)

    @cached_property
    def conversation(self) -> tuple[ChatMessage, ...]:
        """The visible messages."""
        return tuple(message for message in self.path if not (message.deleted or message.hidden))

    @property
    def tip(self) -> str:
        """The parent of the next message."""
        return self.path[-1].id if self.path else ROOT

    @property
    def next_id(self) -> str:
        return f"m{self.count + 1}"

    @property
    def unanswered(self) -> ChatMessage | None:
        """The player's last message, if nothing follows it."""
        last = self.conversation[-1] if self.conversation else None
        return last if last is not None and last.role == "player" else None

    @cached_property
    def exchanges(self) -> tuple[PlayerExchange, ...]:
        return self.exchanges_in(self.conversation)

    def exchanges_in(self, conversation: Sequence[ChatMessage]) -> tuple[PlayerExchange, ...]:
        """The exchanges of some messages, with what was read and found in exactly these words."""
        found = paired(conversation, self.me)
        if self.cast and not self.me:
            known = {
                one.message_id: findings
                for member in self.cast
                for one in paired([m for m in conversation if is_heard(m, member.character)], member.character)
                if (findings := self.findings.get((one.message_id, one.digest))) is not None
            }
            return tuple(
                replace(
                    one,
                    reading=self.readings.get((one.message_id, one.digest)),
                    findings=together([known[key] for key in (one.message_id, *one.others) if key in known]),
                )
                for one in found
            )
        return tuple(
            replace(
                exchange,
                reading=self.readings.get((exchange.message_id, exchange.digest)),
                findings=self.findings.get((exchange.message_id, exchange.digest)),
            )
            for exchange in found
        )

    @cached_property
    def director(self) -> DirectorState:
        """The director's state, folded from all exchanges; what an earlier state has folded is reused."""
        folded: FoldedExchanges | None = self.__dict__.get(FOLDED)
        state, self.__dict__[FOLDED] = direct_on(self.template, self.exchanges, folded)
        return state

    @property
    def completion(self) -> EpisodeCompleted | None:
        """The end that was announced on this path, if it still holds."""
        here = {message.id for message in self.conversation}
        if self.director.completion_trigger is None:
            return None
        return next((one for one in reversed(self.completions) if one.message_id in here), None)

    @property
    def evaluation(self) -> EvaluationGiven | None:
        """The latest evaluation of this path, of the type that the template asks for."""
        here = {message.id for message in self.conversation}
        wanted = self.template.evaluation
        return next(
            (one for one in reversed(self.evaluations) if one.message_id in here and one.evaluation_type == wanted),
            None,
        )

    @property
    def counted(self) -> tuple[ChatMessage, ...]:
        """The visible messages without those that are no part of the game, and their answers."""
        return played(self.conversation)

    @property
    def note(self) -> str:
        """The note for the character's next answer."""
        last = self.exchanges[-1].message_id if self.exchanges else ROOT
        return self.notes.get(last, "")

    @property
    def to_extract(self) -> tuple[PlayerExchange, ...]:
        """The exchanges of this path that no model has looked at yet."""
        return tuple(
            one
            for one in self.exchanges
            if one.findings is None and (one.message_id, one.digest) not in self.unreadable
        )

    def message(self, message_id: str) -> ChatMessage:
        """A message that exists. Raises NotFound."""
        found = self.messages.get(message_id)
        if found is None or found.deleted:
            known = ", ".join(message.id for message in self.conversation[-5:]) or "none yet"
            raise NotFound(f"There is no message '{message_id}' in this session (the latest: {known}).")
        return found

    def siblings(self, message_id: str) -> tuple[str, ...]:
        """The message and its alternatives, oldest first."""
        one = self.messages[message_id]
        return self._beside.get((one.parent, one.role, one.speaker), ())

    @cached_property
    def _beside(self) -> Mapping[tuple[str, ChatRole, str], tuple[str, ...]]:
        """The messages that follow each message, by their side and speaker, oldest first."""
        found: dict[tuple[str, ChatRole, str], list[str]] = {}
        for one in self.messages.values():
            if not one.deleted:
                found.setdefault((one.parent, one.role, one.speaker), []).append(one.id)
        return {place: tuple(ids) for place, ids in found.items()}

    def said_as(self, client_id: str) -> ChatMessage | None:
        """The message that a client sent under this id."""
        found = (one for one in self.messages.values() if one.client_id == client_id and one.role == "player")
        return next(found, None)

    def after(self, events: Iterable[Event]) -> EpisodeState:
        """The state once these events are in the log too."""
        return EPISODE_FOLD.ahead(self, events, self.seq)


def episode_state(entries: Iterable[Entry[Event]]) -> EpisodeState:
    """The state of a session from its log."""
    return EPISODE_FOLD(entries)


def _with(state: EpisodeState, **changes: object) -> EpisodeState:
    """The state with some fields changed; cached values that still hold are kept."""
    changed = object.__new__(EpisodeState)
    changed.__dict__.update(state.__dict__)
    changed.__dict__.update(changes)
    if "messages" in changes or "chosen" in changes:
        stale: tuple[str, ...] = ("path", "conversation", "_beside", "exchanges", "director")
    elif "readings" in changes or "findings" in changes:
        stale = ("exchanges", "director")
    else:
        stale = ()
    for name in stale:
        changed.__dict__.pop(name, None)
    return changed


EPISODE_FOLD = Fold(EpisodeState(), each=lambda state, entry: _with(state, seq=entry.seq))


@EPISODE_FOLD.on(SessionOpened)
def _(event: SessionOpened, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, opened=event)


@EPISODE_FOLD.on(CardKept)
def _(event: CardKept, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    cards = {**state.cards, event.character: event.raw}
    return _with(state, card=state.card if state.cast and state.card else event.raw, cards=cards)


@EPISODE_FOLD.on(OriginalKept)
def _(event: OriginalKept, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, original=event.raw)


@EPISODE_FOLD.on(PromptsKept)
def _(event: PromptsKept, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    if event.character:
        own = {**state.all_prompts, event.character: event.prompts}
        return _with(state, all_prompts=own, prompts=own.get(state.session.character, PLAIN))
    return _with(state, prompts=event.prompts)


@EPISODE_FOLD.on(OpeningSpoken)
def _(event: OpeningSpoken, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _added(state, ChatMessage(event.message_id, ROOT, "character", event.text, entry.at, speaker=event.speaker))


@EPISODE_FOLD.on(MessageImported)
def _(event: MessageImported, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    message = ChatMessage(
        event.message_id,
        event.parent or ROOT,
        event.role,
        event.text,
        event.sent_at,
        structured=event.structured,
        name=event.name,
        hidden=event.hidden,
        speaker=event.speaker,
        private=event.private,
        brought=True,
    )
    added = _added(state, message)
    return _with(added, voice_since=added.count)  # what was said elsewhere is not spoken here


@EPISODE_FOLD.on(LoreTold)
def _(event: LoreTold, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return replace(state, lore={**state.lore, event.message_id: event})


@EPISODE_FOLD.on(MessageReceived)
def _(event: MessageReceived, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, waiting=(*state.waiting, event))


@EPISODE_FOLD.on(PlayerSpoke)
def _(event: PlayerSpoke, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    message = ChatMessage(
        event.message_id,
        event.parent or ROOT,
        "player",
        event.text,
        entry.at,
        client_id=event.client_id,
        private=event.to,
    )
    waiting = tuple(one for one in state.waiting if one.client_id != event.client_id)
    return _with(_added(state, message), waiting=waiting, turn=event.client_id, offered=None)


@EPISODE_FOLD.on(ChoiceMade)
def _(event: ChoiceMade, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    flags = (event.choice.flag,) if event.choice.flag else ()
    accused = (event.choice.accuses,) if event.choice.accuses else ()
    return _amended(state, event.message_id, flags=flags, accused=accused)


@EPISODE_FOLD.on(CareOffered)
def _(event: CareOffered, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _amended(state, event.message_id, care=event.text)


@EPISODE_FOLD.on(AnswerAsked)
def _(event: AnswerAsked, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    turn = _turn_of(event, state) if state.turn is None else state.turn
    return _with(state, asked=PendingAnswer(entry.seq, event), count=state.count + 1, turn=turn)


def _turn_of(event: AnswerAsked, state: EpisodeState) -> str:
    """The turn a request belongs to: that of the unanswered message, or none for a swipe."""
    message = state.messages.get(event.parent or ROOT)
    return message.client_id if message is not None and message.client_id not in state.ended_turns else ""


@EPISODE_FOLD.on(VoiceSet)
def _(event: VoiceSet, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    if not event.on:
        return _with(state, voice=None)
    return _with(state, voice=event, voice_since=state.count if state.voice is None else state.voice_since)


@EPISODE_FOLD.on(ModelSet)
def _(event: ModelSet, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    cast = tuple(one.model_copy(update={"model": event.model}) for one in state.cast)
    played = {"model": event.model, "director": event.director, "cast": cast}
    return _with(state, opened=state.session.model_copy(update=played))


@EPISODE_FOLD.on(LineSpoken)
def _(event: LineSpoken, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, spoken={**state.spoken, event.file: event})


@EPISODE_FOLD.on(LineUnspoken)
def _(event: LineUnspoken, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    mute = state.mute | {event.message_id} if event.whole else state.mute
    return _with(state, unspoken=state.unspoken | {event.file}, mute=mute)


@EPISODE_FOLD.on(AnswerPieces)
def _(event: AnswerPieces, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    if state.asked is None or state.asked.event.message_id != event.message_id:
        return state
    return _with(state, asked=replace(state.asked, pieces=state.asked.pieces + event.text))


@EPISODE_FOLD.on(AnswerFailed)
def _(event: AnswerFailed, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    unable = {event.speaker} if event.speaker and event.code != INTERRUPTED_CODE else set()
    silenced = _silenced(state, event.message_id)
    return _with(silenced, asked=None, failed=event, unable=state.unable | unable)


@EPISODE_FOLD.on(CharacterAnswered)
def _(event: CharacterAnswered, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    message = ChatMessage(
        event.message_id,
        event.parent or ROOT,
        "character",
        event.content,
        entry.at,
        structured=event.structured,
        speaker=event.speaker,
        private=event.speaker if event.whispered else "",
    )
    return _with(_added(state, message, counted=True), asked=None, failed=None)


@EPISODE_FOLD.on(TurnObserved)
def _(event: TurnObserved, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, readings={**state.readings, (event.message_id, event.digest): event.reading})


@EPISODE_FOLD.on(PaceDecided)
def _(event: PaceDecided, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, notes={**state.notes, event.message_id: event.note})


@EPISODE_FOLD.on(ChoicesOffered)
def _(event: ChoicesOffered, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, offered=event)


@EPISODE_FOLD.on(EpisodeCompleted)
def _(event: EpisodeCompleted, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, completions=(*state.completions, event))


@EPISODE_FOLD.on(EvaluationGiven)
def _(event: EvaluationGiven, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, evaluations=(*state.evaluations, event))


@EPISODE_FOLD.on(EvaluationFailed)
def _(event: EvaluationFailed, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, unready=(*state.unready, event))


@EPISODE_FOLD.on(SuggestionMade)
def _(event: SuggestionMade, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, suggestions=(*state.suggestions, event))


@EPISODE_FOLD.on(TurnEnded)
def _(event: TurnEnded, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    ended = state.ended_turns | {event.client_id} if event.answered else state.ended_turns
    return _with(state, turn=None, ended_turns=ended, unable=frozenset())


@EPISODE_FOLD.on(FindingsExtracted)
def _(event: FindingsExtracted, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, findings={**state.findings, (event.message_id, event.digest): event.findings})


@EPISODE_FOLD.on(ExtractionFailed)
def _(event: ExtractionFailed, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    return _with(state, unreadable=state.unreadable | {(event.message_id, event.digest)})


@EPISODE_FOLD.on(MessageChosen)
def _chosen(event: MessageChosen, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    chosen, here = dict(state.chosen), event.message_id
    while here:
        parent = state.messages[here].parent
        chosen[parent] = here
        here = parent
    return _with(state, chosen=chosen, offered=None)


@EPISODE_FOLD.on(MessageEdited)
def _(event: MessageEdited, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    state = _silenced(state, event.message_id)
    return _amended(state, event.message_id, text=event.text, edited=True, care="")


@EPISODE_FOLD.on(MessageDeleted)
def _(event: MessageDeleted, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    for message_id in event.message_ids:
        state = _amended(_silenced(state, message_id), message_id, deleted=True)
    return state


@EPISODE_FOLD.on(SessionBranched)
def _(event: SessionBranched, state: EpisodeState, entry: Entry[Event]) -> EpisodeState:
    state = _chosen(MessageChosen(message_id=event.message_id), state, entry)
    return _with(state, chosen={**state.chosen, event.message_id: ""})


def _silenced(state: EpisodeState, message_id: str) -> EpisodeState:
    """The state without what was spoken of a message whose words no longer stand."""
    if state.voice is None and not state.spoken:
        return state
    spoken = {file: one for file, one in state.spoken.items() if one.message_id != message_id}
    unspoken = frozenset(file for file in state.unspoken if not file.startswith(f"{message_id}-"))
    return _with(state, spoken=spoken, unspoken=unspoken, mute=state.mute - {message_id})


def _added(state: EpisodeState, message: ChatMessage, *, counted: bool = False) -> EpisodeState:
    """Adds a message and continues the conversation through it. A requested answer has already been counted."""
    return _with(
        state,
        messages={**state.messages, message.id: message},
        chosen={**state.chosen, message.parent: message.id},
        count=state.count if counted else state.count + 1,
    )


def _amended(state: EpisodeState, message_id: str, **changes: object) -> EpisodeState:
    message = replace(state.messages[message_id], **changes)  # type: ignore[arg-type]
    return _with(state, messages={**state.messages, message_id: message})
