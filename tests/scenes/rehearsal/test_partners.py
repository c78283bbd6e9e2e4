"""A company that plays with others: strangers, failures, events, short time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from dramaturg.scenes.rehearsal.cues import LineCue
from tests.scenes.rehearsal.small_stage import example, play

EXAMPLES = ("the-apology", "the-lighthouse", "the-last-slice")


def says(*lines: str) -> Callable[[LineCue], str]:
    """Somebody played by another hand, with these lines in turn and then silence."""
    left = list(lines)

    def answer(cue: LineCue) -> str:
        spoke = any(line.speaker == cue.me and line.beat == cue.beat - 1 for line in cue.lines)
        return f'[TONE: plain] "{left.pop(0)}"' if left and not spoke else "[SILENT]"

    return answer


async def test_somebody_with_a_line_for_it_answers_what_happens_and_the_thread_is_not_lost() -> None:
    for seed in range(6):
        scene = await play(example("the-lighthouse", seed), events={4: "Thunder breaks right above the tower"})
        place = next(at for at, line in enumerate(scene.lines) if line.kind == "event")
        assert scene.lines[place + 1].content in (
            "Thank you. We'd gathered the mood.",
            "It is moving in from the west. We have an hour, perhaps less.",
        )
        assert scene.achieved, scene.script()


async def test_an_event_that_nobody_has_a_line_for_is_let_pass() -> None:
    for seed in range(6):
        plain = await play(example("the-apology", seed))
        scene = await play(example("the-apology", seed), events={4: "A dog barks in the lift"})
        assert [line.content for line in scene.spoken] == [line.content for line in plain.spoken]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("seed", range(4))
async def test_a_player_who_fails_for_a_while_comes_back_and_the_scene_is_finished(name: str, seed: int) -> None:
    book = example(name, seed)
    scene = await play(book, failing={book.cast[1].name: range(3, 5)})
    assert any("unable" in line.content for line in scene.lines)
    assert scene.achieved, scene.script()
    assert list(scene.met_at) == sorted(scene.met_at), scene.script()


@pytest.mark.parametrize("seed", range(4))
async def test_nobody_accepts_an_apology_that_was_never_made(seed: int) -> None:
    scene = await play(replace(example("the-apology", seed), max_beats=20), failing={"Bob": range(1, 100)})
    assert not scene.met_at
    assert not any("accept" in line.content for line in scene.spoken), scene.script()


@pytest.mark.parametrize("seed", range(6))
async def test_a_guest_is_not_given_words_and_no_phrase_of_theirs_is_cut(seed: int) -> None:
    book = example("the-apology", seed)
    cast = tuple(replace(part, guest=part.name == "Bob") for part in book.cast)
    bob = says("Good morning, everybody.", "Nice weather.", "I apologise, Alice. I missed the deadline.")
    scene = await play(replace(book, cast=cast, max_beats=20), foreign={"Bob": bob})
    assert not scene.missed
    assert not scene.achieved, "the company cannot judge the words of others"
    own = [line.content for line in scene.spoken if line.speaker != "Bob"]
    assert len(own) == len(set(own))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("beats", [5, 7, 9, 12])
async def test_a_short_scene_hurries_to_its_goals(name: str, beats: int) -> None:
    scene = await play(replace(example(name, 3), max_beats=beats))
    assert scene.beats <= beats
    if beats >= 7:
        assert scene.achieved, scene.script()


@pytest.mark.parametrize("opener", ["Alice", "Bob", "Charlie"])
async def test_anybody_may_be_named_to_open(opener: str) -> None:
    for seed in range(4):
        scene = await play(replace(example("the-apology", seed), opener=opener))
        assert scene.achieved, scene.script()


async def test_an_opener_who_fails_does_not_end_the_scene() -> None:
    scene = await play(example("the-apology", 1), failing={"Alice": range(1)})
    assert scene.achieved, scene.script()
