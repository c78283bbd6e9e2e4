"""The front of drafts: variants are read, one is chosen, or a hybrid made of them; a scaffold is handed to the stage.

A new scene is written and can be undone. Where the scene has prose, the new text becomes patches for it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs import Run
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.drafts.events import DraftBegan
from dramaturg.workshop.drafts.hybrid import chosen_paragraphs, hybrid_text, seams_of
from dramaturg.workshop.drafts.length import length_of
from dramaturg.workshop.drafts.material import has_changed
from dramaturg.workshop.drafts.request import NAME
from dramaturg.workshop.drafts.staging import stage_scaffold
from dramaturg.workshop.drafts.variant import DraftState, Variant, draft_in
from dramaturg.workshop.drafts.wire import DraftSaved, DraftView, HybridParagraph, HybridView, Staging
from dramaturg.workshop.events import ActionDone
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.bench import BookBench
from dramaturg.workshop.patches.events import SceneDrafted
from dramaturg.workshop.patches.patch import PatchSource
from dramaturg.workshop.patches.review import proposal
from dramaturg.workshop.patches.rewrite import paragraph_patches
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.turn_context import Alone, ForemanPerformance, writers_bench
from dramaturg.workshop.works.front import BookWorks

LAST = "last"
"""The name of the newest draft."""
MOST_LOOKED = 20


class _Saving(NamedTuple):
    """A text on its way into the book: what it is, who wrote it, and where it is from."""

    run: str
    began: DraftBegan
    text: str
    what: str
    source: PatchSource


class BookDrafts:
    """The drafts of one book. `alone` holds its conversation for a change; `tell_graph` lets it read a new scene."""

    def __init__(
        self,
        book: BookSources,
        works: BookWorks,
        alone: Alone,
        tell_graph: Callable[[], Awaitable[None]],
    ) -> None:
        self._book, self._works, self._alone, self._tell_graph = book, works, alone, tell_graph

    # Looking.

    async def draft(self, run_id: str = LAST, only: Sequence[str] = ()) -> DraftView:
        """A draft with its variants, or some of them, also one that is not finished. Raises NotFound."""
        run, state = await self._draft(run_id)
        began = state.began
        return DraftView(
            run=run.id,
            status=run.record.status,
            file=began.path,
            words=began.words,
            variants=tuple(_variant(state, letter) for letter in only) or state.variants,
            scaffold=began.scaffold_path,
            scaffold_changed=has_changed(self._book, began),
            base=began.base_run,
        )

    async def variant(self, run_id: str, letter: str) -> Variant:
        """One variant. Raises NotFound."""
        return _variant((await self._draft(run_id))[1], letter)

    # Choosing.

    async def choose(self, run_id: str, letter: str) -> DraftSaved:
        """Makes a variant the text of the scene; where that has prose, patches are proposed instead."""
        run, state = await self._draft(run_id)
        one = _variant(state, letter)
        if one.failed:
            raise NotFound(f"Variant {one.letter} has no text. {one.failed}", variant=one.letter)
        source = PatchSource(name=one.model, purpose=f"variant {one.letter}, {one.strategy}")
        return await self._save(
            _Saving(run.id, state.began, one.text, f"variant {one.letter}", source), "choose_variant"
        )

    async def hybrid(self, run_id: str, parts: Sequence[str], *, write: bool = True) -> HybridView:
        """A scene of chosen paragraphs, `A1-3 B4`, with its seams; written as `choose` does, unless only looked at."""
        run, state = await self._draft(run_id)
        chosen = chosen_paragraphs(state.variants, parts)
        text, seams = hybrid_text(chosen), seams_of(chosen)
        saved = None
        if write:
            named = " ".join(parts)
            places = ", ".join(f"{one.left}|{one.right}" for one in seams) or "none"
            models = dict.fromkeys(_variant(state, one.letter).model for one in chosen)
            source = PatchSource(name=", ".join(models), purpose=f"hybrid {named}"[:200])
            what = f"the hybrid {named} (seams: {places})"
            saved = await self._save(_Saving(run.id, state.began, text, what, source), "make_hybrid")
        return HybridView(
            run=run.id,
            file=state.began.path,
            paragraphs=tuple(HybridParagraph(label=one.label, text=one.text) for one in chosen),
            seams=seams,
            words=length_of(text),
            saved=saved,
        )

    # Performing.

    async def perform(self, scaffold: str, cast: Sequence[str] = (), *, replace: bool = False) -> Staging:
        """Hands a scaffold to the stage: `scenes/NAME.yaml`, and a card for whoever has none. It can be undone."""
        staged = await stage_scaffold(self._book, scaffold, cast, replace=replace)
        if staged.texts:
            async with self._held() as (performance, bench):
                made = await bench.write_files(staged.texts)
                await _done(performance, bench, "perform", Outcome.of_files(staged.view.said, made))
        return staged.view

    # Inside.

    async def _draft(self, run_id: str) -> tuple[Run[Any], DraftState]:
        runs = self._book.resources.runs
        if run_id.strip().lower() == LAST:
            found = [one for one in await runs.find(kind=NAME, limit=MOST_LOOKED) if one.name == self._book.name]
            if not found:
                raise NotFound("There is no draft yet. Start one: dramaturg foreman draft SCENE")
            run_id = max(found, key=lambda one: (one.created_at, one.id)).id
        detail = await self._works.detail(run_id)
        if detail.work != NAME:
            raise NotFound(f"Run {detail.run} is no draft of a scene.", run=detail.run)
        run = await runs.open(detail.run)
        state = draft_in(run.entries)
        if state is None:
            raise NotFound(
                f"Draft {run.id} has not begun to write yet. Wait for it, or: dramaturg runs resume {run.id}"
            )
        return run, state

    async def _save(self, saving: _Saving, action: str) -> DraftSaved:
        async with self._held() as (performance, bench):
            path = saving.began.path
            exact = bench.manuscript.drafted(path, seen=bench.seen.get(path))
            saved = await (
                self._write(performance, bench, saving, action)
                if exact is None
                else self._propose(performance, bench, saving, exact, action)
            )
        if saved.written:
            await self._tell_graph()
        return saved

    async def _write(
        self, performance: ForemanPerformance, bench: BookBench, saving: _Saving, action: str
    ) -> DraftSaved:
        path = saving.began.path
        if saving.text.startswith("---"):
            raise InvalidConfig(f"A scene cannot begin with a break. Leave the first paragraph of {saving.what} out.")
        head = _head(saving.began.head) if bench.files.exact(path, MOST_BYTES) is None else ""
        made = await bench.write_manuscript(path, f"{head}{saving.text}")
        said = f"Wrote {saving.what} of draft {saving.run} to {path}."
        drafted = SceneDrafted(path=path, text=bench.files.exact(path, MOST_BYTES) or "", run=saving.run, said=said)
        await _done(performance, bench, action, Outcome.of_files(said, (made,)), drafted)
        return DraftSaved(run=saving.run, file=path, written=True, said=said)

    async def _propose(
        self, performance: ForemanPerformance, bench: BookBench, saving: _Saving, exact: str, action: str
    ) -> DraftSaved:
        path = saving.began.path
        patches = paragraph_patches(path, exact, saving.text)
        if not patches:
            said = f"{path} has the text of {saving.what} already."
            return DraftSaved(run=saving.run, file=path, written=False, said=said)
        act = f"{saving.run}/{digest_of(saving.text)[:12]}/{digest_of(exact)[:12]}"
        review = performance.state.review
        event = proposal(review, act, f"{saving.what[0].upper()}{saving.what[1:]} for {path}", saving.source, patches)
        assert event is not None  # there are patches
        numbers = tuple(one.number for one in event.patches)
        count = "1 patch" if len(numbers) == 1 else f"{len(numbers)} patches"
        said = f"{path} has prose, and stays as it is: {saving.what} waits as {count}. See: dramaturg foreman patches"
        if review.set_of(act) is None:
            await performance.write(event)
            await _done(performance, bench, action, Outcome(said=said, proposed=numbers))
        return DraftSaved(run=saving.run, file=path, written=False, patches=numbers, said=said)

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[tuple[ForemanPerformance, BookBench]]:
        async with self._alone() as performance:
            yield performance, await writers_bench(performance, self._book, self._works)


def _variant(state: DraftState, letter: str) -> Variant:
    wanted = letter.strip().upper()
    found = next((one for one in state.variants if one.letter == wanted), None)
    if found is None:
        known = ", ".join(one.letter for one in state.began.variants)
        raise NotFound(f"There is no variant '{letter[:20]}' (there is: {known}).", variant=letter[:20])
    return found


def _head(fields: Mapping[str, str]) -> str:
    """The front matter of a new scene; nothing without fields."""
    rows = [f"{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in fields.items()]
    return "\n".join(["---", *rows, "---", "", ""]) if rows else ""


async def _done(
    performance: ForemanPerformance, bench: BookBench, action: str, outcome: Outcome, *before: SceneDrafted
) -> None:
    done = ActionDone(act=bench.act, turn=0, action=action, outcome=outcome, by="writer")
    await performance.write(*before, done)
