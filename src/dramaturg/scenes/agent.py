"""Character agents: a one-method protocol, and the implementation that keeps a thread with a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pydantic import Field

from dramaturg.characters.lorebook.scan import ToldEntry
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.prompts import Prompt, Template
from dramaturg.kernel.prompts.window import Window, message_tokens
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.escape import cleaned, escaped
from dramaturg.kernel.values import WireValue, construct
from dramaturg.scenes.events import CueGiven, LineEdited, LineStruck, ResponseGiven, SceneEvent, SceneForked, TakeChosen
from dramaturg.scenes.line import Line
from dramaturg.scenes.question_keys import line_key
from dramaturg.scenes.rehearsal.cues import LineCue
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.response import DECLINED, CharacterResponse, ParsedResponse, read_response
from dramaturg.scenes.templates import note_text
from dramaturg.scenes.turns import GoalOffer

MOST_TOKENS_A_CHARACTER = 2
_ALL_OR_NONE = Window(share=0)
# The company learns of entrances and exits by other means and need not react to them.
_MOVEMENT = re.compile(r" (?:enters|leaves|comes back|is called away)$")
EventSink = Callable[[SceneEvent], object]


class SceneUpdate(WireValue):
    """What a character receives at a beat.

    `heard` is everything it has heard, entry by entry; `present` are the names of those on stage, `muted` of those who
    are not asked. `staged` is the reader's transcript, for players who share one plan: the rehearsal company. `lore` is
    what it knows about what has come up, whether it was told before or not; `offer` is the open sub-goal, for models
    that are helped.
    """

    scene_context: str
    transcript: str
    last_event: Line | None
    moderator_note: str | None = None
    beat: int
    heard: tuple[Line, ...] = Field((), exclude=True)
    offer: GoalOffer | None = Field(None, exclude=True)
    present: tuple[str, ...] = Field((), exclude=True)
    muted: tuple[str, ...] = Field((), exclude=True)
    staged: tuple[Line, ...] = Field((), exclude=True)
    lore: tuple[ToldEntry, ...] = Field((), exclude=True)


class CharacterAgent(Protocol):
    """The seam: a character that answers what happens."""

    @property
    def name(self) -> str: ...

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        """The answer to this beat. Raises ModelError if the model cannot give one."""
        ...


@dataclass(frozen=True, slots=True)
class Thread:
    """A character's conversation with its model: what it was told and answered, and how far it has heard.

    `lore` are the ids of the lorebook entries that are in it.
    """

    messages: tuple[Message, ...] = ()
    length: int = 0
    heard: int = 0
    cue: CueGiven | None = None
    lore: frozenset[str] = frozenset()

    def told(self, cue: CueGiven) -> Thread:
        if cue.fresh:
            return replace(self, cue=cue, messages=(), length=0, lore=frozenset())
        return replace(self, cue=cue)

    def answered(self, raw: str) -> Thread:
        if self.cue is None:
            return self
        pair = (Message("user", self.cue.message), Message("assistant", raw or "[SILENT]"))
        length = self.length + len(self.cue.message) + len(raw)
        lore = self.lore.union(self.cue.lore) if self.cue.lore else self.lore
        return Thread(messages=(*self.messages, *pair), length=length, heard=self.cue.heard, lore=lore)


def thread_of(entries: Iterable[Entry[Event]], character: str) -> Thread:
    """The thread, rebuilt from the log. It begins anew where what was told in it no longer holds."""
    thread = Thread()
    for entry in entries:
        event = entry.event
        if isinstance(event, CueGiven) and event.character == character:
            thread = thread.told(event)
        elif isinstance(event, ResponseGiven) and event.character == character:
            thread = thread.answered(event.response.raw)
        elif _begins_anew(event):
            thread = Thread()
    return thread


def _begins_anew(event: Event) -> bool:
    """Whether characters have to be told the scene again: a line has other words, or the scene itself has changed."""
    if isinstance(event, SceneForked):
        return event.opened is not None
    return isinstance(event, TakeChosen | LineEdited | LineStruck)


@dataclass(frozen=True, slots=True)
class PartContext:
    """What stays constant for one character during a scene."""

    name: str
    display_name: str
    system: Prompt
    turn: Template
    playbook: Playbook
    window: int
    max_tokens: int
    temperature: float | None = None
    windowed: bool = False


def line_request(
    role: PartContext,
    messages: tuple[Message, ...],
    beat: int,
    lines: Sequence[Line],
    note: str,
    *,
    present: Sequence[str] = (),
    muted: Sequence[str] = (),
    cued: bool = True,
) -> ModelRequest:
    """The question for one line. `lines` is all the character has heard, `note` what the moderator told it.

    `present` names those on stage, `muted` those who are not asked; `cued` is false for a model that reads no cues.
    """
    book = role.playbook.with_only(present, muted)
    cue = LineCue(book, role.display_name, beat, heard(lines), note) if cued else None
    return ModelRequest(
        key=line_key(beat, role.name),
        purpose="acting",
        system=role.system.text,
        messages=messages,
        max_tokens=role.max_tokens,
        temperature=role.temperature,
        cue=cue,
    )


def compose_cue(
    role: PartContext, update: SceneUpdate, new: Sequence[Line], *, fresh: bool, known: frozenset[str] = frozenset()
) -> CueGiven:
    """What a character is told at a beat: the new lines, the moderator's note, and lore but for the `known` entries."""
    lore = update.lore if fresh else tuple(one for one in update.lore if one.uid not in known)
    message = role.turn.render(
        name=role.display_name,
        beat=update.beat,
        lines=tuple(_told(role, line) for line in new if fresh or not _knows(role, line)),
        note=update.moderator_note or "",
        lore=lore_texts(lore),
    )
    return construct(
        CueGiven,
        {
            "type": "cue.given",
            "beat": update.beat,
            "character": role.name,
            "message": message,
            "heard": len(update.heard),
            "fresh": fresh,
            "receipt": role.system.receipt if fresh else None,
            "lore": tuple(one.uid for one in lore),
        },
    )


def _knows(role: PartContext, line: Line) -> bool:
    """Its own words are in the thread already, unless they were cut short."""
    return line.speaker == role.display_name and line.cut_by is None


def _told(role: PartContext, line: Line) -> str:
    if line.speaker == role.display_name and line.cut_by:
        return note_text("cut_off", name=line.cut_by, heard=line.content)
    return line.rendered()


class DirectCharacterAgent:
    """Keeps one thread with a model: the personality once, then only what is new at each beat.

    Nothing before the newest message ever changes, so providers can cache it. When the thread would not fit
    the model's context any more, a new one is started from the last exchanges.
    """

    def __init__(self, role: PartContext, model: Model, log: EventSink, thread: Thread) -> None:
        self._role, self._model, self._log, self._thread = role, model, log, thread

    @property
    def name(self) -> str:
        return self._role.name

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        role = self._role
        cue = self._cue(update)
        if cue is not self._thread.cue:
            self._log(cue)
        self._thread = self._thread.told(cue)
        messages = (*self._thread.messages, Message("user", cue.message))
        note = update.moderator_note or ""
        cued = self._model.profile.reads_cues
        staged, here, muted = update.staged or update.heard, update.present, update.muted
        request = line_request(role, messages, update.beat, staged, note, present=here, muted=muted, cued=cued)
        answer = await self._model.complete(request)
        self._thread = self._thread.answered(answer.text)
        cast = [part.name for part in role.playbook.cast]
        parsed, warnings = read_response(answer.text, me=role.display_name, cast=cast, key=request.key)
        if answer.finish == "refusal":
            parsed, warnings = ParsedResponse(action="silent"), (*warnings, DECLINED)
        fields = {"raw": answer.text, "parsed": parsed, "timestamp": answer.arrived_at, "warnings": warnings}
        return construct(CharacterResponse, fields)

    def _cue(self, update: SceneUpdate) -> CueGiven:
        """The newest message; a resumed beat reuses the one in the log."""
        given = self._thread.cue
        if given is not None and given.beat == update.beat:
            return given
        if self._role.windowed:
            return compose_cue(self._role, update, update.heard[-self._role.window :], fresh=True)
        new, fresh = update.heard[self._thread.heard :], not self._thread.messages
        cue = compose_cue(self._role, update, new, fresh=fresh, known=self._thread.lore)
        if not self._fits(cue):
            cue = compose_cue(self._role, update, update.heard[-self._role.window :], fresh=True)
        return cue

    def _fits(self, cue: CueGiven) -> bool:
        """Whether thread and answer fit the model's context; tokens are counted only if the length leaves any doubt."""
        room = self._model.profile.context_window - self._role.max_tokens - self._role.system.receipt.tokens
        if self._thread.length + len(cue.message) <= room // MOST_TOKENS_A_CHARACTER:
            return True
        texts = (*(message.text for message in self._thread.messages), cue.message)
        return len(_ALL_OR_NONE.newest(texts, room, message_tokens)) == len(texts)


def lore_texts(lore: Iterable[ToldEntry]) -> tuple[str, ...]:
    """Lore as it stands in a prompt: it cannot open or close an element there."""
    return tuple(escaped(cleaned(one.text)) for one in lore)


def heard(lines: Iterable[Line]) -> tuple[HeardLine, ...]:
    """Transcript entries as the rehearsal company reads them."""
    return tuple(
        HeardLine(
            beat=line.beat,
            kind=line.kind,
            speaker=line.speaker,
            action=line.action,
            content=line.content,
            tone=line.tone,
            target=line.target,
            nonverbal=line.nonverbal,
            cut=line.cut_by is not None,
        )
        for line in lines
        if line.kind != "direction" and not _MOVEMENT.search(line.content if line.kind == "event" else "")
    )
