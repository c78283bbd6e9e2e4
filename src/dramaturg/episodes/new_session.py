"""A new session: the template, its card and models, what the character remembers, and the first log entries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dramaturg.characters import Card, load_card
from dramaturg.characters.bookshelf import Bookshelf, group_greetings, lore_budget, shelf_of, shelf_with
from dramaturg.characters.exchange import CharacterFiles, original_json
from dramaturg.characters.tavern.macros import SOMEBODY, MacroContext, expand_macros
from dramaturg.episodes.card_prompts import CardPrompts, prompts_of
from dramaturg.episodes.events import (
    CardKept,
    EpisodeEvent,
    GroupMember,
    MessageChosen,
    OpeningSpoken,
    OriginalKept,
    Persona,
    PromptsKept,
    SeriesPlace,
    SessionOpened,
    TurnEnded,
    VoiceSet,
)
from dramaturg.episodes.memory import RecalledNote, SessionRecollection
from dramaturg.episodes.packs import pack_for
from dramaturg.episodes.persona_name import listed
from dramaturg.episodes.play import question
from dramaturg.episodes.previously import EpisodePast, SeriesPast
from dramaturg.episodes.series import Series, all_series, named_series, series_with
from dramaturg.episodes.state import episode_state
from dramaturg.episodes.store import EpisodeStore
from dramaturg.episodes.template import EpisodeTemplate, all_templates, named_template
from dramaturg.episodes.templates import episode_template
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.runs.events import Entry
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.escape import cleaned

MOST_RECALLED = 40
MOST_HOOKS = 5
LONGEST_ID = 200
LONGEST_NAME, LONGEST_ABOUT = 80, 2000


@dataclass(frozen=True, slots=True)
class EpisodeDeps:
    """What opening a session needs. `cast` names the models for a character and for the director.

    `window` is the size of a model's context, by its name.
    """

    settings: Settings
    store: EpisodeStore
    cast: Callable[[str, str | None, str | None], Awaitable[tuple[str, str]]]
    window: Callable[[str], int]


class Casting(NamedTuple):
    """The models of a session: who plays the character, and who looks on. What is not named is chosen as usual."""

    character: str | None = None
    director: str | None = None


@dataclass(frozen=True, slots=True)
class PreparedSession:
    """A checked session that has not been written yet."""

    opened: SessionOpened
    cards: Mapping[str, str]
    series: Series | None
    greetings: tuple[str, ...] = ()
    prompts: Mapping[str, CardPrompts] = field(default_factory=dict)
    opener: str = ""
    original: str | None = None

    def first_entries(self, voice: VoiceSet | None = None, *, greets: bool = True) -> tuple[EpisodeEvent, ...]:
        """The first entries of its log: an authored line, the request for the character's own first words, or the
        greetings of its card, the first of which is spoken. `voice` turns on voices before all of them."""
        opened = self.opened
        cards = (CardKept(character=name, raw=raw) for name, raw in self.cards.items())
        original = (OriginalKept(raw=self.original),) if self.original is not None else ()
        kept = (
            PromptsKept(prompts=prompts, character=name if opened.cast else "")
            for name, prompts in self.prompts.items()
            if not prompts.is_plain
        )
        voiced = (voice,) if voice is not None else ()
        first: tuple[EpisodeEvent, ...] = (opened, *cards, *original, *kept, *voiced)
        speaker = opened.character if opened.cast else ""
        if not greets:
            return (*first, TurnEnded())
        if opened.template.opening_line:
            spoken = OpeningSpoken(message_id="m1", text=opened.template.opening_line, speaker=speaker)
            return (*first, spoken, TurnEnded(message_id="m1"))
        if opened.template.opening_situation:
            entries = [
                Entry[EpisodeEvent](seq=number, at=0.0, event=event) for number, event in enumerate(first, start=1)
            ]
            return (*first, question(episode_state(entries), None))
        if not self.greetings:
            return (*first, TurnEnded())
        spoken_first, *others = (
            OpeningSpoken(message_id=f"m{number}", text=text, announces=number == 1, speaker=self.opener)
            for number, text in enumerate(self.greetings, start=1)
        )
        back = (MessageChosen(message_id="m1"),) if others else ()
        return (*first, spoken_first, *others, *back, TurnEnded(message_id="m1"))


async def prepare(
    deps: EpisodeDeps,
    template: str | EpisodeTemplate,
    player: Persona,
    root: str,
    *,
    model: str | None = None,
    series: str | None = None,
    seed: int | None = None,
    character: CharacterFiles | None = None,
) -> PreparedSession:
    """Checks everything a session needs. Raises AuthorError or ModelError; nothing is written.

    `character` is one from a file that is no part of the project; it is kept in the log.
    """
    for name in ("main", "character", "reading", "format", "turn"):
        episode_template(name)  # read now, so that the first answer does not wait for it
    project = deps.settings.project
    player = checked_player(player)
    wanted, found, titles = await asyncio.to_thread(_authored, project, template, series)
    past = await _past(deps, player.id, wanted, found, titles)
    if wanted.characters:
        return await _prepare_group(deps, wanted, player, root, found, past, model=model, seed=seed)
    if character is None:
        card, shelf = await asyncio.to_thread(_character, project, wanted.character)
    else:
        card, shelf = character.card, shelf_with(project, character)
    plays, looks_on = await deps.cast(card.name, card.model, model)
    budget = lore_budget(deps.settings.episodes.lore_tokens, deps.window(plays))
    opened = SessionOpened(
        root=root,
        template=wanted,
        player=player,
        character=card.name,
        display_name=card.display_name,
        model=plays,
        director=looks_on,
        seed=next(s for s in (seed, wanted.seed, deps.settings.seed, 1) if s is not None),
        pack=pack_for(project, wanted.evaluation),
        series=_place(found, wanted),
        recalled=await _recall(deps, card.name, player.id, found, past),
    )
    greetings = _greetings(card, player.name or SOMEBODY)
    prompts = await prompts_of(card, shelf, wanted.style, budget)
    original = original_json(character.original) if character is not None else None
    raw, own = {card.name: card.raw}, {card.name: prompts}
    return PreparedSession(opened, raw, found, greetings, own, original=original)


async def _prepare_group(
    deps: EpisodeDeps,
    wanted: EpisodeTemplate,
    player: Persona,
    root: str,
    series: Series | None,
    past: SeriesPast,
    *,
    model: str | None,
    seed: int | None,
) -> PreparedSession:
    """The same for a group: every member has its own card, model, prompts and memories."""
    project = deps.settings.project
    members: dict[str, GroupMember] = {}
    cards: dict[str, Card] = {}
    prompts: dict[str, CardPrompts] = {}
    directors: list[str] = []
    for name in wanted.characters:
        card, shelf = await asyncio.to_thread(_character, project, name)
        plays, looks_on = await deps.cast(card.name, card.model, model)
        budget = lore_budget(deps.settings.episodes.lore_tokens, deps.window(plays))
        directors.append(looks_on)
        cards[card.name] = card
        prompts[card.name] = await prompts_of(card, shelf, wanted.style, budget)
        members[card.name] = GroupMember(
            character=card.name,
            display_name=card.display_name,
            role=card.role,
            model=plays,
            talkativeness=min(1.0, max(0.0, round(card.tempo - 0.5, 2))),
            recalled=await _recall(deps, card.name, player.id, series, past),
        )
    _check_names(members)
    first = next(iter(members.values()))
    opener, greetings = _group_greetings(project, cards, player.name or SOMEBODY)
    opened = SessionOpened(
        root=root,
        template=wanted,
        player=player,
        character=first.character,
        display_name=listed([one.display_name for one in members.values()]),
        model=first.model,
        director=directors[0],
        seed=next(s for s in (seed, wanted.seed, deps.settings.seed, 1) if s is not None),
        pack=pack_for(project, wanted.evaluation),
        series=_place(series, wanted),
        recalled=SessionRecollection(previously=first.recalled.previously, clues=first.recalled.clues),
        cast=tuple(members.values()),
    )
    raw = {name: card.raw for name, card in cards.items()}
    return PreparedSession(opened, raw, series, greetings, prompts, opener)


def _check_names(members: Mapping[str, GroupMember]) -> None:
    names = [one.display_name.casefold() for one in members.values()]
    twice = next((one.display_name for one in members.values() if names.count(one.display_name.casefold()) > 1), None)
    if twice is not None:
        raise InvalidConfig(
            f"characters: two cards are called {twice}. Rename one, so that the player can tell them apart."
        )


def _group_greetings(project: Path, cards: Mapping[str, Card], user: str) -> tuple[str, tuple[str, ...]]:
    """Who greets the player in a group, and how: first words for groups, or else those for one person."""
    for_groups = {name: _expanded(card, group_greetings(project, name), user) for name, card in cards.items()}
    own = {name: _greetings(card, user) for name, card in cards.items()}
    opener = next((name for name in cards if for_groups[name]), None) or next((name for name in cards if own[name]), "")
    return opener, (*for_groups.get(opener, ()), *own.get(opener, ()))


def _greetings(card: Card, user: str) -> tuple[str, ...]:
    """The card's own first words, spoken to this player."""
    return _expanded(card, card.greetings, user)


def _expanded(card: Card, texts: Sequence[str], user: str) -> tuple[str, ...]:
    context = MacroContext(card.display_name, user, seed=card.name)
    said = (cleaned(expand_macros(text, context)).strip() for text in texts)
    return tuple(text for text in said if text)


def _authored(
    project: Path, template: str | EpisodeTemplate, series: str | None
) -> tuple[EpisodeTemplate, Series | None, Mapping[str, str]]:
    """An episode, the series it is played in, and the titles of that series, as their files say now."""
    wanted = named_template(project, template) if isinstance(template, str) else template
    found = _series_of(project, wanted, series)
    titles = {one.name: one.shown_title for one in all_templates(project).values} if found else {}
    return wanted, found, titles


def _character(project: Path, name: str) -> tuple[Card, Bookshelf]:
    """A card and its lorebooks. One that cannot be read is reported before anything is written."""
    card = load_card(project, name)  # the player's name is data, and no part of the system prompt
    return card, shelf_of(project, card.name)


def _series_of(project: Path, template: EpisodeTemplate, series: str | None) -> Series | None:
    """The series an episode is played in: the one named, or the first that contains it."""
    if series is None:
        return series_with(template.name, all_series(project).values)
    found = named_series(project, series)
    return found if template.name in found.episodes else None


async def _recall(
    deps: EpisodeDeps, character: str, player: str, series: Series | None, past: SeriesPast
) -> SessionRecollection:
    store, budget = deps.store, deps.settings.episodes.memory_tokens
    scope = series.name if series else None
    memories = await store.recall("memory", character, player, scope, MOST_RECALLED)
    hooks = await store.recall("hook", character, player, scope, MOST_HOOKS)
    return SessionRecollection(
        memories=_within(memories, budget),
        hooks=_within(hooks, budget // 3),
        relationship=(await store.relationship(character, player)).rested(),
        previously=past.told(deps.settings.episodes.previously_tokens),
        clues=past.clues,
    )


async def _past(
    deps: EpisodeDeps, player: str, template: EpisodeTemplate, series: Series | None, titles: Mapping[str, str]
) -> SeriesPast:
    """What happened to a player in the other episodes of a series; only the earlier ones are told."""
    if series is None:
        return SeriesPast()
    here = series.episodes.index(template.name)
    parts: list[EpisodePast] = []
    for place, name in enumerate(series.episodes):
        if place == here:
            continue
        summary = await deps.store.previous_summary(player, name) if place < here else ""
        clues = await deps.store.clues(player, name)
        parts.append(EpisodePast(titles.get(name, name), summary, tuple(clues.items()), earlier=place < here))
    return SeriesPast(tuple(parts))


def _place(series: Series | None, template: EpisodeTemplate) -> SeriesPlace | None:
    number = series.number_of(template.name) if series else None
    if series is None or number is None:
        return None
    return SeriesPlace(name=series.name, title=series.shown_title, number=number, total=len(series.episodes))


def _within(found: Sequence[RecalledNote], budget: int) -> tuple[RecalledNote, ...]:
    """The most important that fit, oldest first."""
    kept: list[RecalledNote] = []
    for one in found:
        budget -= estimate_tokens(one.text) + 4
        if budget < 0:
            break
        kept.append(one)
    return tuple(sorted(kept, key=lambda one: (one.at, one.id)))


def checked_player(player: Persona) -> Persona:
    """The player with tidied text. Raises InvalidConfig."""
    clean = Persona(id=player.id, name=" ".join(cleaned(player.name).split()), about=cleaned(player.about).strip())
    if not clean.id or len(clean.id) > LONGEST_ID or cleaned(clean.id) != clean.id:
        raise InvalidConfig("A player needs an id of 1 to 200 characters.")
    if len(clean.name) > LONGEST_NAME or len(clean.about) > LONGEST_ABOUT:
        raise InvalidConfig("A player's name can have up to 80 characters and their description up to 2,000.")
    return clean
