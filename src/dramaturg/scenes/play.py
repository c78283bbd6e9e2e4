"""The loop of a scene: cue everybody, gather, write the transcript, judge, decide. Read it top to bottom.

The log determines where to continue, so a scene that was killed in the middle of a beat is resumed by the same
function; answers already paid for are in the log and are not requested again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.floor import Round, play_round
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.values import construct
from dramaturg.scenes.agent import CharacterAgent, SceneUpdate
from dramaturg.scenes.audit import audit
from dramaturg.scenes.events import SceneEvent
from dramaturg.scenes.hearing import told_to
from dramaturg.scenes.judge import JudgeAhead, SceneJudge
from dramaturg.scenes.moderator import decide, ends, offer_of
from dramaturg.scenes.resolve import resolve_beat
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.state import SceneState

ScenePerformance: TypeAlias = Performance[SceneEvent, SceneState]


@dataclass(frozen=True, slots=True)
class Production:
    """A cast ready to play, and its judge; with `lookahead`, a beat is judged while the next one is played.

    `in_parts` is false where the engine decides who speaks, and nobody cuts in unasked: for the rehearsal company and
    for helped models.
    """

    agents: Mapping[str, CharacterAgent]
    judge: SceneJudge
    timeout: float
    window: int
    lookahead: bool = False
    in_parts: bool = True


async def play_scene(performance: ScenePerformance, production: Production) -> None:
    """Play an opened scene to its end, resuming from its log."""
    async with JudgeAhead(production.judge, performance.state, ahead=production.lookahead) as judging:
        while performance.state.ended is None:
            if not performance.state.played:
                answers = await cue_cast(performance.state, production)
                beat = resolve_beat(performance.state, answers, in_parts=production.in_parts)
                performance.put(*beat, *audit(performance.ahead(beat)))
                performance.put(*await production.judge.gloss(performance.state))
            performance.put(*await conclude(performance.state, judging, production.judge))
    await performance.run.flush()


async def conclude(state: SceneState, judging: JudgeAhead, judge: SceneJudge) -> tuple[SceneEvent, ...]:
    """The verdicts known by now, and the decision after a beat. A scene ends only once its last beat is judged."""
    verdicts = await judging.verdicts(state)
    judged = state.after(verdicts)
    decision = decide(judged)
    if judging.busy and ends(decision):
        verdicts = (*verdicts, *await judging.finish())
        judged = state.after(verdicts)
        decision = decide(judged)
    if (idea := await judge.propose(judged)) is not None:
        decision = decide(judged, idea)
    return (*verdicts, *decision)


async def cue_cast(state: SceneState, production: Production) -> Round[CharacterResponse]:
    """The opener alone at beat 0, then everybody on stage at once."""
    cues = {name: production.agents[name].respond_to(update_for(name, state, production)) for name in state.to_cue()}
    answers = await play_round(cues, timeout=production.timeout)
    if answers.failures and not answers.answers:
        _give_up_if_refused(answers)
    return answers


def update_for(name: str, state: SceneState, production: Production) -> SceneUpdate:
    """What this character is told at this beat: only what it could hear."""
    if state.confidential or state.parted:
        heard = told_to(state.member(name).display_name, state.lines, state.parted, state.beat)
        page = tuple(line.rendered() for line in heard[-production.window :])
    else:
        heard, page = state.lines, state.page[-production.window :]
    # Validating every line of a long scene for every character would be measurably slow.
    return construct(
        SceneUpdate,
        {
            "scene_context": state.scene.config.prompt,
            "transcript": "\n".join(page),
            "last_event": heard[-1] if heard else None,
            "moderator_note": note_for(name, state),
            "beat": state.beat,
            "heard": heard,
            "offer": offer_of(state),
            "present": tuple([state.members[other].display_name for other in state.on_stage()]),
            "staged": state.lines,
        },
    )


def note_for(name: str, state: SceneState) -> str | None:
    """What the moderator tells this character at this beat; the opener is told to begin."""
    if state.beat == 0:
        return f"You are {state.member(name).display_name}. Begin the scene."
    return " ".join(state.notes[to] for to in ("", name) if to in state.notes) or None


def _give_up_if_refused(answers: Round[CharacterResponse]) -> None:
    """A wrong key or a retired model rejects every request: stop, so that it can be fixed."""
    if all(isinstance(failure.error, ModelRejected) for failure in answers.failures):
        raise answers.failures[0].error
