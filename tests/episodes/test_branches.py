"""The tree of a session's branches, and where a stream goes on from a view."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

from dramaturg.episodes.branches import LONGEST_EXCERPT
from dramaturg.episodes.wire import ChunkEvent
from dramaturg.kernel.runs import Mark
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
