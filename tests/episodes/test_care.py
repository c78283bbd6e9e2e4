"""A message that speaks of harm gets a plain line outside the story, and the game leaves it alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.episodes.care import Concern, care_text, concern_in
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.settings import CareSettings, read_settings
from tests.episodes.concerns import (
    ABUSE,
    HARMLESS,
    MORE_ABUSE,
    MORE_HARMLESS,
    MORE_SELF_HARM,
    ROMANCE_ABUSE,
    ROMANCE_HARMLESS,
    ROMANCE_SELF_HARM,
    SELF_HARM,
)
from tests.episodes.staging import ANNA, FLIRT, Halting, house, kind_of, say, spoken, studio_of, types

SAD = "I don't want to live anymore."


@pytest.mark.parametrize(
    ("said", "language", "kind"),
    [
        *((said, language, "self_harm") for said, language in (*SELF_HARM, *MORE_SELF_HARM, *ROMANCE_SELF_HARM)),
        *((said, language, "abuse") for said, language in (*ABUSE, *MORE_ABUSE, *ROMANCE_ABUSE)),
    ],
)
def test_a_message_about_harm_is_noticed_in_its_language(said: str, language: str, kind: str) -> None:
    concern = concern_in(said)
    assert concern is not None
    assert (concern.kind, concern.language) == (kind, language)


@pytest.mark.parametrize("said", [*HARMLESS, *MORE_HARMLESS, *ROMANCE_HARMLESS])
def test_figures_of_speech_plots_and_denials_are_left_alone(said: str) -> None:
    assert concern_in(said) is None


def test_the_tables_are_long_enough_to_mean_something() -> None:
    assert len(SELF_HARM) + len(ABUSE) + len(HARMLESS) >= 60


@pytest.mark.parametrize("kind", ["self_harm", "abuse"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja"])
def test_every_text_names_a_way_to_get_help(kind: str, language: str) -> None:
    assert "findahelpline.com" in care_text(Concern(kind, language, ""), CareSettings())


def test_the_host_sets_the_text_per_language() -> None:
    own = CareSettings(self_harm={"de": "Ruf uns an: 0123.", "en": "Call us: 0123."})
    assert care_text(Concern("self_harm", "de", ""), own) == "Ruf uns an: 0123."
    assert care_text(Concern("self_harm", "ja", ""), own) == "Call us: 0123."
    assert "findahelpline" in care_text(Concern("abuse", "de", ""), own)


async def test_without_a_text_in_its_language_the_line_is_in_that_of_the_episode(tmp_path: Path) -> None:
    spanish = {**FLIRT, "opening_line": "Está cerrado. Siéntate aquí con nosotros."}
    async with studio_of(tmp_path, house(), spanish) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        russian = await say(studio, view.id, "Я не хочу жить.")
        portuguese = await say(studio, view.id, "Eu me corto às vezes.")
    assert russian[0].text.startswith("Esto no es parte de la historia.")
    assert portuguese[0].text.startswith("Isto não faz parte da história.")


async def test_the_line_comes_first_and_the_game_ignores_the_exchange(tmp_path: Path) -> None:
    model = house(spoken(tension_shift=1.0))
    async with studio_of(tmp_path, model) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        before = (await studio.episodes.session(view.id)).state.director
        events = await say(studio, view.id, SAD)
        state = (await studio.episodes.session(view.id)).state
        shown = await studio.episodes.view(view.id)
        events_after = [*await say(studio, view.id, "Thank you."), *await say(studio, view.id, "Good night.")]
        concerns = await studio.episodes.players.concerns()
    assert types(events)[0] == "care"
    assert types(events)[-1] == "done"
    assert "988" in events[0].text
    assert state.director == before, "no turn, no tension, no signal, no beat"
    assert shown.messages[-2].care == events[0].text
    answers = [one for one in model.requests if kind_of(one) == "answer"]
    assert "Leave the plot." in answers[1].messages[-1].text
    assert "Leave the plot." not in answers[2].messages[-1].text
    judged = [one.messages[-1].text for one in model.requests if kind_of(one) != "answer"]
    assert judged
    assert not any("live anymore" in text for text in judged)
    assert "episode_complete" in types(events_after), "three turns of the game, and one that was none"
    assert [(one.concern, one.quote, one.player_id) for one in concerns] == [("self_harm", SAD, "anna")]


async def test_the_line_does_not_wait_for_a_model(tmp_path: Path) -> None:
    model = Halting(spoken(), after=0)
    async with studio_of(tmp_path, model) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        mark = await studio.episodes.send(view.id, SAD)
        assert (await anext(studio.episodes.follow(view.id, mark))).type == "care"
        model.go.set()
        await studio.episodes.settle(view.id)


async def test_the_company_leaves_the_story_alone(tmp_path: Path) -> None:
    async with studio_of(tmp_path, RehearsalCompany(StillClock())) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, SAD)
    answer = next(event for event in events if event.type == "message_complete")
    assert answer.structured.dialogue == ""
    assert "Mina" in answer.content


async def test_an_edit_is_read_again(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        changed = await studio.episodes.edit(view.id, "m2", SAD)
        assert changed.messages[1].care
        assert changed.director.turn_count == 0
        changed = await studio.episodes.edit(view.id, "m2", "Good evening again.")
        assert not changed.messages[1].care
        assert changed.director.turn_count == 1


async def test_a_host_can_turn_it_off(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text("[care]\noffer = false\n", encoding="utf-8")
    async with studio_of(tmp_path, house(), FLIRT, settings=read_settings(tmp_path, {})) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        assert "care" not in types(await say(studio, view.id, SAD))
