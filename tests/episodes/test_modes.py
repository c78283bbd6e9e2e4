"""Choices, objectives, pauses and the director's cut, played through the house."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.runs import Mark
from tests.episodes.staging import ANNA, FLIRT, Halting, house, say, spoken, studio_of, types

OBJECTIVE = {
    **FLIRT,
    "completion_mode": "objective",
    "turn_budget": 8,
    "evaluation": None,
    "progress": "dots",
    "completion_criteria": {"objective_key": "accused", "met_when": "the player accuses Mina of the theft"},
    "beats": [
        {
            "beat": "complication",
            "target_turn": 1,
            "prompt": "She waits.",
            "choices": [{"id": "accuse", "label": "Accuse her", "text": "It was you.", "flag": "accused"}],
        }
    ],
}


async def test_a_choice_is_offered_at_its_beat_and_picking_it_is_a_turn(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), OBJECTIVE) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        with pytest.raises(NotFound, match="offered: none now"):
            await studio.episodes.pick(view.id, "accuse")
        events = await say(studio, view.id, "Hello.")
        assert types(events)[-3:] == ["beat", "choice_prompt", "done"]
        assert [(one.id, one.label) for one in events[-2].choices] == [("accuse", "Accuse her")]
        assert (events[-3].index, events[-3].total, events[-3].label) == (2, 5, "")
        mark = await studio.episodes.pick(view.id, "accuse", "c9")
        events = [event async for event in studio.episodes.turn(view.id, mark, "c9")]
        view = await studio.episodes.view(view.id)
    assert [event.trigger for event in events if event.type == "episode_complete"] == ["objective_met"]
    assert view.messages[-2].content == "It was you."
    assert view.choices == ()


async def test_a_model_ends_an_objective_in_the_turn_itself_with_the_players_words(tmp_path: Path) -> None:
    def look(request: ModelRequest) -> str:
        met = "stole it" in request.messages[-1].text
        return json.dumps({"objective": {"met": met, "confidence": 0.9, "quote": "You stole it, Mina"}})

    async with studio_of(tmp_path, house(extraction=look), OBJECTIVE) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        assert "episode_complete" not in types(await say(studio, view.id, "Who did it?"))
        events = await say(studio, view.id, "You stole it, Mina.")
    assert types(events)[-2:] == ["episode_complete", "done"]
    assert events[-2].trigger == "objective_met"


@pytest.mark.parametrize("confidence", [0.7, 0.3])
async def test_a_model_that_is_not_sure_ends_nothing(confidence: float, tmp_path: Path) -> None:
    claim = json.dumps({"objective": {"met": True, "confidence": confidence, "quote": "You stole it"}})
    async with studio_of(tmp_path, house(extraction=claim), OBJECTIVE) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        assert "episode_complete" not in types(await say(studio, view.id, "You stole it."))


async def test_a_pause_of_an_open_talk_comes_with_a_suggestion_and_no_end(tmp_path: Path) -> None:
    talk = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
    other = {**talk, "name": "another-night", "title": "Another night"}
    async with studio_of(tmp_path, house(), talk, other) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        assert (await say(studio, view.id, "Tell me about the rain."))[-1].next_suggestion is None
        done = (await say(studio, view.id, "I have to go. Good night!"))[-1]
        assert done.next_suggestion.type == "character_content"
        assert done.next_suggestion.episodes == ("another-night",)
        again = await say(studio, view.id, "Well. Good night, then.")
        assert again[-1].next_suggestion is None
        assert (await studio.episodes.view(view.id)).status == "open"


async def test_the_directors_cut_opens_when_it_is_over_and_only_if_it_may(tmp_path: Path) -> None:
    allowed = {**FLIRT, "turn_budget": 2, "evaluation": None, "directors_cut": True}
    model = house(lambda request: spoken(internal="He lies.", tension_shift=0.9 if "m5" in request.key else 0.0))
    async with studio_of(
        tmp_path, model, allowed, {**FLIRT, "name": "closed", "turn_budget": 1, "evaluation": None}
    ) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "One.")
        with pytest.raises(InvalidConfig, match="when the episode is complete"):
            await studio.episodes.directors_cut(view.id)
        await say(studio, view.id, "Two.")
        cut = await studio.episodes.directors_cut(view.id)
        assert [thought.thought for thought in cut.thoughts] == ["He lies.", "He lies."]
        assert cut.turning_point == "m5"
        assert "last exchange" in cut.thoughts[1].note
        closed = await studio.episodes.open("closed", ANNA)
        await say(studio, closed.id, "One.")
        with pytest.raises(InvalidConfig, match="author keeps the secrets"):
            await studio.episodes.directors_cut(closed.id)


async def test_several_sessions_of_one_template_know_nothing_of_each_other(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house()) as studio:
        first = await studio.episodes.open("last-orders", ANNA)
        second = await studio.episodes.open("last-orders", ANNA)
        await say(studio, first.id, "One.")
        assert (await studio.episodes.view(second.id)).director.turn_count == 0
        assert [row.id for row in await studio.episodes.sessions("anna")] != [first.id]
        assert {row.id for row in await studio.episodes.sessions("anna")} == {first.id, second.id}


async def test_sessions_that_rest_are_put_away_and_come_back(tmp_path: Path) -> None:
    from dramaturg.kernel.settings import EpisodeSettings, read_settings

    settings = read_settings(tmp_path, {}).model_copy(update={"episodes": EpisodeSettings(open_sessions=2)})
    async with studio_of(tmp_path, house(), settings=settings) as studio:
        views = [await studio.episodes.open("last-orders", ANNA) for _ in range(4)]
        for view in views:
            await say(studio, view.id, "Hello.")
        for view in views:
            assert (await say(studio, view.id, "Again."))[-2].director.turn_count == 2
            events = [event async for event in studio.episodes.turn(view.id, Mark())]
            assert types(events) == ["scene_card", "message_complete", "done"]


async def test_who_reads_along_is_told_when_a_session_is_deleted(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        stream = studio.episodes.follow(view.id)
        assert (await anext(stream)).type == "scene_card"
        await studio.episodes.delete(view.id)
        with pytest.raises(NotFound, match="was deleted"):
            async for _ in stream:
                pass


async def test_a_session_is_not_resumed_as_if_it_were_a_scene(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        with pytest.raises(InvalidConfig, match="continues when its player speaks"):
            await studio.adopt(view.id)


async def test_a_second_house_takes_up_a_session_that_rests_and_the_first_goes_on_from_there(
    tmp_path: Path,
) -> None:
    model = Halting(spoken(), after=1)
    async with studio_of(tmp_path, model) as first, studio_of(tmp_path, house()) as second:
        view = await first.episodes.open("last-orders", ANNA)
        assert (await say(second, view.id, "From elsewhere."))[-1].type == "done"
        model.go.set()
        events = await say(first, view.id, "Back here.")
        assert events[-2].director.turn_count == 2
