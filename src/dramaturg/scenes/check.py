"""What a scene would be played with, before anything is played: cast, models, the split goal, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from dramaturg.characters import Card
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.director.evidence import QuotableLine, fitting_speakers
from dramaturg.scenes.director.goals import Goal, has_goal, is_lasting
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.verdict import GoalClaim, Judgement, check_judgement
from dramaturg.scenes.events import SceneEvent
from dramaturg.scenes.rehearsal.outline import lines_of, outline_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.script import ScriptMoment
from dramaturg.scenes.stage import playbook
from dramaturg.scenes.state import SceneState

CompanyPart = Literal["performed", "walked through", "held"]


class CheckedPart(WireValue):
    """A member of the cast: who plays it, and how many lines its card has for the rehearsal company."""

    name: str
    display_name: str
    role: str
    model: str
    lines: int


class CheckedGoal(WireValue):
    """A sub-goal: whose words can show it, whether it is judged at the end only, and what the company does with it."""

    id: int
    text: str
    shown_by: tuple[str, ...]
    at_the_end: bool
    company: CompanyPart


class SceneCheck(WireValue):
    """A scene before it is played. `remarks` say what is missing or will not work as written."""

    name: str
    cast: tuple[CheckedPart, ...]
    director: str
    goals: tuple[CheckedGoal, ...]
    max_beats: int
    remarks: tuple[str, ...]


def check_scene(opening: Sequence[SceneEvent], cards: Sequence[Card]) -> SceneCheck:
    """The check of a scene from the events it would be opened with."""
    state = SceneState().after(opening)
    names = CastNames(tuple(card.display_name for card in cards))
    book = playbook(state, cards, rehearsed=True)
    goals = tuple(_goal(goal, names, book) for goal in state.goals)
    counts = {part.name: len(lines_of(part)) for part in book.cast}
    return SceneCheck(
        name=state.scene.config.name,
        cast=tuple(
            CheckedPart(
                name=member.name,
                display_name=member.display_name,
                role=member.role,
                model=member.model,
                lines=counts[member.display_name],
            )
            for member in state.cast
        ),
        director=state.scene.director,
        goals=goals,
        max_beats=state.scene.config.max_beats,
        remarks=tuple(_remarks(state, goals, book)),
    )


def _goal(goal: Goal, names: CastNames, book: Playbook) -> CheckedGoal:
    deed = any(step.deed and step.goal == goal.id for step in outline_of(book))
    lasting = is_lasting(goal)
    company: CompanyPart = "performed" if deed else "held" if lasting else "walked through"
    shown_by = () if lasting else fitting_speakers(goal, names)
    return CheckedGoal(id=goal.id, text=goal.text, shown_by=shown_by, at_the_end=lasting, company=company)


def _remarks(state: SceneState, goals: Sequence[CheckedGoal], book: Playbook) -> Iterator[str]:
    config = state.scene.config
    if not has_goal(config.prompt, config.goal):
        yield "There is no 'goal:' and no 'Scene goal:' in the prompt, so the whole prompt is taken as the goal."
    for moment in book.script:
        yield from _unfit_lines(state, moment, book)
    walked = [str(goal.id) for goal in goals if goal.company == "walked through"]
    if walked and is_stand_in(state.scene.director):
        which = f"sub-goal {walked[0]}" if len(walked) == 1 else f"sub-goals {', '.join(walked)}"
        yield (
            f"The rehearsal company has no lines for {which} and will walk through; write some under 'lines:' or in "
            "the cards, or let a language model play with --model NAME."
        )


def _unfit_lines(state: SceneState, moment: ScriptMoment, book: Playbook) -> Iterator[str]:
    """Lines meant to reach a sub-goal that would not count as evidence for it."""
    for take in moment.takes if moment.goal else ():
        spoken = [line for line in take if line.response.content]
        if not spoken or moment.goal is None or take[-1].key:
            continue
        line = QuotableLine(spoken[-1].speaker, spoken[-1].response.content, 1)
        claim = GoalClaim(id=moment.goal, met=True, quote=line.text, speaker=line.speaker)
        found = check_judgement(Judgement(goals=(claim,)), state.goals, [line], cast=book.names)
        for refused in found.refused:
            yield f'The line "{line.text}" does not reach sub-goal {moment.goal}: {refused.reason}.'
