"""A person plays a part: hears what the character hears, answers in any form, is silent, cuts in, leaves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.directions.direction import End, Happening
from dramaturg.scenes.events import CueGiven, CutMissed, ResponseGiven
from dramaturg.scenes.person.shown import SeatCue
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.seats.events import SeatAnswered, SeatLeft
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.scenes.directions.steered import said_by
from tests.scenes.person.seated import asked, prompt_of, scene_with, seated
from tests.stage import write_cards


async def test_words_of_a_person_are_lines_as_any_other_and_no_model_is_asked_for_them(tmp_path: Path) -> None:
    async with seated(tmp_path) as bob:
        state = await bob.play("I took the money.", "[TO: Alice, TONE: ashamed, *looks down*] It was me.")
        assert bob.lines_of("Bob") == [
            'Bob [TONE: neutral] "I took the money."',
            'Bob [TO: Alice, TONE: ashamed, *looks down*] "It was me."',
        ]
        assert not [key for key in asked(bob.model) if key.endswith("/bob")]
        told = [prompt_of(request) for request in bob.model.requests if request.key == "beat-2/alice"]
        assert "I took the money." in told[0]
        assert state.people == ("Bob",)
        result = bob.studio.scenes.result(bob.run)
        assert "PLAYED BY: Bob: a person; the others: able" in result.transcript
        assert result.metadata.model_dump(by_alias=True)["people"] == ("Bob",)


async def test_a_person_hears_only_what_the_character_hears(tmp_path: Path) -> None:
    def answer(request: ModelRequest) -> str:
        if request.key == "beat-1/alice":
            return '[ASIDE TO: Carol, TONE: low] "The poison is in the blue cup."'
        return said_by(request)

    async with seated(tmp_path, answer=answer) as bob:
        await bob.play("Pass the bread.", "Thank you.")
        assert any("blue cup" in line for line in bob.page)
        shown = "\n".join(event.model_dump_json() for event in bob.shown)
        assert "blue cup" not in shown
        assert [line for line in bob.page if "blue cup" not in line] == bob.heard()
        assert "blue cup" not in "\n".join(event.message for event in bob.events(CueGiven) if event.character == "bob")


async def test_a_person_is_told_who_they_are_before_anything_else(tmp_path: Path) -> None:
    sheet = {"played_by": "person", "wait": True, "note": "You are tired.", "secrets": ["Bob has sold the house."]}
    scene = scene_with(sheet)
    scene["parts"] = {"bob": sheet, "alice": {"secrets": ["Alice knows."]}}
    async with seated(tmp_path, scene) as bob:
        await bob.play("Good evening.")
        first = bob.shown[0]
        assert (first.type, first.name, first.note) == ("seat.briefing", "Bob", "You are tired.")
        assert first.secrets == ("Bob has sold the house.",)
        assert first.others == ("Alice (Colleague)", "Carol (Colleague)")
        assert "Alice knows" not in "".join(event.model_dump_json() for event in bob.shown)


async def test_silence_is_silence_and_costs_no_line(tmp_path: Path) -> None:
    async with seated(tmp_path) as bob:
        await bob.play("[SILENT]", "...")
        assert bob.lines_of("Bob") == []
        given = [event.response.parsed.action for event in bob.events(ResponseGiven) if event.character == "bob"]
        assert given == ["silent", "silent"]
        assert not [line for line in bob.page if "unable to respond" in line]


async def test_a_scene_that_the_author_ends_waits_for_nobody(tmp_path: Path) -> None:
    async with seated(tmp_path) as scene:
        playing = scene.studio.start(scene.run)
        async for _, event in scene.studio.scenes.seats.follow(scene.run.id, "bob"):
            if isinstance(event, SeatCue):
                await scene.studio.scenes.steer(scene.run.id, Happening(text="The lamp goes out."), author="Ann")
                await scene.studio.scenes.steer(scene.run.id, End(), author="Ann")
                break
        async with asyncio.timeout(60):
            await playing
        assert scene.state.ended is not None
        assert scene.state.ended.reason == "ended_by_author"
        assert not scene.lines_of("Bob")


async def test_without_wait_nobody_waits_longer_than_for_a_model(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text("[scenes]\ntimeout = 1.0\n", encoding="utf-8")
    async with seated(tmp_path, scene_with({"played_by": "person"})) as bob:
        async with asyncio.timeout(240):
            await bob.studio.start(bob.run)
        assert bob.state.ended is not None
        assert bob.lines_of("Bob") == []
        assert not [line for line in bob.page if "unable to respond" in line]
        assert [event.beat for event in bob.events(CueGiven) if event.character == "bob"] == [1, 2]


async def test_what_is_typed_before_the_cue_is_spoken_at_the_cue_one_answer_a_beat(tmp_path: Path) -> None:
    async with seated(tmp_path) as bob:
        for words in ("First.", "Second."):
            await bob.say(words)
        async with asyncio.timeout(240):
            await bob.studio.start(bob.run)
        assert [(line.beat, line.content) for line in bob.state.lines if line.speaker == "Bob"] == [
            (1, "First."),
            (2, "Second."),
        ]
        assert [event.number for event in bob.events(SeatAnswered)] == [2, 3]


HEATED = '[TO: Bob, TONE: furious] "You lied to me about the money, Bob, and now you tell me that it is all gone!"'


def heated(request: ModelRequest) -> str:
    return HEATED if request.key == "beat-1/alice" else said_by(request)


@pytest.mark.parametrize(
    "typed", ["-- I never lied!", '[INTERRUPT after "about the money", TONE: hot] "I never lied!"']
)
async def test_a_person_cuts_into_a_line_that_is_still_being_spoken(tmp_path: Path, typed: str) -> None:
    async with seated(tmp_path, answer=heated) as bob:
        await bob.play("[SILENT]", typed)
        (cut,) = [line for line in bob.state.lines if line.cut_by == "Bob"]
        assert cut.content.endswith("—")
        assert "all gone" not in "\n".join(bob.page)
        assert any(line.startswith("Bob [INTERRUPT after") for line in bob.page)
        shown = "\n".join(event.model_dump_json() for event in bob.shown)
        assert "(still speaking)" in shown
        assert "all gone" not in shown


async def test_a_line_that_was_told_whole_cannot_be_cut(tmp_path: Path) -> None:
    async with seated(tmp_path) as bob:
        await bob.play("-- wait!")
        assert bob.lines_of("Bob") == ['Bob [TONE: neutral] "wait!"']
        (missed,) = bob.events(CutMissed)
        assert "had finished the line" in missed.reason


async def test_a_person_who_leaves_leaves_a_silent_part(tmp_path: Path) -> None:
    async with seated(tmp_path, scene_with(maxBeats=5)) as bob:
        await bob.play("I am off.")
        assert bob.lines_of("Bob") == ['Bob [TONE: neutral] "I am off."']
        assert [event.beat for event in bob.events(SeatLeft)] == [2]
        assert not [key for key in asked(bob.model) if key.endswith("/bob")]
        assert bob.state.ended is not None


async def test_a_model_takes_over_from_the_beat_at_which_the_person_left_if_asked(tmp_path: Path) -> None:
    sheet: dict[str, object] = {"played_by": "person", "else": "model", "wait": True}
    async with seated(tmp_path, scene_with(sheet, maxBeats=5)) as bob:
        await bob.play("I am off.")
        assert [key for key in asked(bob.model) if key.endswith("/bob")] == [f"beat-{beat}/bob" for beat in (2, 3, 4)]
        assert len(bob.lines_of("Bob")) == 4
        thread = next(request for request in bob.model.requests if request.key == "beat-3/bob").messages
        assert next(message.text for message in thread if message.role == "assistant") == "I am off."
        cues = [event.beat for event in bob.events(CueGiven) if event.character == "bob"]
        assert cues == sorted(set(cues))


async def test_two_people_on_one_seat_the_second_is_refused_and_the_first_comes_back(tmp_path: Path) -> None:
    async with seated(tmp_path) as bob:
        seats, first = bob.studio.scenes.seats, bob.holder
        with pytest.raises(AlreadyUsed, match="Somebody plays Bob already"):
            await seats.take(bob.run, "bob")
        with pytest.raises(NotFound, match="not yours"):
            await seats.say(bob.run, "bob", "somebody else", "Me too.")
        assert await seats.take(bob.run, "bob", holder=first) == ("bob", first)
        both = await asyncio.gather(
            seats.leave(bob.run, "bob", first),
            *(seats.take(bob.run, "bob", holder=f"late-{n}") for n in range(4)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, tuple) for one in both) <= 1


async def test_a_seat_is_refused_where_there_is_none(tmp_path: Path) -> None:
    async with seated(tmp_path) as bob:
        seats = bob.studio.scenes.seats
        with pytest.raises(InvalidConfig, match="A model plays Alice"):
            await seats.take(bob.run, "alice")
        with pytest.raises(InvalidConfig, match=r"'bpb' is nobody of this scene.*Did you mean 'Bob'"):
            await seats.take(bob.run, "bpb")
        for words in ("", "  \x1b ", "x" * 4001):
            with pytest.raises(InvalidConfig, match="1 to 4000 characters"):
                await bob.say(words)
        await bob.play("Bye.")
        run = await bob.studio.scenes.open_run(bob.run.id)
        with pytest.raises(InvalidConfig, match="has ended; fork it"):
            await seats.take(run, "bob", holder="later")


async def test_a_person_can_open_the_scene_and_a_fork_begins_with_an_open_seat(tmp_path: Path) -> None:
    async with seated(tmp_path, scene_with(initialSpeaker="bob")) as bob:
        state = await bob.play("Good evening, everybody.", "Sit down.", "Eat.")
        assert (state.lines[0].speaker, state.lines[0].content) == ("Bob", "Good evening, everybody.")
        fork = await bob.studio.scenes.fork(bob.run.id, 1)
        (seat,) = await bob.studio.scenes.seats.of(fork)
        assert (seat.part, seat.taken) == ("bob", False)


async def test_the_company_plays_for_a_person_who_leaves(tmp_path: Path) -> None:
    lines = [
        {"at": "one", "say": 'Alice [TO: Bob] "You are late."'},
        {"at": "two", "say": 'Bob [TO: Alice] "The train stood still."'},
        {"at": "three", "goal": 1, "say": 'Bob [TO: Alice] "I am sorry that I made you wait."'},
        {"at": "four", "goal": 2, "say": 'Alice [TO: Bob] "I accept that. Sit down."'},
    ]
    sheet: dict[str, object] = {"played_by": "person", "else": "model", "wait": True}
    write_cards(tmp_path, ("alice", "bob", "carol"))
    async with Studio.open(read_settings(tmp_path, {})) as studio:
        run = await studio.scenes.open(scene_from(scene_with(sheet, maxBeats=12, lines=lines)), model="rehearsal")
        _, holder = await studio.scenes.seats.take(run, "bob")
        await studio.scenes.seats.say(run, "bob", holder, "I have no excuse.")
        await studio.scenes.seats.leave(run, "bob", holder)
        async with asyncio.timeout(240):
            await studio.start(run)
        page = [line.content for line in scene_state(run.entries).lines]
        assert "I have no excuse." in page
        assert "I am sorry that I made you wait." in page
        assert scene_state(run.entries).ended.goal_achieved
