"""How a scene of an act ended, and which way on that opens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dramaturg.kernel.text.words import content
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.acts.act import ActConfig, When
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.events import SceneEndReason
from dramaturg.scenes.state import SceneState

IN_ORDER = "in the order of the act"
OTHERWISE = "nothing else holds"
_EDGE = " \t\n.,;:!?。、，"


class EndedGoal(WireValue):
    """A sub-goal, and whether it was met by the end."""

    id: int
    text: str
    met: bool


class SceneEnding(WireValue):
    """How a scene ended. `cast` and `left` are names on stage; `left` are those who had gone off by the end."""

    goal_achieved: bool
    reason: SceneEndReason
    beats: int
    goals: tuple[EndedGoal, ...]
    cast: tuple[str, ...]
    left: tuple[str, ...] = ()


class WayOn(NamedTuple):
    """The scene that follows, or `end`, and why."""

    target: str
    because: str


def ending_of(state: SceneState) -> SceneEnding:
    """How a scene that has ended did so. What must not happen counts as met only once the whole goal is."""
    ended = state.ended
    if ended is None:
        raise AssertionError("the scene has not ended")
    held = state.verdict.held if ended.goal_achieved else ()
    met = {evidence.goal for evidence in state.verdict.met} | set(held)
    return SceneEnding(
        goal_achieved=ended.goal_achieved,
        reason=ended.reason,
        beats=ended.beats,
        goals=tuple(EndedGoal(id=goal.id, text=goal.text, met=goal.id in met) for goal in state.goals),
        cast=tuple(member.display_name for member in state.cast),
        left=tuple(state.member(name).display_name for name in _gone(state, ended.beats - 1)),
    )


def _gone(state: SceneState, last: int) -> Iterator[str]:
    """Who was on stage and is not there at the last beat."""
    there = state.on_stage(max(last, 0))
    for member in state.cast:
        if member.name not in there and any(member.name in state.on_stage(beat) for beat in range(max(last, 0))):
            yield member.name


def way_on(act: ActConfig, name: str, ending: SceneEnding) -> WayOn:
    """What follows a scene that ended so: the first of its ways on that is open, else what is next in the list."""
    step = act.step(name)
    for branch in step.then:
        if branch.when is None:
            return WayOn(branch.target, OTHERWISE if len(step.then) > 1 else IN_ORDER)
        if holds(branch.when, ending):
            return WayOn(branch.target, told(branch.when))
    return WayOn(act.follower(name), OTHERWISE if step.then else IN_ORDER)


def holds(when: When, ending: SceneEnding) -> bool:
    """Whether everything that a condition says is so. A sub-goal that the scene does not have is not met."""
    names = CastNames(ending.cast)
    goals = {goal.id: goal for goal in ending.goals}
    met, unmet = ([goals.get(find_goal(ending.goals, one) or 0) for one in wanted] for wanted in (when.met, when.open))
    return (
        _is_outcome(when, ending)
        and all(goal is not None and goal.met for goal in met)
        and all(goal is not None and not goal.met for goal in unmet)
        and when.ended in (None, ending.reason)
        and all(names.resolve(who) in ending.left for who in when.left)
    )


def _is_outcome(when: When, ending: SceneEnding) -> bool:
    match when.goal:
        case None:
            return True
        case "achieved":
            return ending.goal_achieved
        case "not achieved":
            return not ending.goal_achieved
        case "walked through":
            return ending.reason == "walked_through"


def find_goal(goals: Sequence[Goal | EndedGoal], wanted: int | str) -> int | None:
    """The number of the sub-goal that is meant: by its number, its words, or some of its words if no other has them."""
    if isinstance(wanted, int):
        return wanted if any(goal.id == wanted for goal in goals) else None
    same = [goal.id for goal in goals if _plain(goal.text) == _plain(wanted)]
    some = frozenset(content(wanted))
    near = [goal.id for goal in goals if some and some <= frozenset(content(goal.text))]
    found = same or near
    return found[0] if len(found) == 1 else None


def told(when: When) -> str:
    """A condition as a reader understands it: "the goal was achieved", "sub-goal 2 was not met and Bob left"."""
    parts = [f"the goal was {when.goal}"] if when.goal else []
    for end, wanted in (("was met", when.met), ("was not met", when.open)):
        parts += [f"{f'sub-goal {one}' if isinstance(one, int) else f'“{one}”'} {end}" for one in wanted]
    parts += [f"it ended as {when.ended.replace('_', ' ')}"] if when.ended else []
    parts += [f"{who} left" for who in when.left]
    return " and ".join(parts)


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(_EDGE).casefold()
