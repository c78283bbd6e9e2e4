"""The moderator decides what follows a beat: an end, something that happens, a note. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.text.tension import TonedLine, pace_change, target_curve, tension_curve
from dramaturg.scenes.audit import manner_of
from dramaturg.scenes.director.circles import CIRCULAR, circle_score
from dramaturg.scenes.director.drift import correction
from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import is_lasting
from dramaturg.scenes.director.happenings import may_happen, propose_event
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.presence import (
    last_word_note,
    off_track,
    off_track_note,
    passive,
    passive_note,
    without_last_word,
)
from dramaturg.scenes.director.verdict import unmet
from dramaturg.scenes.events import (
    NO_CAST,
    BeatClosed,
    CirclingFound,
    LineSpoken,
    NoteGiven,
    SceneEnded,
    SceneEndReason,
    SceneEvent,
)
from dramaturg.scenes.hearing import happened
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.templates import note_text
from dramaturg.scenes.turns import GoalOffer, goal_offer

STALL_NOTE, STALL_EVENT, STALL_END = 3, 4, 5
CIRCLE_EVENT, CIRCLE_END, CIRCLE_FORGOTTEN = 2, 3, 6
MEMORY_FOR_CIRCLES = 24
MOST_EVENTS = 3
MOST_CLOSING_BEATS = 2
DRIFTED_LINES = 2
WRAP_UP = 0.8
USUAL_LENGTH = 15


def decide(state: SceneState, proposal: str | None = None) -> tuple[SceneEvent, ...]:
    """What follows a beat. The last event closes the beat, or ends the scene.

    `proposal` is a model's idea of what might happen; it is used only where something should.
    """
    found = tuple(_circles(state))
    state = state.after(found)
    ending = _ending(state)
    if ending is not None:
        return (*found, ending)
    return (*found, *_happenings(state, proposal), *_notes(state), BeatClosed(beat=state.beat))


def end_again(state: SceneState) -> SceneEnded | None:
    """The end of a scene that was revised after it had ended, if it is another one now."""
    was = state.ended
    if was is None:
        return None
    achieved = state.verdict.complete or _kept(state, _BY_THEMSELVES[0])
    by_goal = was.reason in ("goal_achieved", "rewritten")
    reason = was.reason if not achieved and not by_goal else "goal_achieved" if achieved else "rewritten"
    found = {"goal_achieved": achieved, "reason": reason, "beats": was.beats, "unscored": len(state.unscored)}
    ended = SceneEnded.model_validate(found)
    return None if ended == was else ended


def ended_between(state: SceneState) -> SceneEnded:
    """The end that an author puts to a scene before its next beat."""
    done = state.verdict.complete
    reason: SceneEndReason = "goal_achieved" if done else "ended_by_author"
    return SceneEnded(goal_achieved=done, reason=reason, beats=state.beat, unscored=len(state.unscored))


def ends(events: tuple[SceneEvent, ...]) -> bool:
    """Whether a decision ends the scene."""
    return isinstance(events[-1], SceneEnded)


def offer_of(state: SceneState) -> GoalOffer | None:
    """The sub-goal that helped models may be offered at this beat."""
    judged = not is_stand_in(state.scene.director)
    goals = unmet(state.goals, state.verdict) if judged else state.goals
    cast = CastNames(tuple(member.display_name for member in state.cast))
    return goal_offer(goals, state.lines, cast, judged=judged)


def wants_event(state: SceneState) -> bool:
    """Whether something should happen now: the scene stalls, goes in circles, or has not moved for long."""
    if any(event.beat == state.beat + 1 for event in state.scene.config.events):
        return False
    if state.silent_streak == STALL_EVENT or _in_circles(state) == CIRCLE_EVENT:
        return True
    if not off_track(state.progress) or _is_rehearsed(state):
        return False
    since = [state.beat - line.beat for line in state.lines if line.kind == "event"]
    if len(since) >= MOST_EVENTS:
        return False
    return may_happen(since[-1] if since else None, state.beat)


def _circles(state: SceneState) -> Iterator[CirclingFound]:
    """Measured every other beat, so that a note has a beat to work."""
    if state.silent_streak or state.beat % 2 == 0 or state.beat in state.circled:
        return
    recent = [line for line in state.lines[-MEMORY_FOR_CIRCLES:] if line.kind == "line" and line.content]
    if not _rings_a_bell([line.content for line in recent]):
        return
    measured = circle_score([QuotableLine(line.speaker, line.content) for line in recent])
    if measured.score >= CIRCULAR:
        yield CirclingFound(beat=state.beat, circling=measured)


def _rings_a_bell(said: list[str]) -> bool:
    """Whether it is worth measuring: the last lines are very short, or share many words with an earlier one."""
    words = [_words(text) for text in said]
    for place in range(max(0, len(words) - 4), len(words)):
        last, before = words[place], words[:place]
        if len(last) <= 5 or any(_alike(last, other) for other in before):
            return True
    return False


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared > 0.3 * (len(one) + len(other) - shared)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


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

    def ended(reason: str) -> SceneEnded:
        achieved = done or _kept(state, reason)
        why = "goal_achieved" if achieved and reason in _BY_THEMSELVES else reason
        if why in _UNREACHED and is_stand_in(state.scene.director) and not _is_rehearsed(state):
            why = "walked_through"
        found = {"goal_achieved": achieved, "reason": why, "beats": beats, "unscored": len(state.unscored)}
        return SceneEnded.model_validate(found)

    if state.steering.ending:
        return ended("goal_achieved" if done else "ended_by_author")
    if done and (verdict.natural_end or state.closing_beats >= MOST_CLOSING_BEATS or state.silent_streak):
        return ended("goal_achieved")
    if state.failed_streak >= 2:
        return ended(NO_CAST)
    if not done and _is_walked_through(state):
        return ended("walked_through")
    if state.silent_streak >= STALL_END or (verdict.natural_end and _nothing_to_do(state)):
        return ended("stalled")
    if _in_circles(state) >= CIRCLE_END or (done and _in_circles(state)):
        return ended("goal_achieved" if done else "circular")
    if beats >= state.scene.config.max_beats:
        return ended("goal_achieved" if done else "max_beats_exceeded")
    return None


def _is_walked_through(state: SceneState) -> bool:
    """Whether the rehearsal company is through with a scene whose goal its words do not reach.

    Its own judge sees that nothing is left to play; for another judge it has to have fallen silent.
    """
    if is_stand_in(state.scene.director):
        return state.verdict.natural_end
    if _kept(state, "stalled"):
        return False
    everybody = set(state.on_stage()) == set(state.members)
    return _is_rehearsed(state) and state.silent_streak >= 2 and everybody


def _is_rehearsed(state: SceneState) -> bool:
    """Whether the rehearsal company plays all parts: it keeps to its plan, whatever happens around it."""
    return all(is_stand_in(member.model) for member in state.cast)


_BY_THEMSELVES = ("stalled", "max_beats_exceeded")
"""Ends that a scene comes to when nothing goes wrong."""
_UNREACHED = ("stalled", "circular")
"""Ends that say the goal was not reached; of what models play, the rehearsal company cannot tell."""


def _nothing_to_do(state: SceneState) -> bool:
    """Whether all that is left of the goal is what must not happen, or has happened already."""
    met = {evidence.goal for evidence in state.verdict.met}
    return all(is_lasting(goal) or goal.id in met for goal in state.goals)


def _kept(state: SceneState, reason: str) -> bool:
    """Whether the scene came to an end, and all it had to reach is that something did not happen."""
    lasting = {goal.id for goal in state.goals if is_lasting(goal)}
    return reason in _BY_THEMSELVES and _nothing_to_do(state) and lasting == set(state.verdict.held) and bool(lasting)


def _happenings(state: SceneState, proposal: str | None) -> Iterator[LineSpoken]:
    number = state.last_number
    here = state.on_stage(state.beat + 1)
    for text in _texts(state, proposal):
        number += 1
        line = Line(number=number, beat=state.beat, kind="event", content=text)
        yield LineSpoken(line=happened(line, state.cast, here))


def _texts(state: SceneState, proposal: str | None) -> Iterator[str]:
    """What happens before the next beat: entrances and exits, what is scheduled, what gets a scene going again."""
    before, after = set(state.on_stage()), set(state.on_stage(state.beat + 1))
    for member in state.cast:
        if state.steering.is_moved(member.name, state.beat + 1):
            continue  # the author has said how
        if member.name in after - before:
            yield f"{member.display_name} enters"
        elif member.name in before - after:
            yield f"{member.display_name} leaves"
    yield from (event.text for event in state.scene.config.events if event.beat == state.beat + 1)
    if wants_event(state):
        yield proposal or _by_rule(state)


def _by_rule(state: SceneState) -> str:
    config = state.scene.config
    used = [line.content for line in state.lines if line.kind == "event"]
    cast = [state.member(name).display_name for name in state.on_stage()]
    seed, goal = state.scene.seed, config.goal or ""
    return propose_event(config.setting or "", config.prompt, cast, used, seed, state.beat, goal)


def _notes(state: SceneState) -> Iterator[NoteGiven]:
    """At most one note to all, and at most one to each character alone."""
    shared = _note(state)
    if shared is not None:
        yield shared
    names = {state.member(name).display_name: name for name in state.on_stage(state.beat + 1)}
    if state.verdict.complete:
        for shown in _speechless(state, list(names)):
            yield _private(state, names[shown], last_word_note(shown), "no last word since the goal was met")
        return
    for name in names.values():
        if (note := _correction(state, name)) is not None:
            yield note
    silent = {shown: state.of(name).silent for shown, name in names.items()}
    for shown in passive(silent, state.beat + 1):
        yield _private(state, names[shown], passive_note(shown, silent[shown]), f"{silent[shown]} silent beats")


def _private(state: SceneState, name: str, text: str, reason: str) -> NoteGiven:
    return NoteGiven(beat=state.beat, to=name, text=text, reason=reason)


def _speechless(state: SceneState, shown: list[str]) -> tuple[str, ...]:
    since = state.met_at if state.met_at is not None else state.beat
    said = [
        QuotableLine(line.speaker, line.content) for line in state.lines if line.kind == "line" and line.beat >= since
    ]
    return without_last_word(shown, said)


def _correction(state: SceneState, name: str) -> NoteGiven | None:
    """One corrective note in a scene, to a character whose last lines were not in its manner."""
    weighed = state.drifts_of(name, last=DRIFTED_LINES)
    if name in state.corrected or len(weighed) < DRIFTED_LINES or not all(drift.drifted for drift in weighed):
        return None
    text = correction(manner_of(name, state), weighed[-1])
    reasons = "; ".join(f"{departure.trait}: {departure.evidence}" for departure in weighed[-1].reasons)
    note = NoteGiven(beat=state.beat, to=name, text=text, reason=f"drift {weighed[-1].score:.2f} ({reasons})")
    return note.model_copy(update={"kind": "correction"}) if text else None


def _note(state: SceneState) -> NoteGiven | None:
    def note(text: str, reason: str) -> NoteGiven:
        return NoteGiven(beat=state.beat, text=text, reason=reason)

    if state.verdict.complete:
        return note(note_text("close"), "every sub-goal is met")
    if state.silent_streak >= STALL_NOTE:
        return note(note_text("respond"), f"{state.silent_streak} silent beats in a row")
    open_goals = unmet(state.goals, state.verdict)
    if _in_circles(state):
        return note(note_text("circles", goal=open_goals[0].text if open_goals else ""), "talk in circles")
    if state.verdict.progress >= WRAP_UP or (len(open_goals) == 1 and len(state.goals) > 1):
        return note(
            note_text("wrap_up", goal=open_goals[0].text),
            f"{len(state.goals) - len(open_goals)} of {len(state.goals)} sub-goals are met",
        )
    left = state.scene.config.max_beats - state.beat - 1
    if left <= 3:
        return note(note_text("hurry", beats=left), "the safety limit is near")
    if open_goals and off_track(state.progress):
        return note(off_track_note(open_goals[0].text), "no sub-goal has come closer for long")
    return _pace(state)


def _pace(state: SceneState) -> NoteGiven | None:
    """A note on the tension, if it has been too low or too high for several beats."""
    expected = min(USUAL_LENGTH, state.scene.config.max_beats)
    if state.beat >= expected:
        return None
    spoken = [line for line in state.lines if line.kind == "line"]
    toned = [TonedLine(line.beat, line.content, line.tone, line.action == "interrupt") for line in spoken]
    change = pace_change(tension_curve(toned), target_curve(expected))
    if change is None:
        return None
    return NoteGiven(beat=state.beat, text=note_text(change), reason="the tension is not where it should be")
