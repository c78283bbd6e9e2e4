"""The transcript as people read it: header, lines, end line, statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from dramaturg.kernel.clock import moment
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.director.goals import goal_text
from dramaturg.scenes.events import CastMember, SceneEndReason
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.state import SceneState

if TYPE_CHECKING:
    from dramaturg.scenes.wire import SceneCosts, SceneMetadata
    from dramaturg.scenes.word_share import WordCount

_END: dict[SceneEndReason, str] = {
    "goal_achieved": "Goal: Achieved",
    "walked_through": "Goal: Walked through",
    "max_beats_exceeded": "Maximum length reached",
    "stalled": "Goal: Not achieved, nobody had anything left to say",
    "circular": "Goal: Not achieved, the talk went in circles",
    "cast_unavailable": "Goal: Not achieved, the cast could not answer",
    "rewritten": "Goal: Not achieved, a line that met it was rewritten",
    "ended_by_author": "Goal: Not achieved, ended by the author",
}


def render_transcript(entries: Sequence[Entry[Event]], state: SceneState, metadata: SceneMetadata) -> str:
    """The same events give the same bytes."""
    parts = [
        *_header(entries, state, metadata),
        "---",
        *scene_body(state),
        end_line(state, metadata.reason),
        *filter(None, [closing_note(state)]),
        "---",
        statistics(metadata.total_beats, metadata.duration, metadata.costs),
    ]
    return "\n\n".join(parts) + "\n"


def end_line(state: SceneState, reason: str | None) -> str:
    if state.ended is None:
        return f"[SCENE STOPPED - {reason or 'unfinished'}]"
    text = "Goal: Achieved" if state.ended.goal_achieved else _END[state.ended.reason]
    if count := state.ended.unscored:
        text += f", {count} of {counted(state.ended.beats, 'beat')} unscored"
    return f"[SCENE END - {text}]"


WALKED_THROUGH = (
    "The rehearsal company has no words for what was only walked through; a language model would act it and be judged "
    "by its own words: 'dramaturg models' lists those that can play here, and --model NAME chooses one."
)


UNJUDGED = (
    "No language model judged this scene, so nobody can say whether its goal was reached: [models] director names one, "
    "which should be larger than a model that has to be helped."
)


def closing_note(state: SceneState) -> str:
    """What a reader should know about the end of a scene besides its end line; empty for most."""
    if state.ended is None or state.ended.reason != "walked_through":
        return ""
    rehearsed = state.opened is None or any(is_stand_in(member.model) for member in state.cast)
    return WALKED_THROUGH if rehearsed else UNJUDGED


def played_by(state: SceneState) -> str:
    """Who plays, in one line; the rehearsal company says what it is."""
    people = [member for member in state.cast if member.display_name in state.people]
    models = {member.display_name: member.model for member in state.cast if member not in people}
    if not people:
        return _models(models, state)
    by_hand = "; ".join(f"{member.display_name}: {_person(member, state)}" for member in people)
    return f"{by_hand}; the others: {_models(models, state)}" if models else by_hand


def _models(models: Mapping[str, str], state: SceneState) -> str:
    names = list(dict.fromkeys(models.values()))
    if len(names) == 1 and is_stand_in(names[0]):
        return f"the rehearsal company, seed {state.scene.seed} (scripted players, not a language model)"
    shown = (f"{name}: {_model(model)}" for name, model in models.items())
    return _model(names[0]) if len(names) == 1 else "; ".join(shown)


def _person(member: CastMember, state: SceneState) -> str:
    understudied = state.scene.sheet(member.name).otherwise == "model"
    return f"a person, or {_model(member.model)}" if understudied else "a person"


def _model(name: str) -> str:
    return "the rehearsal company" if is_stand_in(name) else name


def words_by(state: SceneState, words: WordCount) -> str:
    """Whose the words are, for a scene in which models play; empty where none does, or nothing was said."""
    if not words.spoken or all(is_stand_in(member.model) for member in state.cast):
        return ""
    return f"{words.percent} by the model{'s' if len({member.model for member in state.cast}) > 1 else ''}"


def _header(entries: Sequence[Entry[Event]], state: SceneState, metadata: SceneMetadata) -> list[str]:
    config = state.scene.config
    at = moment(entries[0].at).astimezone() if entries else datetime.now().astimezone()
    rows = [
        f"SCENE: {config.title}",
        f"CHARACTERS: {', '.join(member.display_name for member in state.cast)}",
        f"GOAL: {goal_of(config)}",
        f"GENERATED: {at:%Y-%m-%d %H:%M:%S}",
        f"PLAYED BY: {played_by(state)}",
    ]
    if shown := words_by(state, metadata.words):
        rows.append(f"WORDS: {shown}")
    if state.forked is not None:
        rows.append(f"FORKED FROM: run {state.forked.parent}, after beat {state.forked.beat}")
    if count := state.steering.followed:
        first = f"; the goal at first: {state.steering.first_goal}" if state.steering.first_goal else ""
        rows.append(f"STEERED: {count} direction{'s' * (count > 1)} of the author{first}")
    return ["\n".join(rows)]


def scene_body(state: SceneState) -> list[str]:
    """The scene itself, from its start and its setting to its last line."""
    start = "[SCENE START]"
    if state.scene.config.setting:
        start += f"\n[Setting: {state.scene.config.setting}]"
    return [start, *(line.rendered() for line in state.lines)]


def statistics(beats: int, duration: int, costs: SceneCosts, *rows: str) -> str:
    """The last paragraph of a transcript: `rows`, the length in beats and milliseconds, the costs."""
    tokens = f"~{costs.total_tokens:,}" if costs.total_tokens else "0"
    money = "unknown" if costs.estimated_usd is None else f"${costs.estimated_usd:.2f} USD"
    return "\n".join(
        (
            "STATISTICS:",
            *rows,
            f"- Duration: {counted(beats, 'beat')}",
            f"- Processing time: {duration / 1000:.1f}s",
            f"- Total tokens: {tokens}",
            f"- Estimated cost: {money}",
        )
    )


def goal_of(config: SceneConfig) -> str:
    """The goal of a scene in one line, wherever its author wrote it."""
    return goal_text(config.prompt, config.goal)
