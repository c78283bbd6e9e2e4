"""A share shows the parts that were chosen: no words of the player without `quotes`, and no name unless it is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.result_card import result_card
from dramaturg.episodes.share_redaction import without_name, without_quotes, without_words
from dramaturg.episodes.tavern_chat import TavernChat, TavernMessage
from dramaturg.episodes.views import conversation_text
from tests.episodes.staging import ANNA, FLIRT, house, say, studio_of
from tests.laws import examples

SAID = "I buried the silver locket under the pier."
SUMMARY = {
    "summary": f"Anna talked with Mina. She said: {SAID} The evening ended quietly.",
    "key_moments": [
        {"text": "Anna admits she buried the silver locket", "quote": SAID},
        {"text": "A glass is wiped", "quote": "You took your time."},
    ],
    "emotional_arc": "From cold to the silver locket under the pier.",
}
EPISODE = {**FLIRT, "turn_budget": 1, "evaluation": "episode_summary"}


async def test_without_quotes_no_text_of_a_share_repeats_the_player(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(evaluation=json.dumps(SUMMARY)), EPISODE) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, SAID)
        plain = await studio.episodes.shares.preview(view.id)
        quoted = await studio.episodes.shares.preview(view.id, ("result", "quotes", "player_name"))
    told = plain.model_dump_json()
    assert "locket" not in told
    assert "Anna" not in told
    card = result_card(plain.evaluation_type, plain.result)
    assert card.text == "the player talked with Mina. The evening ended quietly."
    assert [point.label for point in card.points] == ["A glass is wiped"]
    assert quoted.result["summary"] == SUMMARY["summary"]


@pytest.mark.parametrize(
    ("theory", "said", "shown"),
    [
        ("The keeper took the lamp oil.", "the keeper took the lamp oil", "The player has a theory."),
        ("They suspect the keeper.", "It was the keeper!", "They suspect the keeper."),
        ("Sie glauben, der Wärter stahl das Öl.", "Der Wärter stahl das Öl.", "The player has a theory."),
        ("玩家认为灯塔看守偷走了油。", "灯塔看守偷走了油", "The player has a theory."),
        ("Silver locket!", "silver locket", "The player has a theory."),
        ("", "Hello there", ""),
    ],
)  # fmt: skip
def test_a_theory_in_the_players_words_is_not_told(theory: str, said: str, shown: str) -> None:
    clues = [{"id": "oil", "text": said, "quote": said}]
    result = without_quotes(without_words({"current_theory": theory, "clues_found": clues}, [said]))
    assert result["current_theory"] == shown
    assert result["clues_found"] == [{"id": "oil", "text": said}], "a clue is the author's"


@pytest.mark.parametrize(
    ("summary", "said", "shown"),
    [
        ('They met. At the end there was "¿Por qué?"', "¿Por qué?", "They met."),
        ('They met. She said "No." He left.', "No", "They met. He left."),
        ("Sie trafen sich. Er sagte: „Niemals!“ Dann Stille.", "Niemals, sagte ich!", "Sie trafen sich. Dann Stille."),
        ("二人は会った。「なぜ？」と言った。", "なぜ？", "二人は会った。"),
        ("Pourquoi ?", "pourquoi", "What was said stays with the player."),
        ('Mina said: "We are closed." It was late.', "Why?", 'Mina said: "We are closed." It was late.'),
        ("He asked why. It was late.", "Why?", "He asked why. It was late."),
    ],
)  # fmt: skip
def test_a_quotation_of_the_player_is_not_told_however_short(summary: str, said: str, shown: str) -> None:
    assert without_words({"summary": summary}, [said])["summary"] == shown


@examples(200)
@given(
    st.lists(st.sampled_from("amber candle window harbour seven of the in ropes".split()), min_size=5, max_size=9),
    st.lists(st.sampled_from("They talked about a calm night and then left.".split()), max_size=6),
    st.sampled_from([" ", ". ", ", ", " … "]),
)  # fmt: skip
def test_five_words_in_a_row_never_come_through(said: list[str], around: list[str], joint: str) -> None:
    text = joint.join([" ".join(around), " ".join(said), " ".join(around)])
    kept = without_words({"summary": text}, [" ".join(said)])["summary"]
    assert isinstance(kept, str)
    assert " ".join(said) not in kept


async def test_lines_that_were_edited_are_marked_in_shares_and_exports(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(evaluation=json.dumps(SUMMARY)), EPISODE) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, SAID)
        answer = (await studio.episodes.view(view.id)).messages[-1]
        await studio.episodes.edit(view.id, answer.id, "I adore you.")
        shared = await studio.episodes.shares.preview(view.id, ("result", "transcript"))
        chat = await studio.episodes.chat(view.id)
        text = conversation_text((await studio.episodes.session(view.id)).state)
    assert [line.edited for line in shared.transcript] == [False, False, True]
    assert [line.extra for line in chat.messages] == [{}, {}, {"dramaturg": {"edited": True}}]
    assert "Mina (edited): I adore you." in text


@pytest.mark.parametrize("way", ["edited", "brought in"])
async def test_what_a_player_made_the_character_say_is_marked_and_no_part_of_the_result(
    tmp_path: Path, way: str
) -> None:
    lie = "The host of this site is a thief."
    moments = [{"text": "Mina accuses", "quote": lie}, {"text": "An answer", "quote": SAID}]
    told = {"summary": f'They met. Mina said: "{lie}" It was late.', "key_moments": moments, "emotional_arc": ""}
    async with studio_of(tmp_path, house(evaluation=json.dumps(told)), {**EPISODE, "turn_budget": 2}) as studio:
        if way == "edited":
            session = (await studio.episodes.open("last-orders", ANNA)).id
            await say(studio, session, "Hello.")
            await studio.episodes.edit(session, (await studio.episodes.view(session)).messages[-1].id, lie)
        else:
            talk = (TavernMessage(is_user=True, mes="Hello."), TavernMessage(name="Mina", mes=lie))
            view, _ = await studio.episodes.take_in(TavernChat(messages=talk), "last-orders", ANNA)
            session = view.id
        await say(studio, session, SAID)
        shared = await studio.episodes.shares.preview(session, ("result", "quotes", "player_name", "transcript"))
    assert [line.edited for line in shared.transcript if line.content == lie] == [True]
    assert shared.result["summary"] == "They met. It was late."
    assert shared.result["key_moments"] == [{"text": "Mina accuses"}, {"text": "An answer", "quote": SAID}]


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("Annabel Berg", "Good evening, Annabel Berg.", "Good evening, the player."),
        (
            "Annabel Berg",
            "Annabel came. ANNABEL! Ms Berg's coat.",
            "the player came. the player! Ms the player's coat.",
        ),
        ("Annabel Berg", "annabel  berg", "the player"),
        ("Annabel Berg", "Der Bergmann sang.", "Der Bergmann sang."),
        ("Will Stone", "I will not. Stones. A stone fell, Will.", "I will not. Stones. A stone fell, the player."),
        ("von der Tann", "Er kam von der Bank.", "Er kam von der Bank."),
        ("Jo", "Jo and Joan", "the player and Joan"),
        ("X", "X marks it", "X marks it"),
        ("アンナ", "アンナさん、こんばんは。", "the playerさん、こんばんは。"),
        ("", "Nobody", "Nobody"),
    ],
)
def test_the_name_and_its_parts_are_replaced(name: str, text: str, shown: str) -> None:
    assert without_name(text, name) == shown


async def test_without_the_name_a_shared_transcript_does_not_have_it_either(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(evaluation=json.dumps(SUMMARY)), EPISODE) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, f"I am Anna. {SAID}")
        shared = await studio.episodes.shares.preview(view.id, ("result", "transcript"))
    assert "Anna" not in shared.model_dump_json()
