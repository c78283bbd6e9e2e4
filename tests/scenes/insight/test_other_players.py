"""Looking into lines of characters that remember, and of models that were helped."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Kinds, Recorded, Run, RunLibrary
from dramaturg.kernel.runs.events import Entry
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.kernel.store import Store
from dramaturg.kernel.text.words import words
from dramaturg.scenes.events import SceneEvent, TurnGiven
from dramaturg.scenes.insight.ablation import ablation_of, questioned, try_causes
from dramaturg.scenes.insight.account import account_of, find_line, occasion_of_line, requests_of
from dramaturg.scenes.insight.causes import causes_of, without
from dramaturg.scenes.kind import WhyKind
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import result_of
from dramaturg.scenes.word_share import count_words
from tests.scenes.memory.staging import THE_LETTER, THE_MILL, scene, script, studio_of
from tests.scenes.memory.staging import play as play_remembered
from tests.scenes.test_assisted_agent import CONTINUES, SMALL, Reply, distinct, small
from tests.scenes.test_assisted_agent import play as play_helped


async def test_a_memory_is_in_the_account_and_can_be_taken_away(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play_remembered(studio, scene(THE_LETTER))
    model = script(THE_MILL)
    async with studio_of(tmp_path, model) as studio:
        run = await play_remembered(studio, scene(THE_MILL))
    line = find_line(run.entries, "Here we are again")
    occasion, settings = occasion_of_line(run.entries, line), read_settings(tmp_path, {})
    whole = occasion.request(settings)
    assert whole == next(request for request in model.requests if request.key == "beat-0/alice")
    memories = [cause for cause in causes_of(occasion) if cause.kind == "memory"]
    assert tuple(cause.text for cause in memories) == account_of(run.entries, line).memories
    assert memories
    for cause in memories:
        less = without(occasion, cause).request(settings)
        assert cause.text in whole.system
        assert len(less.system) < len(whole.system)


def lines_of(run: Run) -> list[Line]:
    return [line for line in scene_state(run.entries).lines if line.kind == "line"]


def asked_for(line: Line, model: ScriptedModel) -> list[ModelRequest]:
    key = f"beat-{line.beat}/{line.speaker.lower()}"
    return [request for request in model.requests if request.key in (key, f"{key}/again")]


@pytest.mark.parametrize("profile", [CONTINUES, SMALL], ids=["continues", "chat"])
@pytest.mark.parametrize("reply", [distinct, lambda request: ""], ids=["good", "empty"])
async def test_every_question_to_a_helped_model_is_rebuilt_to_the_byte(
    tmp_path: Path, profile: ModelProfile, reply: Reply
) -> None:
    model = small(reply, profile)
    run = await play_helped(tmp_path, model)
    settings, asked = read_settings(tmp_path, {}), 0
    for line in lines_of(run):
        sent = requests_of(run.entries, line, settings)
        assert list(sent) == asked_for(line, model)
        asked += len(sent)
    spoken = {f"beat-{line.beat}/{line.speaker.lower()}" for line in lines_of(run)}
    assert asked == len([one for one in model.requests if one.key.removesuffix("/again") in spoken]) > 0


async def test_it_is_exact_where_the_oldest_lines_did_not_fit(tmp_path: Path) -> None:
    model = small(distinct, CONTINUES.model_copy(update={"context_window": 520}))
    run = await play_helped(tmp_path, model)
    turns = [entry.event for entry in run.entries if isinstance(entry.event, TurnGiven)]
    assert any(turn.omitted for turn in turns)
    for line in lines_of(run):
        assert list(requests_of(run.entries, line, read_settings(tmp_path, {}))) == asked_for(line, model)


async def test_a_mixed_cast_is_rebuilt_too(tmp_path: Path) -> None:
    able = ScriptedModel(lambda request: '[TONE: plain] "I will say it my own way."', name="able")
    model = small(distinct)
    run = await play_helped(tmp_path, model, others={"bob": able})
    for line in lines_of(run):
        if line.speaker != "Bob":
            assert list(requests_of(run.entries, line, read_settings(tmp_path, {}))) == asked_for(line, model)


async def test_the_account_of_a_helped_line_has_the_offer_the_tries_and_whose_the_words_are(tmp_path: Path) -> None:
    run = await play_helped(tmp_path, small(lambda request: "", SMALL))
    walked, *_ = lines_of(run)
    told = account_of(run.entries, walked)
    assert (told.helped, told.plan) == (True, None)
    assert (walked.action, told.line.content) == ("react", "")
    assert [attempt.refused for attempt in told.attempts] == ["empty", "empty"]
    assert (told.words_by, told.warnings) == ("goal", ())
    good = await play_helped(tmp_path / "good", small(distinct))
    told = account_of(good.entries, lines_of(good)[0])
    assert told.offered == scene_state(good.entries).goals[0].text
    assert (told.words_by, [attempt.refused for attempt in told.attempts]) == ("model", [""])


async def test_the_offered_sub_goal_can_be_taken_from_what_the_model_is_shown(tmp_path: Path) -> None:
    run = await play_helped(tmp_path, small(distinct))
    settings = read_settings(tmp_path, {})
    occasion = occasion_of_line(run.entries, lines_of(run)[0])
    assert occasion.changed == ()
    causes = {cause.kind: cause for cause in causes_of(occasion)}
    assert {"goal", "section", "note"} <= set(causes)
    whole = occasion.request(settings).messages[0].text
    for kind in ("goal", "note"):
        less = without(occasion, causes[kind]).request(settings).messages[0].text
        assert causes[kind].text in whole
        assert causes[kind].text not in less


async def test_a_helped_line_is_tested_by_playing_it_again_whole(tmp_path: Path, local_store: Store) -> None:
    """Without the offer this model speaks of the sea; what it says of birds does not rest on anything else."""

    def reply(request: ModelRequest) -> str:
        offered = "\nStill to come: " in request.messages[0].text
        return distinct(request) if offered else 'softly): "And the sea was calm that night, was it not."'

    scene = await play_helped(tmp_path, small(distinct))
    line = lines_of(scene)[0]
    why = await RunLibrary(local_store, StillClock(), Kinds.of([WhyKind(None, None)])).create("why", "line 1")
    await why.append(questioned(scene.id, scene.entries, line, again=1))
    model = small(reply)
    await try_causes(
        why, occasion_of_line(scene.entries, line), Recorded(model, why, "alice"), read_settings(tmp_path, {})
    )
    found = ablation_of(why.entries)
    assert found is not None
    assert found.floor == 0.0
    assert found.effects[0].cause.kind == "goal"
    assert found.stands_out(found.effects[0])
    assert "sea" in found.effects[0].said.content
    assert found.effects[0].said.tone == found.said.tone
    assert all("#" in request.key for request in model.requests)


def old_log() -> list[Entry[SceneEvent]]:
    """A run of the time when the rehearsal plan decided what helped models say."""
    text = (Path(__file__).parent / "planned_run.jsonl").read_text(encoding="utf-8")
    adapter = TypeAdapter(Entry[SceneEvent])
    return [adapter.validate_json(row) for row in text.splitlines()]


def test_a_line_that_was_planned_by_an_earlier_version_is_still_accounted_for() -> None:
    entries = old_log()
    lines = [line for line in scene_state(entries).lines if line.kind == "line"]
    told = [account_of(entries, line) for line in lines]
    assert all(one.helped and one.plan is not None for one in told)
    assert {one.words_by for one in told} == {"model", "company"}
    own = next(one.line for one in told if one.words_by == "model")
    with pytest.raises(NotFound, match="earlier version"):
        requests_of(entries, own, Settings(project=Path()))


def test_of_an_old_log_only_the_models_own_words_count_as_its_own() -> None:
    entries = old_log()
    state = scene_state(entries)
    found = count_words(entries, state)
    told = [account_of(entries, line) for line in state.lines if line.kind == "line"]
    most = sum(len(words(one.line.content)) for one in told if one.words_by == "model")
    assert 0 < found.by_model <= most < found.spoken
    assert "WORDS: " in result_of("1", entries).transcript
