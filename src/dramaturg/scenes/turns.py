"""Whose turn it is among models that are helped, and which sub-goal they are offered. Rules of form; no plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dramaturg.scenes.director.goals import Goal, is_lasting, walked_text
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.line import Line

LINES_A_GOAL = 2
"""How many lines each of the cast has for a sub-goal where nobody can tell when it is met."""


def whose_turn(helped: Sequence[str], lines: Sequence[Line], beat: int) -> str:
    """Who of the helped speaks at this beat: whoever was spoken to, else whoever has waited longest; one at a time.

    Somebody who has waited very long comes first. A turn that brought no line passes on. Empty if it is better to wait
    for others.
    """
    turns = [line for line in lines if line.kind == "line" or _failed(line, helped)]
    if not turns or not helped:
        return helped[beat % len(helped)] if helped else ""
    idle = max(0, beat - turns[-1].beat - 1)
    last = {_speaker(line, helped): place for place, line in enumerate(turns)}
    waiting = sorted(helped, key=lambda name: last.get(name, -1))
    if len(helped) == 1:
        since = turns[last.get(helped[0], 0)].beat
        answered = any(line.beat >= since and _speaker(line, helped) != helped[0] for line in turns)
        return helped[0] if answered or idle else ""
    asked = turns[-1].target
    patience = 2 * (len(helped) - 1)
    overdue = len(turns) - 1 - last.get(waiting[0], -1) >= patience and len(helped) > 2
    if asked is not None and asked in helped and asked != turns[-1].speaker and not overdue:
        waiting.insert(0, waiting.pop(waiting.index(asked)))
    return waiting[idle % len(waiting)]


class GoalOffer(NamedTuple):
    """The sub-goal that is open; `due` once everybody has had a line on the way to it."""

    goal: Goal
    due: bool


def goal_offer(goals: Sequence[Goal], lines: Sequence[Line], cast: CastNames, *, judged: bool) -> GoalOffer | None:
    """The first of the open sub-goals that was not walked through; where nobody can judge, each in its turn."""
    played = [line for line in lines if line.kind == "line"]
    turn = LINES_A_GOAL * len(cast.names)
    acts = [goal for goal in goals if not is_lasting(goal)][0 if judged else len(played) // turn :]
    walked = {line.nonverbal for line in played if not line.content}
    left = [goal for goal in acts if walked_text(goal, cast) not in walked]
    return GoalOffer(left[0], len(played) % turn >= len(cast.names)) if left else None


def enough_lines(goals: int, cast: int) -> int:
    """After how many lines a scene is over that nobody can judge."""
    return LINES_A_GOAL * cast * max(1, goals)


def _failed(line: Line, names: Sequence[str]) -> bool:
    return line.kind == "system" and "unable" in line.content and bool(_speaker(line, names))


def _speaker(line: Line, names: Sequence[str]) -> str:
    return line.speaker or next((name for name in names if line.content.startswith(f"{name} ")), "")
