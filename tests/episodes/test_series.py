"""From episode to episode: what happened before goes on, and what is remembered comes back."""

from __future__ import annotations

import json
from pathlib import Path

from dramaturg.kernel.models.port import ModelRequest
from tests.episodes.staging import ANNA, FLIRT, house, kind_of, say, studio_of, write_project

FIRST = {**FLIRT, "name": "first-night", "turn_budget": 1, "evaluation": None, "progress": "label"}
SECOND = {**FIRST, "name": "second-night"}
ALONE = {**FIRST, "name": "alone"}
SERIES = {"name": "nights", "title": "Nights", "episodes": ["first-night", "second-night"]}
SUMMARY = json.dumps(
    {
        "summary": "Anna came in out of the rain and told Mina about her sister.",
        "key_moments": [{"text": "She tells it.", "quote": "I lost my sister"}],
        "emotional_arc": "From cold to warm.",
    }
)


def extraction(request: ModelRequest) -> str:
    def kept(text: str, scope: str) -> dict[str, object]:
        return {"text": text, "quote": "I lost my sister", "importance": 0.9, "scope": scope}

    return json.dumps(
        {
            "memories": [kept("They lost a sister.", "character"), kept("They know about the till.", "series")],
            "hooks": [kept("The song she would not play.", "character")],
            "relationship": {"tone": "warm", "trust": 0.3, "tension": 0.2, "quote": "I lost my sister"},
        }
    )


async def test_the_next_episode_begins_where_the_last_one_ended(tmp_path: Path) -> None:
    write_project(tmp_path, FIRST, SECOND, ALONE, series=SERIES)
    model = house(extraction=extraction, evaluation=SUMMARY)
    async with studio_of(tmp_path, model, FIRST, SECOND, ALONE) as studio:
        first = await studio.episodes.open("first-night", ANNA)
        assert (first.series.number, first.series.total, first.progress) == (1, 2, "Episode 1 of 2")
        events = await say(studio, first.id, "I lost my sister.")
        complete = next(event for event in events if event.type == "episode_complete")
        assert complete.next_suggestion.episode_template_id == "second-night"
        second = await studio.episodes.open("second-night", ANNA)
        await say(studio, second.id, "Me again.")
        alone = await studio.episodes.open("alone", ANNA)
        await say(studio, alone.id, "Only me.")
        stranger = await studio.episodes.open("second-night", ANNA.model_copy(update={"id": "ben"}))
        await say(studio, stranger.id, "Hello.")
    asked = [request.messages[-1].text for request in model.requests if kind_of(request) == "answer"]
    assert "<previously>Anna came in out of the rain" in asked[1]
    assert "<memory>They lost a sister.</memory>" in asked[1]
    assert "<memory>They know about the till.</memory>" in asked[1]
    assert "<open_thread>The song she would not play.</open_thread>" in asked[1]
    assert '<relationship tone="warm" trust="+0.30" tension="0.10"/>' in asked[1]
    # What belongs to the series stays there; what belongs to the character goes along.
    assert "They lost a sister." in asked[2]
    assert "They know about the till." not in asked[2]
    assert "<previously>" not in asked[2]
    assert "sister" not in asked[3]


async def test_a_session_that_is_deleted_is_forgotten_by_the_character(tmp_path: Path) -> None:
    write_project(tmp_path, FIRST, SECOND, series=SERIES)
    model = house(extraction=extraction, evaluation=SUMMARY)
    async with studio_of(tmp_path, model, FIRST, SECOND) as studio:
        first = await studio.episodes.open("first-night", ANNA)
        await say(studio, first.id, "I lost my sister.")
        await studio.episodes.delete(first.id)
        second = await studio.episodes.open("second-night", ANNA)
        await say(studio, second.id, "Me again.")
    asked = [request.messages[-1].text for request in model.requests if kind_of(request) == "answer"][-1]
    assert "sister" not in asked
    assert "<previously>" not in asked
