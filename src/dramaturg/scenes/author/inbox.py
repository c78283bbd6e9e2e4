"""The directions that are sent to a scene, taken between its beats."""

from __future__ import annotations

from dramaturg.kernel.runs import BudgetRaised, RunInbox
from dramaturg.scenes.author.effects import direction_in, follow
from dramaturg.scenes.directions.direction import End, MoreBeats
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged
from dramaturg.scenes.events import BeatClosed, CueGiven, LinePlanned, SceneEvent, SceneRun
from dramaturg.scenes.state import SceneState


class Directions:
    """What the author asks of one scene while it is played. Without an inbox, nothing."""

    def __init__(self, inbox: RunInbox | None = None) -> None:
        self._inbox = inbox

    async def taken(self, state: SceneState, *, closely: bool = False) -> tuple[SceneEvent, ...]:
        """The events that the directions since the last look lead to; most of the time none, at no cost."""
        if self._inbox is None:
            return ()
        return follow(await self._inbox.look(state.steering.taken, closely=closely), state)

    async def urgent(self, state: SceneState) -> tuple[SceneEvent, ...]:
        """The same before anybody is asked, if one of them raises the budget: that may be what stopped the scene."""
        events = await self.taken(state, closely=True)
        return events if any(isinstance(event, BudgetRaised) for event in events) else ()

    async def awaited(self, state: SceneState) -> tuple[SceneEvent, ...]:
        """The same for a scene that waits: as soon as there is something."""
        if self._inbox is None:
            raise AssertionError("a scene that waits has an inbox")
        return follow(await self._inbox.wait(state.steering.taken), state)


async def end_asked(inbox: RunInbox, after: int) -> None:
    """Returns once the author has asked for the end, in a direction that was not taken yet."""
    while True:
        found = await inbox.wait(after)
        if any(isinstance(direction_in(message), End) for message in found):
            return
        after = found[-1].number


def restages(events: tuple[SceneEvent, ...]) -> bool:
    """Whether cast and judge must be set up anew after these events: goal, length and budget come from the log."""
    return any(
        isinstance(event, GoalChanged | BudgetRaised)
        or (isinstance(event, DirectionTaken) and isinstance(event.direction, MoreBeats))
        for event in events
    )


def is_under_way(run: SceneRun) -> bool:
    """Whether somebody was asked since the last beat was closed: such a beat is played before directions are taken."""
    for entry in reversed(run.entries):
        if isinstance(entry.event, BeatClosed):
            return False
        if isinstance(entry.event, CueGiven | LinePlanned):
            return True
    return False
