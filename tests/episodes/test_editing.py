"""Swipes, edits, deletions and branches: the director and the tables follow the conversation."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.episodes.views import SessionView
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs import Mark
from dramaturg.studio import Studio
from tests.episodes.staging import ANNA, FLIRT, house, say, spoken, studio_of

OPEN = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}


def numbered() -> object:
    count = iter(range(1, 100))
    return lambda request: spoken(f"Answer {next(count)}.")


async def talk(studio: Studio, *lines: str) -> SessionView:
    view = await studio.episodes.open("last-orders", ANNA)
    for line in lines:
        await say(studio, view.id, line)
    return await studio.episodes.view(view.id)


def words(view: SessionView) -> list[str]:
    return [message.structured.dialogue if message.structured else message.content for message in view.messages]


async def finish(studio: Studio, session: str, mark: Mark) -> None:
    async for _ in studio.episodes.turn(session, mark):
        pass
    await studio.episodes.settle(session)


async def count(studio: Studio, session: str) -> int:
    row = await studio.episodes.tables.session(session)
    assert row is not None
    return row.turn_count


async def test_a_swipe_is_another_answer_and_the_first_can_be_had_back(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "Hello.")
        first = view.messages[-1].id
        await finish(studio, view.id, await studio.episodes.swipe(view.id, first))
        view = await studio.episodes.view(view.id)
        assert words(view)[-1] == "Answer 2."
        assert view.messages[-1].siblings == (first, view.messages[-1].id)
        assert view.director.turn_count == await count(studio, view.id) == 1
        view = await studio.episodes.choose(view.id, first)
        assert words(view)[-1] == "Answer 1."


async def test_a_swipe_further_up_leaves_what_followed_on_its_branch(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "One.", "Two.")
        early = view.messages[2].id
        await finish(studio, view.id, await studio.episodes.swipe(view.id, early))
        swiped = await studio.episodes.view(view.id)
        assert words(swiped)[1:] == ["One.", "Answer 3."]
        assert swiped.director.turn_count == await count(studio, view.id) == 1
        back = await studio.episodes.choose(view.id, early)
        assert words(back)[1:] == ["One.", "Answer 1.", "Two.", "Answer 2."]
        assert await count(studio, view.id) == 2


async def test_deleting_recounts_the_turns_and_takes_back_the_completion(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered())) as studio:
        view = await talk(studio, "One.", "Two.", "Three.")
        assert (view.status, view.completion_trigger) == ("complete", "turn_limit")
        view = await studio.episodes.delete_message(view.id, view.messages[5].id, following=True)
        assert (view.status, view.completion_trigger, view.director.turn_count) == ("open", None, 2)
        assert await count(studio, view.id) == 2
        events = await say(studio, view.id, "Three again.")
        assert "episode_complete" in [event.type for event in events]


async def test_deleting_one_message_closes_the_gap(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "One.", "Two.")
        view = await studio.episodes.delete_message(view.id, view.messages[2].id)
        assert words(view)[1:] == ["One.", "Two.", "Answer 2."]
        assert view.director.turn_count == await count(studio, view.id) == 1


async def test_other_words_are_judged_anew(tmp_path: Path) -> None:
    template = {
        **FLIRT,
        "completion_mode": "objective",
        "turn_budget": None,
        "completion_criteria": {"objective_key": "accused", "keywords": ["it was you"]},
    }
    async with studio_of(tmp_path, house(), template) as studio:
        view = await talk(studio, "I wonder.")
        assert not view.director.completion_eligible
        view = await studio.episodes.edit(view.id, view.messages[1].id, "It was you!")
        assert view.director.completion_eligible
        view = await studio.episodes.edit(view.id, view.messages[1].id, "I wonder.")
        assert not view.director.completion_eligible


async def test_a_branch_goes_on_from_a_message_in_the_same_session_or_a_new_one(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(numbered()), OPEN) as studio:
        view = await talk(studio, "One.", "Two.")
        fork = await studio.episodes.branch(view.id, view.messages[2].id, new_session=True)
        assert fork.id != view.id
        await say(studio, fork.id, "Elsewhere.")
        assert words(await studio.episodes.view(fork.id))[1:] == ["One.", "Answer 1.", "Elsewhere.", "Answer 3."]
        assert words(await studio.episodes.view(view.id))[1:] == ["One.", "Answer 1.", "Two.", "Answer 2."]
        here = await studio.episodes.branch(view.id, view.messages[2].id)
        assert words(here)[1:] == ["One.", "Answer 1."]
        assert (await count(studio, view.id), await count(studio, fork.id)) == (1, 2)


async def test_what_cannot_be_swiped_or_found_says_so(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), OPEN) as studio:
        view = await talk(studio, "Hello.")
        with pytest.raises(InvalidConfig, match="not one of the character's answers"):
            await studio.episodes.swipe(view.id, view.messages[1].id)
        with pytest.raises(InvalidConfig, match="not one of the character's answers"):
            await studio.episodes.swipe(view.id, view.messages[0].id)
        with pytest.raises(NotFound, match="There is no message 'm99'"):
            await studio.episodes.edit(view.id, "m99", "x")
        with pytest.raises(InvalidConfig, match="nothing to retry"):
            await studio.episodes.retry(view.id)


async def test_the_request_of_a_swipe_holds_only_what_led_to_it(tmp_path: Path) -> None:
    model = house(numbered())
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await talk(studio, "One.", "Two.")
        await finish(studio, view.id, await studio.episodes.swipe(view.id, view.messages[2].id))
    request = [request for request in model.requests if "/answer" in request.key][-1]
    assert all("Two." not in message.text for message in request.messages)
