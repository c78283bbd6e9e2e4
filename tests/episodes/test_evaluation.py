"""Evaluations: only what the words bear out, asked twice at most, never made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import orjson
import pytest

from dramaturg.episodes.evaluation import (
    ArchetypeClaim,
    MysteryClaim,
    SummaryClaim,
    UnprovenAnswer,
    check_archetype,
    check_mystery,
    check_summary,
)
from dramaturg.episodes.packs import named_pack
from dramaturg.episodes.rehearsal.cues import EpisodeBook, EvaluationCue, TalkLine
from dramaturg.episodes.rehearsal.observations import evaluation_text
from dramaturg.episodes.state import ChatMessage
from dramaturg.episodes.template import ClueLedger
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests.episodes.staging import ANNA, FLIRT, house, kind_of, say, studio_of, write_project

TALK = (
    ChatMessage("m1", "", "character", "We're closed."),
    ChatMessage("m2", "m1", "player", "I came to see you. Nobody else."),
    ChatMessage("m3", "m2", "character", "There were two keys to the till."),
    ChatMessage("m4", "m3", "player", "Then Ruben took the money. I am sure of it."),
)
LEDGER = ClueLedger.model_validate(
    {
        "clues": [
            {"id": "keys", "text": "There are two keys to the till", "keywords": ["two keys"]},
            {"id": "window", "text": "The cellar window was open"},
            {"id": "boots", "text": "Wet boots stood by the cellar stairs"},
        ],
        "suspects": [{"name": "Ida", "cleared_by": ["keys"]}, {"name": "Ruben", "cleared_by": ["keys", "window"]}],
    }
)


def claim(**changes: object) -> ArchetypeClaim:
    form = {
        "archetype": "bold_mover",
        "confidence": 0.8,
        "scores": [{"archetype": "bold_mover", "score": 0.7}, {"archetype": "slow_burn", "score": 0.4}],
        "primary_signals": [{"signal": "direct", "quote": "I came to see you"}],
    }
    return ArchetypeClaim.model_validate({**form, **changes})


def test_an_archetype_stands_on_the_players_own_words(tmp_path: Path) -> None:
    pack = named_pack(tmp_path, "flirt_archetype")
    invented = {"signal": "bold", "quote": "Kiss me at once"}
    others = {"signal": "cold", "quote": "We're closed"}
    result, refused = check_archetype(
        claim(primary_signals=[{"signal": "direct", "quote": "i came to SEE you"}, invented, others]), pack, TALK
    )
    assert result["archetype"] == "bold_mover"
    assert result["primary_signals"] == [{"signal": "direct", "quote": "i came to SEE you"}]
    assert [one.quote for one in refused] == ["Kiss me at once", "We're closed"]
    assert set(result["scores"]) == {one.key for one in pack.archetypes}
    with pytest.raises(UnprovenAnswer):
        check_archetype(claim(primary_signals=[invented]), pack, TALK)


def test_the_scores_decide_where_the_model_contradicts_itself(tmp_path: Path) -> None:
    pack = named_pack(tmp_path, "flirt_archetype")
    assert check_archetype(claim(archetype="slow_burn"), pack, TALK)[0]["archetype"] == "bold_mover"
    with pytest.raises(UnprovenAnswer, match="is not one of"):
        check_archetype(claim(archetype="heartbreaker", scores=[]), pack, TALK)


def test_a_summary_stands_on_a_moment_of_the_talk() -> None:
    moments = [{"text": "a", "quote": "Then Ruben took the money"}, {"text": "b", "quote": "never said at all"}]
    result, refused = check_summary(SummaryClaim(summary="They talked.", key_moments=moments), TALK)
    assert [moment["text"] for moment in result["key_moments"]] == ["a"]
    assert len(refused) == 1
    with pytest.raises(UnprovenAnswer):
        check_summary(SummaryClaim(summary="They talked.", key_moments=moments[1:]), TALK)


def test_code_decides_which_clues_are_found_and_who_is_cleared() -> None:
    claims = MysteryClaim.model_validate(
        {
            "clues": [
                {"id": "window", "quote": "Then Ruben took the money"},
                {"id": "boots", "quote": "Wet boots stood by the stairs"},
                {"id": "ghost", "quote": "two keys to the till"},
            ],
            "theory": "Ruben is the thief.",
            "theory_quote": "Ruben took the money",
        }
    )
    result, refused = check_mystery(claims, LEDGER, TALK)
    assert [clue["id"] for clue in result["clues_found"]] == ["keys"]
    assert result["suspects_cleared"] == ["Ida"]
    assert result["current_theory"] == "Ruben is the thief."
    assert {one.what: one.reason for one in refused} == {
        "clue window": "the quote does not speak of the clue",
        "clue boots": "the quote is not in the talk",
        "clue ghost": "no such clue",
    }


def test_a_theory_that_the_player_never_voiced_is_not_theirs() -> None:
    claims = MysteryClaim(theory="Ida did it.", theory_quote="There were two keys")
    assert check_mystery(claims, LEDGER, TALK)[0]["current_theory"] == ""


GOOD = json.dumps(
    {
        "archetype": "slow_burn",
        "confidence": 0.6,
        "scores": [],
        "primary_signals": [{"signal": "warm", "quote": "no hurry at all"}],
        "description": "x",
    }
)


async def test_an_evaluation_that_fails_is_tried_once_more_and_then_honestly_not_ready(tmp_path: Path) -> None:
    bad = json.dumps({**json.loads(GOOD), "primary_signals": [{"signal": "warm", "quote": "words nobody said"}]})
    given: list[str] = [bad, bad, GOOD]
    model = house(evaluation=lambda request: given.pop(0))
    async with studio_of(tmp_path, model) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        with pytest.raises(InvalidConfig, match="not complete yet"):
            await studio.episodes.evaluate(view.id)
        for text in ("There is no hurry at all.", "Two.", "Three."):
            events = await say(studio, view.id, text)
        complete = next(event for event in events if event.type == "episode_complete")
        assert (complete.evaluation, complete.evaluation_status) == (None, "not_ready")
        assert [kind_of(request) for request in model.requests].count("evaluation") == 2
        assert (await studio.episodes.view(view.id)).evaluation_status == "not_ready"
        with pytest.raises(InvalidConfig, match="no result to share"):
            await studio.episodes.shares.create(view.id)
        again = await studio.episodes.evaluate(view.id)
        assert again.type == "episode.evaluated"
        view = await studio.episodes.view(view.id)
        rows = await studio.episodes.tables.evaluations(view.id)
    assert view.evaluation["archetype"] == "slow_burn"
    assert [kind for kind, _ in rows] == ["flirt_archetype"]


async def test_a_host_writes_a_pack_of_their_own_as_data(tmp_path: Path) -> None:
    (tmp_path / "evaluations").mkdir()
    pack = """
question: What kind of guest are they?
archetypes:
  - {key: owl, title: The Owl, meaning: stays late, description: You stay.}
  - {key: lark, title: The Lark, meaning: leaves early, description: You leave.}
"""
    (tmp_path / "evaluations" / "guest_type.yaml").write_text(pack, encoding="utf-8")
    signal = {"signal": "late", "quote": "one more drink"}
    result = json.dumps(
        {"archetype": "owl", "confidence": 1, "scores": [], "primary_signals": [signal], "description": ""}
    )
    template = {**FLIRT, "turn_budget": 1, "evaluation": "guest_type"}
    async with studio_of(tmp_path, house(evaluation=result), template) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Just one more drink.")
    complete = next(event for event in events if event.type == "episode_complete")
    assert complete.evaluation["title"] == "The Owl"
    assert complete.evaluation_type == "guest_type"


async def test_an_evaluation_nobody_wrote_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), {**FLIRT, "evaluation": "flirt_archetypes"}) as studio:
        with pytest.raises(NotFound, match="Known here: episode_summary, mystery_progress, flirt_archetype"):
            await studio.episodes.open("last-orders", ANNA)
        assert await studio.episodes.sessions() == ()


def summed_up(*talk: str) -> dict[str, Any]:
    lines = tuple(TalkLine(place % 2 == 0, text) for place, text in enumerate(talk))
    cue = EvaluationCue(EpisodeBook("inn", "The Inn", Part("Lucía")), "summary", lines)
    return cast("dict[str, Any]", orjson.loads(evaluation_text(cue)))


def test_the_company_sums_up_a_talk_in_another_language_by_its_quotations_alone() -> None:
    found = summed_up(
        "Buenas noches, busco una habitación.",
        "Aquí no hay habitaciones para nadie.",
        "Entonces me quedo en la calle.",
    )
    quoted = [
        "Buenas noches, busco una habitación.",
        "Aquí no hay habitaciones para nadie.",
        "Entonces me quedo en la calle.",
    ]
    assert found["summary"] == " … ".join(f'"{one}"' for one in quoted)
    assert [one["quote"] for one in found["key_moments"]] == quoted


def test_the_company_claims_nothing_about_what_was_felt() -> None:
    found = summed_up("Good evening, I need a room.", "There is no room for you here.", "Then I will sleep outside.")
    assert found["emotional_arc"] == ""
    assert "opened" not in found["summary"]
    assert found["summary"].startswith("They talked with Lucía.")


async def test_one_endless_sentence_costs_the_player_no_result(tmp_path: Path) -> None:
    episode = {**FLIRT, "turn_budget": 2, "evaluation": "episode_summary"}
    write_project(tmp_path, episode)
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "I walked " + "and walked " * 200 + "home.")
        await say(studio, view.id, "Then I slept.")
        view = await studio.episodes.view(view.id)
    assert view.evaluation_status == "ready"


async def test_what_a_judge_thinks_is_no_part_of_the_result(tmp_path: Path) -> None:
    moments = [{"text": "<think>A bluff.</think>They meet.", "quote": "There is no hurry at all."}]
    told = {"summary": "<think>The player is lying.</think>They met.", "key_moments": moments, "emotional_arc": ""}
    episode = {**FLIRT, "turn_budget": 1, "evaluation": "episode_summary"}
    async with studio_of(tmp_path, house(evaluation=json.dumps(told)), episode) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "There is no hurry at all.")
        view = await studio.episodes.view(view.id)
    assert view.evaluation["summary"] == "They met."
    assert view.evaluation["key_moments"][0]["text"] == "They meet."
