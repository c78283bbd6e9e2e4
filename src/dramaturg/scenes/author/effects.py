"""What comes of a direction: the events it leads to, or why it cannot be followed. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from pydantic import ValidationError

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs.events import BudgetRaised
from dramaturg.kernel.store import InboxMessage
from dramaturg.scenes.directions import direction as ask
from dramaturg.scenes.directions.direction import DIRECTIONS, Direction
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged
from dramaturg.scenes.director.goals import goal_source, split_goal
from dramaturg.scenes.events import LineSpoken, NoteGiven, SceneEvent
from dramaturg.scenes.hearing import happened
from dramaturg.scenes.line import Line
from dramaturg.scenes.scene import MOST_BEATS
from dramaturg.scenes.state import SceneState

BY_AUTHOR = "the author's direction"


def follow(messages: Iterable[InboxMessage], state: SceneState) -> tuple[SceneEvent, ...]:
    """The events that these messages lead to, in order; each message that was not taken before is taken once."""
    events: tuple[SceneEvent, ...] = ()
    for message in messages:
        asked = direction_in(message)
        if message.number > state.steering.taken and asked is not None:
            more = _taken(message, asked, state)
            events, state = (*events, *more), state.after(more)
    return events


def direction_in(message: InboxMessage) -> Direction | None:
    """The direction that a message holds; None for one of another version, which is passed over."""
    try:
        asked: Direction = DIRECTIONS.validate_json(message.body)
    except ValidationError:
        return None
    return asked


def _taken(message: InboxMessage, asked: Direction, state: SceneState) -> tuple[SceneEvent, ...]:
    taken = DirectionTaken(number=message.number, beat=state.beat, author=message.author, direction=asked)
    if reason := why_not(asked, state):
        return (taken.model_copy(update={"refused": reason}),)
    return (taken, *effects(asked, state))


def why_not(asked: Direction, state: SceneState) -> str:
    """Why a scene cannot follow a direction as it stands; empty if it can."""
    if state.ended is not None:
        return "the scene has ended"
    who = getattr(asked, "who", "") or (asked.to if isinstance(asked, ask.Note) else "")
    if who and who not in state.members:
        return f"nobody in this scene is called {who}"
    return _why_not_by_stage(asked, state) or _why_not_by_length(asked, state)


def _why_not_by_stage(asked: Direction, state: SceneState) -> str:
    beat = state.beat + 1 if state.played else state.beat
    here, muted = set(state.on_stage(beat)), state.steering.muted
    match asked:
        case ask.Entrance(who=who) if who in here:
            return f"{_shown(state, who)} is on stage already"
        case ask.Exit(who=who) | ask.NextSpeaker(who=who) | ask.Mute(who=who) if who not in here:
            return f"{_shown(state, who)} is not on stage"
        case ask.NextSpeaker(who=who) | ask.Mute(who=who) if who in muted:
            return f"{_shown(state, who)} is muted"
        case ask.Unmute(who=who) if who not in muted:
            return f"{_shown(state, who)} is not muted"
        case ask.Exit(who=who) | ask.Mute(who=who) if not here - muted - {who}:
            return f"without {_shown(state, who)} nobody would be left to speak"
    return ""


def _why_not_by_length(asked: Direction, state: SceneState) -> str:
    match asked:
        case ask.MoreBeats(beats=beats) if state.scene.config.max_beats + beats > MOST_BEATS:
            return f"a scene has at most {MOST_BEATS} beats, and this one may have {state.scene.config.max_beats}"
        case ask.RaiseBudget(usd=None, tokens=None):
            return "a budget needs dollars or tokens"
        case ask.ChangeGoal(text=text) if not goals_of(text, state):
            return "the goal is empty"
    return ""


def goals_of(text: str, state: SceneState) -> GoalChanged | None:
    """The sub-goals that a text asks for; None if it holds none."""
    try:
        goals = split_goal(goal_source("", text), [member.display_name for member in state.cast])
    except DramaturgError:
        return None
    return GoalChanged(text=text, goals=goals) if any(goal.text.strip() for goal in goals) else None


@singledispatch
def effects(asked: Direction, state: SceneState) -> tuple[SceneEvent, ...]:
    """What follows a direction in the log; most only change how the scene is steered."""
    return ()


@effects.register
def _(asked: ask.Happening, state: SceneState) -> tuple[SceneEvent, ...]:
    return (_line(asked.text, state, state.on_stage(_next(state))),)


@effects.register
def _(asked: ask.Entrance, state: SceneState) -> tuple[SceneEvent, ...]:
    here = {*state.on_stage(_next(state)), asked.who}
    return (_line(asked.text or f"{_shown(state, asked.who)} enters", state, here),)


@effects.register
def _(asked: ask.Exit, state: SceneState) -> tuple[SceneEvent, ...]:
    return (_line(asked.text or f"{_shown(state, asked.who)} leaves", state, state.on_stage(_next(state))),)


@effects.register
def _(asked: ask.Note, state: SceneState) -> tuple[SceneEvent, ...]:
    return (NoteGiven(beat=state.beat, to=asked.to, text=asked.text, reason=BY_AUTHOR, kind="direction"),)


@effects.register
def _(asked: ask.RaiseBudget, state: SceneState) -> tuple[SceneEvent, ...]:
    return (BudgetRaised(tokens=asked.tokens, usd=asked.usd),)


@effects.register
def _(asked: ask.ChangeGoal, state: SceneState) -> tuple[SceneEvent, ...]:
    changed = goals_of(asked.text, state)
    return (changed,) if changed else ()


def _line(text: str, state: SceneState, here: Iterable[str]) -> LineSpoken:
    line = Line(number=state.last_number + 1, beat=state.beat, kind="event", content=text.rstrip(". "))
    return LineSpoken(line=happened(line, state.cast, here))


def _next(state: SceneState) -> int:
    return state.beat + 1 if state.played else state.beat


def _shown(state: SceneState, who: str) -> str:
    return state.member(who).display_name
