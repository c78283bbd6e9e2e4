"""Sessions as chat files of other programs, and chats of other programs as sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.episodes.chat_file import brought
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.tavern_chat import TavernChat, TavernMessage, read_chat, write_chat
from dramaturg.kernel.errors import InvalidConfig
from tests.episodes.staging import ANNA, FLIRT, house, say, spoken, studio_of

LONG = {**FLIRT, "turn_budget": 30}
CHAT = [
    {"user_name": "Anna", "character_name": "Mina", "chat_metadata": {}},
    {"name": "Mina", "is_user": False, "mes": "*wipes a glass* We're closed.", "send_date": "June 5, 2024 3:07pm"},
    {"name": "Anna", "is_user": True, "mes": "One more."},
    {"name": "System", "is_system": True, "mes": "Checkpoint"},
    {"name": "Mina", "is_user": False, "mes": "Two.", "swipe_id": 1, "swipes": ["One.", "Two.", ""]},
    {"name": "Anna", "is_user": True, "mes": "Thank you."},
]


def read(lines: list[dict[str, object]]) -> TavernChat:
    return read_chat("\n".join(json.dumps(line) for line in lines).encode(), lambda reason, way: InvalidConfig(reason))


async def test_a_session_goes_out_with_its_swipes_and_comes_back_the_same(tmp_path: Path) -> None:
    number = iter(range(100))
    async with studio_of(tmp_path, house(lambda _: spoken(f"Answer {next(number)}.")), LONG) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Hello")
        await say(studio, view.id, "And?")
        mark = await studio.episodes.swipe(view.id, (await studio.episodes.view(view.id)).messages[2].id)
        async for _ in studio.episodes.turn(view.id, mark):
            pass
        await studio.episodes.choose(view.id, "m5")
        before = await studio.episodes.view(view.id)
        file = write_chat(await studio.episodes.chat(view.id))
        chat = read([json.loads(line) for line in file.splitlines()])
        assert chat.header.ours["episode"] == "last-orders"
        after, remarks = await studio.episodes.take_in(chat, "last-orders", ANNA)
        assert remarks == ()
        assert [(one.role, one.content) for one in after.messages] == [
            (one.role, one.content) for one in before.messages
        ]
        assert [len(one.siblings) for one in after.messages] == [len(one.siblings) for one in before.messages]
        assert after.director == before.director
        again = await studio.episodes.chat(after.id)
        assert [one.source for one in again.messages] == [one.source for one in chat.messages]


async def test_a_chat_from_elsewhere_is_gone_on_with(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), LONG) as studio:
        view, remarks = await studio.episodes.take_in(read(CHAT), "last-orders", ANNA)
        assert [one.content for one in view.messages] == [
            "*wipes a glass* We're closed.", "One more.", "Two.", "Thank you.",
        ]  # fmt: skip
        assert len(view.messages[2].siblings) == 2
        assert remarks == ("1 hidden message is kept for an export, and no part of the conversation.",)
        assert view.director.turn_count == 1
        mark = await studio.episodes.retry(view.id)
        async for _ in studio.episodes.turn(view.id, mark):
            pass
        events = await say(studio, view.id, "And now?")
        assert events[-1].type == "done"
        assert (await studio.episodes.view(view.id)).director.turn_count == 3


@pytest.mark.parametrize("lines", [CHAT[:1], [{"mes": "", "is_user": True}], [{"mes": "x", "is_system": True}]])
async def test_a_chat_with_nothing_in_it_opens_no_session(lines: list[dict[str, object]], tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), LONG) as studio:
        with pytest.raises(InvalidConfig, match="no message"):
            await studio.episodes.take_in(read(lines), "last-orders", ANNA)
        assert await studio.episodes.sessions() == ()


said = st.builds(
    TavernMessage,
    name=st.sampled_from(["Anna", "Mina"]),
    is_user=st.booleans(),
    is_system=st.booleans(),
    mes=st.text(max_size=12),
    swipe_id=st.none() | st.integers(-2, 5),
    swipes=st.none() | st.lists(st.text(max_size=8), max_size=4).map(tuple),
)


@given(st.lists(said, max_size=12))
def test_whatever_is_in_a_chat_every_message_has_its_place(messages: list[TavernMessage]) -> None:
    try:
        events = brought(TavernChat(messages=tuple(messages)), 0.0).events
    except InvalidConfig:
        return
    state = EpisodeState().after(events)
    assert state.path
    assert all(one.parent == "" or one.parent in state.messages for one in state.messages.values())
    assert state.next_id not in state.messages
