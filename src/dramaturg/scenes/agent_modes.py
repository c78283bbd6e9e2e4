"""How a model plays a part: directly, with help, or as a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.models.judge import needs_help
from dramaturg.kernel.models.port import Model
from dramaturg.scenes.events import CastMember

PartMode = Literal["direct", "assisted", "task"]


def part_mode(asked: str, model: Model) -> PartMode:
    """How a model plays, given the mode asked for in `[scenes] agent`.

    The rehearsal company needs no help. Raises InvalidSettings if a task is asked of a model that takes none.
    """
    takes_tasks = model.profile.takes_tasks
    if asked == "task" and not takes_tasks:
        raise InvalidSettings(
            f"[scenes] agent = 'task' needs a model named 'claude-code/…', and '{model.name}' is none. "
            "Choose such a model, or leave `agent` out.",
            model=model.name,
        )
    if asked == "task" or (asked == "auto" and takes_tasks):
        return "task"
    helped = asked == "assisted" or (asked == "auto" and needs_help(model.profile))
    return "assisted" if helped and not model.profile.is_stand_in else "direct"


def helped_cast(asked: str, cast: Iterable[CastMember], models: Mapping[str, Model]) -> tuple[str, ...]:
    """The display names of those whose models are helped, in the order of the cast."""
    return tuple(member.display_name for member in cast if part_mode(asked, models[member.name]) == "assisted")
