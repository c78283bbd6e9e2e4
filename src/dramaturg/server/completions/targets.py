"""Whom a chat program can talk to, by the names that `GET /v1/models` lists and a request's `model` repeats."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from dramaturg.characters import known_cards, load_card
from dramaturg.episodes.card_talk import card_talk
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import Caller
from dramaturg.studio import Studio

ENSEMBLE = "ensemble/default"
VOICE = "voice/default"
OWNER = "dramaturg"


class CompatibleModel(Value):
    """Somebody to talk to, in OpenAI's form."""

    id: str = Field(examples=["character/alice"])
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = OWNER


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a request is for: an episode or a talk with a card, or the ensemble if there is no template."""

    name: str
    template: EpisodeTemplate | str | None = None
    greets: bool = False


async def models_for(caller: Caller, studio: Studio) -> tuple[CompatibleModel, ...]:
    """Whom this caller may talk to: a player the episodes that the host has opened, the author everybody."""
    names = [f"episode/{one.name}" for one in studio.episodes.repertoire().templates if caller.may_play(one.name)]
    if caller.is_author:
        cards = await asyncio.to_thread(known_cards, studio.settings.project)
        names = [*(f"character/{name}" for name in cards), *names, ENSEMBLE, VOICE]
    return tuple(CompatibleModel(id=name) for name in names)


async def target_of(model: str, caller: Caller, studio: Studio) -> Target:
    """Whom a request's `model` names. Raises NotFound, also for what this caller may not open."""
    kind, _, name = model.partition("/")
    known = {one.id for one in await models_for(caller, studio)}
    if model not in known or kind == "voice":
        whom = sorted(one for one in known if not one.startswith("voice/"))
        here = ", ".join(whom[:5]) or "nobody"
        raise NotFound(
            f"There is no '{model[:100]}' to talk to. The list of models says who is here: {here}.", model=model[:100]
        )
    if model == ENSEMBLE:
        return Target(model)
    if kind == "episode":
        return Target(model, name, greets=True)
    card = await asyncio.to_thread(load_card, studio.settings.project, name)
    return Target(model, card_talk(card))
