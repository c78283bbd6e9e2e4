"""What a turn of the Foreman works with: the book's log and state, its files and decisions, and its model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from dramaturg.kernel.models.judge import needs_help
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.runs import Performance, Resources
from dramaturg.kernel.text.meaning import open_meaning
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.book import NOWHERE, ActiveContext
from dramaturg.workshop.book.files import FileChange, PlannedChange, ProjectFiles, digest_of
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.retrieval import text_of
from dramaturg.workshop.book.snapshot import BookSnapshot, take_snapshot
from dramaturg.workshop.events import FileKept, ForemanAnswerPieces, ForemanEvent, PromptAssembled
from dramaturg.workshop.foreman.bench import BookBench
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.graph.entries import scene_entries
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.network import has_network
from dramaturg.workshop.notebooks import NotebookShelf
from dramaturg.workshop.notebooks.shelf import count_told
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.store import KnowledgeBase

ForemanPerformance: TypeAlias = Performance[ForemanEvent, ForemanState]
PIECES = 240
"""How many characters of an answer are buffered before they are logged."""
FOREMAN = "foreman"


@dataclass(frozen=True, slots=True)
class BookSources:
    """The sources of a book: shared resources, its decisions, its notebooks."""

    resources: Resources
    knowledge: KnowledgeBase
    notebooks: Callable[[], NotebookShelf]
    graph: BookGraph

    async def model_for(self, mode: Mode) -> str:
        """The name of the model configured for a mode."""
        own = self.resources.settings.workshop
        models = {str(name): model for name, model in own.models.items()}
        return models.get(mode.lower()) or own.model or (await self.resources.choose()).name

    async def snapshot(
        self, state: ForemanState, turn: int, message: str = "", active: ActiveContext = NOWHERE
    ) -> BookSnapshot:
        """The book in its current state, for the prompt of a turn."""
        settings, decisions = self.resources.settings, await self.knowledge.current()
        if meaning := open_meaning(settings.workshop.by_meaning):
            await asyncio.to_thread(meaning.vectors, [text_of(one) for one in decisions])
        return take_snapshot(
            settings.project,
            settings.workshop,
            state.progress(turn),
            decisions,
            self.notebooks(),
            message=message,
            active=active,
            around=await self._around(),
        )

    async def _around(self) -> Callable[[str], tuple[KnowledgeEntry, ...]]:
        """The facts around a scene; none where the extra of the graph is not installed."""
        return scene_entries(await self.graph.preview()) if has_network() else lambda file: ()


class TurnContext:
    """One turn of a conversation. Writes go to the log first; pieces of an answer are shown as they arrive."""

    def __init__(self, performance: ForemanPerformance, sources: BookSources) -> None:
        settings = sources.resources.settings
        self._performance = performance
        self._sources = sources
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

    async def pick_model(self, mode: Mode, wanted: str | None) -> Model:
        """The model that answers. It records to the book's log, and each message has the full budget."""
        resources = self._sources.resources
        name = wanted or await self._sources.model_for(mode)
        model = resources.unspent_models(self._performance.run)(name, FOREMAN)
        await resources.gateway.ready()
        return model

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

    def bench(self, act: str, snapshot: BookSnapshot, seen: dict[str, str], *, is_writers: bool = False) -> BookBench:
        """The workbench for one action, of the Foreman or of the writer."""
        turn = int(act.partition(".")[0]) if act[0].isdecimal() else 0
        resources = self._sources.resources
        files = ProjectFiles(self._project)

        async def keep(change: PlannedChange) -> None:
            await self.write(_file_kept(act, change))

        return BookBench(
            act=act,
            mode=self.state.mode,
            files=files,
            bible=StoryBible(self._project),
            manuscript=Manuscript(self._project),
            knowledge=self._sources.knowledge,
            notebooks=self._sources.notebooks(),
            clock=resources.clock,
            look=lambda: snapshot.gate,
            keep=keep,
            seen=seen,
            made=_change_made(self.state.kept.get(act), files),
            cited=sum(count_told(one.outcome.brought) for one in self.state.done if one.turn == turn),
            is_writers=is_writers,
        )

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


def is_assisted(agent: str, profile: ModelProfile) -> bool:
    """Whether a model with this profile works assisted."""
    return not profile.is_stand_in and (agent == "assisted" or (agent == "auto" and needs_help(profile)))


def _file_kept(act: str, change: PlannedChange) -> FileKept:
    return FileKept(
        act=act,
        path=change.path,
        before=change.before,
        digest=change.digest,
        made=digest_of(change.text),
        kept_at=change.kept_at,
    )


def _change_made(kept: FileKept | None, files: ProjectFiles) -> FileChange | None:
    """The change that was logged for an action, if it was also made before the process died."""
    if kept is None or not files.holds(kept.kept_at or kept.path, kept.made):
        return None
    return FileChange(path=kept.path, before=kept.before, digest=kept.digest, kept_at=kept.kept_at)
