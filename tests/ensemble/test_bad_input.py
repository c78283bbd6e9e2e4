"""What is refused, and the words it is refused with: what, where and the way out."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from dramaturg.ensemble.cast import CastingContext, cast_ensemble
from dramaturg.ensemble.ensemble import ensemble_from, house_ensemble, read_ensemble
from dramaturg.ensemble.request import request_from
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, InvalidSettings
from dramaturg.kernel.settings import read_settings
from tests.ensemble.table import PROFILES, asked, open_table, sent
from tests.stage import write_cards


def context(project: Path) -> CastingContext:
    return CastingContext(project, PROFILES, "rehearsal", lambda name: name in ("gpt-4o", "rehearsal"), lambda *_: None)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"message": ""}, "The message is empty."),
        ({"message": " \n\t "}, "The message is empty."),
        ({"message": "\x00\x1b\x07"}, "The message is empty."),
        ({"message": "a" * 1_000_000}, "The message has 1,000,000 characters; at most 4,000"),
        ({"message": "a b " * 25_000}, "The message has 100,000 characters; at most 4,000"),
        ({"message": "x", "slots": []}, "An ensemble needs 1 to 6 slots; there is none."),
        ({"message": "x", "slots": [1, 2, 3, 4, 5, 6, 1]}, "at most 6 slots, not 7"),
        ({"message": "x", "slots": [2, 2]}, "Slot 2 is named twice."),
        ({"message": "x", "slots": [0]}, "There is no slot 0; slots are numbered 1 to 6."),
        ({"message": "x", "slots": [{"slotId": 7}]}, "There is no slot 7; slots are numbered 1 to 6."),
        ({"message": "x", "kiosk": "../up"}, "cannot name a kiosk"),
        ({"message": "x", "colour": "red"}, "'colour' is not a key"),
        ({"slots": [1]}, "'message' is missing"),
        ({"message": 3}, "'message'"),
        (
            {"message": "x", "slots": "two"},
            "request: 'slots': expected a list in brackets, such as [1, 2] (found 'two').",
        ),
        ({"message": "x", "slots": ["two"]}, "There is no slot 'two'; slots are numbered 1 to 6."),
        ({"message": "x", "slots": ["9"]}, "There is no slot '9'; slots are numbered 1 to 6."),
        ({"message": "x", "slots": [{"slotId": 1, "agentId": "b" * 81}]}, "expected at most 80 characters"),
        ({"message": "x", "slots": [{"slotId": 1, "persona": "p" * 4001}]}, "expected at most 4,000 characters"),
        ([], "request"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused_by_name(request_: Any, said: str) -> None:
    with pytest.raises(InvalidConfig) as refused:
        request_from(request_)
    assert said in refused.value.message
    assert len(refused.value.message) < 400


def test_control_characters_are_taken_out_and_the_rest_stays() -> None:
    assert request_from({"message": " Wie\x00 geht\r\nes\x1b[0m dir? 🙂 "}).message == "Wie geht\nes[0m dir? 🙂"
    assert request_from({"message": "\ud800Hello"}).message == "Hello"


@pytest.mark.parametrize("rate", [0, -5, 44, 7999, 192_001])
def test_a_rate_that_no_stage_has_is_refused_before_anything_is_played(tmp_path: Path, rate: int) -> None:
    (tmp_path / "dramaturg.toml").write_text(f"[ensemble]\nstage_rate = {rate}\n", encoding="utf-8")
    with pytest.raises(InvalidSettings, match=r"'ensemble\.stage_rate': expected at (least 8000|most 192000)"):
        read_settings(tmp_path, {})


def test_slots_may_be_numbers_in_quotation_marks() -> None:
    slots = request_from({"message": "x", "slots": ["2", " 3 "]}).slots
    assert [slot.slot_id for slot in slots or ()] == [2, 3]


@pytest.mark.parametrize("kiosk", ["../up", "", "a b", "k" * 65])
async def test_what_cannot_name_a_kiosk_is_not_reset(tmp_path: Path, kiosk: str) -> None:
    async with open_table(tmp_path, audio=False) as studio:
        with pytest.raises(InvalidConfig, match="cannot name a kiosk"):
            await studio.ensemble.reset(kiosk)


def test_slots_may_be_bare_numbers_or_objects() -> None:
    request = request_from({"message": "x", "slots": [1, {"slotId": 2, "agentId": "gpt-4o"}]})
    assert [(slot.slot_id, slot.agent_id) for slot in request.slots or ()] == [(1, None), (2, "gpt-4o")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slots: [", "is not valid YAML"),
        ("- 1", "expected keys such as name and slots; found a list"),
        ("name: x", "'slots' is missing"),
        ("slots: []", "needs 1 to 6 slots"),
        ("slots: [{slot: 1, agent: a, persona: b}, {slot: 1, agent: c, persona: d}]", "Slot 1 is named twice"),
        ("slots: [{slot: 9, agent: a}]", "slots.0.slot"),
        ("slots: [{slot: 1, agent: a, personna: b}]", "Did you mean 'persona'?"),
    ],
)
def test_an_ensemble_file_is_read_whole_or_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "ensemble.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidConfig) as refused:
        read_ensemble(tmp_path)
    assert said in refused.value.message


def test_a_project_without_the_file_has_the_houses_six(tmp_path: Path) -> None:
    assert read_ensemble(tmp_path) == house_ensemble()
    assert [slot.slot for slot in house_ensemble().slots] == [1, 2, 3, 4, 5, 6]


def test_the_template_of_a_new_project_can_be_read() -> None:
    from importlib.resources import files

    import yaml

    text = (files("dramaturg.cli") / "story" / "ensemble.yaml").read_text(encoding="utf-8")
    assert len(ensemble_from(yaml.safe_load(text)).slots) == 6


@pytest.mark.parametrize(
    ("slot", "said"),
    [
        ({"slotId": 1, "agentId": "nobody"}, "'nobody' is neither a card of .claude/agents/ nor a model"),
        ({"slotId": 1, "agentId": "alise"}, "Did you mean 'alice'?"),
        ({"slotId": 1, "voiceProfile": "calm_precis"}, "Did you mean 'calm_precise'?"),
    ],
)
def test_a_seat_that_nobody_can_take_is_refused(tmp_path: Path, slot: Any, said: str) -> None:
    write_cards(tmp_path, ["alice"])
    with pytest.raises(InvalidConfig) as refused:
        cast_ensemble(house_ensemble(), request_from({"message": "x", "slots": [slot]}), context(tmp_path))
    assert said in refused.value.message


def test_a_slot_that_is_not_in_the_file_needs_an_agent(tmp_path: Path) -> None:
    ensemble = ensemble_from({"slots": [{"slot": 1, "agent": "a", "persona": "b"}]})
    with pytest.raises(InvalidConfig, match="Nobody sits in slot 2"):
        cast_ensemble(ensemble, request_from({"message": "x", "slots": [2]}), context(tmp_path))


def test_a_card_brings_its_name_its_manner_and_its_voice(tmp_path: Path) -> None:
    agents = tmp_path / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "iris.md").write_text(
        "---\nvoice: warm_gravel\n---\n# Iris Vale - Painter\n\nPrecise.\n", encoding="utf-8"
    )
    request = request_from(
        {"message": "x", "slots": [{"slotId": 3, "agentId": "Iris"}, {"slotId": 5, "agentId": "gpt-4o"}]}
    )
    card, model = cast_ensemble(house_ensemble(), request, context(tmp_path))
    assert (card.seat.agent_id, card.seat.name, card.seat.voice_profile) == ("iris", "Iris Vale", "warm_gravel")
    assert "Precise." in card.persona
    assert card.seat.model == "rehearsal"
    assert (model.seat.agent_id, model.seat.model, model.persona) == ("gpt-4o", "gpt-4o", "")


async def test_an_unknown_model_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    async with open_table(tmp_path) as studio:
        request = request_from({"message": "x", "slots": [{"slotId": 1, "model": "openia/gpt-4o"}]})
        with pytest.raises(InvalidSettings, match="openia"):
            await studio.ensemble.open(request)
        assert await studio.runs.find() == []


@pytest.mark.parametrize(
    ("question", "script"),
    [("🦊🌧️👩‍👩‍👧❓", "LATIN"), ("ما هي الشجاعة، ولماذا نخاف؟", "ARABIC"), ("\u202eWhat is courage?\u202c", "LATIN")],
)
async def test_emoji_alone_and_right_to_left_text_are_played_to_the_end(
    tmp_path: Path, question: str, script: str
) -> None:
    async with open_table(tmp_path) as studio:
        run = await asked(studio, question)
        lines = [event.get("text") or event["comment"] for event in sent(run, "slot.done")]
        assert sent(run)[-1]["event"] == "done"
        assert not sent(run, "slot.error")
        assert len(lines) >= 12
        for text in lines:
            letters = [letter for letter in text if letter.isalpha() and letter.isascii() == (script == "LATIN")]
            assert letters
            assert all(unicodedata.name(letter).startswith(script) for letter in letters)
        for form in ("md", "txt", "json", "vtt", "srt"):
            assert studio.ensemble.export(run, form)


async def test_a_run_of_another_kind_is_no_session(tmp_path: Path) -> None:
    async with open_table(tmp_path) as studio:
        with pytest.raises(DramaturgError, match="There is no run"):
            await studio.ensemble.open_run("nothing")
