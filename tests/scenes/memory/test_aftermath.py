"""What a scene leaves in those who were in it."""

from pathlib import Path

from dramaturg.kernel.runs import Run
from dramaturg.scenes.memories import Aftermath, Memory, bonds_after, mood_after
from dramaturg.scenes.memory.aftermath import MOST_PER_SCENE, aftermath
from tests.rehearsals.script import read_rehearsal
from tests.scenes.memory.staging import THE_LETTER, script
from tests.stage import play_scripted


async def left_by(text: str, project: Path) -> tuple[Run, Aftermath]:
    rehearsal = read_rehearsal(text)
    run = await play_scripted(rehearsal.config(), script(text), project, languages=rehearsal.languages)
    return run, aftermath(run.id, run.entries)


def of(left: Aftermath, name: str) -> dict[int, Memory]:
    return {memory.line: memory for memory in left.memories if memory.character == name}


async def test_what_was_done_by_saying_it_is_remembered_by_both_each_from_its_side(tmp_path: Path) -> None:
    _, left = await left_by(THE_LETTER, tmp_path)
    alice, bob = of(left, "alice"), of(left, "bob")
    promise = "“I promise I will never open your post again.”"
    assert alice[8].text == f"Bob promised you: {promise}"
    assert bob[8].text == f"You promised Alice: {promise}"
    assert (alice[8].kind, bob[8].kind) == ("promised", "promised")
    assert alice[6].text == "Bob admitted to you: “I read it. I am sorry, Alice.”"
    assert bob[7].text == "Alice forgave you: “I forgive you.”"
    assert alice[7].text == "You forgave Bob: “I forgive you.”"
    assert alice[6].about == ("Bob",)


async def test_the_words_that_met_a_sub_goal_did_what_the_sub_goal_names(tmp_path: Path) -> None:
    scene = """
scene: the-debt        cast: alice, bob
prompt: Bob owes Alice money. Scene goal: Bob promises to pay, Alice lets him go.
max beats: 2
beat 0
  alice  @0  [TO: Bob, TONE: even] "And the money?"
beat 1
  bob    @1  [TO: Alice, TONE: plain] "You will have every coin on Friday."
  judge  1 met by Bob: "every coin on Friday"
"""
    _, left = await left_by(scene, tmp_path)
    assert of(left, "alice")[2].text == "Bob promised you: “You will have every coin on Friday.”"
    assert of(left, "bob")[2].kind == "promised"


async def test_an_aside_is_remembered_by_who_it_was_for_and_by_nobody_else(tmp_path: Path) -> None:
    _, left = await left_by(THE_LETTER, tmp_path)
    cora = of(left, "cora")[5]
    assert (cora.kind, cora.text) == ("learned", "Bob told you alone: “The letter says that the mill is sold.”")
    assert of(left, "bob")[5].text.startswith("You told Cora alone")
    assert 5 not in of(left, "alice")
    assert "mill" not in "".join(memory.text + memory.quote for memory in of(left, "alice").values())


async def test_only_who_was_cut_off_remembers_what_was_left_unsaid(tmp_path: Path) -> None:
    _, left = await left_by(THE_LETTER, tmp_path)
    assert of(left, "bob")[2].text == (
        "Alice cut you off at “Wax is fragile, and the post—”. You never got to say: “is rough with such things”"
    )
    assert not any("rough" in memory.text + memory.quote for memory in left.memories if memory.character != "bob")


async def test_a_memory_says_where_it_comes_from(tmp_path: Path) -> None:
    run, left = await left_by(THE_LETTER, tmp_path)
    for memory in left.memories:
        assert (memory.scene, memory.run) == ("the-letter", run.id)
        assert memory.line > 0
        assert memory.at == run.entries[0].at
    assert len({memory.id for memory in left.memories}) == len(left.memories)


async def test_a_world_event_is_remembered_by_who_was_there(tmp_path: Path) -> None:
    _, left = await left_by(THE_LETTER, tmp_path)
    assert of(left, "cora")[4].text == "A gust slams the window."


async def test_somebody_off_stage_remembers_nothing_of_what_was_said_meanwhile(tmp_path: Path) -> None:
    _, left = await left_by(THE_LETTER.replace("max beats: 6", "max beats: 6\nenters: cora 3"), tmp_path)
    assert min(of(left, "cora")) >= 6


async def test_words_in_a_language_one_does_not_speak_are_not_remembered_but_their_tone_is_felt(
    tmp_path: Path,
) -> None:
    scene = """
scene: abroad        cast: alice, bob
max beats: 1
speaks: alice French
speaks: bob English
beat 0
  alice  @0  [TO: Bob, TONE: furious] "Je te déteste, I hate you."
"""
    _, left = await left_by(scene, tmp_path)
    assert not of(left, "bob")
    bond = bonds_after("bob", tuple(change for change in left.changes if change.character == "bob"))[0]
    assert bond.toward == "alice"
    assert bond.tension > 0
    assert "hate" not in str([change.cause for change in left.changes if change.character == "bob"])


async def test_moods_and_bonds_follow_what_was_said_with_its_cause(tmp_path: Path) -> None:
    accused = THE_LETTER.split("beat 2\n")[0]
    _, bad = await left_by(accused, tmp_path / "bad")
    _, good = await left_by(THE_LETTER, tmp_path / "good")
    before, after = (
        bonds_after("bob", tuple(change for change in left.changes if change.character == "bob"))[0]
        for left in (bad, good)
    )
    assert before.trust < 0 < before.tension
    assert after.trust > before.trust
    assert after.tension < before.tension
    assert [(change.line, change.cause) for change in before.history] == [
        (1, "Alice accused you"),
        (2, "Alice cut you off"),
        (3, "Alice spoke to you, furious"),
    ]
    moods = [mood_after(tuple(s for s in left.shifts if s.character == "bob")) for left in (bad, good)]
    assert moods[0].valence < 0
    assert moods[1].valence > moods[0].valence


async def test_the_same_log_leaves_the_same(tmp_path: Path) -> None:
    run, left = await left_by(THE_LETTER, tmp_path)
    assert aftermath(run.id, run.entries) == left


async def test_of_a_long_scene_the_most_important_is_kept(tmp_path: Path) -> None:
    vows = [" ".join(f"{letter}{vowel}pp{letter}le" for vowel in "aeiou") for letter in "bcdfghjklmnpqrst"]
    beats = "".join(f'beat {n}\n  bob  @1  [TO: Alice] "I promise {vow}."\n' for n, vow in enumerate(vows, start=1))
    _, left = await left_by(f"scene: vows  cast: alice, bob\nmax beats: 20\n{beats}", tmp_path)
    assert len(of(left, "alice")) == MOST_PER_SCENE


def test_a_run_that_was_never_opened_leaves_nothing() -> None:
    assert aftermath("run", []) == Aftermath(run="run")
