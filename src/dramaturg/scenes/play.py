"""The loop of a scene: cue everybody, gather, write the transcript, judge, decide. Read it top to bottom.

The log determines where to continue, so a scene that was killed in the middle of a beat is resumed by the same
function; answers already paid for are in the log and are not requested again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.floor import Round, play_round
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.values import construct
from dramaturg.scenes.agent import CharacterAgent, SceneUpdate
from dramaturg.scenes.audit import audit
from dramaturg.scenes.author.inbox import Directions, is_under_way, restages
from dramaturg.scenes.events import BeatClosed, LoreTold, SceneEvent
from dramaturg.scenes.hearing import told_to
from dramaturg.scenes.judge import JudgeAhead, SceneJudge
from dramaturg.scenes.moderator import decide, ended_between, ends, offer_of
from dramaturg.scenes.resolve import resolve_beat
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.state import SceneState

ScenePerformance: TypeAlias = Performance[SceneEvent, SceneState]


@dataclass(frozen=True, slots=True)
class Production:
    """A cast ready to play, and its judge; with `lookahead`, a beat is judged while the next one is played.

    `in_parts` is false where the engine decides who speaks, and nobody cuts in unasked: for the rehearsal company and
    for helped models. `directions` are what the author asks of the scene while it is played, and `restage` sets it
    up anew from its log. `understudied` are the parts of people that a model plays at the moment.
    """

    agents: Mapping[str, CharacterAgent]
    judge: SceneJudge
    timeout: float
    window: int
    lookahead: bool = False
    in_parts: bool = True
    directions: Directions = field(default_factory=Directions)
    restage: Callable[[], Production] | None = None
    understudied: frozenset[str] = frozenset()

    def restaged(self) -> Production:
        """The production as the log says it is now; as it was where nobody can tell."""
        return self.restage() if self.restage is not None else self


async def play_scene(performance: ScenePerformance, production: Production) -> None:
    """Play an opened scene to its end, resuming from its log."""
    directed = performance.state.played or not is_under_way(performance.run)
    urgent = await production.directions.urgent(performance.state)
    production = await directed_by(performance, production, None, urgent)
    async with JudgeAhead(production.judge, performance.state, ahead=production.lookahead) as judging:
        while performance.state.ended is None:
            if not performance.state.played:
                if directed:
                    production = await directions_before(performance, production, judging)
                if performance.state.steering.ending:
                    performance.put(*await judging.finish())
                    performance.put(ended_between(performance.state))
                    break
                directed = True
                production = await recast(performance, production, judging)
                answers = await cue_cast(performance.state, production)
                take_in_lore(performance)
                beat = resolve_beat(performance.state, answers, in_parts=production.in_parts)
                performance.put(*beat, *audit(performance.ahead(beat)))
                performance.put(*await production.judge.gloss(performance.state))
            production = await directed_by(
                performance, production, judging, await production.directions.taken(performance.state)
            )
            outcome = await conclude(performance.state, judging, production)
            production = await directed_by(performance, production, judging, outcome)
    await performance.run.flush()


async def directions_before(performance: ScenePerformance, production: Production, judging: JudgeAhead) -> Production:
    """Follow the author's directions before a beat; a scene that is told to wait waits here."""
    taken = await production.directions.taken(performance.state)
    production = await directed_by(performance, production, judging, taken)
    while performance.state.steering.waiting:
        await performance.run.flush()
        taken = await production.directions.awaited(performance.state)
        production = await directed_by(performance, production, judging, taken)
    return production


async def recast(performance: ScenePerformance, production: Production, judging: JudgeAhead) -> Production:
    """Set the production up anew where a model plays for a person from now on, or no longer: plans change with it."""
    if production.understudied == performance.state.understudied:
        return production
    performance.put(*await judging.finish())
    production = production.restaged()
    judging.use(production.judge)
    return production


async def directed_by(
    performance: ScenePerformance, production: Production, judging: JudgeAhead | None, events: tuple[SceneEvent, ...]
) -> Production:
    """Put events into the log, and set the production up anew where they change goal, length or budget."""
    if not restages(events):
        performance.put(*events)
        return production
    if judging is not None:
        performance.put(*await judging.finish())  # by the goal it was asked about
    performance.put(*events)
    await performance.run.flush()
    production = production.restaged()
    if judging is not None:
        judging.use(production.judge)
    return production


def take_in_lore(performance: ScenePerformance) -> None:
    """Agents log the lore they are told themselves; the state learns of it here, before the beat is audited."""
    if performance.state.books is None:
        return
    told: list[LoreTold] = []
    for entry in reversed(performance.run.entries):
        if isinstance(entry.event, BeatClosed):
            break
        if isinstance(entry.event, LoreTold) and not entry.event.standing:
            told.append(entry.event)
    performance.state = performance.state.after(reversed(told))


async def conclude(state: SceneState, judging: JudgeAhead, production: Production) -> tuple[SceneEvent, ...]:
    """The verdicts known by now, and the decision after a beat. A scene ends only once its last beat is judged.

    Before it ends, the author is heard once more: there may be more beats, or another goal.
    """
    known: tuple[SceneEvent, ...] = await judging.verdicts(state)
    judged = state.after(known)
    decision = decide(judged)
    if judging.busy and ends(decision):
        known = (*known, *await judging.finish())
        judged = state.after(known)
        decision = decide(judged)
    if ends(decision) and (late := await production.directions.taken(judged, closely=True)):
        known = (*known, *late)
        judged = state.after(known)
        decision = decide(judged)
    if (idea := await production.judge.propose(judged)) is not None:
        decision = decide(judged, idea)
    return (*known, *decision)


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
            "muted": tuple([state.members[other].display_name for other in state.unasked()]),
            "staged": state.lines,
            "lore": (),
        },
    )


def note_for(name: str, state: SceneState) -> str | None:
    """What the moderator tells this character at this beat; the opener is told to begin."""
    by_author = state.steering.notes.get(name, "")
    if state.beat == 0:
        return f"You are {state.member(name).display_name}. Begin the scene. {by_author}".rstrip()
    return " ".join(filter(None, [by_author, *(state.notes.get(to, "") for to in ("", name))])) or None


def _give_up_if_refused(answers: Round[CharacterResponse]) -> None:
    """A wrong key or a retired model rejects every request: stop, so that it can be fixed."""
    if all(isinstance(failure.error, ModelRejected) for failure in answers.failures):
        raise answers.failures[0].error
