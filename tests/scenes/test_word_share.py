"""Whose words a scene is made of: in the header, the metadata and the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.cli.scene_view import whose_words
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.wire import result_of
from dramaturg.scenes.word_share import WordCount
from tests.cli.story import SCENE, new_story, typed
from tests.scenes.test_assisted_agent import SMALL, distinct, play, small


async def test_what_a_model_plays_directly_is_its_own(tmp_path: Path) -> None:
    able = ScriptedModel(
        lambda request: f'[TO: Bob, TONE: cold, *stays {request.key[5]}*] "No, {request.key}."', name="able"
    )
    run = await play(tmp_path, able)
    result = result_of(run.id, run.entries)
    assert result.metadata.words.by_model == result.metadata.words.spoken > 20
    assert "\nWORDS: 100% by the model\n" in result.transcript


async def test_what_was_walked_through_is_the_authors(tmp_path: Path) -> None:
    def reply(request: ModelRequest) -> str:
        return "The birds have left the harbour for good." if "beat-0/" in request.key else ""

    run = await play(tmp_path, small(reply, SMALL))
    result = result_of(run.id, run.entries)
    assert result.metadata.words.by_model == 8
    assert f"\nWORDS: {result.metadata.words.percent} by the model\n" in result.transcript
    assert "No language model judged this scene" in result.transcript


async def test_a_cast_of_several_models_is_counted_together(tmp_path: Path) -> None:
    other = ScriptedModel(distinct, name="other", profile=SMALL)
    run = await play(tmp_path, small(distinct), others={"bob": other})
    assert "WORDS: 100% by the models" in result_of(run.id, run.entries).transcript


def test_an_authors_lines_are_the_authors_and_the_header_has_no_share_where_no_model_plays(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    shown = typed(story, "scene", "run", SCENE, "--model", "rehearsal", "--json").splitlines()[-1]
    result = json.loads(shown)
    assert result["metadata"]["words"]["byModel"] == 0
    assert result["metadata"]["words"]["spoken"] > 0
    assert "WORDS:" not in result["transcript"]
    assert "A model wrote" not in typed(story, "scene", "run", SCENE, "--model", "rehearsal")


@pytest.mark.parametrize(("own", "shown"), [(0, "0%"), (1, "1%"), (500, "50%"), (999, "99%"), (1000, "100%")])
def test_only_all_of_it_is_all_of_it(own: int, shown: str) -> None:
    assert WordCount(spoken=1000, by_model=own).percent == shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (WordCount(spoken=40, by_model=40), "A model wrote all 40 words"),
        (WordCount(spoken=40, by_model=30), "A model wrote 75% of 40 words; the others are the author's"),
        (WordCount(spoken=40, by_model=30, by_person=10), "A model wrote 75% of 40 words; the others are a person's"),
        (
            WordCount(spoken=40, by_model=20, by_person=10),
            "A model wrote 50% of 40 words; the others are a person's and the author's",
        ),
    ],
)
def test_the_terminal_says_whose_the_words_are(words: WordCount, told: str) -> None:
    assert whose_words(words) == told
