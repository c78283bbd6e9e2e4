"""The tree of a session's branches, and where a stream goes on from a view."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast, overload

import pytest

from dramaturg.episodes.branches import LONGEST_EXCERPT, branching_point
from dramaturg.episodes.events import PlayerSpoke, TurnEnded
from dramaturg.episodes.wire import ChunkEvent
from dramaturg.kernel.errors import NotFound, StoreUnavailable
from dramaturg.kernel.runs import Entry, Mark, RunLibrary
from tests.episodes.staging import ANNA, Halting, house, spoken, studio_of
from tests.episodes.test_editing import OPEN, finish, numbered, talk


async def test_a_swipe_and_what_followed_the_first_answer_are_two_branches(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "Hello.", "And then?")
        first = next(one.id for one in view.messages if "Answer 1." in one.content)
        await finish(studio, view.id, await studio.episodes.swipe(view.id, first))
        tree = (await studio.episodes.branches(view.id)).messages
        parents = {one.id: one.parent for one in tree}
        (swiped,) = (one for one in tree if "Answer 3." in one.excerpt)
        assert parents[swiped.id] == parents[first]
        assert [one.current for one in tree if one.id in (first, swiped.id)] == [False, True]
        followed = next(one for one in tree if one.excerpt == "And then?")
        assert (followed.parent, followed.current) == (first, False)
        chosen = await studio.episodes.choose(view.id, followed.id)
        assert {one.id for one in chosen.messages} == {
            one.id for one in (await studio.episodes.branches(view.id)).messages if one.current
        }


async def test_a_session_that_is_open_is_branched_from_without_reading_its_log_again(tmp_path: Path) -> None:
    class Unread:
        """A library in which no log is to be read."""

        async def open(self, run_id: str) -> NoReturn:
            raise AssertionError(run_id)

    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "Hello.", "And then?")
        await studio.episodes.settle(view.id)
        opened = await studio.episodes.session(view.id)
        unread = cast(RunLibrary, Unread())
        at = await branching_point(unread, studio.episodes.session, view.id, view.messages[1].id)
        assert at == opened.run.seq
        with pytest.raises(NotFound, match="m99"):
            await branching_point(unread, studio.episodes.session, view.id, "m99")


async def test_the_log_before_a_damaged_entry_is_read_once_for_a_branch(tmp_path: Path) -> None:
    class Counted(Sequence[Entry[Any]]):
        """A log that counts how many of its entries were read."""

        def __init__(self, entries: Sequence[Entry[Any]]) -> None:
            self.entries, self.read = entries, 0

        def __len__(self) -> int:
            return len(self.entries)

        @overload
        def __getitem__(self, place: int) -> Entry[Any]: ...
        @overload
        def __getitem__(self, place: slice) -> Sequence[Entry[Any]]: ...
        def __getitem__(self, place: int | slice) -> Entry[Any] | Sequence[Entry[Any]]:
            found = self.entries[place]
            self.read += 1 if isinstance(found, Entry) else len(found)
            return found

    async def broken(session: str) -> NoReturn:
        raise StoreUnavailable("An entry of its log cannot be read.", session=session, seq=99)

    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, *(f"Number {number}." for number in range(8)))
        await studio.episodes.settle(view.id)
        whole = await studio.runs.open(view.id)
        spoken = [place for place, one in enumerate(whole.entries) if isinstance(one.event, PlayerSpoke)]
        ended = [place for place, one in enumerate(whole.entries, 1) if isinstance(one.event, TurnEnded)]
        log = Counted(whole.entries[: spoken[-1] + 1])  # a message whose answer is damaged

        class Library:
            async def open(self, run_id: str) -> SimpleNamespace:
                return SimpleNamespace(entries=log, damage="its next entry")

        library = cast(RunLibrary, Library())
        assert await branching_point(library, broken, view.id, "m3") == ended[-2]
        assert log.read <= len(log)
        assert await branching_point(library, broken, view.id, whole.entries[spoken[-1]].event.message_id) == len(log)
        with pytest.raises(NotFound, match="m99"):
            await branching_point(library, broken, view.id, "m99")


async def test_what_followed_a_deleted_message_follows_the_one_before_it(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "Hello.", "x" * 500)
        gone, kept = (one for one in view.messages if one.role == "player")
        await studio.episodes.delete_message(view.id, gone.id)
        tree = {one.id: one for one in (await studio.episodes.branches(view.id)).messages}
        assert gone.id not in tree
        assert all(not one.parent or one.parent in tree for one in tree.values())
        assert len(tree[kept.id].excerpt) == LONGEST_EXCERPT


async def test_a_stream_that_is_followed_from_a_view_gives_an_answer_on_its_way_from_its_first_word(
    tmp_path: Path,
) -> None:
    model = Halting(spoken("You took your time, and I waited."), after=12)
    async with studio_of(tmp_path, model, OPEN) as studio:
        session = (await studio.episodes.open("last-orders", ANNA)).id
        await studio.episodes.send(session, "Hello.")
        await model.reached.wait()
        view = await studio.episodes.view(session)
        assert view.busy
        shown = ""
        async with aclosing(studio.episodes.turn(session, Mark.read(view.mark))) as events:
            model.go.set()
            async for event in events:
                shown += event.content if isinstance(event, ChunkEvent) else ""
        assert shown == (await studio.episodes.view(session)).messages[-1].content
