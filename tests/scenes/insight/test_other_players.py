"""Looking into lines of characters that remember, and of models that were helped."""

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Kinds, Recorded, Run, RunLibrary
from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import Store
from dramaturg.scenes.events import LinePlanned
from dramaturg.scenes.insight.ablation import ablation_of, questioned, try_causes
from dramaturg.scenes.insight.account import account_of, find_line, occasion_of_line, requests_of
from dramaturg.scenes.insight.causes import causes_of, without
from dramaturg.scenes.kind import WhyKind
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import scene_state
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
    assert asked == len([request for request in model.requests if request.purpose == "acting"]) > 0


async def test_it_is_exact_where_the_oldest_lines_did_not_fit(tmp_path: Path) -> None:
    model = small(distinct, CONTINUES.model_copy(update={"context_window": 520}))
    run = await play_helped(tmp_path, model)
    planned = [entry.event for entry in run.entries if isinstance(entry.event, LinePlanned)]
    assert any(event.plan.omitted for event in planned)
    for line in lines_of(run):
        assert list(requests_of(run.entries, line, read_settings(tmp_path, {}))) == asked_for(line, model)


async def test_a_mixed_cast_is_rebuilt_too(tmp_path: Path) -> None:
    able = ScriptedModel(lambda request: '[TONE: plain] "I will say it my own way."', name="able")
    model = small(distinct)
    run = await play_helped(tmp_path, model, others={"bob": able})
    for line in lines_of(run):
        if line.speaker != "Bob":
            assert list(requests_of(run.entries, line, read_settings(tmp_path, {}))) == asked_for(line, model)


async def test_the_account_of_a_helped_line_has_the_plan_the_tries_and_whose_the_words_are(tmp_path: Path) -> None:
    run = await play_helped(tmp_path, small(lambda request: ""))
    opening, *_ = lines_of(run)
    told = account_of(run.entries, opening)
    assert told.plan is not None
    assert (told.plan.action, told.plan.intention, told.plan.text) == ("speak", "opening", opening.content)
    assert [attempt.refused for attempt in told.attempts] == ["empty", "empty"]
    assert (told.words_by, told.warnings) == ("company", ())
    good = await play_helped(tmp_path / "good", small(distinct))
    opening, *rest = lines_of(good)
    told = account_of(good.entries, opening)
    assert (told.words_by, [attempt.refused for attempt in told.attempts]) == ("model", [""])
    twice = [one for line in rest if len((one := account_of(good.entries, line)).attempts) == 2]
    assert twice[0].attempts[0].refused.startswith("does not do it")


async def test_a_line_whose_words_were_never_a_models_says_why_and_has_no_prompt(tmp_path: Path) -> None:
    run = await play_helped(tmp_path, small(distinct), seed=3)
    fixed = [told for line in lines_of(run) if (told := account_of(run.entries, line)).plan.fixed]
    assert fixed
    for told in fixed:
        assert (told.words_by, told.attempts, told.asked) == ("company", (), "")
        assert requests_of(run.entries, told.line, read_settings(tmp_path, {})) == ()


async def test_a_part_of_the_plan_can_be_taken_from_what_the_model_is_shown(tmp_path: Path) -> None:
    run = await play_helped(tmp_path, small(distinct))
    settings = read_settings(tmp_path, {})
    occasion = occasion_of_line(run.entries, lines_of(run)[0])
    assert occasion.changed == ()
    causes = {cause.kind: cause for cause in causes_of(occasion)}
    assert {"intention", "tone", "target", "section", "note"} <= set(causes)
    whole = occasion.request(settings).messages[0].text
    for kind, words in (("intention", ", opening"), ("tone", causes["tone"].text), ("target", ", to ")):
        less = without(occasion, causes[kind]).request(settings).messages[0].text
        assert whole.count(words) == less.count(words) + 1, kind


async def test_a_helped_line_is_tested_by_playing_it_again_whole(tmp_path: Path, local_store: Store) -> None:
    """Without its intention this model speaks of the sea; what it says of birds does not rest on anything else."""

    def reply(request: ModelRequest) -> str:
        end = request.messages[0].text.rpartition("\n")[2]
        return distinct(request) if ", opening" in end else " and the sea was calm that night, was it not."

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
    assert found.effects[0].cause.kind == "intention"
    assert found.stands_out(found.effects[0])
    assert "sea" in found.effects[0].said.content
    assert found.effects[0].said.tone == found.said.tone
    assert all("#" in request.key for request in model.requests)
