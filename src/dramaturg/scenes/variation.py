"""A fork that is another scene from its beat on: another goal, another card, another cast."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dramaturg.characters import Card, parse_card
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.director.goals import goal_source, split_goal
from dramaturg.scenes.events import CardRead, CastMember, LineSpoken, LinesRead, SceneEvent, SceneOpened
from dramaturg.scenes.hearing import ENGLISH, happened
from dramaturg.scenes.line import Line
from dramaturg.scenes.scene import FEWEST, MOST, PartSheet
from dramaturg.scenes.state import SceneState


@dataclass(frozen=True, slots=True)
class Variation:
    """What is different in a fork. `cards` are texts of cards by name; `cast` are the names of who plays on.

    `model` plays every part from there on; `note` goes to the whole cast, in place of the moderator's.
    """

    note: str = ""
    model: str | None = None
    goal: str | None = None
    cards: Mapping[str, str] = field(default_factory=dict)
    cast: tuple[str, ...] | None = None

    @property
    def restages(self) -> bool:
        """Whether the scene itself is another one."""
        return self.goal is not None or bool(self.cards) or self.cast is not None


@dataclass(frozen=True, slots=True)
class Restaged:
    """The scene as it is from the fork on, and the events that say so after the fork itself."""

    opened: SceneOpened
    events: tuple[SceneEvent, ...] = ()


def newcomers(state: SceneState, variation: Variation) -> tuple[str, ...]:
    """The names of those who are new to the cast."""
    known = {member.name.casefold() for member in state.cast} | {m.display_name.casefold() for m in state.cast}
    return tuple(name for name in variation.cast or () if name.casefold() not in known)


def restage(
    state: SceneState, beat: int, variation: Variation, new: Sequence[Card], models: Mapping[str, str]
) -> Restaged:
    """The scene with another goal, other cards or another cast after a beat. Raises InvalidConfig.

    `new` are the cards of the newcomers, `models` who plays them.
    """
    staged = Restaged(state.scene)
    if variation.cards:
        staged = _with_cards(staged, state, variation.cards)
    if variation.cast is not None:
        staged = _with_cast(staged, state, beat, variation.cast, new, models)
    if variation.goal is not None:
        staged = _with_goal(staged, state, variation.goal)
    return staged


def _with_cards(staged: Restaged, state: SceneState, cards: Mapping[str, str]) -> Restaged:
    opened, read = staged.opened, []
    for wanted, raw in cards.items():
        member = _member(state, wanted)
        card = parse_card(member.name, raw)
        if card.display_name != member.display_name:
            raise InvalidConfig(
                f"The new card of '{member.name}' is {card.display_name}'s, and the lines so far are "
                f"{member.display_name}'s. Give the card the same name, or change the cast.",
                character=member.name,
            )
        changed = member.model_copy(
            update={
                "role": card.role,
                "tempo": card.tempo,
                "languages": card.languages or (opened.config.language or ENGLISH,),
            }
        )
        cast = tuple(changed if one.name == member.name else one for one in opened.cast)
        opened = opened.model_copy(update={"cast": cast})
        read.append(CardRead(character=member.name, raw=raw))
    return Restaged(opened, (*staged.events, *read))


def _with_goal(staged: Restaged, state: SceneState, goal: str) -> Restaged:
    opened = staged.opened
    config = opened.config.model_copy(update={"goal": goal.strip()})
    names = [member.display_name for member in opened.cast]
    goals = split_goal(goal_source(config.prompt, config.goal), names) if goal.strip() else ()
    if not goals:
        raise InvalidConfig("The new goal is empty. Say what has to be reached.")
    # Lines that were written for a sub-goal of the old goal would be taken to reach the one with its number.
    kept = tuple(one for one in state.script if one.goal is None)
    script = (LinesRead(lines=kept),) if kept != state.script else ()
    return Restaged(opened.model_copy(update={"config": config, "goals": goals}), (*staged.events, *script))


def _with_cast(
    staged: Restaged,
    state: SceneState,
    beat: int,
    wanted: Sequence[str],
    new: Sequence[Card],
    models: Mapping[str, str],
) -> Restaged:
    opened, config = staged.opened, staged.opened.config
    stay = {_member(state, name).name for name in wanted if name not in newcomers(state, Variation(cast=(name,)))}
    count = len(stay) + len(new)
    if len({name.casefold() for name in wanted}) != len(wanted):
        raise InvalidConfig("A character is named twice in the new cast. Name each once.")
    if not FEWEST <= count <= MOST:
        raise InvalidConfig(f"A scene needs {FEWEST} to {MOST} characters on stage, not {count}.", cast=list(wanted))
    added = tuple(
        CastMember(
            name=card.name,
            display_name=card.display_name,
            role=card.role,
            model=models[card.name],
            tempo=card.tempo,
            languages=card.languages or (config.language or ENGLISH,),
        )
        for card in new
    )
    shown = {member.display_name.casefold() for member in opened.cast}
    if twice := next((one.display_name for one in added if one.display_name.casefold() in shown), None):
        raise InvalidConfig(f"There is a {twice} in this scene already; their lines could not be told apart.")
    cast = (*opened.cast, *added)
    sheets = {**opened.sheets, **dict(_sheets(opened, cast, stay, {one.name for one in added}, beat + 1))}
    restaged = opened.model_copy(update={"cast": cast, "sheets": sheets})
    read = (CardRead(character=card.name, raw=card.raw) for card in new)
    return Restaged(restaged, (*staged.events, *read, *_movements(state, restaged, beat)))


def _sheets(
    opened: SceneOpened, cast: Sequence[CastMember], stay: Collection[str], new: Collection[str], beat: int
) -> Iterator[tuple[str, PartSheet]]:
    """When each is on stage: who is new enters at the beat, and who is not named leaves before it."""
    for member in cast:
        sheet = opened.sheet(member.name)
        here = sheet.enters <= beat and (sheet.leaves is None or beat < sheet.leaves)
        if member.name in new or (member.name in stay and not here):
            yield member.name, sheet.model_copy(update={"enters": beat, "leaves": None})
        elif member.name not in stay and (sheet.leaves is None or sheet.leaves > beat):
            yield member.name, sheet.model_copy(update={"enters": min(sheet.enters, beat - 1), "leaves": beat})


def _movements(state: SceneState, opened: SceneOpened, beat: int) -> Iterator[LineSpoken]:
    """The entrances and exits between the last shared beat and the next."""
    before = set(state.on_stage(beat + 1))
    after = {name for name in (m.name for m in opened.cast) if _is_here(opened.sheet(name), beat + 1)}
    number = state.last_number
    for member in opened.cast:
        if (member.name in before) == (member.name in after):
            continue
        number += 1
        text = f"{member.display_name} {'enters' if member.name in after else 'leaves'}"
        line = Line(number=number, beat=beat, kind="event", content=text)
        yield LineSpoken(line=happened(line, opened.cast, after))


def _is_here(sheet: PartSheet, beat: int) -> bool:
    return sheet.enters <= beat and (sheet.leaves is None or beat < sheet.leaves)


def _member(state: SceneState, name: str) -> CastMember:
    wanted = name.strip().casefold()
    for member in state.cast:
        if wanted in (member.name.casefold(), member.display_name.casefold()):
            return member
    known = ", ".join(member.name for member in state.cast)
    raise InvalidConfig(f"'{name}' is not in the cast of this run ({known}).", character=name)
