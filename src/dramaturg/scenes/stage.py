"""Setting a scene up: cards and models in, an opened run and a production out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dramaturg.kernel.characters import Card, parse_card
from dramaturg.kernel.director import Goal, goal_text, situation, split_goal
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.rehearsal.cues import Part, Playbook
from dramaturg.kernel.prompts import Layer, Prompt, Template, assemble, load_template
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.agent import DirectCharacterAgent, Role, thread_of
from dramaturg.scenes.events import CardRead, CastMember, SceneOpened, SceneRun, SheetRead
from dramaturg.scenes.hearing import ENGLISH, is_english
from dramaturg.scenes.judge import SceneJudge
from dramaturg.scenes.play import Production
from dramaturg.scenes.scene import PartSheet, SceneConfig
from dramaturg.scenes.state import SceneState, scene_state

OpenModel = Callable[[str, str], Model]
TURN_RESERVE = 600
REHEARSAL = "rehearsal"


@dataclass(frozen=True, slots=True)
class Casting:
    """Which model plays each character, and which one judges."""

    characters: Mapping[str, str]
    director: str


def open_scene(
    config: SceneConfig, cards: Sequence[Card], casting: Casting, *, seed: int, folder: str
) -> tuple[Event, ...]:
    """The first events of a scene's run: what is played, and the cards as they are now."""
    cast = tuple(
        CastMember(
            name=card.name,
            display_name=card.display_name,
            role=card.role,
            model=casting.characters[card.name],
            tempo=card.tempo,
            languages=card.languages or (config.language or ENGLISH,),
        )
        for card in cards
    )
    names = {name.casefold(): card.name for name, card in zip(config.characters, cards, strict=True)}
    sheets = {card.name: config.sheet(name) for name, card in zip(config.characters, cards, strict=True)}
    opened = SceneOpened(
        config=config.public(),
        cast=cast,
        sheets={name: sheet.model_copy(update={"note": "", "secrets": ()}) for name, sheet in sheets.items()},
        opener=names[config.opener.casefold()],
        goals=split_goal(goal_text(config.prompt, config.goal), [card.display_name for card in cards]),
        director=casting.director,
        seed=seed,
        folder=folder,
    )
    told = (SheetRead(character=name, sheet=sheet) for name, sheet in sheets.items() if sheet.note or sheet.secrets)
    return (opened, *(CardRead(character=card.name, raw=card.raw) for card in cards), *told)


def stage_scene(run: SceneRun, settings: Settings, open_model: OpenModel) -> Production:
    """The production for an opened run; for one that was broken off, with its threads as they were.

    `open_model(name, who)` gives the model that records into this run.
    """
    state = scene_state(run.entries)
    opened = state.scene
    cards = [parse_card(member.name, state.cards[member.name]) for member in opened.cast]
    book = playbook(opened, cards)

    async def log(event: Event) -> None:
        await run.append(event)

    agents = {
        member.name: _agent(run, card, opened, book, settings, open_model(member.model, member.name), log)
        for member, card in zip(opened.cast, cards, strict=True)
    }
    judge = SceneJudge(
        model=open_model(opened.director, "director"),
        system=_template("judge").render(scene=situation(opened.config.prompt), goals=opened.goals),
        question=_template("verdict"),
        playbook=book,
    )
    return Production(
        agents,
        judge,
        timeout=settings.scenes.timeout,
        window=settings.scenes.window,
        # Nobody waits for the company's verdict, so there is nothing to gain by asking ahead.
        lookahead=opened.config.lookahead and opened.director != REHEARSAL,
    )


def playbook(opened: SceneOpened, cards: Sequence[Card]) -> Playbook:
    """The scene as the rehearsal company reads it."""
    shown = {member.name: member.display_name for member in opened.cast}
    return Playbook(
        name=opened.config.name,
        prompt=opened.config.prompt,
        goals=tuple(goal.text for goal in opened.goals),
        cast=tuple(
            Part(
                name=card.display_name,
                role=card.role,
                sections=tuple((section.heading, section.lines) for section in card.sections),
                tempo=card.tempo,
            )
            for card in cards
        ),
        opener=shown[opened.opener],
        setting=opened.config.setting or "",
        seed=opened.seed,
        max_beats=opened.config.max_beats,
    )


def _agent(
    run: SceneRun,
    card: Card,
    opened: SceneOpened,
    book: Playbook,
    settings: Settings,
    model: Model,
    log: Callable[[Event], Awaitable[None]],
) -> DirectCharacterAgent:
    role = Role(
        name=card.name,
        display_name=card.display_name,
        system=character_prompt(card, scene_state(run.entries), model, settings),
        turn=_template("turn"),
        playbook=book,
        window=settings.scenes.window,
        max_tokens=settings.models.max_tokens,
        temperature=settings.models.temperature,
    )
    return DirectCharacterAgent(role, model, log, thread_of(run.entries, card.name))


def character_prompt(card: Card, state: SceneState, model: Model, settings: Settings) -> Prompt:
    """Who you are, what is played, how to answer: the part of the prompt that never changes in a scene."""
    opened, sheet = state.scene, state.sheets.get(card.name, PartSheet())
    languages = state.member(card.name).languages
    others = [f"{m.display_name} ({m.role})" if m.role else m.display_name for m in opened.cast if m.name != card.name]
    scene = _template("character").render(
        name=card.display_name,
        role=card.role,
        others=", ".join(others),
        scene=situation(opened.config.prompt),
        setting=opened.config.setting or "",
        goal=_goals(opened.goals),
        languages="" if is_english(languages) else " and ".join(languages),
        secrets=card.secrets + sheet.secrets,
        note=sheet.note.strip(),
    )
    layers = (
        Layer(name="card", text=card.text.strip()),
        Layer(name="scene", text=scene),
        Layer(name="format", text=_template("format").render(name=card.display_name)),
    )
    budget = model.profile.context_window - settings.models.max_tokens - TURN_RESERVE
    return assemble(layers, budget)


def _goals(goals: Sequence[Goal]) -> str:
    return "; ".join(goal.text for goal in goals) + "."


@cache
def _template(name: str) -> Template:
    return load_template(files("dramaturg.scenes") / "prompts", f"{name}.md")
