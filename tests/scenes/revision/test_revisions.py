"""Lines retaken, chosen, edited and struck: the transcript, and all that rested on the words."""

import asyncio
import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable, NotFound, RunFenced
from dramaturg.kernel.runs.events import ModelAnswered, RunStopped
from dramaturg.scenes.exports import export_run
from dramaturg.scenes.insight.account import account_of, find_line
from dramaturg.scenes.insight.explanation import askable, explain, subject_of
from dramaturg.scenes.memory.aftermath import aftermath
from dramaturg.scenes.revision.changes import Choice, Edit, LineChange, Strike
from tests.scenes.revision.stage import line, page, played, state_of

TAKE = "beat-2/bob#take-2"
OTHER = {TAKE: '[TO: Alice, TONE: bold] "The cat did it."'}


async def test_a_retake_asks_for_that_line_alone_with_what_its_speaker_had_been_told_then(tmp_path: Path) -> None:
    async with played(tmp_path, more=OTHER) as (studio, run, model):
        before, asked = page(await state_of(studio, run.id)), len(model.requests)
        takes = await studio.scenes.revisions.retake(run.id, "5")
        first = next(request for request in model.requests if request.key == "beat-2/bob")
        (again,) = model.requests[asked:]
        assert (again.key, again.system, again.messages) == (TAKE, first.system, first.messages)
        assert page(await state_of(studio, run.id)) == before
    assert [(take.take, take.stands, take.usd) for take in takes.takes] == [(1, True, 0.0), (2, False, 0.002)]
    assert takes.takes[1].text == 'Bob [TO: Alice, TONE: bold] "The cat did it."'


async def test_a_chosen_take_stands_and_the_goal_that_rested_on_the_other_is_open_again(tmp_path: Path) -> None:
    async with played(tmp_path, more=OTHER) as (studio, run, _):
        await studio.scenes.revisions.retake(run.id, "I broke the cup")
        revised = await studio.scenes.revisions.revise(run.id, "5", Choice(2))
        state = await state_of(studio, run.id)
        folder = tmp_path / "data" / "scenes" / "the-cup"
        metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
        assert (metadata["goalAchieved"], metadata["reason"]) == (False, "rewritten")
        assert metadata["revisions"] == [
            {"line": 5, "beat": 2, "speaker": "Bob", "how": "retaken", "take": 2, "takes": 2, "followed": 1}
        ]
        transcript = (folder / "transcript.txt").read_text(encoding="utf-8")
        assert "The cat did it." in transcript
        assert "I broke the cup myself" not in transcript
        assert "[SCENE END - Goal: Not achieved, a line that met it was rewritten]" in transcript
        assert "I broke the cup myself" in (folder / "debug.log").read_text(encoding="utf-8")
        back = await studio.scenes.revisions.revise(run.id, "5", Choice(1))
    assert [evidence.goal for evidence in state.verdict.met] == [2]
    assert revised.metadata.costs.estimated_usd == 0.002
    assert (back.metadata.goal_achieved, back.metadata.reason, back.metadata.revisions) == (True, "goal_achieved", ())


@pytest.mark.parametrize(
    ("words", "met"), [("All right, all right, I broke the cup myself.", 2), ("A cup? I broke nothing.", 1)]
)
async def test_an_edit_keeps_or_loses_the_goal_by_its_own_words_also_if_the_judge_fails(
    tmp_path: Path, words: str, met: int
) -> None:
    failing = {"beat-3/judge#revision-1": ModelUnavailable("down")}
    async with played(tmp_path, more=failing) as (studio, run, _):
        revised = await studio.scenes.revisions.revise(run.id, "5", Edit(words))
        state = await state_of(studio, run.id)
    assert len(state.verdict.met) == met
    assert revised.metadata.goal_achieved is (met == 2)
    assert [beat.reason for beat in revised.metadata.unscored] == ["down"]


async def test_words_that_keep_the_quote_but_not_its_substance_do_not_meet_the_goal_any_more(tmp_path: Path) -> None:
    text = """
scene: the-price        cast: ann, ben
prompt: They haggle. Scene goal: Ann offers 500 for the boat.
beat 0
  ann  @1  [TO: Ben, TONE: dry] "500, and that is my last offer."
  judge  1 met by Ann: "that is my last offer"
  judge  natural end
"""
    async with played(tmp_path, text) as (studio, run, _):
        assert (await state_of(studio, run.id)).ended.goal_achieved
        revised = await studio.scenes.revisions.revise(run.id, "1", Edit("300, and that is my last offer."))
    assert (revised.metadata.goal_achieved, revised.metadata.reason) == (False, "rewritten")


async def test_a_struck_line_leaves_its_number_free_and_can_be_brought_back(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        whole = page(await state_of(studio, run.id))
        await studio.scenes.revisions.revise(run.id, "2", Strike())
        assert [one[:2] for one in page(await state_of(studio, run.id))] == ["1.", "3.", "4.", "5.", "6."]
        entries = (await studio.scenes.open_run(run.id)).entries
        with pytest.raises(NotFound, match="Line 2 of Carol's was struck by the author"):
            find_line(entries, "2")
        with pytest.raises(NotFound, match="No line 'event:2' in this run"):
            find_line(entries, "event:2")
        assert not [memory for memory in aftermath(run.id, entries).memories if memory.line == 2]
        await studio.scenes.revisions.revise(run.id, "2", Choice(1))
        assert page(await state_of(studio, run.id)) == whole


async def test_what_can_be_asked_for_is_named_by_the_numbers_that_are_left(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.scenes.revisions.revise(run.id, "6", Strike())
        await studio.scenes.revisions.revise(run.id, "2", Strike())
        assert askable((await studio.scenes.open_run(run.id)).entries).startswith("its lines are 1 to 5")


async def test_without_the_interruption_the_line_it_cut_is_whole_and_with_it_cut_again(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.scenes.revisions.revise(run.id, "4", Strike())
        whole = line(await state_of(studio, run.id), 3)
        assert (whole.content, whole.cut_by) == ("Cups come and cups go, and who counts them any more", None)
        await studio.scenes.revisions.revise(run.id, "4", Choice(1))
        cut = line(await state_of(studio, run.id), 3)
        assert (cut.content, cut.cut_by) == ("Cups come and cups go—", "Alice")


@pytest.mark.parametrize(
    ("words", "said", "cuts"),
    [
        ("Look, cups go missing in every house", "Look, cups go—", True),
        ("They come and the cups go", "They come and the cups go—", True),
        ("What cup?", "What cup?", False),
    ],
)
async def test_an_edited_line_is_cut_where_it_has_the_words_that_the_other_cuts_in_after(
    tmp_path: Path, words: str, said: str, cuts: bool
) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.scenes.revisions.revise(run.id, "3", Edit(words))
        state = await state_of(studio, run.id)
        assert (line(state, 3).content, line(state, 3).cut_by) == (said, "Alice" if cuts else None)
        assert (line(state, 4).action == "interrupt") is cuts
        await studio.scenes.revisions.revise(run.id, "3", Choice(1))
        again = await state_of(studio, run.id)
    assert (line(again, 3).content, line(again, 4).action) == ("Cups come and cups go—", "interrupt")


BAD: list[tuple[str, LineChange, str]] = [
    ("17", Edit("Yes."), "No line '17' in this run; its lines are 1 to 6"),
    ("0", Edit("Yes."), "No line '0'"),
    ("5", Edit("   "), "There are no words in this edit"),
    ("5", Edit("?!"), "There are no words"),
    ("5", Edit("[TONE: loud] Yes."), "An edit changes the words"),
    ("5", Edit("Yes. [SCENE END - Goal: Achieved]"), "which marks tags"),
    ("5", Edit("\x1b[2JYes"), "control characters"),
    ("5", Edit("\u202eYes"), "control characters"),
    ("5", Edit("All right, I broke the cup myself."), "has these words already"),
    ("5", Edit("yes " * 1200), "a line has at most 4000"),
    ("5", Choice(2), "Line 5 has no take 2; it has only the one"),
    ("5", Choice(1), "Take 1 of line 5 is the one that stands"),
]


@pytest.mark.parametrize(("what", "change", "says"), BAD)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    tmp_path: Path, what: str, change: LineChange, says: str
) -> None:
    async with played(tmp_path) as (studio, run, _):
        before = len((await studio.scenes.open_run(run.id)).entries)
        with pytest.raises((InvalidConfig, NotFound)) as refused:
            await studio.scenes.revisions.revise(run.id, what, change)
        with pytest.raises((InvalidConfig, NotFound)):
            await studio.scenes.revisions.play_on(run.id, what, change)
        after = await studio.scenes.open_run(run.id)
        assert len(await studio.runs.find()) == 1
    assert says in refused.value.message
    assert (len(after.entries), after.record.status) == (before, "ended")


async def test_the_only_line_cannot_be_struck_and_what_nobody_said_stays(tmp_path: Path) -> None:
    text = """
scene: alone        cast: ann, ben
prompt: They wait. Scene goal: Ann says good night.
event: 1: A door slams
max beats: 2
beat 0
  ann  @1  [TONE: dry] "Good night."
"""
    async with played(tmp_path, text) as (studio, run, _):
        with pytest.raises(InvalidConfig, match="is the only line of this scene"):
            await studio.scenes.revisions.revise(run.id, "1", Strike())
        with pytest.raises(InvalidConfig, match="not a line that somebody said"):
            await studio.scenes.revisions.revise(run.id, "2", Strike())


async def test_a_retake_that_fails_changes_nothing_and_says_why(tmp_path: Path) -> None:
    async with played(tmp_path, more={TAKE: ModelUnavailable("The provider is down.")}) as (studio, run, _):
        before = len((await studio.scenes.open_run(run.id)).entries)
        with pytest.raises(ModelUnavailable, match="The provider is down"):
            await studio.scenes.revisions.retake(run.id, "5")
        after = await studio.scenes.open_run(run.id)
        assert (len(after.entries), after.record.status) == (before, "ended")
        some = {"beat-2/bob#take-3": '[TONE: flat] "No."'}
        studio.resources.gateway.model._script.more.update(some)
        takes = await studio.scenes.revisions.retake(run.id, "5", 2)
        assert [take.take for take in takes.takes] == [1, 2]
    assert takes.takes[1].text.endswith('"No."')


async def test_of_two_changes_at_once_one_is_refused(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        changes = (studio.scenes.revisions.revise(run.id, "5", Edit(words)) for words in ("One thing.", "Another."))
        first, second = await asyncio.gather(*changes, return_exceptions=True)
        assert isinstance(second, RunFenced)
        assert first.text.endswith('"One thing."')
        assert (await studio.runs.get(run.id)).status == "ended"


async def test_why_tells_that_a_line_was_changed_and_the_end_is_the_one_that_is_true_now(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.scenes.revisions.revise(run.id, "5", Edit("What cup?"))
        entries = (await studio.scenes.open_run(run.id)).entries
    account = account_of(entries, find_line(entries, "5"))
    assert (account.revision.how, account.revision.take, account.line.content) == ("edited", 2, "What cup?")
    assert account.read_as.content == "All right, I broke the cup myself."
    end = explain(entries, subject_of(entries, "end"))
    assert (end.cause, end.text) == ("rewritten", "The goal is not reached")
    assert "5 (edited)" in end.because[0]


async def test_exports_for_the_author_mark_what_was_changed_and_those_for_readers_do_not(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.scenes.revisions.revise(run.id, "5", Edit("What cup?"))
        await studio.scenes.revisions.revise(run.id, "2", Strike())
        entries = (await studio.scenes.open_run(run.id)).entries
    fountain = export_run(run.id, entries, "fountain")
    assert "[[Line 5 of Bob's was edited, take 2 of 2; 1 later lines answered the earlier words.]]" in fountain
    assert "[[Line 2 of Carol's was struck; " in fountain
    assert [one["how"] for one in json.loads(export_run(run.id, entries, "json"))["metadata"]["revisions"]] == [
        "struck",
        "edited",
    ]
    for form in ("txt", "md", "html", "vtt", "fountain", "json"):
        text = export_run(run.id, entries, form)
        assert "What cup?" in text
        assert "I heard it fall" not in text
        assert "I broke the cup myself" not in text
    assert "edited" not in export_run(run.id, entries, "html")


async def test_everything_ever_said_or_paid_for_stays_in_the_log(tmp_path: Path) -> None:
    async with played(tmp_path, more=OTHER) as (studio, run, _):
        before = list((await studio.scenes.open_run(run.id)).entries)
        await studio.scenes.revisions.retake(run.id, "5")
        await studio.scenes.revisions.revise(run.id, "5", Choice(2))
        await studio.scenes.revisions.revise(run.id, "5", Strike())
        after = (await studio.scenes.open_run(run.id)).entries
    assert list(after[: len(before)]) == before
    keys = [entry.event.key for entry in after[len(before) :] if isinstance(entry.event, ModelAnswered)]
    assert keys == [TAKE, "beat-3/judge#revision-1", "beat-3/judge#revision-2"]
    assert not any(isinstance(entry.event, RunStopped) for entry in after)


async def test_a_retake_that_is_stopped_from_elsewhere_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    silent: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with played(tmp_path, more={TAKE: silent}) as (studio, run, model):
        before, asked = page(await state_of(studio, run.id)), len(model.requests)
        retaking = asyncio.create_task(studio.scenes.revisions.retake(run.id, "5"))
        while len(model.requests) == asked:
            await asyncio.sleep(0)
        await studio.runs.ask_to_stop(await studio.runs.get(run.id))
        with pytest.raises(RunFenced, match="stopped from elsewhere"):
            await retaking
        assert (await studio.runs.get(run.id)).status == "ended"
        assert page(await state_of(studio, run.id)) == before
