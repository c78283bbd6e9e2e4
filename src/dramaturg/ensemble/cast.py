"""Who sits in which slot: the request over ensemble.yaml over the character's card over the project's model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from dramaturg.characters import Card, known_cards, load_card
from dramaturg.ensemble.ensemble import Ensemble, Slot
from dramaturg.ensemble.events import Seat
from dramaturg.ensemble.request import ChatRequest, SlotRequest
from dramaturg.kernel.errors import InvalidConfig

DEFAULT_PROFILE = "default"


@dataclass(frozen=True, slots=True)
class CastSeat:
    """A seat, the persona of whoever sits in it, and the books that only that seat knows; `card` if it has one."""

    seat: Seat
    persona: str
    card: str | None = None
    lorebooks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CastingContext:
    """The project facts that casting needs.

    `is_model` tells whether a name is a model that can play; `check_authored` raises NotTrusted if a model that a file
    names, in the words of the second argument, needs the user's consent.
    """

    project: Path
    profiles: Mapping[str, str]
    default_model: str
    is_model: Callable[[str], bool]
    check_authored: Callable[[str, str], object]


def cast_ensemble(ensemble: Ensemble, request: ChatRequest, context: CastingContext) -> tuple[CastSeat, ...]:
    """The cast that will answer, ordered by slot. Raises InvalidConfig, CharacterLoadError, InvalidSettings."""
    authored = {slot.slot: slot for slot in ensemble.slots}
    asked = request.slots if request.slots is not None else tuple(SlotRequest(slot_id=number) for number in authored)
    seats = (_place(one, authored.get(one.slot_id), context) for one in asked)
    return tuple(sorted(seats, key=lambda one: one.seat.slot_id))


def _place(asked: SlotRequest, authored: Slot | None, context: CastingContext) -> CastSeat:
    slot = _merged(asked, authored)
    card = _card(slot.agent, context)
    named_model = slot.agent if card is None and context.is_model(slot.agent) else None
    if not slot.persona and card is None and named_model is None:
        raise _nobody(slot, context)
    model = slot.model or (card.model if card else None) or named_model or context.default_model
    if model not in (asked.model, asked.agent_id, context.default_model):
        context.check_authored(model, f"slot {slot.slot} of the ensemble")
    of_card = card.voice if card else None
    profile = slot.voice_profile or (of_card if of_card in context.profiles else None)
    voice = slot.voice or (of_card if of_card and of_card not in context.profiles and context.profiles else None)
    return CastSeat(
        Seat(
            slot_id=slot.slot,
            agent_id=card.name if card else slot.agent,
            name=card.display_name if card else spoken_name(slot.agent, is_model=named_model is not None),
            model=model,
            voice=voice,
            voice_profile=_profile(profile, slot.slot, context.profiles),
            language=slot.language or None,
        ),
        slot.persona or (card.text.strip() if card else ""),
        card.name if card else None,
        slot.lorebooks,
    )


def _merged(asked: SlotRequest, authored: Slot | None) -> Slot:
    """The request overrides the file. A different agent in a seat inherits nothing from the previous one."""
    if authored is None and asked.agent_id is None:
        reason = f"Nobody sits in slot {asked.slot_id}. Add it to ensemble.yaml, or give it an agentId."
        raise InvalidConfig(reason, slot=asked.slot_id)
    same = authored is not None and asked.agent_id in (None, authored.agent)
    base = (
        authored.model_dump(by_alias=False)
        if authored is not None and same
        else {"slot": asked.slot_id, "agent": asked.agent_id}
    )
    own = asked.model_dump(exclude_none=True, exclude={"slot_id", "agent_id"}, by_alias=False)
    return Slot.model_validate({**base, **own})


def _card(agent: str, context: CastingContext) -> Card | None:
    known = {name.casefold(): name for name in known_cards(context.project)}
    name = known.get(agent.casefold())
    return load_card(context.project, name) if name else None


def _nobody(slot: Slot, context: CastingContext) -> InvalidConfig:
    cards = known_cards(context.project)
    near = get_close_matches(slot.agent, cards, n=1)
    meant = f" Did you mean '{near[0]}'?" if near else f" Cards here: {', '.join(cards)}." if cards else ""
    return InvalidConfig(
        f"Slot {slot.slot}: '{slot.agent}' is neither a card of .claude/agents/ nor a model, and has no persona."
        f"{meant} Say in a sentence who it is ('persona'), or name a card or a model.",
        slot=slot.slot,
        agent=slot.agent,
    )


def _profile(asked: str | None, slot: int, profiles: Mapping[str, str]) -> str:
    if asked and profiles and asked not in profiles:
        near = get_close_matches(asked, profiles, n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(profiles)}."
        raise InvalidConfig(f"Slot {slot}: there is no voice profile '{asked}'. {meant}", slot=slot, profile=asked)
    if asked:
        return asked
    names = tuple(profiles)
    return names[(slot - 1) % len(names)] if names else DEFAULT_PROFILE


def spoken_name(agent: str, *, is_model: bool = False) -> str:
    """What the others call an agent: `the-archivist` is the Archivist, a model keeps its own name."""
    if is_model:
        return agent.rpartition("/")[2]
    words = [word for word in re.split(r"[-_\s]+", agent) if word]
    if len(words) > 1 and words[0].casefold() == "the":
        words = words[1:]
    return " ".join(word[:1].upper() + word[1:] for word in words) or agent
