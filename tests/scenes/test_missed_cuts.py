"""A cut that misses says why, and who fails three times is written out while somebody is left on stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run
from dramaturg.scenes.state import scene_state
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

HEAD = "\nscene: cuts        cast: alice, bob, carol\nprompt: They argue.\nmax beats: 6\nbeat 0\n"
LONG = '  alice @0 [TONE: furious] "The key is under the mat, where you have always left it."\n'
KEY = '  alice @0 [TONE: calm] "The key is under the mat."\n'


async def played(beats: str, project: Path) -> Run:
    rehearsal = read_rehearsal(HEAD + beats)
    return await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), project)


def cut(who: str, beat: int, phrase: str) -> str:
    return f'  {who} @{beat} [INTERRUPT after "{phrase}", TONE: cold] "I know."\n'


@pytest.mark.parametrize(
    ("beats", "reason"),
    [
        (cut("alice", 0, "never"), "nobody else has spoken yet"),
        (f"{KEY}beat 1\n{cut('bob', 1, 'the mat')}", "Alice had finished the line"),
        (f"{KEY}beat 1\n{cut('bob', 1, 'purple elephants dance')}", "the phrase is not in Alice's latest line"),
        (
            f"{LONG}beat 1\n{cut('bob', 1, 'under the mat')}{cut('carol', 1, 'under the mat')}",
            "Alice's line was cut already by Bob",
        ),
    ],
)
async def test_the_reason_is_in_the_log(beats: str, reason: str, tmp_path: Path) -> None:
    run = await played(beats, tmp_path)
    assert [entry.event.reason for entry in run.entries if entry.event.type == "cut.missed"] == [reason]


@pytest.mark.parametrize("order", ["cast", "arrival"])
async def test_in_any_order_an_interruption_follows_the_line_it_cuts(order: str, tmp_path: Path) -> None:
    beats = f'{KEY}beat 1\n{cut("alice", 1, "I can explain")}  bob @2 [TONE: hurt] "Wait, I can explain all of it."\n'
    rehearsal = read_rehearsal(HEAD + beats)
    run = await play_scripted(rehearsal.config() | {"order": order}, ScriptedModel(rehearsal.answer), tmp_path)
    said = [(line.speaker, line.content) for line in scene_state(run.entries).lines if line.beat == 1]
    assert said == [("Bob", "Wait, I can explain—"), ("Alice", "I know.")]


async def test_an_interruption_of_an_earlier_line_keeps_its_place(tmp_path: Path) -> None:
    spoken = '  bob @{} [TONE: hurt] "{}"\n'
    beats = KEY + "beat 1\n" + spoken.format(1, "Wait, I can explain all of it.")
    beats += "beat 2\n" + cut("alice", 2, "I can explain") + spoken.format(2, "It was the wind.")
    rehearsal = read_rehearsal(HEAD + beats)
    run = await play_scripted(rehearsal.config() | {"order": "cast"}, ScriptedModel(rehearsal.answer), tmp_path)
    said = [line.speaker for line in scene_state(run.entries).lines if line.beat == 2]
    assert said == ["Alice", "Bob"]


async def test_words_that_were_heard_a_beat_ago_are_cut_there_though_somebody_repeats_them_later(
    tmp_path: Path,
) -> None:
    beats = (
        f'{LONG}beat 1\n{cut("bob", 1, "under the mat")}  carol @2 [TONE: calm] "Under the mat, she says, of all."\n'
    )
    run = await played(beats, tmp_path)
    said = [(line.speaker, line.cut_by) for line in scene_state(run.entries).lines]
    assert said == [("Alice", "Bob"), ("Bob", None), ("Carol", None)]


async def test_by_tempo_the_shorter_line_comes_first_whoever_answered_first(tmp_path: Path) -> None:
    long = "There is a great deal that I have to tell you about this house. " * 4
    beats = f'{KEY}beat 1\n  alice @1 [TONE: calm] "{long.strip()}"\n  bob @2 [TONE: dry] "No."\n'
    rehearsal = read_rehearsal(HEAD + beats)
    run = await play_scripted(rehearsal.config() | {"order": "tempo"}, ScriptedModel(rehearsal.answer), tmp_path)
    said = [line.speaker for line in scene_state(run.entries).lines if line.beat == 1]
    assert said == ["Bob", "Alice"]


async def test_of_two_people_the_one_who_fails_three_times_is_called_away(tmp_path: Path) -> None:
    run = await played(KEY + "".join(f"beat {beat}\n  bob @30 (times out)\n" for beat in (1, 2, 3)), tmp_path)
    said = [line.content for line in scene_state(run.entries).lines[1:]]
    assert said == ["Bob unable to respond"] * 3 + ["Bob is called away"]
