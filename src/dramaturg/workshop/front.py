"""The front of the workshop: one conversation per book. Consult, decide, change the mode, undo.

A message is in the log before anything is built on it, and its turn belongs to the book: disconnecting does not cancel
it, and an interrupted turn is finished by the next process that opens the book.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Literal

from dramaturg.kernel.errors import InvalidConfig, InvalidSettings, NotFound, RunFenced
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.runs import Mark, Resources
from dramaturg.kernel.text.control import plain
from dramaturg.workshop.assisted import assisted_preview
from dramaturg.workshop.book.book import NOWHERE, ActiveContext
from dramaturg.workshop.book.decisions import Decision, NewDecision
from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.known_book import KnownBook
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book_pages import BookPages
from dramaturg.workshop.consolidation.book import BookConsolidation
from dramaturg.workshop.consult import mode_change
from dramaturg.workshop.disagreement import differing, follow_the_file
from dramaturg.workshop.drafts.front import BookDrafts
from dramaturg.workshop.drill.front import BookDrills
from dramaturg.workshop.events import (
    ActionDone,
    ActionUndone,
    OfferConfirmed,
    WriterSpoke,
)
from dramaturg.workshop.foreman.actions import ACTIONS, action_named
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.prompt_assembly import assemble_prompt
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.network import has_network
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.health.first_report import first_report
from dramaturg.workshop.health.front import BookHealth
from dramaturg.workshop.health.standing import StandingFindings
from dramaturg.workshop.holding import BookHold
from dramaturg.workshop.kind import ForemanKind
from dramaturg.workshop.manuscripts.front import BookManuscripts
from dramaturg.workshop.manuscripts.intake.plan import WRITTEN, ImportPlan
from dramaturg.workshop.manuscripts.intake.work import NAME as IMPORT
from dramaturg.workshop.narrative_voice import NarrativeVoice
from dramaturg.workshop.notebooks import NotebookListing, NotebookPassage, NotebookShelf, open_shelf
from dramaturg.workshop.own_changes import change_files
from dramaturg.workshop.promises.alerts import with_promises
from dramaturg.workshop.promises.front import BookPromises
from dramaturg.workshop.revision.exports import BookExports
from dramaturg.workshop.revision.patch_review import PatchReview
from dramaturg.workshop.revision.scene_versions import SceneVersions
from dramaturg.workshop.scaffold.front import BookScaffolds
from dramaturg.workshop.series.alerts import with_series
from dramaturg.workshop.series.front import BookSeries
from dramaturg.workshop.series.reader import SeriesReader
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.store import KnowledgeBase
from dramaturg.workshop.thread.front import BookThread
from dramaturg.workshop.turn_context import ForemanPerformance, TurnContext, is_assisted
from dramaturg.workshop.turn_stream import overheard_turn, turn_stream
from dramaturg.workshop.undo import actions_to_undo, check_later, interrupted, undo_rows
from dramaturg.workshop.views import book_view, consultation_list, prompt_view
from dramaturg.workshop.wire import (
    BookView,
    ConsultationList,
    ConsultStreamEvent,
    PromptView,
    UndoRow,
)
from dramaturg.workshop.work_changes import WorkChanges
from dramaturg.workshop.works.front import BookWorks
from dramaturg.workshop.works.table import WORKS

LONGEST_MESSAGE = 200_000
Kept = Literal["file", "decision"]


class Workshop:
    """The Foreman of one book, in this process."""

    def __init__(
        self,
        resources: Resources,
        notebooks: Callable[[], NotebookShelf] | None = None,
        works: Mapping[str, str] = WORKS,
    ) -> None:
        self._resources = resources
        self._own = resources.settings.workshop
        self._knowledge = KnowledgeBase(resources.database, self._own.book)
        graph = GraphStore(resources.database, self._own.book)
        cache = FileCache(resources.clock.now)
        series = SeriesReader(resources.settings, resources.clock.now)
        self.graph = BookGraph(graph, resources.settings.project, resources.clock, cache, series.earlier)
        self.series = BookSeries(series, self.graph)
        shelf = notebooks or (lambda: open_shelf(resources.settings))
        alerts = with_promises(with_series(StandingFindings().alerts, series))
        self._sources = BookSources(
            resources, self._knowledge, shelf, self.graph, cache, KnownBook(), alerts, series.links
        )
        self.works = BookWorks(self._sources, works)
        self.drills = BookDrills(self._sources)
        self.consolidation = BookConsolidation(self._sources, self.works)
        self.kind = ForemanKind(self._sources, self.works)
        self.manuscripts = BookManuscripts(resources.settings, resources.clock, self.works, self._read_anew)
        self._work_changes = WorkChanges(self._sources)
        self._hold = BookHold(resources, self.kind, self._mend)
        self.health = BookHealth(self._sources, self._hold.alone)
        self.voice = NarrativeVoice(self._sources, self.works, self._hold.alone, self.conversation)
        self.scaffolds = BookScaffolds(self._sources)
        self.promises = BookPromises(self._sources, self.works, self._hold.alone)
        self.patches = PatchReview(self._sources, self._hold.alone, self.conversation)
        self.versions = SceneVersions(self.patches, self._hold.alone)
        self.pages = BookPages(self._sources, self.patches, self._hold.alone)
        self.drafts = BookDrafts(self._sources, self.works, self._hold.alone, self.patches.tell_graph)
        self.thread = BookThread(self._sources)
        self.exports = BookExports(self._sources, self.manuscripts, self.consolidation, self.patches)

    # Talking.

    async def consult(
        self, message: str, *, model: str | None = None, active: ActiveContext = NOWHERE
    ) -> AsyncGenerator[ConsultStreamEvent, None]:
        """Keep the writer's message, answer it, and do what the answer asks for; what is shown, as it happens.

        A turn that an earlier process left unfinished is finished first. Raises RunFenced while another process works
        on the book. Disconnecting does not cancel the turn: `follow` resumes the stream.
        """
        said = _checked(message)
        async with self._hold.intake:
            performance = await self._hold.take()
            turn = performance.state.next_turn
            left = performance.state.open_turns if self._hold.working is None else ()
            entries = await performance.write(WriterSpoke(turn=turn, text=said, active=active, model=model))
            self._hold.play(performance)
        async with aclosing(
            turn_stream(performance, Mark(entries[-1].seq), turn, since=min(left, default=turn))
        ) as events:
            async for event in events:
                yield event
        await self.settled()

    async def finish(self) -> AsyncGenerator[ConsultStreamEvent, None]:
        """Finish what an earlier process left; nothing if there is nothing."""
        async with self._hold.intake:
            performance = await self._hold.take()
            unfinished = performance.state.open_turns
            if not unfinished:
                await self._hold.release(performance)
                return
            mark = Mark(performance.run.seq)
            self._hold.play(performance)
        async with aclosing(turn_stream(performance, mark, unfinished[-1], since=unfinished[0])) as events:
            async for event in events:
                yield event
        await self.settled()

    async def follow(self, turn: int, after: Mark | None = None) -> AsyncGenerator[ConsultStreamEvent, None]:
        """The events of a turn after a mark, then live until it is done. Raises NotFound for an unknown turn."""
        performance = self._hold.working
        is_here = performance is not None
        if performance is None:
            if not await self._hold.record():
                raise _no_turn(turn)
            performance = self.kind.perform(await self._resources.runs.open_as(self.kind, self._hold.run_id))
        spoke = next(
            (e.seq for e in performance.run.entries if isinstance(e.event, WriterSpoke) and e.event.turn == turn), None
        )
        if spoke is None:
            raise _no_turn(turn)
        mark, runs = after or Mark(spoke), self._resources.runs
        stream = turn_stream(performance, mark, turn) if is_here else overheard_turn(runs, performance, mark, turn)
        async with aclosing(stream) as events:
            async for event in events:
                yield event

    async def settled(self) -> None:
        """Returns when no turn is being worked on, and the book is free for the next command."""
        await self._hold.settled()

    async def close(self) -> None:
        """Stops the current turn; the log says where to continue."""
        await self._hold.close()

    # What the writer does without a model.

    async def decide(self, decision: NewDecision) -> Decision:
        """Saves a decision of the writer's own; it can be undone like any other."""
        async with self._hold.alone() as performance:
            held = performance.state.decided
            kept = await self._knowledge.decide(decision, self._resources.clock.now())
            if kept.id not in held:
                said = f"Decided: {kept.key} ({kept.category}): {kept.value}"
                await _write_own(performance, "save_decision", Outcome(said=said, decided=kept.id))
        return kept

    async def change_mode(self, to: Mode | None = None, *, force: bool = False) -> Outcome:
        """Moves to the next mode, or back. A closed gate raises and says what is missing; `force` records the risk."""
        async with self._hold.alone() as performance:
            context = TurnContext(performance, self._sources, self.works)
            action, act = ACTIONS["advance_mode"], f"w{performance.state.seq + 1}"
            snapshot = await context.snapshot(performance.state.next_turn)
            bench = context.bench(act, snapshot, dict(snapshot.seen), is_writers=True)
            outcome = await action.do(bench, action.read(_wanted(to, force)))
            await context.write(*mode_change(act, snapshot.book.mode, outcome))
            await _write_own(performance, "advance_mode", outcome, act)
        return outcome

    async def confirm(self) -> Outcome:
        """Does what the Foreman offered. Raises NotFound if nothing waits for the writer's yes."""
        async with self._hold.alone() as performance:
            offer = performance.state.offer
            if offer is None:
                raise NotFound("There is nothing to confirm. An offer holds until your next message.")
            context = TurnContext(performance, self._sources, self.works)
            snapshot = await context.snapshot(performance.state.next_turn)
            act = f"w{performance.state.seq + 1}"
            bench = context.bench(act, snapshot, dict(snapshot.seen), is_writers=True, offered=offer.act)
            action = action_named(offer.action, snapshot.book.mode)
            outcome = await action.do(bench, action.read(offer.params))
            await context.write(OfferConfirmed(act=offer.act), *mode_change(act, snapshot.book.mode, outcome))
            await _write_own(performance, offer.action, outcome, act)
        return outcome

    async def settle(self, key: str, keep: Kept) -> Outcome:
        """Settles a difference between a decision and its field: one of the two gets the other's words."""
        async with self._hold.alone() as performance:
            context = TurnContext(performance, self._sources, self.works)
            snapshot = await context.snapshot(performance.state.next_turn)
            differs = differing(snapshot.book.disagreements, key)
            act = f"w{performance.state.seq + 1}"
            bench = context.bench(act, snapshot, dict(snapshot.seen), is_writers=True)
            if keep == "file":
                outcome = await follow_the_file(bench, differs, await self._knowledge.current())
            else:
                written = await bench.write_page(differs.template, {differs.field: differs.decided})
                outcome = Outcome(said=f"Wrote {differs.field} in {written.path} as decided.", written=written)
            await _write_own(performance, "settle", outcome, act)
        return outcome

    async def undo(self, act: str | None = None, *, keep_file: bool = False) -> ActionUndone:
        """Undoes an action, or the last one; the next call undoes the one before it. `s3` undoes all of patch set 3.

        `keep_file` leaves its file as it is, and takes the action off the list of what can be undone.
        """
        async with self._hold.alone() as performance:
            actions = actions_to_undo(performance.state, act, self.patches.files)
            done = [await self._undo(performance, one, keep_file) for one in actions]
        if len(done) == 1:
            return done[0]
        said = f"Taken back: {len(done)} patches of set {act[1:] if act else ''}."
        return ActionUndone(act=act or "", said=said, kept_file=keep_file)

    async def _undo(self, performance: ForemanPerformance, action: ActionDone, keep_file: bool) -> ActionUndone:
        state, outcome = performance.state, action.outcome
        check_later(action, state)
        if outcome.files and not keep_file:
            made = {path: kept.made for path, kept in state.kept.get(action.act, {}).items()}
            self._files().restore_all(outcome.files, made)
            if action.action == IMPORT:
                self.manuscripts.forget(outcome.files, (await self._resources.runs.open(action.act)).entries)
        if outcome.patch is not None and not keep_file:
            await self.patches.take_back(performance, outcome.patch)
        for decision in (*filter(None, [outcome.decided]), *outcome.decisions):
            await self._knowledge.take_back(decision, self._resources.clock.now())
        kept_file = keep_file and (bool(outcome.files) or outcome.patch is not None)
        said = f"Left as it stands: {outcome.said}" if kept_file else f"Taken back: {outcome.said}"
        undone = ActionUndone(act=action.act, said=said, kept_file=kept_file)
        await performance.write(undone)
        return undone

    async def _mend(self, performance: ForemanPerformance) -> None:
        """Takes in what long works changed, so that it can be undone, and takes back what an action of the writer's own
        had changed when its process died before it was done."""
        await self._work_changes.take_in(performance)
        for act, said, changes, made in interrupted(performance.state, self._files()):
            self._files().restore_all(changes, made)
            await performance.write(ActionUndone(act=act, said=said))

    async def undoable(self) -> tuple[UndoRow, ...]:
        """The actions that can be undone, latest first, each with what stands in its way."""
        await self._take_in_works()
        return undo_rows(await self.conversation(), self._files(), self.patches.files)

    async def _take_in_works(self) -> None:
        """Takes in what works changed, unless somebody is at work on the book: then the next change does."""
        if self._hold.working is None and await self._work_changes.new(await self.conversation()):
            with suppress(RunFenced):
                async with self._hold.alone():
                    pass

    def _files(self) -> ProjectFiles:
        return ProjectFiles(self._resources.settings.project)

    # The manuscript that comes in.

    async def accept_review(self, name: str, data: bytes, numbers: Sequence[int] | None) -> tuple[ActionDone, ...]:
        """Makes changes of an edited Word document; each file's can be undone as one action."""
        made: list[ActionDone] = []
        async with self._hold.alone() as performance:
            await self.patches.finish(performance)
            planned = await self.manuscripts.accepted(name, data, numbers)
            for one in planned:
                said = f"Changed {one.path} as {name} has it."
                made.append(await change_files(performance, self._files(), [one], "accept_review", said))
        return tuple(made)

    async def _read_anew(self, plan: ImportPlan) -> Sequence[str]:
        """Everything that is read from the manuscript after an import; what there is to tell. Others join here."""
        await self._take_in_works()
        problems = (await self.graph.read()).problems
        return (*problems, *await first_report(self.works)) if plan.count(*WRITTEN) and has_network() else problems

    # Looking.

    async def view(self) -> BookView:
        """The current state of the book."""
        state = await self.conversation()
        return book_view(self._own.book, state, await self._sources.snapshot(state, state.next_turn))

    async def prompt(
        self, message: str = "", *, model: str | None = None, active: ActiveContext = NOWHERE
    ) -> PromptView:
        """Exactly what would be sent for a message, and what would be left out. Nothing is sent or saved."""
        state = await self.conversation()
        turn = state.next_turn
        snapshot = await self._sources.snapshot(state, turn, message, active)
        name = model or (await self._sources.model_for(snapshot.book.mode)).name
        files, talk = PromptFiles(self._resources.settings.project), state.conversation(turn)
        if is_assisted(self._own.agent, profile_of(name)):
            sent = assisted_preview(files, state, snapshot, message, name)
        else:
            sent = assemble_prompt(snapshot.book, profile_of(name), files, talk, message)
        return prompt_view(name, sent, snapshot.book.knowledge, self._price(name))

    async def decisions(self) -> tuple[Decision, ...]:
        """Every decision that holds, oldest first."""
        return await self._knowledge.current()

    async def history(self, key: str) -> tuple[Decision, ...]:
        """Every decision ever made under a key, oldest first."""
        return await self._knowledge.history(key)

    def notebooks(self) -> tuple[NotebookListing, ...]:
        """The notebooks that can be queried."""
        return self._sources.notebooks().listings()

    async def notebook_problems(self) -> dict[str, tuple[str, ...]]:
        """The files that cannot be read, by notebook."""
        return await self._sources.notebooks().problems()

    async def ask_notebook(self, notebook: str, question: str) -> tuple[NotebookPassage, ...]:
        """Passages of a notebook that answer a question, best first."""
        return await self._sources.notebooks().ask(notebook, question)

    async def conversation(self) -> ForemanState:
        """Everything said and done, as the log has it now, whichever process is writing."""
        return await self._hold.state()

    async def consultations(self, page: int = 1, limit: int = 20) -> ConsultationList:
        """A page of the conversation, newest first."""
        return consultation_list(await self.conversation(), page, limit)

    def _price(self, model: str) -> Price | None:
        try:
            return self._resources.price(model)
        except InvalidSettings:
            return None


async def _write_own(performance: ForemanPerformance, action: str, outcome: Outcome, act: str = "") -> None:
    """An action of the writer's own."""
    act = act or f"w{performance.state.seq + 1}"
    await performance.write(ActionDone(act=act, turn=0, action=action, outcome=outcome, by="writer"))


def _checked(message: str) -> str:
    said = plain(message).strip()
    if not said:
        raise InvalidConfig("The message is empty. Type something for the Foreman.")
    if len(said) > LONGEST_MESSAGE:
        raise InvalidConfig(
            f"The message has {len(said)} characters; the limit is {LONGEST_MESSAGE}. Put long texts into notebooks/."
        )
    return said


def _wanted(to: Mode | None, force: bool) -> dict[str, str | bool]:
    return {"force": force} if to is None else {"to": to.value, "force": force}


def _no_turn(turn: int) -> NotFound:
    return NotFound(f"There is no turn {turn} in this book's conversation.", turn=turn)
