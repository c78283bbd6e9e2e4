"""A company that plays with others: strangers, failures, events, notes, short time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.rehearsal.cues import LineCue
from dramaturg.scenes.rehearsal.playbook import Playbook
from tests.scenes.rehearsal.scenes import EXAMPLES, office
from tests.scenes.rehearsal.small_stage import Played, example, play

EVENTS = {
    "Phone rings loudly on the conference table": "ring phone wait call bell emigrated get Off stop",
    "Thunder crashes outside, lights flicker": "close weather roof west worse north sound mood",
}


def says(*lines: str) -> Callable[[LineCue], str]:
    """Somebody played by another hand, with these lines in turn and then silence."""
    left = list(lines)

    def answer(cue: LineCue) -> str:
        spoke = any(line.speaker == cue.me and line.beat == cue.beat - 1 for line in cue.lines)
        return f'[TONE: plain] "{left.pop(0)}"' if left and not spoke else "[SILENT]"

    return answer


def first_reply(scene: Played, event: str) -> str:
    place = next(at for at, line in enumerate(scene.lines) if line.content == event)
    return next(line.content for line in scene.lines[place + 1 :] if line.kind == "line" and line.content)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("seed", range(6))
async def test_somebody_answers_what_happens_in_the_world(event: str, seed: int) -> None:
    scene = await play(example("the-apology", seed), events={4: event})
    assert any(word in first_reply(scene, event) for word in EVENTS[event].split()), scene.script()
    assert scene.achieved


@pytest.mark.parametrize("seed", range(6))
async def test_an_event_between_two_people_does_not_lose_the_thread(seed: int) -> None:
    goals = ("Bob apologizes to Alice for being late", "Alice accepts")
    book = Playbook("two", "Bob was late.", goals, (Part("Alice"), Part("Bob")), "Bob", seed=seed)
    scene = await play(book, events={2: "A glass shatters in the kitchen"})
    assert scene.achieved, scene.script()


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("seed", range(4))
async def test_a_player_who_fails_for_a_while_comes_back_and_the_scene_is_finished(name: str, seed: int) -> None:
    book = EXAMPLES[name](seed)
    failing = book.cast[1].name
    scene = await play(book, failing={failing: range(3, 5)})
    assert any("unable" in line.content for line in scene.lines)
    assert scene.achieved, scene.script()


@pytest.mark.parametrize("seed", range(4))
async def test_the_others_ask_for_one_who_never_answers_and_then_let_it_be(seed: int) -> None:
    scene = await play(example("the-apology", seed), failing={"Bob": range(1, 100)})
    assert not scene.achieved
    asked = [line for line in scene.spoken if line.target == "Bob" and line.beat > 2]
    assert asked, scene.script()
    texts = [line.content for line in scene.spoken]
    assert len(texts) == len(set(texts)), scene.script()
    assert len(scene.spoken) < 25, scene.script()


@pytest.mark.parametrize("seed", range(6))
async def test_a_stranger_who_apologises_in_his_own_words_is_answered(seed: int) -> None:
    bob = says(
        "I don't know where to start.", "It was a bad week for all of us.", "I'm so sorry, Alice. It was my fault."
    )
    scene = await play(office(seed), foreign={"Bob": bob})
    assert scene.met_at.keys() >= {1, 2}, scene.script()
    sorry = next(at for at, line in enumerate(scene.spoken) if "so sorry" in line.content)
    assert any(line.speaker == "Alice" for line in scene.spoken[sorry + 1 :]), scene.script()


@pytest.mark.parametrize("seed", range(6))
async def test_a_stranger_who_evades_is_asked_again_but_not_for_ever(seed: int) -> None:
    bob = says(*(f"I have nothing to add to remark number {number}." for number in range(30)))
    scene = await play(office(seed), foreign={"Bob": bob})
    assert not scene.achieved
    alice = [line.content for line in scene.spoken if line.speaker == "Alice"]
    assert len(alice) == len(set(alice)), scene.script()
    assert len(alice) >= 3


@pytest.mark.parametrize("seed", range(6))
async def test_a_wrong_word_from_a_stranger_does_not_make_the_others_talk_past_him(seed: int) -> None:
    """Nobody interrupts a phrase that a guest never said."""
    bob = says("Good morning, everybody.", "Nice weather.", "I apologise, Alice. I missed the deadline.")
    book = office(seed)
    cast = tuple(replace(part, guest=part.name == "Bob") for part in book.cast)
    scene = await play(replace(book, cast=cast), foreign={"Bob": bob})
    assert not scene.missed
    assert scene.met_at.keys() >= {1, 2}, scene.script()


@pytest.mark.parametrize("seed", range(6))
async def test_a_note_to_respond_makes_somebody_respond(seed: int) -> None:
    scene = await play(example("the-apology", seed))
    beats = scene.beats
    book, lines = scene.book, scene.lines
    again = await play(book, notes=dict.fromkeys(range(40), "Someone should respond to move the scene forward."))
    assert again.achieved
    assert len(lines) > 0
    assert beats > 0


@pytest.mark.parametrize("seed", range(6))
async def test_a_note_to_one_actor_makes_that_actor_speak(seed: int) -> None:
    note = "You're being too passive. Your character would be more assertive given their personality."
    scene = await play(example("the-apology", seed), notes={3: note})
    assert {answer.who for beat, answer in scene.answers if beat == 3 and answer.action == "speak"} == {
        "Alice",
        "Bob",
        "Charlie",
    }


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("beats", [5, 7, 9, 12])
async def test_a_short_scene_hurries_to_its_goals(name: str, beats: int) -> None:
    book = EXAMPLES[name](3)
    scene = await play(replace(book, max_beats=beats))
    assert scene.beats <= beats
    if beats >= 9:
        assert scene.achieved, scene.script()


@pytest.mark.parametrize("opener", ["Alice", "Bob", "Charlie"])
@pytest.mark.parametrize("seed", range(6))
async def test_anybody_may_open(opener: str, seed: int) -> None:
    book = example("the-apology", seed)
    scene = await play(replace(book, opener=opener))
    assert scene.spoken[0].speaker == opener
    assert scene.achieved, scene.script()


async def test_an_opener_who_fails_does_not_end_the_scene() -> None:
    scene = await play(example("the-apology", 1), failing={"Alice": range(1)})
    assert scene.achieved, scene.script()


async def test_a_scene_without_goals_is_played_and_comes_to_rest() -> None:
    cast = (Part("Ada"), Part("Ben"), Part("Cy"))
    scene = await play(Playbook("open", "Ada confronts Ben about the broken window.", (), cast, "Ada", max_beats=30))
    assert len(scene.spoken) >= 6
    assert scene.verdict["goals"] == []


@pytest.mark.parametrize("seed", range(8))
async def test_a_line_of_the_card_that_calls_somebody_by_name_is_said_to_them(seed: int) -> None:
    own = (("Lines", ("When pressing: I asked you, Bob.", "When pressing: You had a week, Bob.")),)
    goals = ("Charlie apologizes to Alice for losing the map", "Alice accepts")
    cast = (Part("Alice", sections=own), Part("Bob"), Part("Charlie"))
    scene = await play(Playbook("names", "Charlie lost the map.", goals, cast, "Alice", seed=seed))
    called = [line for line in scene.spoken if line.content in ("I asked you, Bob.", "You had a week, Bob.")]
    assert all(line.target in ("Bob", None) for line in called), scene.script()
    assert scene.achieved


async def test_a_title_is_how_one_is_addressed_and_the_whole_name_is_the_target() -> None:
    scene = await play(example("the-last-slice", 4))
    assert "Captain Abara" in {line.speaker for line in scene.spoken}
    assert not any("Abara" in line.content for line in scene.spoken)
