"""The loop of a scene: cue everybody, gather, write the transcript, judge, decide. Read it top to bottom.

The log decides where to go on, so a scene that was killed in the middle of a beat is played on by the same
function; the answers it had paid for are in the log and are not asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.floor import Round, play_round
from dramaturg.kernel.runs.events import Event
from dramaturg.scenes.agent import CharacterAgent, SceneUpdate
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.judge import SceneJudge
from dramaturg.scenes.line import Line
from dramaturg.scenes.moderator import decide, resolve_beat
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.state import SceneState, scene_state


@dataclass(frozen=True, slots=True)
class Production:
    """A cast that is ready to play, and the director who watches."""

    agents: Mapping[str, CharacterAgent]
    judge: SceneJudge
    timeout: float
    window: int


async def play_scene(run: SceneRun, production: Production) -> SceneState:
    """Play an opened scene from where its log stands to its end."""
    state = scene_state(run.entries)
    while state.ended is None:
        if not state.played:
            answers = await cue_cast(state, production)
            state = await record(run, state, resolve_beat(state, answers))
        verdict = await production.judge.watch(state)
        state = await record(run, state, (*verdict, *decide(state.after(verdict))))
    return state


async def record(run: SceneRun, state: SceneState, events: Iterable[Event]) -> SceneState:
    """Into the log first, in one piece; then into the state."""
    events = tuple(events)
    await run.append(*events)
    return state.after(events)


async def cue_cast(state: SceneState, production: Production) -> Round[CharacterResponse]:
    """The opener alone at beat 0, then the whole cast at once."""
    on_stage = [state.scene.opener] if state.beat == 0 else [member.name for member in state.cast]
    cues = {name: production.agents[name].respond_to(update_for(name, state, production)) for name in on_stage}
    answers = await play_round(cues, timeout=production.timeout)
    if not answers.answers:
        _give_up_if_refused(answers)
    return answers


def update_for(name: str, state: SceneState, production: Production) -> SceneUpdate:
    """What this character is told at this beat."""
    recent = state.lines[-production.window :]
    return SceneUpdate(
        scene_context=state.scene.config.prompt,
        transcript="\n".join(line.rendered() for line in recent),
        last_event=_last(state.lines),
        moderator_note=_note_for(name, state),
        beat=state.beat,
        heard=state.lines,
    )


def _note_for(name: str, state: SceneState) -> str | None:
    if state.beat == 0:
        shown = next(member.display_name for member in state.cast if member.name == name)
        return f"You are {shown}. Begin the scene."
    return state.note or None


def _last(lines: tuple[Line, ...]) -> Line | None:
    return lines[-1] if lines else None


def _give_up_if_refused(answers: Round[CharacterResponse]) -> None:
    """A wrong key or a retired model refuses everybody, and will again: stop, so that it can be mended."""
    if all(isinstance(failure.error, ModelRejected) for failure in answers.failures):
        raise answers.failures[0].error
