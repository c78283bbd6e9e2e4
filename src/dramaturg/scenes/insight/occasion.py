"""The occasion of a line: who its speaker was, and what it had heard and was told. Rebuilt from the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dramaturg.characters import Card, parse_card
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.prompts import Prompt, Receipt
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.agent import SceneUpdate, line_request, thread_of
from dramaturg.scenes.events import (
    CastMember,
    CueGiven,
    LineEdited,
    LinePlan,
    LinePlanned,
    LineStruck,
    ResponseGiven,
    SceneForked,
    TakeChosen,
)
from dramaturg.scenes.hearing import heard_by, told_to
from dramaturg.scenes.line import Line
from dramaturg.scenes.planned_line import PlannedLine, plan_line
from dramaturg.scenes.play import note_for
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.stage import help_for, planned_by_name, playbook, prompt_within, role_of, script_head
from dramaturg.scenes.state import SceneState, scene_state

NO_PROMPT = Receipt(budget=0, tokens=0, layers=())
"""Of a line for which no model was asked."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """One character at one beat, before it answers. `known` of the lines `heard` were known to it already.

    `receipt` is the one in the log; `state` is the scene's state then. `plan` is there if the character was helped: the
    rehearsal plan decided what is done, with those of the `company`, and a model at most found the words; `hidden` are
    parts of the plan that it is not to be told.
    """

    beat: int
    member: CastMember
    cards: tuple[Card, ...]
    state: SceneState
    receipt: Receipt
    messages: tuple[Message, ...]
    heard: tuple[Line, ...]
    known: int
    note: str
    plan: LinePlan | None = None
    company: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()

    @property
    def card(self) -> Card:
        return next(card for card in self.cards if card.name == self.member.name)

    @property
    def staged(self) -> tuple[Line, ...]:
        """The reader's transcript, without what was taken out of what the character heard."""
        heard = {line.number for line in self.heard}
        could = {line.number for line in heard_by(self.member.display_name, self.state.lines)}
        return tuple(line for line in self.state.lines if line.number in heard or line.number not in could)

    @property
    def helped(self) -> bool:
        """Whether the rehearsal plan decided what is done, and a model at most found the words."""
        return self.plan is not None

    @property
    def system(self) -> Prompt:
        """The part of the prompt that stays the same, put together again within the same budget."""
        return script_head(self.state) if self.helped else prompt_within(self.card, self.state, self.receipt.budget)

    @property
    def changed(self) -> tuple[str, ...]:
        """The layers that would go out otherwise today, because a prompt file was changed since."""
        if self.receipt == NO_PROMPT:
            return ()
        then = {layer.name: layer.sha256 for layer in self.receipt.layers}
        now = {layer.name: layer.sha256 for layer in self.system.receipt.layers}
        return tuple(name for name in {**then, **now} if then.get(name) != now.get(name))

    def request(self, settings: Settings) -> ModelRequest:
        """What the model was asked, to the byte where no prompt file has changed since. Of two tries, the first."""
        if self.helped:
            return self.planned(settings).requests()[0]
        role = role_of(self.card, self.system, self._book(), settings)
        return line_request(
            role, self.messages, self.beat, self.staged, self.note, present=self._present(), muted=self._muted()
        )

    def planned(self, settings: Settings) -> PlannedLine:
        """The line of a helped character, planned again; exactly as it was where nothing was taken away."""
        if self.plan is None:
            raise AssertionError("only a helped character plays by the plan")
        role = role_of(self.card, self.system, self._book(), settings)
        update = SceneUpdate.model_construct(
            scene_context=self.state.scene.config.prompt,
            transcript="",
            last_event=None,
            moderator_note=self.note or None,
            beat=self.beat,
            heard=self.heard,
            present=self._present(),
            muted=self._muted(),
            staged=self.staged,
        )
        line = plan_line(role, help_for(self.company), update, chat=self.plan.chat)
        return replace(line, omitted=self.plan.omitted, hidden=self.hidden)

    def _book(self) -> Playbook:
        return playbook(self.state, self.cards, planned_by_name(self.state.cast, self.company))

    def _present(self) -> tuple[str, ...]:
        return tuple(self.state.member(name).display_name for name in self.state.on_stage(self.beat))

    def _muted(self) -> tuple[str, ...]:
        return tuple(self.state.member(name).display_name for name in self.state.unasked())


def occasion_of(entries: Sequence[Entry[Event]], beat: int, character: str) -> Occasion:
    """The occasion on which a character, by its card's name, was asked at a beat. Raises NotFound if it was not."""
    place, asked = _asked(entries, beat, character)
    before = entries[:place]
    plan = asked.plan if isinstance(asked, LinePlanned) else None
    if plan is not None and plan.fixed:
        receipt, cue = NO_PROMPT, None
    else:
        cue = _cue(entries, beat, character)
        receipt = _receipt(entries, cue)
    state, thread = scene_state(before), thread_of(before, character)
    member = state.member(character)
    messages = (*thread.told(cue).messages, Message("user", cue.message)) if cue else ()
    return Occasion(
        beat=beat,
        member=member,
        cards=tuple(parse_card(one.name, state.cards[one.name]) for one in state.cast),
        state=state,
        receipt=receipt,
        messages=messages,
        heard=told_to(member.display_name, state.lines, state.parted, beat),
        known=thread.heard,
        note=note_for(character, state) or "",
        plan=plan,
        company=_company(entries, state, place) if plan else frozenset(),
    )


def _asked(entries: Sequence[Entry[Event]], beat: int, character: str) -> tuple[int, LinePlanned | CueGiven]:
    """Where in the log a character was asked, or its line planned, at a beat; the last time, if it was asked again."""
    found: tuple[int, LinePlanned | CueGiven] | None = None
    for place, entry in enumerate(entries):
        event = entry.event
        if isinstance(event, TakeChosen | LineEdited | LineStruck):
            found = None
        elif isinstance(event, LinePlanned | CueGiven | ResponseGiven):
            if (event.beat, event.character) != (beat, character):
                continue
            if isinstance(event, ResponseGiven):
                break
            found = found or (place, event)
    if found is not None:
        return found
    raise NotFound(
        f"The log has no question to {character} at beat {beat}; no model was asked.", character=character, beat=beat
    )


def _cue(entries: Sequence[Entry[Event]], beat: int, character: str) -> CueGiven:
    for entry in reversed(entries):
        event = entry.event
        if isinstance(event, CueGiven) and (event.beat, event.character) == (beat, character):
            return event
    raise NotFound(f"The log breaks off before {character} was asked at beat {beat}.", character=character, beat=beat)


def _receipt(entries: Sequence[Entry[Event]], cue: CueGiven) -> Receipt:
    """The latest receipt up to a cue: a thread has one, at its beginning."""
    found = None
    for entry in entries:
        event = entry.event
        if isinstance(event, CueGiven) and event.character == cue.character and event.beat <= cue.beat:
            found = event.receipt or found
    if found is None:
        raise NotFound(
            f"The log has no receipt of {cue.character}'s prompt before beat {cue.beat}.", character=cue.character
        )
    return found


def _company(entries: Sequence[Entry[Event]], state: SceneState, place: int) -> frozenset[str]:
    """Who plays by the plan, by display name: the company, and whoever is helped. Others are asked at every beat."""
    forks = [spot for spot, entry in enumerate(entries) if isinstance(entry.event, SceneForked)]
    first = max((spot for spot in forks if spot < place), default=0)
    last = min((spot for spot in forks if spot > place), default=len(entries))
    events = [entry.event for entry in entries[first:last]]
    planned = {event.character for event in events if isinstance(event, LinePlanned)}
    asked = {event.character for event in events if isinstance(event, CueGiven)}
    return frozenset(
        member.display_name
        for member in state.cast
        if is_stand_in(member.model) or member.name in planned or member.name not in asked
    )
