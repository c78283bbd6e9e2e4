"""Why a line was said, as the log has it."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.scenes.events import NoteGiven
from dramaturg.scenes.insight.account import Account, account_of, find_line
from dramaturg.scenes.state import scene_state
from tests.scenes.insight.played import the_cup


async def account(project: Path, words: str) -> Account:
    run = await the_cup(project)
    return account_of(run.entries, find_line(run.entries, words))


async def test_the_opener_was_told_to_begin_and_had_heard_nothing(tmp_path: Path) -> None:
    told = await account(tmp_path, "1")
    assert [(note.text, note.to_all) for note in told.notes] == [("You are Alice. Begin the scene.", False)]
    assert told.heard == ()
    assert [layer.name for layer in told.receipt.layers] == ["card", "scene", "format"]
    assert told.answer.text == '[TO: Bob, TONE: even] "Where is the blue cup?"'


async def test_a_cut_line_tells_who_cut_it_and_what_was_left_unsaid(tmp_path: Path) -> None:
    told = await account(tmp_path, "cups go")
    assert told.line.cut_by == "Alice"
    assert told.unsaid == "and who counts them any more"
    assert told.answer.text.endswith('who counts them any more"')


async def test_it_tells_what_was_new_what_was_not_heard_and_what_had_to_be_assumed(tmp_path: Path) -> None:
    told = await account(tmp_path, "I broke it")
    assert [(heard.line.number, heard.new) for heard in told.heard] == [(1, False), (3, True), (4, True), (5, True)]
    assert [line.content for line in told.unheard] == ["I heard it fall."]
    assert told.warnings


async def test_a_note_comes_with_its_reason_and_is_gone_a_beat_later(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    for line in scene_state(run.entries).lines:
        if line.kind == "line" and line.beat:
            given = [
                entry.event
                for entry in run.entries
                if isinstance(entry.event, NoteGiven) and entry.event.beat == line.beat - 1
            ]
            mine = [(note.text, note.reason) for note in given if note.to in ("", line.speaker.lower())]
            assert [(note.text, note.reason) for note in account_of(run.entries, line).notes] == mine
    assert [note.to_all for note in account_of(run.entries, find_line(run.entries, "that is that")).notes] == [True]


async def test_what_nobody_said_has_no_speaker_to_ask(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="nobody said it"):
        await account(tmp_path, "slams the window")


@pytest.mark.parametrize(
    ("words", "says"), [("99", "its lines are 1 to"), ("cup", "Give the number"), ("  ", "No line")]
)
async def test_a_line_that_is_not_there_or_not_the_only_one_is_refused(tmp_path: Path, words: str, says: str) -> None:
    with pytest.raises(NotFound, match=says):
        await account(tmp_path, words)
