"""A share shows the parts that were chosen: no words of the player without `quotes`, and no name unless it is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.result_card import result_card
from dramaturg.episodes.share_redaction import without_words
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
    result = without_words({"current_theory": theory, "clues_found": clues}, [said])
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
