"""SillyTavern's chat files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import pytest

from dramaturg.episodes.tavern_chat import (
    TavernChat,
    TavernChatHeader,
    TavernMessage,
    read_chat,
    read_date,
    write_chat,
    written_date,
)
from dramaturg.kernel.errors import InvalidConfig

HEADER = {
    "user_name": "Ann",
    "character_name": "Mara",
    "create_date": "2024-6-5 @15h 07m 09s 120ms",
    "chat_metadata": {"integrity": "x", "dramaturg": {"session": "s1"}, "note_prompt": ""},
}
GREETING = {
    "name": "Mara",
    "is_user": False,
    "is_system": False,
    "send_date": "June 5, 2024 3:07pm",
    "mes": "You again.",
    "extra": {"token_count": 3, "dramaturg": {"beat": "setup"}},
    "swipe_id": 1,
    "swipes": ["We're closed.", "You again."],
    "swipe_info": [{"send_date": "June 5, 2024 3:07pm", "extra": {}}, {"gen_started": None, "odd": 1}],
    "force_avatar": "/x.png",
}
ANSWER = {"name": "Ann", "is_user": True, "mes": "Me again.", "send_date": 1717600029000, "extra": None}


def refuse(reason: str, remedy: str) -> InvalidConfig:
    return InvalidConfig(f"{reason}. {remedy}")


def lines(*objects: object) -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in objects)


def test_a_chat_is_read_and_written_as_the_same_lines() -> None:
    chat = read_chat(lines(HEADER, GREETING, ANSWER), refuse)
    assert chat.header is not None
    assert (chat.header.user_name, chat.header.ours) == ("Ann", {"session": "s1"})
    greeting, answer = chat.messages
    assert (greeting.text, greeting.answers, greeting.shown) == ("You again.", ("We're closed.", "You again."), 1)
    assert greeting.ours == {"beat": "setup"}
    assert (answer.text, answer.answers, answer.shown, answer.ours) == ("Me again.", ("Me again.",), 0, {})
    assert [json.loads(line) for line in write_chat(chat).splitlines()] == [HEADER, GREETING, ANSWER]


def test_a_group_chat_of_an_older_version_has_no_header() -> None:
    chat = read_chat(b"\xef\xbb\xbf" + lines(GREETING, ANSWER) + b"\n\n", refuse)
    assert chat.header is None
    assert len(chat.messages) == 2


def test_chub_writes_the_words_one_step_deeper() -> None:
    message = read_chat(lines({"name": "Mara", "mes": {"message": "Deep.", "x": 1}}), refuse).messages[0]
    assert message.text == "Deep."
    assert message.source == {"name": "Mara", "mes": {"message": "Deep.", "x": 1}}


def test_a_swipe_number_that_contradicts_the_words_gives_way_to_them() -> None:
    assert TavernMessage(mes="b", swipes=("a", "b"), swipe_id=0).shown == 1
    assert TavernMessage(mes="edited", swipes=("a", "b"), swipe_id=7).shown == 1


def test_a_chat_can_be_made_and_holds_only_what_was_given() -> None:
    chat = TavernChat(
        header=TavernChatHeader(user_name="Ann", character_name="Mara", chat_metadata={"dramaturg": {"v": 1}}),
        messages=(TavernMessage(name="Ann", is_user=True, mes="Hello.", extra={"dramaturg": {"id": "m1"}}),),
    )
    assert read_chat(write_chat(chat), refuse) == chat
    assert b"swipe" not in write_chat(chat)


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        ("June 5, 2024 3:07pm", datetime(2024, 6, 5, 15, 7, tzinfo=UTC)),
        ("Jun 5, 2024 12:00am", datetime(2024, 6, 5, tzinfo=UTC)),
        ("2024-06-05T15:07:09.120Z", datetime(2024, 6, 5, 15, 7, 9, 120000, tzinfo=UTC)),
        ("2024-06-05T15:07:09", datetime(2024, 6, 5, 15, 7, 9, tzinfo=UTC)),
        ("2024-6-5 @15h 07m 09s 120ms", datetime(2024, 6, 5, 15, 7, 9, 120000, tzinfo=UTC)),
        ("2024-6-5@15h07m09s", datetime(2024, 6, 5, 15, 7, 9, tzinfo=UTC)),
        (1717600029, datetime(2024, 6, 5, 15, 7, 9, tzinfo=UTC)),
        ("1717600029000", datetime(2024, 6, 5, 15, 7, 9, tzinfo=UTC)),
        ("Febtober 9, 2024", None),
        ("yesterday", None),
        ("", None),
        (None, None),
        (1e300, None),
    ],
)
def test_dates_of_every_version_are_read_or_left(stamp: str | float | None, moment: datetime | None) -> None:
    assert read_date(stamp) == moment


def test_a_date_that_is_written_is_read_again() -> None:
    moment = datetime(2024, 6, 5, 15, 7, 9, 120000, tzinfo=UTC)
    assert written_date(moment) == "2024-06-05T15:07:09.120Z"
    assert read_date(written_date(moment)) == moment


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        (lines(HEADER, {"name": "x"}), "line 2: there is no 'mes' in it"),
        (lines(HEADER, GREETING) + b"\n{", "line 3: it is not JSON"),
        (lines(HEADER, [1]), "line 2: it is a list, not an object"),
        (b'{\n  "messages": [{"msg": "Hi"}]\n}', "it is one JSON document, and no chat of SillyTavern"),
        (b'{"type": "risuChat", "data": {}}', "it is one JSON document, and no chat of SillyTavern"),
        (b'[{"mes": "Hi"}]', "it is one JSON document, and no chat of SillyTavern"),
        (lines({**GREETING, "swipes": [1]}), "line 1: field 'swipes[0]' is a number, but should be a text"),
        (lines({**GREETING, "is_user": "perhaps"}), "line 1: field 'is_user' is text"),
    ],
)
def test_a_chat_that_cannot_be_read_says_in_which_line(data: bytes, said: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        read_chat(data, partial(refuse))
    assert said in str(caught.value)
