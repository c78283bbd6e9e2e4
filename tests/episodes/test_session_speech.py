"""Voices in a session: what the character says is spoken while it arrives; the text never waits and is never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.episodes.wire import AudioFailedEvent
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.runs import Mark
from tests.episodes.staging import ANNA, Halting, house, say, spoken, types
from tests.episodes.voiced import TALK, TWO, asked, audio, check_wav, files, folder, shown, voiced
from tests.voice_server.server import VoiceServer


async def test_every_message_is_spoken_sentence_by_sentence_as_wav_files(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        assert view.voice
        await say(studio, view.id, "Good evening.")
        heard = audio(await shown(studio, view.id))
        for one in heard:
            check_wav(folder(studio, view.id) / one.file, one)
        messages = (await studio.episodes.view(view.id)).messages
    assert [(one.message_id, one.number, one.text) for one in heard] == [
        ("m1", 1, "We're closed. Sit down."),
        ("m3", 1, "You took your time, my friend."),
        ("m3", 2, "Sit down where I can see you."),
    ]
    assert asked(server) == [one.text for one in heard]
    assert [[part.file for part in one.recordings] for one in messages] == [
        [heard[0].file],
        [],
        [heard[1].file, heard[2].file],
    ]


async def test_a_sentence_is_heard_while_the_answer_is_still_arriving(tmp_path: Path) -> None:
    model = Halting(spoken("You took your time, my friend. " + "Sit down, and tell me all of it. " * 4), after=24)
    async with VoiceServer() as server, voiced(tmp_path, model, server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        mark = await studio.episodes.send(view.id, "Good evening.", "c1")
        events = []
        async for event in studio.episodes.turn(view.id, mark, "c1"):
            events.append(event)
            if event.type == "audio" and event.message_id == "m3":
                model.go.set()
        await studio.episodes.settle(view.id)
        assert "audio" in types(events)[: types(events).index("message_complete")]
        cut = next(place for place, one in enumerate(events) if one.type == "audio" and one.message_id == "m3")
        resumed = [one async for one in studio.episodes.turn(view.id, Mark.read(events[cut].id), "c1")]
        everything = await shown(studio, view.id)
    text = "".join(one.content for one in [*events[: cut + 1], *resumed] if one.type == "chunk")
    assert text == next(one.content for one in everything if one.type == "message_complete" and one.message_id == "m3")
    heard = [one.file for one in [*audio(events[: cut + 1]), *audio(resumed)]]
    assert len(heard) == len(set(heard))


async def test_without_voices_nothing_is_spoken_and_they_can_be_turned_on_and_off(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server, voice=False) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        assert not view.voice
        assert server.requests == []
        assert (await studio.episodes.set_voice(view.id, on=True)).voice
        await say(studio, view.id, "Say something.")
        assert {one.message_id for one in audio(await shown(studio, view.id))} == {"m5"}
        assert not (await studio.episodes.set_voice(view.id, on=False)).voice
        await say(studio, view.id, "And now?")
        assert {one.message_id for one in audio(await shown(studio, view.id))} == {"m5"}
        assert (await studio.episodes.open("last-orders", ANNA, voice=True)).voice


@pytest.mark.parametrize(
    ("setting", "template", "asked_for", "on"),
    [(True, False, None, False), (False, True, None, True), (True, True, False, False)],
)
async def test_the_session_decides_then_the_template_then_the_settings(
    tmp_path: Path, setting: bool, template: bool, asked_for: bool | None, on: bool
) -> None:
    wanted = {**TALK, "voice": template}
    async with VoiceServer() as server, voiced(tmp_path, house(), server, wanted, voice=setting) as studio:
        assert (await studio.episodes.open("last-orders", ANNA, voice=asked_for)).voice is on


async def test_an_engine_that_fails_costs_the_line_and_not_the_text(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await studio.episodes.settle(view.id)
        server.fault("bad-key")
        events = await say(studio, view.id, "Good evening.")
        assert types(events)[-1] == "done"
        everything = await shown(studio, view.id)
        failed = [one for one in everything if isinstance(one, AudioFailedEvent)]
        log = (await studio.episodes.session(view.id)).run.entries
        why = [one.event.error for one in log if one.event.type == "line.unspoken"]
    assert [(one.message_id, one.number, one.message) for one in failed] == [
        ("m3", 1, "This line could not be spoken.")
    ]
    assert [one.number for one in audio(everything) if one.message_id == "m3"] == [2]
    assert len(why) == 1
    assert "key" in why[0]
    assert "127.0.0.1" not in failed[0].message


async def test_a_missing_engine_is_told_once_per_message(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        studio.booth.silence = VoiceError("No engine.")
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Good evening.")
        failed = [one for one in await shown(studio, view.id) if isinstance(one, AudioFailedEvent)]
    assert types(events)[-1] == "done"
    assert [(one.message_id, one.whole) for one in failed] == [("m1", True), ("m3", True)]
    assert server.requests == []


async def test_an_edited_line_is_spoken_anew_and_its_old_sound_is_gone(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        before = files(studio, view.id)
        await studio.episodes.edit(view.id, "m3", '"You took your time, my friend. Now leave us, at once."')
        await studio.episodes.settle(view.id)
        message = (await studio.episodes.view(view.id)).messages[-1]
        after = files(studio, view.id)
        told = audio(await shown(studio, view.id))
    assert [one.text for one in message.recordings] == ["You took your time, my friend.", "Now leave us, at once."]
    assert asked(server)[-1] == "Now leave us, at once."
    assert asked(server).count("You took your time, my friend.") == 1
    assert set(after) == {one.file for one in told}
    assert len(set(before) - set(after)) == 1


async def test_a_swipe_is_spoken_and_the_answer_before_it_keeps_its_sound(tmp_path: Path) -> None:
    answers = iter([spoken("This is the first answer of all."), spoken("This is the second one, dear.")])
    async with VoiceServer() as server, voiced(tmp_path, house(lambda request: next(answers)), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        mark = await studio.episodes.swipe(view.id, "m3")
        assert [event.type async for event in studio.episodes.turn(view.id, mark)][-1] == "done"
        await studio.episodes.settle(view.id)
        second = (await studio.episodes.view(view.id)).messages[-1]
        first = (await studio.episodes.choose(view.id, "m3")).messages[-1]
        await studio.episodes.settle(view.id)
    assert [one.text for one in second.recordings] == ["This is the second one, dear."]
    assert [one.text for one in first.recordings] == ["This is the first answer of all."]
    assert len(server.requests) == 3


async def test_an_answer_that_is_replaced_while_it_is_spoken_is_not_announced(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await studio.episodes.settle(view.id)
        server.hold()
        events = [event async for event in studio.episodes.say(view.id, "Good evening.", "c1")]
        await server.until(asked=2)
        await studio.episodes.edit(view.id, "m3", "Other words altogether, these are.")
        server.release()
        heard = audio(await shown(studio, view.id))
        left = files(studio, view.id)
    assert types(events)[-1] == "done"
    assert [one.text for one in heard if one.message_id == "m3"] == ["Other words altogether, these are."]
    assert left == sorted(one.file for one in heard)


async def test_a_deleted_message_and_a_deleted_session_leave_no_sound(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        await studio.episodes.delete_message(view.id, "m3")
        await studio.episodes.settle(view.id)
        assert [name.split("-")[0] for name in files(studio, view.id)] == ["m1"]
        await studio.episodes.delete(view.id)
        assert not folder(studio, view.id).exists()
        assert list(studio.artifacts.root.rglob("*.wav")) == []


async def test_a_branch_in_a_new_session_has_sounds_of_its_own(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        branched = await studio.episodes.branch(view.id, "m3", new_session=True)
        spoken_before = len(server.requests)
        await studio.episodes.delete(view.id)
        await studio.episodes.settle(branched.id)
        messages = (await studio.episodes.view(branched.id)).messages
        assert sorted(part.file for one in messages for part in one.recordings) == files(studio, branched.id)
        assert len(files(studio, branched.id)) == 3
    assert len(server.requests) == spoken_before


async def test_narration_has_the_narrators_voice_where_it_is_wanted(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server, narration="narrator") as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
        manners = [one.manner for one in audio(await shown(studio, view.id)) if one.message_id == "m3"]
        voices = {one.body["input"]: one.body["voice"] for one in server.requests}
    assert manners == ["narration", "speech", "speech"]
    assert voices["She wipes a glass"] != voices["Sit down where I can see you."]


async def test_a_message_can_be_spoken_as_a_whole(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server, spoken_by="message") as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
    assert asked(server)[1:] == ["You took your time, my friend. Sit down where I can see you."]


async def test_the_card_says_which_voice_speaks(tmp_path: Path) -> None:
    async with VoiceServer() as server, voiced(tmp_path, house(TWO), server) as studio:
        card = tmp_path / ".claude" / "agents" / "mina.md"
        card.write_text("---\nvoice: onyx\n---\n" + card.read_text(encoding="utf-8"), encoding="utf-8")
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Good evening.")
    assert {one.body["voice"] for one in server.requests} == {"onyx"}
