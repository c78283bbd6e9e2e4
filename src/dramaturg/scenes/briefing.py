"""What a character will be told before it has heard anything: its prompt, and the first cue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dramaturg.characters import Card
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.agent import PartContext, SceneUpdate
from dramaturg.scenes.agent_modes import PartMode, part_mode
from dramaturg.scenes.assisted_line import Assistance, AssistedLine
from dramaturg.scenes.play import note_for
from dramaturg.scenes.stage import assistance, character_prompt, playbook, role_of, script_prompt
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.templates import scene_template


class Briefing(WireValue):
    """The prompt of a part and its first message, as they would be sent; `beat` is when.

    A first message that depends on what the others say has a place for it in angle brackets.
    """

    name: str
    display_name: str
    mode: PartMode
    beat: int
    system: str
    first_cue: str
    tokens: int


def brief_cast(
    state: SceneState, cards: Sequence[Card], models: Mapping[str, Model], settings: Settings
) -> tuple[Briefing, ...]:
    """Everyone's briefing, in the order of the cast."""
    return tuple(_briefing(card, cards, state, models[card.name], settings) for card in cards)


def _briefing(card: Card, cards: Sequence[Card], state: SceneState, model: Model, settings: Settings) -> Briefing:
    opened = state.scene
    mode = part_mode(opened.agent or settings.scenes.agent, model)
    system = script_prompt(card, state) if mode == "assisted" else character_prompt(card, state, model, settings)
    opens = card.name == opened.opener
    beat = 0 if opens else max(1, opened.sheet(card.name).enters)
    opener = state.member(opened.opener).display_name
    heard = () if opens else (f"<what {opener} opens with>" if beat == 1 else "<what is said from here on>",)
    note = note_for(card.name, state) if opens else None
    if mode == "assisted":
        role = role_of(card, system, playbook(state, cards), settings)
        cue = _first_direction(role, assistance(card, state, ()), state, beat, note, chat=not model.profile.continues)
    else:
        cue = scene_template("turn").render(name=card.display_name, beat=beat, lines=heard, note=note or "", lore=())
    return Briefing(
        name=card.name,
        display_name=card.display_name,
        mode=mode,
        beat=beat,
        system=system.text,
        first_cue=cue,
        tokens=system.receipt.tokens,
    )


def _first_direction(
    role: PartContext, given: Assistance, state: SceneState, beat: int, note: str | None, *, chat: bool
) -> str:
    """What stands below the lines of the script when a helped model is first asked, but for the offered sub-goal."""
    standing = state.standing.get(role.name)
    update = SceneUpdate(
        scene_context="",
        transcript="",
        last_event=None,
        moderator_note=note,
        beat=beat,
        lore=standing.told if standing else (),
    )
    return AssistedLine(role, given, update, None, chat=chat).direction
