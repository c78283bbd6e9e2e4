"""A chat of another program keeps its dates, names, notes and hidden messages, and is played on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dramaturg.episodes.events import Persona
from dramaturg.episodes.tavern_chat import read_date, write_chat
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import ModelRequest
from tests.episodes.staging import ANNA, house, say, spoken, studio_of
from tests.episodes.test_chat_file import LONG, read

NOTE = {"note_prompt": "{{char}} is out of gin.", "note_interval": 1, "note_depth": 2, "note_position": 1}
FEW = [
    {"name": "Mina", "is_user": False, "mes": "We're closed.", "send_date": "June 5, 2024 3:07pm"},
    {"name": "Ann-Marie", "is_user": True, "mes": "One more."},
    {"name": "Mina", "is_system": True, "is_user": False, "mes": "A hidden aside.", "send_date": 1717600200000},
    {"name": "Narrator", "is_user": False, "mes": "The lamp flickers.", "extra": {"type": "narrator"}},
    {"name": "Mina", "is_user": False, "mes": "Two.", "swipe_id": 1, "swipes": ["One.", "Two."],
     "swipe_info": [{"send_date": "2024-06-05T15:09:00.000Z"}, {"send_date": "2024-6-5 @15h 11m 02s 5ms"}]},
]  # fmt: skip


def at(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp()


async def test_names_dates_hidden_messages_and_swipes_come_back_in_an_export(tmp_path: Path) -> None:
    lines = [{"user_name": "Anna", "character_name": "Mina", "chat_metadata": {}}, *FEW]
    async with studio_of(tmp_path, house(), LONG) as studio:
        view, remarks = await studio.episodes.take_in(read(lines), "last-orders", ANNA)
        assert [one.content for one in view.messages] == ["We're closed.", "One more.", "The lamp flickers.", "Two."]
        assert [one.name for one in view.messages] == ["", "Ann-Marie", "Narrator", ""]
        assert [one.at for one in view.messages] == [
            at(2024, 6, 5, 15, 7), at(2024, 6, 5, 15, 7), at(2024, 6, 5, 15, 10), at(2024, 6, 5, 15, 11, 2) + 0.005,
        ]  # fmt: skip
        assert "hidden" in remarks[0]
        again = await studio.episodes.chat(view.id)
        assert [(one.name, one.is_user, one.is_system, one.text) for one in again.messages] == [
            (one["name"], one["is_user"], one.get("is_system", False), one["mes"]) for one in FEW
        ]
        assert again.messages[-1].swipes == ("One.", "Two.")
        assert again.header is not None
        assert again.header.create_date == "2024-06-05T15:07:00.000Z"


@pytest.mark.parametrize(("called", "name"), [("Eva", "Eva"), ("You", "Ann-Marie"), ("E" * 300, "E" * 80)])
async def test_a_player_without_a_name_has_that_of_the_chats_user(called: str, name: str, tmp_path: Path) -> None:
    lines = [{"user_name": called, "character_name": "Mina", "chat_metadata": {}}, *FEW]
    async with studio_of(tmp_path, house(), LONG) as studio:
        view, _ = await studio.episodes.take_in(read(lines), "last-orders", Persona(id="me"))
    assert view.player.name == name


async def test_reasoning_in_an_imported_answer_is_neither_shown_nor_told(tmp_path: Path) -> None:
    thought = {
        "name": "Mina",
        "is_user": False,
        "mes": "<think>QZXJ</think>Sit.",
        "swipes": ["<think>QZXJ</think>Sit."],
    }
    asked = {"name": "Anna", "is_user": True, "mes": "What is <think>?"}
    requests: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        requests.append(request)
        return spoken()

    async with studio_of(tmp_path, house(answer), LONG) as studio:
        view, remarks = await studio.episodes.take_in(read([*FEW, thought, asked]), "last-orders", ANNA)
        await say(studio, view.id, "Well?")
        chat = await studio.episodes.chat(view.id)
    assert [one.content for one in view.messages[-2:]] == ["Sit.", "What is <think>?"]
    assert "The reasoning in 1 message was left out." in remarks
    assert "QZXJ" not in str(requests)
    assert "QZXJ" not in str(chat)


async def test_messages_without_a_word_are_left_out_and_counted(tmp_path: Path) -> None:
    blank = {"name": "Mina", "is_user": False, "mes": " "}
    async with studio_of(tmp_path, house(), LONG) as studio:
        _, remarks = await studio.episodes.take_in(read([*FEW, blank, blank]), "last-orders", ANNA)
    assert "2 messages without a word were left out." in remarks


async def test_no_model_is_told_a_hidden_message_and_every_one_is_told_the_note(tmp_path: Path) -> None:
    asked: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        asked.append(request)
        return spoken()

    lines = [{"user_name": "Anna", "character_name": "Mina", "chat_metadata": NOTE}, *FEW]
    async with studio_of(tmp_path, house(answer), LONG) as studio:
        view, remarks = await studio.episodes.take_in(read(lines), "last-orders", ANNA)
        assert len(remarks) == 2
        await say(studio, view.id, "And now?")
        again = await studio.episodes.chat(view.id)
    told = "\n".join(one.text for one in asked[0].messages)
    assert "A hidden aside." not in told
    assert "<reminder>Mina is out of gin.</reminder>" in told
    assert "out of gin" not in asked[0].system
    assert again.header is not None
    assert again.header.chat_metadata is not None
    assert again.header.chat_metadata["note_prompt"] == "Mina is out of gin."
    assert again.header.chat_metadata["note_depth"] == 2


@pytest.mark.parametrize(
    ("metadata", "note"),
    [
        ({**NOTE, "note_interval": 0}, None),
        ({**NOTE, "note_prompt": "  "}, None),
        ({**NOTE, "note_prompt": 7}, None),
        ({**NOTE, "note_position": 0}, (None, 1)),
        ({**NOTE, "note_depth": "deep", "note_interval": 3}, (4, 3)),
        ({"note_prompt": "Short."}, (4, 1)),
    ],
)
def test_a_note_is_read_as_the_other_program_means_it(metadata: dict[str, object], note: tuple[object, ...]) -> None:
    header = read([{"user_name": "A", "chat_metadata": metadata}, *FEW]).header
    assert header is not None
    found = header.note
    assert (found and (found.depth, found.interval)) == note


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("June 5, 2024 3:07pm", at(2024, 6, 5, 15, 7)),
        ("Jun 5, 2024 12:07 AM", at(2024, 6, 5, 0, 7)),
        ("2024-06-05T15:07:00.000Z", at(2024, 6, 5, 15, 7)),
        ("2024-06-05T17:07:00+02:00", at(2024, 6, 5, 15, 7)),
        ("2024-6-5 @15h 7m 0s 0ms", at(2024, 6, 5, 15, 7)),
        ("2024-06-05@15h07m00s", at(2024, 6, 5, 15, 7)),
        ("2024-06-05@15h07m00s000ms", at(2024, 6, 5, 15, 7)),
        (1717600020000, at(2024, 6, 5, 15, 7)),
        ("1717600020", at(2024, 6, 5, 15, 7)),
    ],
)
def test_every_form_of_a_date_is_read(written: str | int, moment: float) -> None:
    found = read_date(written)
    assert found is not None
    assert found.timestamp() == moment


@pytest.mark.timeout(600)
async def test_a_chat_of_twenty_thousand_messages_is_played_on(tmp_path: Path) -> None:
    lines = [{"name": "Mina", "is_user": n % 2 == 1, "mes": f"Line {n}.", "send_date": n} for n in range(20_000)]
    async with studio_of(tmp_path, house(), {**LONG, "completion_mode": "open", "evaluation": None}) as studio:
        view, _ = await studio.episodes.take_in(read(lines), "last-orders", ANNA)
        assert len(view.messages) == 20_000
        assert (await say(studio, view.id, "And now?"))[-1].type == "done"
        assert len(write_chat(await studio.episodes.chat(view.id)).splitlines()) == 20_003


async def test_a_chat_that_is_too_long_says_so_and_opens_nothing(tmp_path: Path) -> None:
    lines = [{"name": "Mina", "is_user": True, "mes": "x"}] * 50_001
    async with studio_of(tmp_path, house(), LONG) as studio:
        with pytest.raises(InvalidConfig, match="at most 50,000"):
            await studio.episodes.take_in(read(lines), "last-orders", ANNA)
        assert await studio.episodes.sessions() == ()
