"""The front of scenes: every operation that the CLI and the server offer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from dramaturg.characters import Card, load_cast
from dramaturg.characters.load import own_model
from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.models.budget import Budget, price_known
from dramaturg.kernel.models.judge import who_judges
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.costs import charge
from dramaturg.kernel.runs.digest import PICKED, about
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.runs.library import MANY
from dramaturg.kernel.settings import AgentMode
from dramaturg.scenes.agent_modes import part_mode
from dramaturg.scenes.author.names import addressed
from dramaturg.scenes.author.sent import SentDirection, checked, sent_directions
from dramaturg.scenes.check import SceneCheck, check_scene
from dramaturg.scenes.directions.direction import TOPIC, Direction, RaiseBudget
from dramaturg.scenes.events import BooksRead, LoreTold, NoteGiven, SceneEvent, SceneForked, SceneRun
from dramaturg.scenes.fork import BY_HAND, fork_point, new_folder
from dramaturg.scenes.insight.ablation import questioned
from dramaturg.scenes.insight.alignment import TakeComparison, compare_takes
from dramaturg.scenes.insight.events import WhyRun
from dramaturg.scenes.insight.takes import TakeSetup
from dramaturg.scenes.kind import SceneKind, WhyKind
from dramaturg.scenes.line import Line
from dramaturg.scenes.lore import read_books, standing_lore
from dramaturg.scenes.memories import Aftermath
from dramaturg.scenes.memory.run_hooks import recall_cast
from dramaturg.scenes.person.seats import Seats, with_people
from dramaturg.scenes.revision.carried import carried
from dramaturg.scenes.revision.line_revisions import LineRevisions
from dramaturg.scenes.scene import PersonsPart, SceneConfig
from dramaturg.scenes.stage import Casting, open_scene
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.store import MemoryStore
from dramaturg.scenes.variation import Variation, newcomers, restage
from dramaturg.scenes.wire import SceneResult
from dramaturg.trust import check_authored_model
from dramaturg.voices.lazy_booth import LazyBooth

if TYPE_CHECKING:
    from pathlib import Path

    from dramaturg.scenes.batch.batch import Batch


class Scenes:
    """The scenes of a story project: open, play, fork, compare and question them."""

    def __init__(self, resources: Resources, booth: LazyBooth) -> None:
        self._resources = resources
        self.memory = MemoryStore(resources.database)
        self.kind = SceneKind(resources, self.memory, booth)

    @cached_property
    def why_kind(self) -> WhyKind:
        return WhyKind(self._resources, self.kind)

    @cached_property
    def revisions(self) -> LineRevisions:
        """Other takes of lines, edits and strikes."""
        return LineRevisions(self._resources, self.kind)

    @cached_property
    def seats(self) -> Seats:
        """The parts that people play."""
        return Seats(self._resources)

    async def open(
        self,
        config: SceneConfig,
        *,
        model: str | None = None,
        seed: int | None = None,
        agent: AgentMode | None = None,
        person: PersonsPart | None = None,
        run_id: str | None = None,
        about: str = "{}",
        earlier: Sequence[Aftermath] = (),
    ) -> SceneRun:
        """A new run, ready to play. Nothing is written before the scene, its cards and models are checked.

        `agent` is how its models play; without it, as the settings say. A resumed run is played as it began. `run_id`
        is for callers that need to find the run again under a key of their own, `about` a JSON text kept beside it. Of
        `earlier` runs the cast remembers what it heard, whatever is stored of them. `person` is a part that a person
        plays, besides those that the scene names.
        """
        resources, settings = self._resources, self._resources.settings
        cards = load_cast(settings.project, config.characters)
        config = with_people(config, cards, person or PersonsPart())
        way = agent or settings.scenes.agent
        casting = replace(await self._cast(cards, model), agent=way)
        self._check(way, casting.characters.values(), casting.director)
        chosen = next(s for s in (seed, config.seed, settings.seed, 1) if s is not None)
        recalled = await recall_cast(self.memory, config, cards, settings.scenes.memory_tokens, earlier)
        opened = open_scene(config, cards, casting, seed=chosen, folder=new_folder(resources.artifacts, config.name))
        opening = (*opened, *recalled, *await self._lore(config, cards, opened))
        return await resources.runs.create(self.kind, config.name, chosen, about, run_id=run_id, opening=opening)

    async def check(
        self, config: SceneConfig, *, model: str | None = None, person: PersonsPart | None = None
    ) -> SceneCheck:
        """What a scene would be played with; nothing is written. Raises what opening it would raise."""
        settings = self._resources.settings
        cards = load_cast(settings.project, config.characters)
        config = with_people(config, cards, person or PersonsPart())
        casting = replace(await self._cast(cards, model), agent=settings.scenes.agent)
        self._check(settings.scenes.agent, casting.characters.values(), casting.director)
        recalled = await recall_cast(self.memory, config, cards, settings.scenes.memory_tokens)
        opened = open_scene(config, cards, casting, seed=config.seed or 1, folder="")
        opening = (*opened, *recalled, *await self._lore(config, cards, opened))
        models = {name: self._resources.gateway.open(one) for name, one in casting.characters.items()}
        return check_scene(opening, cards, models, settings, self._resources.price)

    async def unpriced(self, config: SceneConfig, *, model: str | None = None) -> tuple[str, ...]:
        """The models that would play a scene and whose answers carry no price."""
        casting = await self._cast(load_cast(self._resources.settings.project, config.characters), model)
        models = dict.fromkeys([*casting.characters.values(), casting.director])
        return tuple(name for name in models if not price_known(self._resources.gateway.open(name)))

    def start(self, run: SceneRun | WhyRun) -> asyncio.Task[None]:
        """Play a run in the background, resuming from its log."""
        return self._resources.engine.start(self._resources.runs.perform(run))

    async def open_run(self, run_id: str) -> SceneRun:
        """A scene's run with its log, read-only. Raises NotFound for a run of another kind."""
        return await self._resources.runs.open_as(self.kind, run_id)

    def result(self, run: SceneRun) -> SceneResult:
        """The outcome of a run so far, ended or not."""
        return self.kind.result(run)

    def export(self, run: SceneRun, form: str) -> str:
        """A run in one format: fountain, vtt, md, html, json or txt. Raises InvalidConfig for any other."""
        from dramaturg.scenes.exports import export_run, known_format

        return export_run(run.id, run.entries, known_format(form))

    async def open_takes(self, config: SceneConfig, wanted: Sequence[TakeSetup]) -> tuple[str, list[SceneRun]]:
        """Several runs of one scene, ready to play, and the id of the batch; all of them, or none."""
        batch = new_id(self._resources.clock.now())
        opened: list[SceneRun] = []
        try:
            for place, one in enumerate(wanted, start=1):
                about = f'{{"takes": "{batch}", "take": {place}}}'
                run = await self.open(config, model=one.model, seed=one.seed, agent=one.agent, about=about)
                opened.append(run)
        except DramaturgError:
            for run in opened:
                await self._resources.runs.delete(run.id)
            raise
        return batch, opened

    def batch(self, file: Path, name: str = "") -> Batch:
        """The scenes that the rows of a file ask for; nothing is read or played yet."""
        from dramaturg.scenes.batch.batch import Batch

        return Batch(self, self._resources, file, name)

    async def takes(self, batch: str) -> list[SceneRun]:
        """The runs that were opened together, in order; none for an unknown id."""
        runs = self._resources.runs
        records = [record for record in await runs.find(self.kind.name, limit=MANY) if record.parent_id is None]
        found = [(about(record), record.id) for record in records if batch in record.config]
        taken = sorted((kept["take"], run_id) for kept, run_id in found if kept.get("takes") == batch)
        return [await self.open_run(run_id) for _, run_id in taken]

    async def compare(self, run_ids: Sequence[str]) -> TakeComparison:
        """Runs of one scene side by side, or all takes of the batch that a single run belongs to."""
        runs = list({run.id: run for run in [await self.open_run(run_id) for run_id in run_ids]}.values())
        if len(runs) == 1 and (batch := str(about(runs[0].record).get("takes", ""))):
            runs = await self.takes(batch)
        if len(runs) < 2:
            raise InvalidConfig(f"Run {runs[0].id} is alone. Give another run of the same scene.", run=runs[0].id)
        names = list(dict.fromkeys(run.name for run in runs))
        if len(names) > 1:
            raise InvalidConfig(f"These are runs of different scenes: {', '.join(names)}. Compare runs of one.")
        logs = {run.id: run.entries for run in runs}
        return compare_takes(logs, {run.id: about(run.record).get(PICKED) is True for run in runs})

    async def pick(self, run_id: str, *, picked: bool = True) -> tuple[str, tuple[str, ...]]:
        """Mark a run as the favourite, or no longer: its id, and those of its batch that were it until now."""
        runs = self._resources.runs
        record = await runs.get_as(self.kind, run_id)
        batch = str(about(record).get("takes", "")) if record.parent_id is None else ""
        others = [run.record for run in await self.takes(batch)] if batch and picked else []
        before = [one for one in others if one.id != record.id and about(one).get(PICKED) is True]
        for one in before:
            await runs.digests.pick(one, picked=False)
        await runs.digests.pick(record, picked=picked)
        return record.id, tuple(one.id for one in before)

    async def fork(
        self,
        run_id: str,
        beat: int,
        *,
        note: str = "",
        model: str | None = None,
        goal: str | None = None,
        cards: Mapping[str, str] | None = None,
        cast: Sequence[str] | None = None,
    ) -> SceneRun:
        """A new run that shares another's log up to the end of a beat, ready to be played on.

        A note goes to the whole cast, in place of the moderator's; a model plays every part from here on. `goal`,
        `cards` (the text of a card by the name of its character) and `cast` (who plays on) replace those of the run.
        """
        variation = Variation(note, model, goal, cards or {}, None if cast is None else tuple(cast))
        return await self._fork(run_id, beat, variation)

    async def _fork(self, run_id: str, beat: int, variation: Variation) -> SceneRun:
        resources, settings = self._resources, self._resources.settings
        parent = await self.open_run(run_id)
        at = fork_point(parent.entries, beat)
        kept = carried(parent.entries, at)
        state = scene_state(parent.entries[:at]).after(kept)
        new = load_cast(settings.project, newcomers(state, variation))
        casting = await self._cast(new, variation.model) if new else Casting({}, "")
        staged = restage(state, beat, variation, new, casting.characters)
        opened, model = staged.opened, variation.model
        models = {member.name: model or member.model for member in opened.cast}
        director = who_judges(None, model, resources.gateway.open(model).profile)[0] if model else opened.director
        # A new model plays as the settings say; the same model plays as before.
        way = settings.scenes.agent if model else opened.agent
        self._check(way or settings.scenes.agent, models.values(), director)
        note = variation.note.strip()
        given = (NoteGiven(beat=beat, text=note, reason=BY_HAND),) if note else ()
        forked = SceneForked(
            parent=parent.id,
            beat=beat,
            folder=new_folder(resources.artifacts, opened.config.name),
            models=models,
            director=director,
            agent=way,
            opened=opened if variation.restages else None,
        )
        recalled = await recall_cast(self.memory, opened.config, new, settings.scenes.memory_tokens)
        opening = (*kept, forked, *staged.events, *recalled, *given)
        return await resources.runs.fork(parent.id, at, variation.note, opening=opening)

    async def steer(self, run_id: str, asked: Direction, *, author: str = "", key: str = "") -> SentDirection:
        """Ask something of a scene, whichever process plays it; it is stored at once, and followed after the beat.

        Raises InvalidConfig for what is known not to be possible: a run that has ended, a name that is not in the cast.
        What was sent under a key before is not sent again.
        """
        run, inboxes = await self.open_run(run_id), self._resources.runs.inboxes
        before = await inboxes.read(run.id, TOPIC)
        if not (key and any(message.key == key for message in before)):
            asked = checked(asked, run, before)
            self._check_budget(asked, run)
        else:
            asked = addressed(asked, scene_state(run.entries))
        body = asked.model_dump_json(by_alias=True)
        sent = await inboxes.send(run.record, TOPIC, body, author=author, key=key)
        return sent_directions([sent], run)[0]

    async def directions(self, run_id: str) -> tuple[SentDirection, ...]:
        """Everything that was asked of a scene while it was played, and what became of it."""
        run = await self.open_run(run_id)
        return sent_directions(await self._resources.runs.inboxes.read(run.id, TOPIC), run)

    def _check_budget(self, asked: Direction, run: SceneRun) -> None:
        """Raises InvalidConfig for a budget that would stop the scene at once."""
        if not isinstance(asked, RaiseBudget):
            return
        opened = scene_state(run.entries).scene
        models = dict.fromkeys([*(member.model for member in opened.cast), opened.director])
        unpriced = [name for name in models if self._resources.price(name) is None and not is_stand_in(name)]
        if asked.usd is not None and unpriced:
            raise InvalidConfig(f"The price of {unpriced[0]} is unknown; give the budget in tokens.", model=unpriced[0])
        spent = charge(Budget(), run.entries)
        if (asked.usd or math.inf) <= spent.spent_usd or (asked.tokens or math.inf) <= spent.spent_tokens:
            had = f"{spent.spent_tokens:,} tokens and ${spent.spent_usd:.4f}"
            raise InvalidConfig(f"The run has spent {had} already; give more than that.", run=run.id)

    async def question(self, run: SceneRun, line: Line, *, again: int = 1) -> WhyRun:
        """A new run that will test the causes of a line once it is started. The scene's own run stays as it is."""
        asking = questioned(run.id, run.entries, line, again)
        self._resources.gateway.open(asking.model)
        name = f"{run.name}, line {line.number}"
        return await self._resources.runs.create(self.why_kind, name, run.seed, opening=(asking,))

    async def open_test(self, run_id: str) -> WhyRun:
        """The run of a line's test. Raises NotFound for a run of another kind."""
        return await self._resources.runs.open_as(self.why_kind, run_id)

    async def _lore(
        self, config: SceneConfig, cards: Sequence[Card], opened: Sequence[SceneEvent]
    ) -> tuple[BooksRead | LoreTold, ...]:
        """The lorebooks of a scene, and what each of the cast knows throughout; nothing if there are none."""
        settings, gateway = self._resources.settings, self._resources.gateway
        books = read_books(settings.project, config, cards)
        if books is None:
            return ()
        state = SceneState().after((*opened, books))
        windows = {one.name: gateway.open(one.model).profile.context_window for one in state.cast}
        return (books, *await standing_lore(state, windows, settings.scenes.lore_tokens))

    def _check(self, way: AgentMode, characters: Iterable[str], director: str) -> None:
        """Raises if a model cannot be opened or cannot play that way."""
        gateway = self._resources.gateway
        for name in dict.fromkeys(characters):
            part_mode(way, gateway.open(name))
        gateway.open(director)

    async def _cast(self, cards: tuple[Card, ...], model: str | None) -> Casting:
        """Who plays whom: the command's model, else the settings', the card's, the default."""
        settings = self._resources.settings
        models = settings.models
        default = model or (await self._resources.choose()).name

        def plays(card: Card) -> str:
            own = None if model else own_model(models.characters, card.name)
            if model or own is not None:
                return own or default
            return check_authored_model(settings, card.model, f"the card of {card.name}") or default

        profile = self._resources.gateway.open(default).profile
        director, reason = who_judges(None if model else models.director, default, profile)
        return Casting({card.name: plays(card) for card in cards}, director, reason)
