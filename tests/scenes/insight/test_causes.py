"""Taking one cause away changes that one thing in the request, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.insight.account import find_line, occasion_of_line
from dramaturg.scenes.insight.causes import Cause, causes_of, without
from dramaturg.scenes.insight.occasion import Occasion
from tests.scenes.insight.played import the_cup


async def occasion(project: Path, words: str) -> Occasion:
    run = await the_cup(project)
    return occasion_of_line(run.entries, find_line(run.entries, words))


def asked(occasion: Occasion) -> ModelRequest:
    return occasion.request(read_settings(Path("nowhere"), {}))


def the(occasion: Occasion, kind: str) -> Cause:
    (found,) = [cause for cause in causes_of(occasion) if cause.kind == kind]
    return found


async def test_a_line_rests_on_note_last_line_last_event_card_and_secrets(tmp_path: Path) -> None:
    found = causes_of(await occasion(tmp_path, "I broke it"))
    assert [(cause.key, cause.text) for cause in found] == [
        ("line-4", "Alice: I do."),
        ("event-5", "A gust slams the window"),
        ("section-0", "Personality"),
        ("secret-0", "The cup was the last of six."),
    ]


async def test_without_the_note_the_message_is_as_if_none_had_been_given(tmp_path: Path) -> None:
    whole = await occasion(tmp_path, "Then that is that")
    less = without(whole, the(whole, "note"))
    assert whole.messages[-1].text == (
        'Bob [TONE: neutral] "The cup is broken. I broke it."\n\n'
        f"DIRECTOR NOTE (only you see this): {whole.note}\n\nBeat 3. Alice:"
    )
    assert less.messages[-1].text == 'Bob [TONE: neutral] "The cup is broken. I broke it."\n\nBeat 3. Alice:'
    assert asked(less).cue.note == ""
    assert asked(less).system == asked(whole).system
    assert less.messages[:-1] == whole.messages[:-1]


@pytest.mark.parametrize("kind", ["line", "event"])
async def test_without_the_last_line_or_event_the_rest_of_the_thread_stays(tmp_path: Path, kind: str) -> None:
    whole = await occasion(tmp_path, "I broke it")
    cause = the(whole, kind)
    less = without(whole, cause)
    gone = next(line for line in whole.heard if line.number == cause.number).rendered()
    assert less.messages[-1].text == whole.messages[-1].text.replace(f"{gone}\n", "")
    assert {line.number for line in whole.heard} - {line.number for line in less.heard} == {cause.number}
    assert len(asked(less).cue.lines) == len(asked(whole).cue.lines) - 1


async def test_without_the_only_line_nobody_has_spoken(tmp_path: Path) -> None:
    whole = await occasion(tmp_path, "cups go")
    less = without(whole, the(whole, "line"))
    assert less.messages[-1].text == "Nobody has spoken since.\n\nBeat 1. Bob:"


async def test_without_a_section_the_card_is_shorter_in_the_prompt_and_for_the_company(tmp_path: Path) -> None:
    whole = await occasion(tmp_path, "I broke it")
    less = without(whole, the(whole, "section"))
    assert "## Personality" in asked(whole).system
    assert "## Personality" not in asked(less).system
    assert "# Bob - Colleague" in asked(less).system
    assert [part.sections for part in asked(less).cue.book.cast if part.name == "Bob"] == [()]
    assert asked(less).messages == asked(whole).messages


async def test_without_a_secret_or_a_direction_only_the_scene_layer_changes(tmp_path: Path) -> None:
    whole = await occasion(tmp_path, "I broke it")
    assert "the last of six" not in asked(without(whole, the(whole, "secret"))).system
    sheet = whole.state.sheets["bob"].model_copy(update={"note": "Look at the floor."})
    told = replace(whole, state=replace(whole.state, sheets={"bob": sheet}))
    assert "Look at the floor." in asked(told).system
    assert asked(without(told, the(told, "direction"))).system == asked(whole).system
