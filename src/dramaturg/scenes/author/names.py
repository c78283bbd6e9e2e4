"""Directions as people type them, with names as the cast knows them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.directions.direction import Direction, Note
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.state import SceneState


def addressed(asked: Direction, state: SceneState) -> Direction:
    """The direction with the name of a card in place of what was typed. Raises InvalidConfig for an unknown name."""
    key = "to" if isinstance(asked, Note) else "who"
    typed = getattr(asked, key, "")
    return asked.model_copy(update={key: member_called(typed, state)}) if typed else asked


def member_called(typed: str, state: SceneState) -> str:
    """The card of the member of the cast that a name, or an unambiguous part of one, means."""
    return called(typed, {member.display_name: member.name for member in state.cast})


def called(typed: str, shown: Mapping[str, str]) -> str:
    """The same, among cards by the names that they have on stage. Raises InvalidConfig for an unknown name."""
    wanted = typed.strip().casefold()
    for name in shown.values():
        if name.casefold() == wanted:
            return name
    found = CastNames(tuple(shown)).resolve(typed)
    if found is not None:
        return shown[found]
    near = get_close_matches(wanted, {name.casefold(): name for name in shown}, n=1)
    meant = next((f" Did you mean '{name}'?" for name in shown if name.casefold() in near), "")
    raise InvalidConfig(f"'{typed}' is nobody of this scene ({', '.join(shown)}).{meant}", name=typed)
