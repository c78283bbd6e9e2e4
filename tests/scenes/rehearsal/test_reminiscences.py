"""The company takes up what it remembers: seldom, in plain words, and without doing a deed by it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.rehearsal.banks import passages
from dramaturg.scenes.rehearsal.outline import MOST_RECALLED, outline_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.reminiscences import reminiscences_of
from dramaturg.scenes.rehearsal.speech_acts import sentences, shows
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.scenes.rehearsal.small_stage import EXAMPLES
from tests.scenes.rehearsal.test_banks import FILL, text_of

DEEDS = (
    "apologise", "accept", "confess", "promise", "refuse", "order", "thank", "part", "leave",
)  # fmt: skip


def book(*memories: str, opener: str = "Alice", seed: int = 1) -> Playbook:
    cast = (Part("Alice", sections=(("Memories", memories),)), Part("Bob"))
    goals = ("Bob thanks Alice", "They agree on a day for the letter")
    return Playbook("again", "A week later they meet at the station.", goals, cast, opener, seed=seed)


@pytest.mark.parametrize(
    ("memory", "tag", "matter"),
    [
        ("Bob promised you: “I'll mend it before the frost. My word on it.”", "promised", "mend it before the frost"),
        ("Bob promised you: “You have my word on that.”", "promised-bare", ""),
        ("You promised Bob: “I will write to your mother.”", "my-promised", "write to your mother"),
        ("Bob admitted to you: “It was me. I broke the boat. There.”", "admitted", "broke the boat"),
        ("Bob apologised to you: “I'm sorry.”", "apologised-bare", ""),
        ("You forgave Bob: “I forgive you.”", "my-forgave-bare", ""),
        ("You trust Bob, and something unspoken lies between you and Bob.", "trust-bare", ""),
        ("You are wary of Bob.", "distrust-bare", ""),
    ],
)  # fmt: skip
def test_a_memory_is_read_as_who_did_what_to_whom(memory: str, tag: str, matter: str) -> None:
    (one,) = reminiscences_of(book(memory))
    assert (one.me, one.other, one.tag, one.matter) == ("Alice", "Bob", tag, matter)


@pytest.mark.parametrize(
    "memory",
    ["Zoe promised you: “I'll write.”", "Bob said to you: “Well.”", "Bob promised Zoe: “I'll go.”", "It rained."],
)
def test_what_is_not_between_two_who_are_here_is_left_alone(memory: str) -> None:
    assert reminiscences_of(book(memory)) == ()


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_opener_takes_up_a_promise_in_the_persons_of_the_speakers(seed: int) -> None:
    played = outline_of(book("Bob promised you: “I'll bring you my ladder on Sunday.”", seed=seed))
    first = played[0]
    assert (first.move, first.speaker, first.target) == ("recall", "Alice", "Bob")
    assert "bring me your ladder on Sunday" in first.text
    assert sum(step.move == "recall" for step in played) <= 2 * MOST_RECALLED


def test_who_remembers_nothing_alludes_to_nothing() -> None:
    assert not any(step.move == "recall" for step in outline_of(book()))


def test_a_line_of_the_card_that_is_remembered_is_not_said_again() -> None:
    said = "I counted the planks."
    lines = ("Lines", (f'When opening: "{said}"', 'When opening: "Here again."'))
    plain = Playbook("x", "They meet.", ("Bob apologizes",), (Part("Alice", sections=(lines,)), Part("Bob")), "Alice")
    assert portraits_of(plain)["Alice"].own["opening"] == (said, "Here again.")
    bob = Part("Bob", sections=(("Memories", (f"Alice said to you: “{said}”",)),))
    later = replace(plain, cast=(plain.cast[0], bob))
    assert portraits_of(later)["Alice"].own["opening"] == ("Here again.",)


def test_no_allusion_does_a_deed() -> None:
    fill = FILL | {"matter": "mended the fence"}
    for passage in passages()["recall"]:
        for turn in passage.lines:
            for at in range(len(turn.wordings)):
                text = text_of(replace(turn, wordings=(turn.wordings[at],)), 0, "").replace("Well.", fill["matter"])
                found = [(kind, one) for one in sentences(text) for kind in DEEDS if shows(kind, one)]
                assert not found, (passage.key, found)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
async def test_the_second_evening_refers_to_the_first(seed: int, tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(EXAMPLES / "two-evenings", story, ignore=shutil.ignore_patterns("data"))
    async with Studio.open(read_settings(story, {})) as studio:
        for name in ("1-the-borrowed-boat", "2-the-mended-boat"):
            run = await studio.scenes.open(find_scene(story, name), model="rehearsal", seed=seed)
            await studio.start(run)
    state = scene_state(run.entries)
    assert state.ended is not None
    assert state.ended.reason == "goal_achieved"
    said = [line for line in state.lines if line.kind == "line"]
    assert "mend it before the first frost" in said[0].content
    alluding = [line for line in said if "last time" in line.content.lower() or "evening you" in line.content]
    assert 1 <= len(alluding) <= MOST_RECALLED + 1
    assert not any(line.speaker == "Ovid" for line in alluding)
