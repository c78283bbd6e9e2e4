"""Why something happened that nobody said: events, notes, the end."""

import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run
from dramaturg.scenes.events import NoteGiven, SceneEnded
from dramaturg.scenes.insight.explanation import Explanation, explain, subject_of
from dramaturg.scenes.state import scene_state
from tests.rehearsals.script import read_rehearsal
from tests.scenes.insight.played import the_cup
from tests.stage import play_scripted

SCRIPTS = Path(__file__).parents[2] / "rehearsals" / "scripts"
QUIET = """
scene: quiet  cast: alice, bob
prompt: They wait. Scene goal: Bob gives back the key.
max beats: 7
beat 0
  alice  @0  "Well."
"""


async def played(project: Path, script: str) -> Run:
    rehearsal = read_rehearsal((SCRIPTS / f"{script}.txt").read_text(encoding="utf-8"))
    return await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), project)


def why(run: Run, wanted: str, project: Path | None = None) -> Explanation:
    return explain(run.entries, subject_of(run.entries, wanted), project)


async def test_a_scheduled_event_names_its_place_in_the_scene_file(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "the-cup.yaml").write_text(
        "name: the-cup\nevents:\n  - beat: 2\n    text: A gust slams the window\n", encoding="utf-8"
    )
    told = why(run, "event:1", tmp_path)
    assert (told.name, told.cause, told.text, told.beat) == ("event:1", "scheduled", "A gust slams the window", 1)
    assert told.because == (
        "the scene file schedules it for beat 2: entry 1 of its events (scenes/the-cup.yaml, line 4)",
    )
    assert [line.speaker for line in told.followed] == ["Bob"]
    assert why(run, "slams the window", tmp_path) == why(run, "5", tmp_path) == told
    assert "line 4" not in why(run, "event:1").because[0]


async def test_who_comes_and_goes_does_so_by_the_scene_file(tmp_path: Path) -> None:
    run = await played(tmp_path, "coming-and-going")
    assert [(why(run, f"event:{n}").cause, why(run, f"event:{n}").because) for n in (1, 2)] == [
        ("entrance", ("the scene file has charlie on stage from beat 2 on",)),
        ("exit", ("the scene file has bob leave at beat 3",)),
    ]


async def test_who_cannot_answer_is_written_out_and_the_failures_are_named(tmp_path: Path) -> None:
    run = await played(tmp_path, "always-times-out")
    away, back = why(run, "called away"), why(run, "comes back")
    assert away.cause == "called_away"
    assert away.because[1:] == tuple(f"beat {beat}: Response timeout after 30s" for beat in (1, 2, 3))
    assert back.cause == "returned"
    number = next(line.number for line in scene_state(run.entries).lines if line.kind == "system")
    assert why(run, str(number)).because == ("MODEL_TIMEOUT: Response timeout after 30s",)


async def test_a_rule_says_what_it_measured_and_how_often_it_may(tmp_path: Path) -> None:
    told = why(await played(tmp_path / "stall", "no-character-responds"), "event:1")
    assert (told.cause, told.because[0]) == ("rule", "nobody had spoken for 4 beats in a row")
    assert ("silent beats in a row", 4, 4) in [(one.what, one.value, one.limit) for one in told.measured]
    assert told.because[-1].startswith("nothing had happened before; at most 3")
    told = why(await played(tmp_path / "circle", "goodbye-ping-pong"), "event:1")
    assert told.because[0].startswith('the talk went in circles, found 2 times: "')


@pytest.mark.parametrize(("idea", "cause"), [("A cart rolls past outside", "model"), ('Bob says "here"', "rule")])
async def test_a_models_idea_comes_with_its_answer_used_or_not(tmp_path: Path, idea: str, cause: str) -> None:
    rehearsal = read_rehearsal(QUIET)

    def answer(request):
        return json.dumps({"event": idea}) if "/event" in request.key else rehearsal.answer(request)

    model = ScriptedModel(answer, name="house/gpt-4o", profile=profile_of("openai/gpt-4o"))
    run = await play_scripted(rehearsal.config() | {"worldEvents": "model"}, model, tmp_path)
    told = why(run, "event:1")
    assert told.cause == cause
    assert told.answer is not None
    assert idea.split('"')[0] in told.answer.text
    assert any("could not be used" in reason for reason in told.because) is (cause == "rule")


async def test_every_note_tells_to_whom_why_and_what_came_of_it(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    notes = [entry.event for entry in run.entries if isinstance(entry.event, NoteGiven)]
    for number, note in enumerate(notes, start=1):
        told = why(run, f"note:{number}")
        assert (told.text, told.because[1], told.beat) == (note.text, note.reason, note.beat)
        assert told.because[0] == ("to everybody" if not note.to else f"to {note.to.title()} alone")
        assert all(line.beat == note.beat + 1 for line in told.followed)


@pytest.mark.parametrize(
    ("script", "reason", "says"),
    [
        ("quick-apology", "goal_achieved", "the judge saw the talk come to rest at beat 3"),
        ("no-character-responds", "stalled", "nobody spoke for 5 beats in a row"),
        ("goodbye-ping-pong", "circular", "of the talk: "),
        ("coming-and-going", "max_beats_exceeded", "the safety limit of 4 beats"),
        ("all-agents-fail", "cast_unavailable", "nobody could answer for two beats"),
    ],
)
async def test_the_end_says_which_rule_ended_it(tmp_path: Path, script: str, reason: str, says: str) -> None:
    run = await played(tmp_path, script)
    told = why(run, "end")
    ended = next(entry.event for entry in run.entries if isinstance(entry.event, SceneEnded))
    assert (told.cause, ended.reason) == (reason, reason)
    assert any(says in because for because in told.because), told.because


async def test_the_end_shows_the_words_that_met_each_goal_and_where_they_stand(tmp_path: Path) -> None:
    told = why(await played(tmp_path, "quick-apology"), "end")
    assert [(proof.goal, proof.quote, proof.speaker, proof.line) for proof in told.proofs] == [
        (1, "I'm so sorry I'm late", "Bob", 1),
        (2, "I accept your apology", "Alice", 4),
    ]
    assert [proof.met for proof in why(await the_cup(tmp_path / "cup"), "end").proofs] == [True, False]


@pytest.mark.parametrize("wanted", ["event:9", "note:99", "event:0", "line:77", "potato"])
async def test_who_asks_for_what_is_not_there_is_told_what_there_is(tmp_path: Path, wanted: str) -> None:
    run = await the_cup(tmp_path)
    with pytest.raises(NotFound, match=r"its lines are 1 to 7, event:1, note:1 to note:\d+, end\."):
        subject_of(run.entries, wanted)


async def test_a_scene_that_has_not_ended_has_no_end_to_explain(tmp_path: Path) -> None:
    run = await the_cup(tmp_path)
    entries = [entry for entry in run.entries if not isinstance(entry.event, SceneEnded)]
    with pytest.raises(NotFound, match="has not ended"):
        explain(entries, subject_of(entries, "end"))
