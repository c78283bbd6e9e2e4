"""The occasion of a line: what its speaker was, had heard and was told when it was asked. Rebuilt from the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dramaturg.kernel.characters import Card, parse_card
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.prompts import Prompt, Receipt
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.agent import line_request, thread_of
from dramaturg.scenes.events import CastMember, CueGiven
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.line import Line
from dramaturg.scenes.play import note_for
from dramaturg.scenes.stage import playbook, prompt_within, role_of, script_head
from dramaturg.scenes.state import SceneState, scene_state

SCRIPT = "script"
"""The layer that only the prompt of a helped model has."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """One character at one beat, before it answers. `known` of the lines `heard` were known to it already.

    `receipt` is the one in the log; `state` is the scene as it stood.
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
        """Whether the rehearsal plan decided what is done, and the model only found the words."""
        return any(layer.name == SCRIPT for layer in self.receipt.layers)

    @property
    def system(self) -> Prompt:
        """The part of the prompt that stays the same, put together again within the same budget."""
        return script_head(self.state) if self.helped else prompt_within(self.card, self.state, self.receipt.budget)

    @property
    def changed(self) -> tuple[str, ...]:
        """The layers that would go out otherwise today, because a prompt file was changed since."""
        then = {layer.name: layer.sha256 for layer in self.receipt.layers}
        now = {layer.name: layer.sha256 for layer in self.system.receipt.layers}
        return tuple(name for name in {**then, **now} if then.get(name) != now.get(name))

    def request(self, settings: Settings) -> ModelRequest:
        """What the model was asked, to the byte where no prompt file has changed since.

        Raises InvalidConfig for one that was helped: there the plan, and not the prompt, says why.
        """
        if self.helped:
            raise InvalidConfig(
                f"{self.member.display_name} was played with help: the rehearsal plan decided what is done, and the "
                "model only found the words. There is no prompt to take a cause from; the account has what was asked.",
                character=self.member.name,
            )
        book = playbook(self.state.scene, self.cards, self.state.recalled)
        role = role_of(self.card, self.system, book, settings)
        here = [self.state.member(name).display_name for name in self.state.on_stage(self.beat)]
        return line_request(role, self.messages, self.beat, self.staged, self.note, present=here)


def occasion_of(entries: Sequence[Entry[Event]], beat: int, character: str) -> Occasion:
    """The occasion on which a character, by its card's name, was asked at a beat. Raises NotFound if it was not."""
    cues = [
        (place, entry.event)
        for place, entry in enumerate(entries)
        if isinstance(entry.event, CueGiven) and entry.event.character == character and entry.event.beat <= beat
    ]
    if not cues or cues[-1][1].beat != beat:
        raise NotFound(
            f"The log has no question to {character} at beat {beat}; no model was asked.",
            character=character,
            beat=beat,
        )
    place, cue = cues[-1]
    receipt = next((given.receipt for _, given in reversed(cues) if given.receipt is not None), None)
    if receipt is None:
        raise NotFound(f"The log has no receipt of {character}'s prompt before beat {beat}.", character=character)
    state = scene_state(entries[:place])
    before = thread_of(entries[:place], character)
    member = state.member(character)
    return Occasion(
        beat=beat,
        member=member,
        cards=tuple(parse_card(one.name, state.cards[one.name]) for one in state.cast),
        state=state,
        receipt=receipt,
        messages=(*before.told(cue).messages, Message("user", cue.message)),
        heard=heard_by(member.display_name, state.lines),
        known=before.heard,
        note=note_for(character, state) or "",
    )
