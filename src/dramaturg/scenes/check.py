"""What a scene would be played with, before anything is played: cast, models, the split goal, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from pydantic import Field

from dramaturg.characters import Card, load_cast
from dramaturg.characters.fields import CardFields
from dramaturg.kernel.errors import CharacterLoadError
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.agent_modes import PartMode
from dramaturg.scenes.briefing import Briefing, brief_cast
from dramaturg.scenes.director.evidence import QuotableLine, fitting_speakers
from dramaturg.scenes.director.goals import Goal, has_goal, is_lasting, situation
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.verdict import GoalClaim, Judgement, check_judgement
from dramaturg.scenes.events import LoreTold, SceneEvent
from dramaturg.scenes.forecast import AskedModel, PriceForecast, PriceOf, forecast
from dramaturg.scenes.lore import character_lore
from dramaturg.scenes.rehearsal.outline import lines_of, outline_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.script import ScriptMoment
from dramaturg.scenes.stage import playbook
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.templates import scene_template

CompanyPart = Literal["performed", "walked through", "held"]


class CheckedBook(WireValue):
    """A lorebook of a character: its enabled entries, those told throughout, and whether others know it too."""

    name: str
    entries: int
    standing: int
    shared: bool


class CheckedPart(WireValue):
    """A member of the cast: who plays it and how, and how many lines its card has for the rehearsal company.

    `sections` are the headings of its card, `enters` and `leaves` the beats from which it is on stage and off again.
    A person plays it if `otherwise` is set: that is what becomes of the part while nobody does.
    """

    name: str
    display_name: str
    role: str
    model: str
    lines: int
    mode: PartMode
    sections: tuple[str, ...]
    enters: int = 0
    leaves: int | None = None
    lorebooks: tuple[CheckedBook, ...] = ()
    otherwise: Literal["silence", "model"] | None = Field(None, exclude_if=lambda what: what is None)


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
    price: PriceForecast
    briefings: tuple[Briefing, ...]
    remarks: tuple[str, ...]


def check_scene(
    opening: Sequence[SceneEvent],
    cards: Sequence[Card],
    models: Mapping[str, Model],
    settings: Settings,
    price_of: PriceOf,
) -> SceneCheck:
    """The check of a scene from the events it would be opened with; `models` are those of the cast."""
    state = SceneState().after(opening)
    briefings = brief_cast(state, cards, models, settings)
    names = CastNames(tuple(card.display_name for card in cards))
    book = playbook(state, cards, rehearsed=True)
    goals = tuple(_goal(goal, names, book) for goal in state.goals)
    counts = {part.name: len(lines_of(part)) for part in book.cast}
    price = _price(state, briefings, price_of)
    return SceneCheck(
        name=state.scene.config.name,
        cast=tuple(
            CheckedPart(
                name=member.name,
                display_name=member.display_name,
                role=member.role,
                model=member.model,
                lines=counts[member.display_name],
                mode=briefing.mode,
                sections=tuple(section.heading for section in card.sections if section.heading),
                enters=state.scene.sheet(member.name).enters,
                leaves=state.scene.sheet(member.name).leaves,
                lorebooks=tuple(_books(state, member.name)),
                otherwise=_otherwise(state, member.name),
            )
            for member, card, briefing in zip(state.cast, cards, briefings, strict=True)
        ),
        director=state.scene.director,
        goals=goals,
        max_beats=state.scene.config.max_beats,
        price=price,
        briefings=briefings,
        remarks=(
            *_small_budget(state, price),
            *_remarks(state, goals, book),
            *(remark for card in cards for remark in _mistyped_fields(card)),
        ),
    )


def cast_problem(project: Path, characters: Sequence[str]) -> str:
    """Why these characters cannot be played together; empty if they can."""
    try:
        load_cast(project, characters)
    except CharacterLoadError as error:
        return error.message
    return ""


def _price(state: SceneState, briefings: Sequence[Briefing], price_of: PriceOf) -> PriceForecast:
    opened = state.scene
    judge = scene_template("judge").render(scene=situation(opened.config.prompt), goals=opened.goals)
    cast = [
        AskedModel(member.model, part.tokens, certain=unplayed is None)
        for member, part in zip(state.cast, briefings, strict=True)
        if (unplayed := _otherwise(state, member.name)) != "silence"
    ]
    director = AskedModel(opened.director, estimate_tokens(judge))
    return forecast(cast, director, goals=len(state.goals), max_beats=opened.config.max_beats, price_of=price_of)


def _otherwise(state: SceneState, character: str) -> Literal["silence", "model"] | None:
    """What becomes of a person's part while nobody plays it; None for a model's part."""
    sheet = state.scene.sheet(character)
    return sheet.otherwise if sheet.by_person else None


def _mistyped_fields(card: Card) -> Iterator[str]:
    """Fields of a card that nothing reads and that look like one that is read."""
    known = [name for name in CardFields.model_fields if name != "extra"]
    for field in card.extra:
        if near := get_close_matches(field.casefold(), known, n=1, cutoff=0.75):
            yield f"The card of {card.name} has a field '{field}', which nothing reads. Did you mean '{near[0]}'?"


def _books(state: SceneState, character: str) -> Iterator[CheckedBook]:
    lore = character_lore(state, character, 0, 0)
    if lore is None or state.books is None:
        return
    told = state.standing[character].told if character in state.standing else ()
    for shelved, book in zip(state.books.of(character), lore.books, strict=True):
        yield CheckedBook(
            name=book.name,
            entries=sum(entry.enabled for entry in book.entries),
            standing=sum(one.book == book.name for one in told),
            shared=len(shelved.readers) > 1,
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
    yield from _too_late(state)
    for moment in book.script:
        yield from _unfit_lines(state, moment, book)
    for standing in state.standing.values():
        yield from _cut_lore(state.member(standing.character).display_name, standing)
    walked = [str(goal.id) for goal in goals if goal.company == "walked through"]
    if walked and is_stand_in(state.scene.director):
        which = f"sub-goal {walked[0]}" if len(walked) == 1 else f"sub-goals {', '.join(walked)}"
        yield (
            f"The rehearsal company has no lines for {which} and will walk through; write some under 'lines:' or in "
            "the cards, or let a language model play with --model NAME."
        )


def _small_budget(state: SceneState, price: PriceForecast) -> Iterator[str]:
    """A budget that would stop even a brisk scene."""
    budget = state.scene.config.budget
    if budget is None:
        return
    if budget.tokens is not None and budget.tokens < price.low_tokens:
        yield f"The scene's budget of {budget.tokens:,} tokens stops it: it needs at least about {price.low_tokens:,}."
    if budget.usd is not None and price.low_usd is not None and budget.usd < price.low_usd:
        yield f"The scene's budget of ${budget.usd:g} stops it: it needs at least about ${price.low_usd:.2g}."


def _too_late(state: SceneState) -> Iterator[str]:
    """What is to happen, and who is to enter, when the scene is over at the latest."""
    config = state.scene.config
    over = f"the last beat is {config.max_beats - 1} (maxBeats: {config.max_beats})"
    for event in config.events:
        if event.beat >= config.max_beats:
            yield f"What is to happen at beat {event.beat} never does, because {over}: {event.text}"
    for member in state.cast:
        if (enters := state.scene.sheet(member.name).enters) >= config.max_beats:
            yield f"{member.display_name} is to enter at beat {enters} and never does, because {over}."


def _cut_lore(name: str, standing: LoreTold) -> Iterator[str]:
    """What of the lore that always holds does not fit."""
    cut = [f"'{one.label}' ({one.cut_from} tokens)" for one in standing.told if one.cut_from]
    left = [f"'{one.label}'" for one in standing.untold]
    if cut:
        yield f"Lore of {name} is cut to fit {standing.budget} tokens: {', '.join(cut)}. Shorten it or set lore_tokens."
    if left:
        yield f"Lore of {name} is left out: {', '.join(left)} do not fit {standing.budget} tokens."


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
