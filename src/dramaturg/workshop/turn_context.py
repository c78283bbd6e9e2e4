"""What a turn of the Foreman works with: the book's log and state, its files and decisions, and its model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeAlias

from dramaturg.kernel.models.judge import needs_help
from dramaturg.kernel.models.port import Model, ModelAnswer
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.runs import ModelAnswered, Performance
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.book import NOWHERE
from dramaturg.workshop.book.files import FileChange, PlannedChange, ProjectFiles
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.book.modes import Gate, Mode
from dramaturg.workshop.book.snapshot import BookSnapshot
from dramaturg.workshop.calibration.desk import VoiceDesk
from dramaturg.workshop.events import (
    ActionDone,
    FileKept,
    ForemanAnswerPieces,
    ForemanEvent,
    PromptAssembled,
    WorkReported,
    WriterSpoke,
)
from dramaturg.workshop.foreman.bench import BookBench
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.notebooks.shelf import count_told
from dramaturg.workshop.patches.patch import Patch, PatchSource
from dramaturg.workshop.patches.review import proposal
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.work_changes import CHANGING, WorkChanges
from dramaturg.workshop.works.front import BookWorks

ForemanPerformance: TypeAlias = Performance[ForemanEvent, ForemanState]
Alone: TypeAlias = Callable[[], AbstractAsyncContextManager[ForemanPerformance]]
"""Holds the conversation of a book for a change that nobody else makes at the same time."""
PIECES = 240
"""How many characters of an answer are buffered before they are logged."""
FOREMAN = "foreman"


class TurnContext:
    """One turn of a conversation. Writes go to the log first; pieces of an answer are shown as they arrive."""

    def __init__(self, performance: ForemanPerformance, sources: BookSources, works: BookWorks) -> None:
        settings = sources.resources.settings
        self._performance = performance
        self._sources = sources
        self._works = works
        self._project = settings.project
        self.prompts = PromptFiles(settings.project)
        self.most_actions = settings.workshop.most_actions
        self.temperature = settings.workshop.temperature
        self._agent = settings.workshop.agent

    @property
    def state(self) -> ForemanState:
        return self._performance.state

    async def write(self, *events: ForemanEvent) -> None:
        """Appends to the log; stored, and part of the state, when it returns."""
        if events:
            await self._performance.write(*events)

    async def pick_model(self, turn: int, mode: Mode, wanted: str | None) -> Model:
        """The model that answers. It records to the book's log, and all its answers to a message share one budget."""
        resources = self._sources.resources
        name = wanted or (await self._sources.model_for(mode)).name
        model = resources.models_for_part(self._performance.run, self._paid(turn))(name, FOREMAN)
        await resources.gateway.ready()
        return model

    def _paid(self, turn: int) -> Iterator[ModelAnswer]:
        """The answers that this message has cost so far; those of earlier processes too."""
        for entry in reversed(self._performance.run.entries):
            event = entry.event
            if isinstance(event, WriterSpoke) and event.turn == turn:
                return
            if isinstance(event, ModelAnswered) and event.key.startswith(f"turn-{turn}/"):
                yield event.answer

    def is_assisted(self, model: Model) -> bool:
        """Whether the house decides and the model only finds the words."""
        return is_assisted(self._agent, model.profile)

    def hear(self, turn: int, piece: str, shown: str) -> None:
        """Records a piece of an answer and the part of it that may be shown."""
        live = self._performance.hear(self._asked_at(turn), piece, shown)
        if len(live.unlogged) >= PIECES:
            self.keep_pieces()

    def keep_pieces(self) -> None:
        """Logs the pieces of an answer that are not in the log yet."""
        live = self._performance.live
        if live is not None and live.unlogged and self.state.open_turns:
            self._performance.put(ForemanAnswerPieces(turn=self.state.open_turns[0], text=live.unlogged))
            live.unlogged = ""

    async def snapshot(self, turn: int) -> BookSnapshot:
        """The book in its current state."""
        here = self.state.turns.get(turn)
        message, active = (here.spoke.text, here.spoke.active) if here else ("", NOWHERE)
        return await self._sources.snapshot(self.state, turn, message, active)

    async def report_works(self, turn: int) -> None:
        """Logs the long works that are over and were not told of; the turn's prompts tell them, and the writer sees."""
        known = self.state.reports
        since = max((one.over_at for one in known), default=0.0)
        over = await self._works.finished({(one.run, one.status) for one in known}, since)
        await self.write(
            *(
                WorkReported(
                    turn=turn, run=one.run, work=one.work, status=one.status, said=one.said, over_at=one.updated_at
                )
                for one in over
            )
        )
        if any(one.work in CHANGING for one in over):
            await WorkChanges(self._sources).take_in(self._performance)

    def bench(
        self,
        act: str,
        snapshot: BookSnapshot | None,
        seen: dict[str, str],
        *,
        is_writers: bool = False,
        offered: str = "",
    ) -> BookBench:
        """The workbench for one action, of the Foreman or of the writer, who may confirm one that was `offered`.

        Without a snapshot, one is taken for an action that asks whether the gate is open.
        """
        turn = int(act.partition(".")[0]) if act[0].isdecimal() else 0
        resources = self._sources.resources
        files = ProjectFiles(self._project)

        async def keep(changes: Sequence[PlannedChange]) -> None:
            await self.write(*(FileKept.of(act, change) for change in changes))

        async def look() -> Gate:
            return (snapshot or await self.snapshot(turn)).gate

        async def propose(title: str, patches: Sequence[Patch]) -> tuple[int, ...]:
            return await self._propose(act, title, patches, turn)

        return BookBench(
            act=act,
            mode=self.state.mode,
            files=files,
            bible=StoryBible(self._project),
            manuscript=Manuscript(self._project),
            knowledge=self._sources.knowledge,
            notebooks=self._sources.notebooks(),
            clock=resources.clock,
            look=look,
            keep=keep,
            propose=propose,
            start=partial(self._works.begin, act=offered or act, is_writers=is_writers),
            voice=VoiceDesk(self._sources, lambda: self.state, self.write),
            seen=seen,
            made=changes_made(self.state.kept.get(act, {}), files),
            cited=sum(count_told(one.outcome.brought) for one in self._done_in(turn)),
            is_writers=is_writers,
        )

    def _done_in(self, turn: int) -> tuple[ActionDone, ...]:
        """The actions of a turn; those of the writer's own have none."""
        here = self.state.turns.get(turn)
        return here.done if here else tuple(one for one in self.state.done if one.turn == turn)

    async def _propose(self, act: str, title: str, patches: Sequence[Patch], turn: int) -> tuple[int, ...]:
        """Keeps patches for the writer, once for each action."""
        prompts = self.state.turns[turn].prompts if turn in self.state.turns else ()
        model = prompts[-1].model if prompts else ""
        source = PatchSource(name=model, purpose="content_update")
        event = proposal(self.state.review, act, title, source, patches)
        if event is None:
            return ()
        if self.state.review.set_of(act) is None:
            await self.write(event)
        return tuple(one.number for one in event.patches)

    def _asked_at(self, turn: int) -> int:
        """The log entry that requested the current answer."""
        live = self._performance.live
        entries = self._performance.run.entries
        for entry in reversed(entries):
            if isinstance(entry.event, PromptAssembled) and entry.event.turn == turn:
                return entry.seq
            if live is not None and entry.seq == live.seq:
                break
        return live.seq if live is not None else 0


async def writers_bench(performance: ForemanPerformance, sources: BookSources, works: BookWorks) -> BookBench:
    """The workbench for an action of the writer's own."""
    context = TurnContext(performance, sources, works)
    snapshot = await context.snapshot(performance.state.next_turn)
    return context.bench(f"w{performance.state.seq + 1}", snapshot, dict(snapshot.seen), is_writers=True)


def is_assisted(agent: str, profile: ModelProfile) -> bool:
    """Whether a model with this profile works assisted."""
    return not profile.is_stand_in and (agent == "assisted" or (agent == "auto" and needs_help(profile)))


def changes_made(kept: Mapping[str, FileKept], files: ProjectFiles) -> tuple[FileChange, ...]:
    """The changes that were logged for an action, if all were made before the process died.

    Of an action that died between two files, those it changed are taken back, and it is done again from its start.
    """
    if not kept:
        return ()
    made = [one for one in kept.values() if files.holds(one.kept_at or one.path, one.made)]
    changes = tuple(one.change for one in made)
    if len(made) == len(kept):
        return changes
    files.restore_all(changes, {one.path: one.made for one in made})
    return ()
