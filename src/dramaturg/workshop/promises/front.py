"""The front of promises: listed, planted, taken up, paid and dropped by the writer, each with its words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.events import ActionDone
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.bench import BookBench
from dramaturg.workshop.promises.ledger import FILE, PromiseEntry, QuotedScene, with_entry
from dramaturg.workshop.promises.ledger import read_ledger as _ledger
from dramaturg.workshop.promises.material import promise_book, read_promises
from dramaturg.workshop.promises.standing import FEWEST_WORDS, PromiseBook, scene_name
from dramaturg.workshop.promises.wire import Promise, PromiseChanged, PromiseList, PromiseState, PromiseStep
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.turn_context import Alone, ForemanPerformance, TurnContext
from dramaturg.workshop.works.front import BookWorks

MOST_BYTES = 1_000_000


class _Held(NamedTuple):
    performance: ForemanPerformance
    bench: BookBench


class BookPromises:
    """The promises of one book, in this process. `alone` holds its conversation."""

    def __init__(
        self,
        book: BookSources,
        works: BookWorks,
        alone: Alone,
    ) -> None:
        self._book, self._works, self._alone = book, works, alone

    async def promises(self, state: PromiseState | None = None) -> PromiseList:
        """All of them, or those in one state, in the order in which they are planted."""
        found = await asyncio.to_thread(read_promises, self._book.project, self._book.cache)
        kept = (one for one in found.promises if state is None or one.state == state)
        return PromiseList(promises=tuple(kept), problem=found.problem)

    async def promise(self, name: str) -> Promise:
        """One promise. Raises NotFound with the names there are."""
        listed = (await self.promises()).promises
        found = next((one for one in listed if key_name(one.name) == key_name(name)), None)
        if found is None:
            known = ", ".join(one.name for one in listed[:12]) or "none yet"
            raise NotFound(f"There is no promise '{name}' (there is: {known}).", promise=name)
        return found

    async def take(self, step: PromiseStep) -> PromiseChanged:
        """Note a step in the writer's ledger; it can be undone. Raises InvalidConfig for words that do not stand."""
        async with self._held() as held:
            entry = _after(step, await self._entry(step), promise_book(self._book.project, self._book.cache))
            exact = ProjectFiles(self._book.project).exact(FILE, MOST_BYTES)
            made = await held.bench.write_files({FILE: with_entry(exact, entry)})
            said = _said(step, entry)
            done = Outcome.of_files(said, made)
            await held.performance.write(
                ActionDone(act=held.bench.act, turn=0, action=f"promise_{step.step}", outcome=done, by="writer")
            )
        return PromiseChanged(said=said, promise=await self.promise(entry.promise))

    async def _entry(self, step: PromiseStep) -> PromiseEntry:
        """The entry as it stands; a new one for what is planted, and for what only a scaffold knows."""
        if (known := _ledger(self._book.project).named(step.name)) is not None:
            return known
        if step.step == "plant":
            return PromiseEntry(promise=step.name)
        found = await self.promise(step.name)
        planted = QuotedScene(scene=found.planted.scene, quote=found.planted.quote) if found.planted else None
        return PromiseEntry(promise=found.name, what=found.what, planted=planted)

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[_Held]:
        async with self._alone() as performance:
            context = TurnContext(performance, self._book, self._works)
            snapshot = await context.snapshot(performance.state.next_turn)
            act = f"w{performance.state.seq + 1}"
            yield _Held(performance, context.bench(act, snapshot, dict(snapshot.seen), is_writers=True))


def _after(step: PromiseStep, entry: PromiseEntry, book: PromiseBook) -> PromiseEntry:
    """The entry after a step. Raises InvalidConfig if something is missing, or words do not stand."""
    if step.step == "drop":
        if not step.reason.strip():
            raise InvalidConfig(f"Why is '{entry.promise}' given up? Say it with a reason.", promise=entry.promise)
        return entry.model_copy(update={"dropped": " ".join(step.reason.split())})
    given = {name: " ".join(text.split()) for name in ("what", "due") if (text := getattr(step, name)).strip()}
    if step.step == "plant":
        place = _quoted(step, entry, book) if step.scene.strip() or step.quote.strip() else entry.planted
        return entry.model_copy(update={**given, "planted": place, "dropped": ""})
    place = _quoted(step, entry, book)
    if step.step == "pay":
        return entry.model_copy(update={"paid": place, "dropped": ""})
    kept = tuple(one for one in entry.echoed if scene_name(one.scene) != place.scene)
    return entry.model_copy(update={"echoed": (*kept, place)})


def _quoted(step: PromiseStep, entry: PromiseEntry, book: PromiseBook) -> QuotedScene:
    if not step.scene.strip():
        raise InvalidConfig(f"Which scene? Name the one that has the words of '{entry.promise}', such as ch04-sc02.")
    scene = scene_name(step.scene)
    if scene not in book.by_name or not book.by_name[scene].is_drafted:
        written = ", ".join([one.name for one in book.scenes if one.is_drafted][:8]) or "nothing yet"
        raise InvalidConfig(f"{scene} is not written yet (there is: {written}).", scene=scene)
    quote = " ".join(step.quote.split()) or book.sentence(scene, entry.promise)
    if not quote:
        raise InvalidConfig(
            f"No sentence of {scene} has the words of '{entry.promise}'. Quote the words that you mean.", scene=scene
        )
    found = QuotedScene(scene=scene, quote=quote)
    if not book.stands(found):
        raise InvalidConfig(
            f"These words do not stand in {scene}: “{quote[:80]}”. Quote at least {FEWEST_WORDS} as they stand there.",
            scene=scene,
        )
    return found


def _said(step: PromiseStep, entry: PromiseEntry) -> str:
    if step.step == "drop":
        return f"Dropped: {entry.promise}. {entry.dropped}"
    place = entry.planted if step.step == "plant" else entry.paid if step.step == "pay" else entry.echoed[-1]
    word = {"plant": "Planted", "pay": "Paid", "echo": "Taken up"}[step.step]
    if place is None:
        return f"Noted: {entry.promise}. Nothing plants it yet."
    return f"{word}: {entry.promise}, in {place.scene} (“{place.quote}”)."
