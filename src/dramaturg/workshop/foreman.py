"""The Foreman: one conversation a book, over its whole time. Consult, decide, change the mode, take back.

A message is in the log before anything is made of it, and its turn belongs to the book: who asked may leave, and a turn
that was broken off is finished by whoever comes next.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from dramaturg.kernel.errors import InvalidConfig, NotFound, RunFenced, StoreError
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.runs import Player
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.store import RunRecord
from dramaturg.workshop.actions import ACTIONS
from dramaturg.workshop.actions.action import Outcome
from dramaturg.workshop.assembling import assemble_prompt
from dramaturg.workshop.bench import BookBench
from dramaturg.workshop.bible import StoryBible
from dramaturg.workshop.book import NOWHERE, ActiveContext, NotebookListing
from dramaturg.workshop.consult import Staff, keeps, mode_change, play_turn
from dramaturg.workshop.decisions import Decision, NewDecision
from dramaturg.workshop.events import (
    ActionDone,
    ActionUndone,
    AnswerPieces,
    BookOpened,
    ForemanRun,
    WriterSpoke,
)
from dramaturg.workshop.files import ProjectFiles
from dramaturg.workshop.gathering import Gathered, gather
from dramaturg.workshop.manuscript import Manuscript
from dramaturg.workshop.modes import Mode
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.notebooks.shelf import count_told
from dramaturg.workshop.office import Office
from dramaturg.workshop.prompting import PromptFiles
from dramaturg.workshop.state import ForemanState, foreman_state
from dramaturg.workshop.views import book_view, prompt_view
from dramaturg.workshop.wire import BookView, ConsultDone, ConsultEvent, MessageDelta, PromptView, shown

FOREMAN = "foreman"
PIECES = 240
"""So many characters of an answer are gathered before they are logged."""
LONGEST_MESSAGE = 200_000


class Foreman:
    """The Foreman of one book, in this process."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._project = office.settings.project
        self._own = office.settings.workshop
        self._run: ForemanRun | None = None
        self.state = ForemanState()
        self._working = asyncio.Lock()
        self._intake = asyncio.Lock()
        self._runner: asyncio.Task[None] | None = None
        self._listeners: list[asyncio.Queue[ConsultEvent | BaseException]] = []
        self._unlogged = ""

    # Talking.

    async def consult(
        self, message: str, *, model: str | None = None, active: ActiveContext = NOWHERE
    ) -> AsyncIterator[ConsultEvent]:
        """Keep the writer's message, answer it, and do what the answer asks for; what is shown, as it happens.

        A turn that an earlier process left unfinished is finished first. Raises Fenced while another process works on
        the book. Who stops listening does not stop the turn.
        """
        said = _checked(message)
        queue: asyncio.Queue[ConsultEvent | BaseException] = asyncio.Queue()
        async with self._intake:
            await self._hold()
            turn = self.state.next_turn
            await self.write(WriterSpoke(turn=turn, text=said, active=active, model=model))
            self._listeners.append(queue)
        self._kick()
        async for event in self._heard(queue, turn):
            yield event

    async def finish(self) -> AsyncIterator[ConsultEvent]:
        """Finish what an earlier process left; nothing if there is nothing."""
        queue: asyncio.Queue[ConsultEvent | BaseException] = asyncio.Queue()
        async with self._intake:
            await self._hold()
            unfinished = self.state.open_turns
            if not unfinished:
                await self._release()
                return
            self._listeners.append(queue)
        self._kick()
        async for event in self._heard(queue, unfinished[-1]):
            yield event

    async def settled(self) -> None:
        """Returns when no turn is being worked on."""
        while self._runner is not None:
            await asyncio.wait([self._runner])

    async def close(self) -> None:
        """Stop what is under way; the log says where to go on."""
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.wait([self._runner])

    # What the writer does without a model.

    async def decide(self, decision: NewDecision) -> Decision:
        """A decision of the writer's own; it can be undone like any other."""
        async with self._at_the_book():
            held = {one.outcome.decided for one in self.state.done}
            kept = await self._office.knowledge.decide(decision, self._office.clock.now())
            if kept.id not in held:
                said = f"Decided: {kept.key} ({kept.category}): {kept.value}"
                await self._write_own("save_decision", Outcome(said=said, decided=kept.id))
        return kept

    async def change_mode(self, to: Mode | None = None, *, force: bool = False) -> Outcome:
        """Go on to the next mode, or back. A closed gate refuses and says what is missing; `force` records the risk."""
        async with self._at_the_book():
            action, act = ACTIONS["advance_mode"], f"w{self.state.seq + 1}"
            gathered = await self.gather(self.state.next_turn)
            outcome = await action.do(self.bench(act, gathered, dict(gathered.seen)), action.read(_wanted(to, force)))
            await self.write(*mode_change(act, gathered.book.mode, outcome))
            await self._write_own("advance_mode", outcome, act)
        return outcome

    async def undo(self) -> ActionUndone:
        """Take back the last thing that was done and can be; the next time, the one before it."""
        async with self._at_the_book():
            last = next(iter(self.state.undoable), None)
            if last is None:
                raise NotFound("There is nothing left to take back.")
            outcome = last.outcome
            if outcome.written is not None:
                ProjectFiles(self._project).restore(outcome.written)
            if outcome.decided is not None:
                await self._office.knowledge.take_back(outcome.decided, self._office.clock.now())
            undone = ActionUndone(act=last.act, said=f"Taken back: {outcome.said}")
            await self.write(undone)
        return undone

    # Looking.

    async def view(self) -> BookView:
        """Where the book stands."""
        await self._read()
        return book_view(self._own.book, self.state, await self.gather(self.state.next_turn))

    async def prompt(
        self, message: str = "", *, model: str | None = None, active: ActiveContext = NOWHERE
    ) -> PromptView:
        """Exactly what would be sent for a message, and what would not. Nothing is sent, and nothing is kept."""
        await self._read()
        turn = self.state.next_turn
        gathered = await self._gathered(turn, message, active)
        name = model or await self._named(gathered.book.mode)
        files, talk = PromptFiles(self._project), self.state.conversation(turn)
        sent = assemble_prompt(gathered.book, profile_of(name), files, talk, message)
        return prompt_view(name, sent, self._office.price(name))

    async def decisions(self) -> tuple[Decision, ...]:
        return await self._office.knowledge.current()

    async def history(self, key: str) -> tuple[Decision, ...]:
        return await self._office.knowledge.history(key)

    def notebooks(self) -> tuple[NotebookListing, ...]:
        return self._office.notebooks().listings()

    async def notebook_problems(self) -> dict[str, tuple[str, ...]]:
        """The files that cannot be read, by notebook."""
        return await self._office.notebooks().problems()

    async def ask_notebook(self, notebook: str, question: str) -> tuple[NotebookPassage, ...]:
        return await self._office.notebooks().ask(notebook, question)

    async def conversation(self) -> ForemanState:
        """All that was said and done, as the log has it now."""
        await self._read()
        return self.state

    # The desk, as a turn sees it.

    async def write(self, *events: Event) -> None:
        if not events:
            return
        entries = await self._held().append(*events)
        self.state = self.state.after(entries)
        for event in events:
            for one in shown(event):
                self._show(one)

    def hear(self, turn: int, piece: str, shown: str) -> None:
        self._unlogged += piece
        if len(self._unlogged) >= PIECES:
            self._held().put(AnswerPieces(turn=turn, text=self._unlogged))
            self._unlogged = ""
        if shown:
            self._show(MessageDelta(turn=turn, text=shown))

    async def gather(self, turn: int) -> Gathered:
        here = self.state.turns.get(turn)
        message, active = (here.spoke.text, here.spoke.active) if here else ("", NOWHERE)
        return await self._gathered(turn, message, active)

    def bench(self, act: str, gathered: Gathered, seen: dict[str, str]) -> BookBench:
        turn = int(act.partition(".")[0]) if act[0].isdecimal() else 0
        return BookBench(
            act=act,
            mode=self.state.mode,
            files=ProjectFiles(self._project),
            bible=StoryBible(self._project),
            manuscript=Manuscript(self._project),
            knowledge=self._office.knowledge,
            notebooks=self._office.notebooks(),
            clock=self._office.clock,
            look=lambda: gathered.gate,
            keep=keeps(self),
            seen=seen,
            kept=self.state.kept.get(act),
            cited=sum(count_told(one.outcome.brought) for one in self.state.done if one.turn == turn),
        )

    # Within.

    def _kick(self) -> None:
        if self._runner is None:
            self._runner = asyncio.create_task(self._work(), name=f"foreman of {self._own.book}")

    async def _work(self) -> None:
        """Turn after turn, as long as there is one to answer."""
        try:
            async with self._working:
                while self.state.open_turns:
                    await play_turn(self, self._staff(), self.state.open_turns[0])
                    self._unlogged = ""
                await self._release()
        except asyncio.CancelledError:
            await asyncio.shield(self._let_go())
            raise
        except Exception as error:  # noqa: BLE001 # reason: whatever it is, those who listen must hear of it
            await self._let_go()
            for queue in self._listeners:
                queue.put_nowait(error)
        finally:
            self._runner = None
        if self._run is not None and self.state.open_turns and self._listeners:
            self._kick()

    async def _heard(
        self, queue: asyncio.Queue[ConsultEvent | BaseException], turn: int
    ) -> AsyncIterator[ConsultEvent]:
        try:
            while True:
                event = await queue.get()
                if isinstance(event, BaseException):
                    raise event
                yield event
                if isinstance(event, ConsultDone) and event.turn == turn:
                    break
        finally:
            self._listeners.remove(queue)
        await self._rested()

    async def _rested(self) -> None:
        """Returns when the book is let go, so that the next command finds it free."""
        if self._runner is not None:
            await asyncio.wait([self._runner])

    def _show(self, event: ConsultEvent) -> None:
        for queue in self._listeners:
            queue.put_nowait(event)

    def _staff(self) -> Staff:
        async def pick(mode: Mode, wanted: str | None) -> Model:
            return await self._office.open_model(self._held(), wanted or await self._named(mode))

        return Staff(
            pick, PromptFiles(self._project), self._office.clock, self._own.most_actions, self._own.temperature
        )

    async def _named(self, mode: Mode) -> str:
        """The model for the work of a mode."""
        models = {name: model for name, model in self._own.models.items() if name == mode.lower()}
        return models.get(mode.lower(), "") or self._own.model or await self._office.choose()  # type: ignore[call-overload]

    async def _gathered(self, turn: int, message: str, active: ActiveContext) -> Gathered:
        decisions = await self._office.knowledge.current()
        return gather(
            self._project,
            self._own,
            self.state,
            decisions,
            self._office.notebooks(),
            turn=turn,
            message=message,
            active=active,
        )

    async def _write_own(self, action: str, outcome: Outcome, act: str = "") -> None:
        """Something the writer did themselves."""
        act = act or f"w{self.state.seq + 1}"
        await self.write(ActionDone(act=act, turn=0, action=action, outcome=outcome, by="writer"))

    def _held(self) -> ForemanRun:
        if self._run is None:
            raise AssertionError("the book is not held")
        return self._run

    @asynccontextmanager
    async def _at_the_book(self) -> AsyncIterator[None]:
        """For the time of a block nobody else works on the book."""
        async with self._intake:
            await self.settled()
            await self._hold()
            try:
                yield
            finally:
                await self._release()

    async def _hold(self) -> None:
        """Take the book's conversation for this process, as it is now."""
        while self._run is None and self._runner is not None:
            await asyncio.wait([self._runner])  # it is just letting go
        if self._run is not None:
            return
        record = await self._record()
        if record is None:
            opening = (BookOpened(book=self._own.book),)
            run_id = id_for(FOREMAN, self._own.book)
            self._run = await self._office.runs.create(FOREMAN, self._own.book, run_id=run_id, opening=opening)
        else:
            _check_free(record, self._office.runs.player)
            self._run = await self._office.runs.adopt(record)
        self.state = foreman_state(self._run.entries)

    async def _release(self) -> None:
        if self._run is not None:
            run, self._run = self._run, None
            await run.flush()
            await self._office.runs.mark(run, "stopped")

    async def _let_go(self) -> None:
        """Let go of a book whose turn was broken off; what was heard of the answer is kept."""
        if self._run is not None and self._unlogged and self.state.open_turns:
            with suppress(StoreError):
                self._run.put(AnswerPieces(turn=self.state.open_turns[0], text=self._unlogged))
        self._unlogged = ""
        with suppress(StoreError):  # another took it over, or the store is gone: there is nothing to say to it
            await self._release()

    async def _read(self) -> None:
        """The state as the log has it, whoever writes it."""
        if self._run is None and await self._record() is not None:
            run = await self._office.runs.open(id_for(FOREMAN, self._own.book))
            self.state = foreman_state(run.entries)

    async def _record(self) -> RunRecord | None:
        try:
            return await self._office.runs.get(id_for(FOREMAN, self._own.book))
        except NotFound:
            return None


def _checked(message: str) -> str:
    said = message.replace("\0", "").strip()
    if not said:
        raise InvalidConfig("Say something to the Foreman; the message is empty.")
    if len(said) > LONGEST_MESSAGE:
        raise InvalidConfig(
            f"The message has {len(said)} characters; {LONGEST_MESSAGE} is the most. Put long texts into notebooks/."
        )
    return said


def _wanted(to: Mode | None, force: bool) -> dict[str, str | bool]:
    return {"force": force} if to is None else {"to": to.value, "force": force}


def _check_free(record: RunRecord, me: Player) -> None:
    player = Player.read(record.player)
    if record.status == "playing" and player is not None and player != me and player.may_be_alive():
        raise RunFenced(
            f"The Foreman is at work on this book in another process ({player.host}, process {player.pid}). "
            "Wait for its answer, or end it there; nothing you typed was sent.",
            run=record.id,
        )
