"""The moderator decides what follows a beat: an end, something that happens, a note. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.kernel.director import Utterance, unmet
from dramaturg.kernel.director.circling import CIRCULAR, circling
from dramaturg.kernel.runs.events import Event
from dramaturg.scenes.events import BeatClosed, CirclingFound, LineSpoken, NoteGiven, SceneEnded
from dramaturg.scenes.hearing import happened
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState

STALL_NOTE, STALL_EVENT, STALL_END = 3, 4, 5
CIRCLE_EVENT, CIRCLE_END, CIRCLE_FORGOTTEN = 2, 3, 6
MOST_CLOSING_BEATS = 2
PASSIVE = 6
WRAP_UP = 0.8
INTERRUPTIONS = (
    "Somewhere outside, a door bangs shut",
    "The lights flicker once and steady again",
    "A phone begins to ring and nobody reaches for it",
    "Rain starts against the window",
)


def decide(state: SceneState) -> tuple[Event, ...]:
    """What follows a beat. The last event closes the beat, or ends the scene."""
    found = tuple(_circles(state))
    state = state.after(found)
    ending = _ending(state)
    if ending is not None:
        return (*found, ending)
    lines = tuple(_happenings(state))
    return (*found, *lines, *_notes(state), BeatClosed(beat=state.beat))


def ends(events: tuple[Event, ...]) -> bool:
    """Whether a decision ends the scene."""
    return isinstance(events[-1], SceneEnded)


def _circles(state: SceneState) -> Iterator[CirclingFound]:
    """Measured at most every other beat, so that a note has a beat to work."""
    if state.silent_streak or (state.circled and state.beat - state.circled[-1] < 2):
        return
    spoken = [Utterance(line.speaker, line.content) for line in state.lines if line.kind == "line" and line.content]
    measured = circling(spoken)
    if measured.score >= CIRCULAR:
        yield CirclingFound(beat=state.beat, circling=measured)


def _in_circles(state: SceneState) -> int:
    """How often in a row the talk was found going in circles; 0 if not at this beat."""
    if not state.circled or state.circled[-1] != state.beat:
        return 0
    count, last = 0, state.beat
    for beat in reversed(state.circled):
        if last - beat > CIRCLE_FORGOTTEN:
            break
        count, last = count + 1, beat
    return count


def _ending(state: SceneState) -> SceneEnded | None:
    beats, verdict = state.beat + 1, state.verdict
    done = verdict.complete

    def ended(reason: str, *, achieved: bool = done) -> SceneEnded:
        return SceneEnded.model_validate({"goal_achieved": achieved, "reason": reason, "beats": beats})

    if done and (verdict.natural_end or state.closing_beats >= MOST_CLOSING_BEATS or state.silent_streak):
        return ended("goal_achieved")
    if state.failed_streak >= 2:
        return ended("cast_unavailable")
    if state.silent_streak >= STALL_END:
        return ended("stalled")
    if _in_circles(state) >= CIRCLE_END or (done and _in_circles(state)):
        return ended("goal_achieved" if done else "circular")
    if beats >= state.scene.config.max_beats:
        return ended("goal_achieved" if done else "max_beats_exceeded")
    return None


def _happenings(state: SceneState) -> Iterator[LineSpoken]:
    number = len(state.lines)
    here = state.on_stage(state.beat + 1)
    for text in _texts(state):
        number += 1
        line = Line(number=number, beat=state.beat, kind="event", content=text)
        yield LineSpoken(line=happened(line, state.cast, here))


def _texts(state: SceneState) -> Iterator[str]:
    """What happens before the next beat: entrances and exits, what is scheduled, what gets a scene going again."""
    before, after = set(state.on_stage()), set(state.on_stage(state.beat + 1))
    for member in state.cast:
        if member.name in after - before:
            yield f"{member.display_name} enters"
        elif member.name in before - after:
            yield f"{member.display_name} leaves"
    scheduled = [event.text for event in state.scene.config.events if event.beat == state.beat + 1]
    yield from scheduled
    if not scheduled and (state.silent_streak == STALL_EVENT or _in_circles(state) == CIRCLE_EVENT):
        yield INTERRUPTIONS[(state.scene.seed + state.beat) % len(INTERRUPTIONS)]


def _notes(state: SceneState) -> Iterator[NoteGiven]:
    """One note to all at the most, and a private one to whoever has been silent for long."""
    shared = _note(state)
    if shared is not None:
        yield shared
    if state.verdict.complete:
        return
    for name in state.on_stage(state.beat + 1):
        silent = state.of(name).silent
        if silent and silent % PASSIVE == 0:
            shown = state.member(name).display_name
            yield NoteGiven(
                beat=state.beat,
                to=name,
                text=f"You have been holding back. Let {shown} want something out loud, or do something that shows it.",
                reason=f"{silent} silent beats in a row",
            )


def _note(state: SceneState) -> NoteGiven | None:
    def note(text: str, reason: str) -> NoteGiven:
        return NoteGiven(beat=state.beat, text=text, reason=reason)

    if state.verdict.complete:
        return note("Please close the scene by saying your last word on it.", "every sub-goal is met")
    if state.silent_streak >= STALL_NOTE:
        return note("Someone should respond to move the scene forward.", f"{state.silent_streak} silent beats in a row")
    open_goals = unmet(state.goals, state.verdict)
    if _in_circles(state):
        next_goal = f" Still open: {open_goals[0].text}." if open_goals else ""
        return note(f"This has been said already. Say something new, or let it go.{next_goal}", "talk in circles")
    if state.verdict.progress >= WRAP_UP or (len(open_goals) == 1 and len(state.goals) > 1):
        return note(
            f"Scene is nearing natural conclusion. Begin wrapping up. Still open: {open_goals[0].text}.",
            f"{len(state.goals) - len(open_goals)} of {len(state.goals)} sub-goals are met",
        )
    left = state.scene.config.max_beats - state.beat - 1
    if left <= 3:
        return note(f"Only {left} beats are left. Bring the scene to its end.", "the safety limit is near")
    return None
