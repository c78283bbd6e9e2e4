"""Where a scene can be forked, and what a fork is."""

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import BeatClosed, NoteGiven
from dramaturg.scenes.fork import fork_point
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.scenes.insight.played import the_cup

SCENE = '{"prompt": "Bob broke a cup. Scene goal: Bob apologizes, Alice accepts.", "characters": ["alice", "bob"]}'


@pytest.fixture
def story(tmp_path: Path) -> Path:
    agents = tmp_path / ".claude" / "agents"
    agents.mkdir(parents=True)
    for name in ("alice", "bob"):
        (agents / f"{name}.md").write_text(f"# {name.title()} - Potter\n\n## Personality\n- Direct\n", encoding="utf-8")
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "cup.json").write_text(SCENE, encoding="utf-8")
    return tmp_path


async def test_a_fork_point_is_the_entry_that_closes_the_beat(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    for beat in (0, 2, 4):
        closed = run.entries[fork_point(run.entries, beat) - 1].event
        assert closed == BeatClosed(beat=beat)


@pytest.mark.parametrize(
    ("beat", "says"), [(5, "The scene ended with beat 5; fork it at one of the beats 0 to 4"), (9, "Beat 9 was not")]
)
async def test_a_beat_that_did_not_close_cannot_be_forked_at(tmp_path: Path, beat: int, says: str) -> None:
    run = await the_cup(tmp_path)
    with pytest.raises(NotFound, match=says):
        fork_point(run.entries, beat)
    with pytest.raises(NotFound, match="nothing to fork"):
        fork_point(run.entries[:3], 0)


async def test_a_fork_shares_the_log_gets_the_note_and_has_a_folder_of_its_own(story: Path) -> None:
    async with Studio.open(read_settings(story, {}), StillClock()) as studio:
        parent = await studio.scenes.open(find_scene(story, "cup"), model="rehearsal")
        await studio.start(parent)
        kept = (story / "data" / "scenes" / "cup" / "transcript.txt").read_text(encoding="utf-8")
        fork = await studio.scenes.fork(parent.id, 1, note="  Someone should respond. ")
        await studio.start(fork)
        result = studio.scenes.result(fork)
    shared = fork_point(parent.entries, 1)
    assert fork.entries[:shared] == parent.entries[:shared]
    notes = [entry.event for entry in fork.entries if isinstance(entry.event, NoteGiven)]
    assert (notes[0].text, notes[0].to, notes[0].reason) == ("Someone should respond.", "", "given by hand")
    assert result.output_path == "data/scenes/cup-2/"
    assert f"\nFORKED FROM: run {parent.id}, after beat 1\n" in result.transcript
    assert (story / "data" / "scenes" / "cup-2" / "transcript.txt").read_text(encoding="utf-8") == result.transcript
    assert (story / "data" / "scenes" / "cup" / "transcript.txt").read_text(encoding="utf-8") == kept
    assert result.metadata.duration == 0


async def test_another_model_plays_from_there_on_and_an_unknown_one_leaves_nothing_behind(story: Path) -> None:
    async with Studio.open(read_settings(story, {"OPENAI_API_KEY": "k"}), StillClock()) as studio:
        parent = await studio.scenes.open(find_scene(story, "cup"), model="rehearsal")
        await studio.start(parent)
        fork = await studio.scenes.fork(parent.id, 1, model="openai/gpt-4.1")
        state = scene_state(fork.entries)
        assert {member.model for member in state.cast} == {"openai/gpt-4.1"} == {state.scene.director}
        with pytest.raises(Exception, match="nosuch"):
            await studio.scenes.fork(parent.id, 1, model="nosuch/model")
        assert len(await studio.runs.find()) == 2
    assert not (story / "data" / "scenes" / "cup-3").exists()
