"""The front of patches: the writer reviews what is proposed, and accepts, rejects and undoes it one by one.

A change is in the log before it is in the file; a process that dies in between leaves it to the next one. Nothing
outside the words of an accepted patch changes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig, NotFound, RunFenced
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.book.plain_text import line_break_of, plain_text
from dramaturg.workshop.events import ActionDone
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.graph.network import has_network
from dramaturg.workshop.patches.applied import (
    Applied,
    applied_patch,
    covering,
    followed,
    masked,
    with_patch,
    without_patch,
)
from dramaturg.workshop.patches.events import PatchesProposed, PatchesRejected, SceneChanged, SceneWritten
from dramaturg.workshop.patches.pages import PatchedFiles
from dramaturg.workshop.patches.patch import Patch, PatchSource, Place, locate, places
from dramaturg.workshop.patches.review import ProposedSet, Review, proposal
from dramaturg.workshop.patches.splice import Splice
from dramaturg.workshop.patches.wire import (
    PatchesAcceptedView,
    PatchesRejectedView,
    PatchList,
    PatchProblem,
    PatchView,
    patch_view,
)
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.turn_context import Alone, ForemanPerformance

ACCEPT = "accept_patch"


@dataclass(frozen=True, slots=True)
class _Accepted:
    """What accepting some patches of one file makes of it."""

    path: str
    was: str
    before: str
    text: str
    changes: tuple[tuple[int, Splice], ...]


class PatchReview:
    """The patches of one book. `alone` holds the book's log for a change; `look` reads its state."""

    def __init__(self, book: BookSources, alone: Alone, look: Callable[[], Awaitable[ForemanState]]) -> None:
        self.files = PatchedFiles(book.project)
        self._book = book
        self._alone = alone
        self._look = look

    # Looking.

    async def patches(self, *, every: bool = False, set_number: int | None = None) -> PatchList:
        """The patches that wait, or all of them, with what stands in the way of each."""
        review = await self.current()
        shown = [
            self._view(review, one, patch)
            for one in review.sets
            if set_number is None or one.number == set_number
            for patch in one.patches
            if every or set_number is not None or review.states[patch.number] == "waiting"
        ]
        return PatchList(patches=tuple(shown))

    async def current(self) -> Review:
        """The review as it is now, with everything taken in and finished, unless somebody works on the book."""
        with suppress(RunFenced):
            await self.take_in()
        return (await self._look()).review

    def _view(self, review: Review, its_set: PatchesProposed, patch: Patch) -> PatchView:
        state = review.states[patch.number]
        path, problem = patch.path, ""
        if state == "accepted":
            scene = review.scene_of(patch.number)
            path = scene.path if scene else patch.path
            problem = undo_problem(review, patch.number, self.files)
        else:
            path = self.files.path_of(patch, review)
            problem = self._problem(review, patch, path)
        return patch_view(
            patch,
            set_number=its_set.number,
            title=its_set.title,
            source=its_set.source,
            state=state,
            file=path,
            problem=problem,
        )

    def _problem(self, review: Review, patch: Patch, path: str) -> str:
        try:
            text = self.files.exact(path)
        except InvalidConfig as error:
            return error.message
        if text is None:
            return self.files.missing(path)
        found = _located(patch, text, _applied(review, path, text), review)
        return found if isinstance(found, str) else ""

    # Changing.

    async def propose(
        self, act: str, title: str, source: PatchSource, patches: Sequence[Patch]
    ) -> PatchesProposed | None:
        """Keeps a set of patches for the writer; None if it is empty. What an act proposed already is kept once."""
        async with self._alone() as performance:
            event = proposal(performance.state.review, act, title, source, patches)
            if event is not None and performance.state.review.set_of(act) is None:
                await performance.write(event)
        return event

    async def take_in(self) -> None:
        """Takes in what long works have proposed since, and finishes what a process that died has left."""
        known = (await self._look()).review
        new = [one for one in await self._proposed() if known.set_of(one.act) is None]
        if not new and known.unfinished is None:
            return
        async with self._alone() as performance:
            await self.finish(performance)
            for one in new:
                review = performance.state.review
                event = proposal(review, one.act, one.title, one.source, one.patches)
                if event is not None and review.set_of(one.act) is None:
                    await performance.write(event)

    async def _proposed(self) -> Sequence[ProposedSet]:
        """The sets that long works have proposed, whether or not they were taken in yet."""
        from dramaturg.workshop.revision.adoption import finished_sets

        return await finished_sets(self._book)

    async def accept(self, numbers: Sequence[int], *, nth: int | None = None) -> PatchesAcceptedView:
        """Makes the changes of these patches. One without a place waits and is reported; the others are made.

        `nth` chooses among the places of a single patch whose words stand several times.
        """
        if nth is not None and len(numbers) != 1:
            raise InvalidConfig("A place is chosen for one patch at a time.")
        async with self._held() as performance:
            review = performance.state.review
            wanted = [_acceptable(review, number) for number in dict.fromkeys(numbers)]
            by_file: dict[str, list[Patch]] = {}
            for patch in wanted:
                by_file.setdefault(self.files.path_of(patch, review), []).append(patch)
            problems: list[PatchProblem] = []
            done: list[int] = []
            for path, patches in by_file.items():
                made, missing = self._placed(review, path, patches, nth)
                problems += missing
                if made is not None:
                    await self._accept(performance, made)
                    done += [number for number, _ in made.changes]
        if done:
            await self.tell_graph()
        waiting = tuple(sorted(problems, key=lambda one: one.number))
        files = tuple(path for path in by_file if path in performance.state.review.scenes)
        return PatchesAcceptedView(
            accepted=tuple(done), waiting=waiting, files=files if done else (), said=_told(done, waiting)
        )

    async def reject(self, numbers: Sequence[int], reason: str = "") -> PatchesRejectedView:
        """Sets patches aside; they can still be accepted later."""
        async with self._held() as performance:
            review = performance.state.review
            for number in numbers:
                review.patch(number)
                if review.states[number] == "accepted":
                    raise InvalidConfig(
                        f"Patch {number} is accepted. Undo it first: dramaturg foreman undo p{number}", patch=number
                    )
            chosen = tuple(dict.fromkeys(numbers))
            if chosen:
                await performance.write(PatchesRejected(numbers=chosen, reason=reason))
        return PatchesRejectedView(rejected=chosen, said=f"Rejected: {_listed(chosen)}.")

    async def take_back(self, performance: ForemanPerformance, number: int) -> None:
        """Undoes an accepted patch in its file. Raises InvalidConfig if its words are covered or were rewritten."""
        await self.finish(performance)
        review = performance.state.review
        if problem := undo_problem(review, number, self.files):
            raise InvalidConfig(problem, patch=number)
        scene = review.scene_of(number)
        if scene is None:
            raise NotFound(f"Patch {number} is not accepted.", patch=number)
        path, now = _standing(scene.path, scene.text, self.files)
        held = applied_patch(followed(scene.applied, scene.text, now), number)
        assert held is not None  # undo_problem has looked
        change = SceneChanged(
            number=review.changes + 1,
            path=path,
            was=scene.path if path != scene.path else "",
            before=None if now == scene.text else now,
            changes=(held.undoing,),
            digest=digest_of(held.undoing.made(now)),
            undone=(number,),
            said=f"Undid patch {number}.",
        )
        await self.make(performance, change)
        await self.tell_graph()

    async def make(self, performance: ForemanPerformance, change: SceneChanged) -> None:
        """Logs a change and makes it in the file."""
        await performance.write(change)
        await self.finish(performance)

    async def finish(self, performance: ForemanPerformance) -> None:
        """Makes the change that is in the log and may not be in its file, unless the writer has edited it since."""
        state, change = performance.state, performance.state.review.unfinished
        if change is None:
            return
        before, after = state.review.texts
        if self.files.text_or_nothing(change.path) == before:
            self.files.put(change.path, before, after)
        actions = (_accepted_action(state, number, change.path) for number in change.accepted)
        await performance.write(SceneWritten(number=change.number), *actions)

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[ForemanPerformance]:
        await self.take_in()
        async with self._alone() as performance:
            yield performance

    def _placed(
        self, review: Review, path: str, patches: Sequence[Patch], nth: int | None
    ) -> tuple[_Accepted | None, list[PatchProblem]]:
        """The changes of a file's patches, each placed in the text that the ones before leave."""
        before = self.files.exact(path)
        if before is None:
            why = self.files.missing(path)
            return None, [PatchProblem(number=one.number, why=why) for one in patches]
        was = patches[0].path if patches[0].path != path else ""
        text, made, problems, applied = before, [], [], _applied(review, was or path, before)
        for patch in patches:
            found = _chosen(patch, text, nth) if nth is not None else _located(patch, text, applied, review)
            if isinstance(found, str):
                problems.append(PatchProblem(number=patch.number, why=found))
                continue
            splice = _splice(patch, text, found)
            made.append((patch.number, splice))
            text, applied = splice.made(text), with_patch(applied, patch.number, splice)
        return (_Accepted(path, was, before, text, tuple(made)) if made else None), problems

    async def _accept(self, performance: ForemanPerformance, made: _Accepted) -> None:
        review = performance.state.review
        scene = review.scenes.get(made.was or made.path)
        numbers = tuple(number for number, _ in made.changes)
        change = SceneChanged(
            number=review.changes + 1,
            path=made.path,
            was=made.was if scene is not None else "",
            before=None if scene is not None and scene.text == made.before else made.before,
            changes=tuple(splice for _, splice in made.changes),
            digest=digest_of(made.text),
            accepted=numbers,
            said=f"Accepted: {_listed(numbers)}.",
        )
        await self.make(performance, change)

    async def tell_graph(self) -> None:
        """The graph takes the new text in."""
        if has_network():
            await self._book.graph.read()


def undo_problem(review: Review, number: int, files: PatchedFiles) -> str:
    """Why an accepted patch cannot be undone alone; empty if it can."""
    scene = review.scene_of(number)
    if scene is None:
        return ""
    path, now = _standing(scene.path, scene.text, files)
    if not path:
        return f"There is no {scene.path}; patch {number} cannot be undone in it."
    applied = followed(scene.applied, scene.text, now)
    if applied_patch(applied, number) is not None:
        return ""
    over = covering(applied, number)
    if over is not None:
        return f"Patch {over} changes its words; undo that one first: dramaturg foreman undo p{over}"
    return (
        f"The words of patch {number} in {path} have been rewritten since. An earlier text: dramaturg foreman versions"
    )


def set_undo_problem(review: Review, numbers: Sequence[int], files: PatchedFiles) -> str:
    """Why some accepted patches cannot be undone one after the other; empty if they can."""
    texts: dict[str, Applied] = {}
    for number in numbers:
        scene = review.scene_of(number)
        if scene is None:
            continue
        if scene.path not in texts:
            path, now = _standing(scene.path, scene.text, files)
            texts[scene.path] = followed(scene.applied, scene.text, now) if path else ()
        if applied_patch(texts[scene.path], number) is None:
            return undo_problem(review, number, files)
        texts[scene.path] = without_patch(texts[scene.path], number)
    return ""


def _standing(path: str, text: str, files: PatchedFiles) -> tuple[str, str]:
    """A file and its text now, found again if it was renamed; empty if it is gone."""
    now = files.text_or_nothing(path)
    if now is not None:
        return path, now
    other = files.renamed(path, text)
    return (other, text) if other is not None else ("", "")


def _acceptable(review: Review, number: int) -> Patch:
    patch = review.patch(number)
    if review.states[number] == "accepted":
        raise InvalidConfig(f"Patch {number} is accepted already.", patch=number)
    return patch


def _applied(review: Review, path: str, text: str) -> Applied:
    """The accepted patches of a file in the text that it has now."""
    scene = review.scenes.get(path)
    return followed(scene.applied, scene.text, text) if scene is not None else ()


def _located(patch: Patch, text: str, applied: Applied, review: Review) -> Place | str:
    found = locate(patch, masked(text, applied, review.siblings(patch.number)))
    return found if isinstance(found, Place) else str(found)


def _chosen(patch: Patch, text: str, nth: int) -> Place | str:
    found = places(patch, text)
    if not 1 <= nth <= len(found):
        return f"Its words stand there {len(found)} times; there is no place {nth}."
    return found[nth - 1]


def _splice(patch: Patch, text: str, place: Place) -> Splice:
    new = plain_text(patch.new).plain.replace("\n", line_break_of(text))
    return Splice(start=place.start, old=text[place.start : place.end], new=new)


def _accepted_action(state: ForemanState, number: int, path: str) -> ActionDone:
    again = sum(one.outcome.patch == number for one in state.done)
    act = f"p{number}" if not again else f"p{number}-{again + 1}"
    outcome = Outcome(said=f"Accepted patch {number} in {path}.", patch=number)
    return ActionDone(act=act, turn=0, action=ACCEPT, outcome=outcome, by="writer")


def _told(done: Sequence[int], waiting: Sequence[PatchProblem]) -> str:
    first = f"Accepted: {_listed(done)}." if done else "Nothing was accepted."
    return " ".join([first, *(f"Patch {one.number} waits: {one.why}" for one in waiting)])


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
