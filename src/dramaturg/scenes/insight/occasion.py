"""The occasion of a line: who its speaker was, and what it had heard and was told. Rebuilt from the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dramaturg.characters import Card, parse_card
from dramaturg.characters.lorebook.scan import ToldEntry
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.prompts import Prompt, Receipt
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.agent import SceneUpdate, line_request, thread_of
from dramaturg.scenes.assisted_line import AssistedLine
from dramaturg.scenes.events import (
    CastMember,
    CueGiven,
    LineEdited,
    LinePlan,
    LinePlanned,
    LineStruck,
    ResponseGiven,
    TakeChosen,
    TurnGiven,
)
from dramaturg.scenes.hearing import heard_by, told_to
from dramaturg.scenes.line import Line
from dramaturg.scenes.play import note_for
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.stage import assistance, playbook, prompt_within, role_of, script_prompt
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.turns import GoalOffer

NO_PROMPT = Receipt(budget=0, tokens=0, layers=())
"""Of a line for which no model was asked."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """One character at one beat, before it answers. `known` of the lines `heard` were known to it already.

    `receipt` is the one in the log; `state` is the scene's state then. `turn` is there if the character was helped, or
    in old logs `plan`: what the rehearsal plan had decided for it.
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
    turn: TurnGiven | None = None
    plan: LinePlan | None = None

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
        """Whether the engine helped a model with the form of its line."""
        return self.turn is not None or self.plan is not None

    @property
    def offered(self) -> GoalOffer | None:
        """The sub-goal that a helped model was offered."""
        found = [goal for goal in self.state.goals if self.turn is not None and goal.id == self.turn.goal]
        return GoalOffer(found[0], self.turn.due) if found and self.turn is not None else None

    @property
    def system(self) -> Prompt:
        """The part of the prompt that stays the same, put together again within the same budget."""
        if self.helped:
            return script_prompt(self.card, self.state)
        return prompt_within(self.card, self.state, self.receipt.budget)

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
            return self.assisted(settings).requests()[0]
        role = role_of(self.card, self.system, self._book(), settings)
        return line_request(
            role, self.messages, self.beat, self.staged, self.note, present=self._present(), muted=self._muted()
        )

    def assisted(self, settings: Settings) -> AssistedLine:
        """The line of a helped character, before it was answered; exactly as it was where nothing was taken away."""
        if self.turn is None:
            raise NotFound(
                f"{self.member.display_name}'s line at beat {self.beat} was planned by an earlier version; the script "
                "that its model was shown cannot be put together again.",
                character=self.member.name,
                beat=self.beat,
            )
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
            lore=self._lore(),
        )
        given = assistance(self.card, self.state, ())
        return AssistedLine(role, given, update, self.offered, chat=self.turn.chat, omitted=self.turn.omitted)

    def _lore(self) -> tuple[ToldEntry, ...]:
        """What a helped model was told of its lore at this beat; those of earlier versions were told none."""
        told = self.state.lore.get(self.member.name)
        return told.told if told is not None and told.beat == self.beat else ()

    def _book(self) -> Playbook:
        return playbook(self.state, self.cards)

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
        turn=asked if isinstance(asked, TurnGiven) else None,
        plan=plan,
    )


Asked: TypeAlias = TurnGiven | LinePlanned | CueGiven


def _asked(entries: Sequence[Entry[Event]], beat: int, character: str) -> tuple[int, Asked]:
    """Where in the log a character was asked, or given its turn, at a beat; the last time, if it was asked again."""
    found: tuple[int, Asked] | None = None
    for place, entry in enumerate(entries):
        event = entry.event
        if isinstance(event, TakeChosen | LineEdited | LineStruck):
            found = None
        elif isinstance(event, TurnGiven | LinePlanned | CueGiven | ResponseGiven):
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
