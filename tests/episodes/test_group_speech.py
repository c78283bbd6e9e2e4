"""Voices in a group: each member is heard in its own voice, and a whisper in that of whoever whispers."""

from __future__ import annotations

from pathlib import Path

from tests.episodes.company import CARDS, TABLE, table, write_cards
from tests.episodes.staging import ANNA, say
from tests.episodes.voiced import audio, shown, voiced
from tests.voice_server.server import VoiceServer


async def test_each_member_of_a_group_speaks_in_a_voice_of_its_own(tmp_path: Path) -> None:
    write_cards(tmp_path)
    async with VoiceServer() as server, voiced(tmp_path, table(), server, TABLE) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        assert view.voice
        await say(studio, view.id, "Bo, Cleo: good evening.")
        assert [one async for one in studio.episodes.say(view.id, "Psst.", to="bo")]
        heard = audio(await shown(studio, view.id))
        state = (await studio.episodes.session(view.id)).state
        messages = (await studio.episodes.view(view.id)).messages
    voices: dict[str, set[str]] = {}
    for one in heard:
        voices.setdefault(state.messages[one.message_id].speaker, set()).add(state.spoken[one.file].voice)
    assert set(voices) == set(CARDS)
    assert all(len(own) == 1 for own in voices.values())
    assert len(set.union(*voices.values())) == len(CARDS)
    assert all(one.recordings for one in messages if one.role == "character")
    assert {one["voice"] for one in (asked.body for asked in server.requests)} == set.union(*voices.values())


async def test_the_voice_of_a_members_card_is_its_own_and_nobody_elses(tmp_path: Path) -> None:
    write_cards(tmp_path, {**CARDS, "bo": f"---\nvoice: onyx\n---\n{CARDS['bo']}"})
    async with VoiceServer() as server, voiced(tmp_path, table(), server, TABLE) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        await say(studio, view.id, "Bo, Cleo: good evening.")
        await studio.episodes.settle(view.id)
        state = (await studio.episodes.session(view.id)).state
    assert {state.messages[one.message_id].speaker for one in state.spoken.values() if one.voice == "onyx"} == {"bo"}
