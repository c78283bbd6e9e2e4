"""Setting a scene up: cards and models in, an opened run and a production out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from dramaturg.characters import Card, parse_card
from dramaturg.kernel.errors import InvalidConfig, PromptError
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.prompts import Layer, Prompt, assemble
from dramaturg.kernel.prompts.window import prompt_room
from dramaturg.kernel.runs import RunInbox
from dramaturg.kernel.runs.resources import OpenModel
from dramaturg.kernel.settings import AgentMode, Settings
from dramaturg.scenes.agent import CharacterAgent, DirectCharacterAgent, EventSink, PartContext, thread_of
from dramaturg.scenes.agent_modes import helped_cast, part_mode
from dramaturg.scenes.assisted_agent import AssistedCharacterAgent
from dramaturg.scenes.assisted_line import Assistance
from dramaturg.scenes.card_trim import by_section, most_important
from dramaturg.scenes.director.goals import Goal, goal_source, situation, split_goal
from dramaturg.scenes.events import CardRead, CastMember, LinesRead, SceneEvent, SceneOpened, SceneRun, SheetRead
from dramaturg.scenes.hearing import ENGLISH, is_english
from dramaturg.scenes.judge import SceneJudge
from dramaturg.scenes.lore import InformedCharacterAgent, character_lore, helped_lore, lore_layer
from dramaturg.scenes.memories import CharacterRecollection
from dramaturg.scenes.memory.recollection_text import memory_layer
from dramaturg.scenes.person.agent import PersonAgent, SeatedPart
from dramaturg.scenes.play import Production
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.scene import NO_SHEET, SceneConfig, SceneLines
from dramaturg.scenes.script import ScriptMoment, read_script
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.task_agent import TaskCharacterAgent
from dramaturg.scenes.templates import scene_template

TURN_RESERVE = 600
LONGEST_HEAD = 2000
PART_WORDS = 60


@dataclass(frozen=True, slots=True)
class Casting:
    """Which model plays each character and how, and which one judges; `reason` where it is not the one that plays."""

    characters: Mapping[str, str]
    director: str
    reason: str = ""
    agent: AgentMode | None = None


def open_scene(
    config: SceneConfig, cards: Sequence[Card], casting: Casting, *, seed: int, folder: str
) -> tuple[SceneEvent, ...]:
    """The first events of a scene's run: the scene and a snapshot of the cards."""
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
        sheets={name: sheet.public() for name, sheet in sheets.items()},
        opener=names[config.opener.casefold()],
        goals=split_goal(goal_source(config.prompt, config.goal), [card.display_name for card in cards]),
        director=casting.director,
        director_reason=casting.reason,
        agent=casting.agent,
        seed=seed,
        folder=folder,
    )
    told = (SheetRead(character=name, sheet=sheet) for name, sheet in sheets.items() if sheet.note or sheet.secrets)
    written = (LinesRead(lines=config.lines),) if config.lines else ()
    read_lines(config.lines, [card.display_name for card in cards], len(opened.goals))
    return (opened, *(CardRead(character=card.name, raw=card.raw) for card in cards), *told, *written)


def read_lines(lines: Sequence[SceneLines], cast: Sequence[str], goals: int) -> tuple[ScriptMoment, ...]:
    """The lines of a scene file, for its cast. Raises InvalidConfig if one cannot be read or names no sub-goal."""
    for one in lines:
        if one.goal is not None and one.goal > goals:
            raise InvalidConfig(f"'lines' has a moment for sub-goal {one.goal}, and the goal has only {goals}.")
    return tuple(read_script(((one.at, one.goal, one.say) for one in lines), cast))


@dataclass(frozen=True, slots=True)
class SeatAccess:
    """How the seats of a run are reached: the inbox of a character's seat, and where its events are written.

    `end_asked` returns once the author has asked for the end: from then on nobody is waited for.
    """

    inbox: Callable[[str], RunInbox]
    log: EventSink
    end_asked: Callable[[], Awaitable[None]]


def stage_scene(
    run: SceneRun, settings: Settings, open_model: OpenModel, seats: SeatAccess | None = None
) -> Production:
    """The production for an opened run; an interrupted run gets its threads back.

    `open_model(name, who)` opens a model that records into this run. Without `seats`, models play the parts of people.
    """
    state = scene_state(run.entries)
    opened = state.scene
    cards = [parse_card(member.name, state.cards[member.name]) for member in opened.cast]

    def log(event: SceneEvent) -> None:
        run.put(event)

    models = {member.name: open_model(member.model, member.name) for member in opened.cast}
    mode = opened.agent or settings.scenes.agent
    people = frozenset(state.people) - state.understudied if seats is not None else frozenset[str]()
    helped = tuple(name for name in helped_cast(mode, opened.cast, models) if name not in people)
    book = playbook(state, cards)

    def played_by_model(card: Card) -> CharacterAgent:
        return _agent(run, card, state, book, settings, models[card.name], log, helped)

    agents = {card.name: played_by_model(card) for card in cards}
    for card in cards if seats is not None else ():
        if opened.sheet(card.name).by_person and seats is not None:
            role = role_of(card, character_prompt(card, state, models[card.name], settings), book, settings)
            understudy = partial(played_by_model, card)
            agents[card.name] = _person(run, role, state, seats, settings.scenes.timeout, understudy)
    judge = scene_judge(state, open_model(opened.director, "director"), book)
    return Production(
        agents,
        judge,
        timeout=settings.scenes.timeout,
        window=settings.scenes.window,
        # The company's verdict is immediate, so there is nothing to gain by judging ahead.
        lookahead=opened.config.lookahead and not is_stand_in(opened.director),
        in_parts=bool(people) or not (helped or any(is_stand_in(member.model) for member in opened.cast)),
        understudied=state.understudied,
    )


def _person(
    run: SceneRun,
    role: PartContext,
    state: SceneState,
    seats: SeatAccess,
    timeout: float,
    understudy: Callable[[], CharacterAgent],
) -> PersonAgent:
    sheet = state.scene.sheet(role.name)
    part = SeatedPart(
        role=role,
        inbox=seats.inbox(role.name),
        end_asked=seats.end_asked,
        patience=None if sheet.wait else timeout,
        understudy=understudy if sheet.otherwise == "model" else None,
        stored=run.flush,
        thread=lambda: thread_of(run.entries, role.name),
        now=lambda: run.entries[-1].at,
    )
    return PersonAgent(part, state.seat(role.name), seats.log)


def scene_judge(state: SceneState, model: Model, book: Playbook) -> SceneJudge:
    """The judge of an opened scene."""
    opened = state.scene
    return SceneJudge(
        model=model,
        system=scene_template("judge").render(scene=situation(opened.config.prompt), goals=opened.goals),
        question=scene_template("verdict"),
        event=scene_template("event"),
        translation=scene_template("translation"),
        playbook=book,
    )


def playbook(state: SceneState, cards: Sequence[Card], *, rehearsed: bool = False) -> Playbook:
    """The scene as the rehearsal company reads it. Models are its guests, unless it is as if all were `rehearsed`."""
    opened = state.scene
    shown = {member.name: member.display_name for member in opened.cast}
    people = frozenset(state.people) - state.understudied
    return Playbook(
        name=opened.config.name,
        prompt=opened.config.prompt,
        goals=tuple(goal.text for goal in opened.goals),
        cast=tuple(
            Part(
                name=card.display_name,
                role=card.role,
                sections=_sections(card, state.recalled.get(card.name)),
                tempo=card.tempo,
                guest=not rehearsed and (card.display_name in people or not is_stand_in(state.member(card.name).model)),
            )
            for card in cards
        ),
        opener=shown[opened.opener],
        setting=opened.config.setting or "",
        seed=opened.seed,
        max_beats=opened.config.max_beats,
        script=read_lines(state.script, list(shown.values()), len(opened.goals)),
    )


def _sections(card: Card, recollection: CharacterRecollection | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The card's own, and what the character recalls as one more."""
    memories = (*recollection.bonds, *(memory.text for memory in recollection.memories)) if recollection else ()
    own = tuple((section.heading, section.lines) for section in card.sections)
    return (*own, ("Memories", memories)) if memories else own


def _agent(
    run: SceneRun,
    card: Card,
    state: SceneState,
    book: Playbook,
    settings: Settings,
    model: Model,
    log: EventSink,
    helped: tuple[str, ...],
) -> CharacterAgent:
    thread = thread_of(run.entries, card.name)
    kind = part_mode(state.scene.agent or settings.scenes.agent, model)
    if kind == "assisted":
        role = role_of(card, script_prompt(card, state), book, settings)
        given = assistance(card, state, helped)
        agent: CharacterAgent = AssistedCharacterAgent(role, model, log, thread, given, lambda: run.entries[-1].at)
    else:
        role = role_of(card, character_prompt(card, state, model, settings), book, settings)
        plays = TaskCharacterAgent if kind == "task" else DirectCharacterAgent
        agent = plays(role, model, log, thread)
    asked = helped_lore(settings.scenes.lore_tokens) if kind == "assisted" else settings.scenes.lore_tokens
    lore = character_lore(state, card.name, asked, model.profile.context_window)
    return InformedCharacterAgent(agent, lore, state, log, again=kind == "assisted") if lore is not None else agent


def assistance(card: Card, state: SceneState, helped: tuple[str, ...]) -> Assistance:
    """What a model is helped with, among those who are."""
    direction, next_line = scene_template("direction"), scene_template("next_line")
    secrets = card.secrets + state.sheets.get(card.name, NO_SHEET).secrets
    return Assistance(direction, next_line, script_head(state), card.role, script_part(card, state), secrets, helped)


def role_of(card: Card, system: Prompt, book: Playbook, settings: Settings) -> PartContext:
    """The context of a part, with the prompt that stays the same throughout the scene."""
    return PartContext(
        name=card.name,
        display_name=card.display_name,
        system=system,
        turn=scene_template("turn"),
        playbook=book,
        window=settings.scenes.window,
        windowed=settings.scenes.thread == "window",
        max_tokens=settings.models.max_tokens,
        temperature=settings.models.temperature,
    )


def character_prompt(card: Card, state: SceneState, model: Model, settings: Settings) -> Prompt:
    """The part of the prompt that never changes in a scene, within what the model can take in."""
    return prompt_within(card, state, prompt_room(model, settings.models.max_tokens, TURN_RESERVE))


def prompt_within(card: Card, state: SceneState, budget: int) -> Prompt:
    """A character's prompt in so many tokens; a card that is too long goes in as far as it fits."""
    layers = character_layers(card, state)
    try:
        return _assembled(layers, budget)
    except PromptError:
        return _assembled(by_section(card, layers), budget)


@lru_cache(maxsize=512)
def _assembled(layers: tuple[Layer, ...], budget: int) -> Prompt:
    """As `assemble`, once for the same layers: a scene is often played again, and its takes share their prompts."""
    return assemble(layers, budget)


def script_prompt(card: Card, state: SceneState) -> Prompt:
    """What a helped model is shown besides the lines, for the receipt."""
    layers = [Layer(name="script", text=script_head(state)), Layer(name="part", text=script_part(card, state))]
    return assemble([layer for layer in layers if layer.text], LONGEST_HEAD)


def script_head(state: SceneState) -> str:
    """What stands above the lines of a script, for models that are helped: the same for the whole cast."""
    opened = state.scene
    # Parentheses behind a name say how a line is spoken.
    cast = [f"{member.display_name}, {member.role}" if member.role else member.display_name for member in opened.cast]
    spoken = tuple(dict.fromkeys(language for member in opened.cast for language in member.languages))
    return scene_template("script").render(
        scene=situation(opened.config.prompt),
        setting=(opened.config.setting or "").rstrip("."),
        cast="; ".join(cast),
        languages="" if is_english(spoken) else " and ".join(spoken),
    )


def script_part(card: Card, state: SceneState) -> str:
    """Who a character is, what it remembers and what it was told for this scene, in a few words."""
    recollection = state.recalled.get(card.name)
    recalled = (*recollection.bonds, *(memory.text for memory in recollection.memories)) if recollection else ()
    sheet = state.sheets.get(card.name, NO_SHEET)
    told = [*most_important(card, PART_WORDS), *recalled, *sheet.note.strip().splitlines()]
    return " ".join(f"{line.strip().rstrip('.')}." for line in told if line.strip())


def character_layers(card: Card, state: SceneState) -> tuple[Layer, ...]:
    """Who you are, what is played, how to answer."""
    opened, sheet = state.scene, state.sheets.get(card.name, NO_SHEET)
    languages = state.member(card.name).languages
    others = [f"{m.display_name} ({m.role})" if m.role else m.display_name for m in opened.cast if m.name != card.name]
    scene = scene_template("character").render(
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
    recollection = state.recalled.get(card.name)
    memory = memory_layer(recollection, card.display_name) if recollection else None
    lore = lore_layer(state, card.name)
    return (
        Layer(name="card", text=card.text.strip()),
        Layer(name="scene", text=scene),
        *((lore,) if lore else ()),
        *((memory,) if memory else ()),
        Layer(name="format", text=scene_template("format").render(name=card.display_name)),
    )


def _goals(goals: Sequence[Goal]) -> str:
    return "; ".join(goal.text for goal in goals) + "."
