"""A long line in a heated moment is told in two parts: interruptions land, and nobody knows what was never said."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run
from dramaturg.scenes.cut import cut_where_told, part_to_tell
from dramaturg.scenes.events import CueGiven, CutMissed, LineCut, LineHeld, LineUnsaid
from dramaturg.scenes.state import scene_state
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

WORDS = (
    "winter bread ladder copper violin harbour thunder needle garden mirror butter lantern saddle pepper ribbon castle "
    "feather bottle marble hammer rabbit silver pocket candle window barrel pigeon carpet turnip velvet bucket shadow"
).split()
HEAD = "\nscene: parts        cast: alice, bob, carol\nprompt: They argue.\nmax beats: 6\nbeat 0\n"
SPEECH = "You sold the house behind my back, you lied to mother about it, and now you want to be thanked."
TOLD = "You sold the house behind my back, you lied to mother about it,"
REST = "and now you want to be thanked."


async def played(beats: str, project: Path) -> Run:
    rehearsal = read_rehearsal(HEAD + beats)
    return await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), project)


def cues(run: Run, character: str) -> dict[int, str]:
    found = (entry.event for entry in run.entries)
    return {
        event.beat: event.message for event in found if isinstance(event, CueGiven) and event.character == character
    }


def furious(text: str, beat: int = 0, who: str = "alice") -> str:
    return f'  {who} @{beat} [TONE: furious] "{text}"\n'


async def test_the_others_hear_the_first_part_and_then_the_rest(tmp_path: Path) -> None:
    run = await played(furious(SPEECH) + 'beat 1\n  bob @1 [TONE: cold] "Are you done?"\nbeat 2\n', tmp_path)
    heard = cues(run, "carol")
    assert f'Alice [TONE: furious] "{TOLD}" (still speaking)' in heard[1]
    assert REST not in heard[1]
    assert heard[2].index(f'Alice goes on: "{REST}"') < heard[2].index("Are you done?")
    assert scene_state(run.entries).lines[0].content == SPEECH


async def test_a_cut_ends_the_line_where_it_was_heard_and_nobody_learns_the_rest(tmp_path: Path) -> None:
    cut = 'beat 1\n  bob @1 [INTERRUPT after "sold the house", TONE: cold] "Mother knew."\nbeat 2\nbeat 3\n'
    run = await played(furious(SPEECH) + cut, tmp_path)
    state = scene_state(run.entries)
    assert state.lines[0].content == f"{TOLD.rstrip(',')}—"
    assert state.lines[0].cut_by == "Bob"
    assert [e.event.unsaid for e in run.entries if isinstance(e.event, LineUnsaid)] == [REST]
    for character in ("bob", "carol"):
        assert not any("thanked" in message for message in cues(run, character).values())
    assert "Bob cut you off" in cues(run, "alice")[2]


async def test_an_older_line_is_found_behind_a_newer_one_of_somebody_else(tmp_path: Path) -> None:
    both = furious(SPEECH, 1) + '  carol @1 [TONE: tired] "Not this again."\n'
    cut = 'beat 2\n  bob @2 [INTERRUPT after "lied to mother", TONE: cold] "I protected her."\n'
    run = await played('  bob @0 [TONE: calm] "Well?"\nbeat 1\n' + both + cut, tmp_path)
    assert [e.event.by for e in run.entries if isinstance(e.event, LineCut)] == ["Bob"]


@pytest.mark.parametrize("tone", ["calm", "warm", "tired"])
async def test_a_quiet_line_is_told_whole_and_cannot_be_cut(tone: str, tmp_path: Path) -> None:
    cut = 'beat 1\n  bob @1 [INTERRUPT after "behind my back", TONE: cold] "Mother knew."\n'
    run = await played(furious(SPEECH).replace("furious", tone) + cut, tmp_path)
    line = scene_state(run.entries).lines[1]
    assert (line.action, line.interrupt_after, line.rendered()) == ("speak", None, 'Bob [TONE: cold] "Mother knew."')
    assert len([e for e in run.entries if isinstance(e.event, CutMissed)]) == 1
    assert not [e for e in run.entries if isinstance(e.event, LineHeld)]


@pytest.mark.parametrize(("cut", "met"), [("", 1), (' [INTERRUPT after "behind my back", TONE: cold]', 0)])
async def test_words_that_were_cut_off_meet_no_goal_although_the_judge_has_heard_them(
    cut: str, met: int, tmp_path: Path
) -> None:
    head = HEAD.replace("They argue.", "They argue. Scene goal: Alice demands thanks, and Bob leaves.")
    judged = '  judge 1 met by Alice: "now you want to be thanked"\n'
    answer = f'beat 1\n  bob @1{cut or " [TONE: cold]"} "Mother knew."\nbeat 2\n'
    rehearsal = read_rehearsal(head + furious(SPEECH) + judged + answer)
    run = await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), tmp_path)
    assert len(scene_state(run.entries).verdict.met) == met


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (SPEECH, TOLD),
        ("Get out of my house.", None),
        ("Get out! Get out of my house and never come back!", None),
        ("Nobody asked you to come here today. Leave us alone.", "Nobody asked you to come here today."),
        ("A line with no pause in it at all however long it may become", None),
        (
            "At 3.14 percent you would be ruined by spring, and you know it well.",
            "At 3.14 percent you would be ruined by spring,",
        ),
        (
            "Du hast das Haus verkauft, ohne mich je zu fragen, und jetzt willst du Dank.",
            "Du hast das Haus verkauft, ohne mich je zu fragen,",
        ),
    ],
)
def test_a_line_is_parted_at_its_last_pause_that_leaves_something_to_come(line: str, told: str | None) -> None:
    assert part_to_tell(line) == told


def test_the_two_parts_are_the_line() -> None:
    cut = cut_where_told(SPEECH, TOLD, "behind my back")
    assert cut is not None
    assert f"{cut.said.rstrip('—')}, {cut.unsaid}" == SPEECH


def quoting(chance: random.Random) -> Callable[[ModelRequest], ModelAnswer]:
    """Somebody who often quotes what another is still saying, and whose answers arrive in any order."""

    def speech() -> str:
        one, two, three = (" ".join(chance.sample(WORDS, 5)) for _ in range(3))
        return f"{one}, {two}, {three}!"

    def said(request: ModelRequest) -> str:
        message = request.messages[-1].text if request.messages else ""
        speaking = re.findall(r'"([^"]+)" \(still speaking\)', message)
        if speaking and chance.random() < 0.6:
            words = chance.choice(speaking).split()
            start = chance.randrange(max(1, len(words) - 4))
            return f'[INTERRUPT after "{" ".join(words[start : start + 4])}", TONE: furious] "{speech()}"'
        return f'[TONE: furious] "{speech()}"' if chance.random() < 0.8 else "[SILENT]"

    return lambda request: ModelAnswer(
        text=said(request), model="scripted", usage=Usage(), cost_usd=0.0, arrived_at=5 * chance.random()
    )


@pytest.mark.timeout(240)
async def test_quoted_cuts_land_and_no_prompt_holds_an_unsaid_remainder(tmp_path: Path) -> None:
    """Three people at 90 beats. Of two who cut one line at once, one is the quicker; the line is cut either way."""
    landed, missed, prompts, leaked = 0, [], 0, []
    for seed in range(3):
        rehearsal = read_rehearsal(HEAD.replace("max beats: 6", "max beats: 30") + furious(SPEECH))
        model = ScriptedModel(quoting(random.Random(seed)))
        run = await play_scripted(rehearsal.config(), model, tmp_path / str(seed))
        events = [entry.event for entry in run.entries]
        unsaid = {event.number: event.unsaid for event in events if isinstance(event, LineUnsaid)}
        landed += len(unsaid)
        missed += [one.reason for one in events if isinstance(one, CutMissed) and "cut already" not in one.reason]
        speakers = {line.number: line.speaker.lower() for line in scene_state(run.entries).lines}
        asked = [request for request in model.requests if request.purpose == "acting"]
        prompts += len(asked)
        leaked += [
            (number, request.key)
            for number, rest in unsaid.items()
            for request in asked
            if rest in str(request.messages) and not request.key.endswith(speakers[number])
        ]
    assert landed >= 100
    assert landed / (landed + len(missed)) >= 0.95, missed
    assert prompts >= 200
    assert leaked == []
