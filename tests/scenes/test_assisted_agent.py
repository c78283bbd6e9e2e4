"""Assisted play: the plan decides, the model finds words, and what it cannot find the company says."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from dramaturg.characters import load_cast
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.models.judge import who_judges
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile, profile_of
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Recorded, Run, RunLibrary
from dramaturg.kernel.settings import SceneSettings, Settings
from dramaturg.kernel.store import open_store
from dramaturg.scenes.agent import DirectCharacterAgent
from dramaturg.scenes.agent_modes import part_mode
from dramaturg.scenes.assisted_agent import AssistedCharacterAgent
from dramaturg.scenes.events import CueGiven, CutMissed, ResponseGiven
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.response import parse_response
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.stage import Casting, open_scene, stage_scene
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.task_agent import TaskCharacterAgent
from tests.scenes.memory.staging import studio_of
from tests.stage import performance_of, scene_kinds

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = profile_of("ollama/qwen2.5:1.5b")
CONTINUES = SMALL.model_copy(update={"continues": True})
Reply = Callable[[ModelRequest], str | ModelAnswer | Exception]


def small(reply: Reply, profile: ModelProfile = CONTINUES) -> ScriptedModel:
    return ScriptedModel(reply, name="small", profile=profile)


VERBS = "circled crossed feared followed forgot guarded haunted ignored loved missed outran passed praised saw".split()
PLACES = "harbours meadows rooftops orchards islands valleys markets bridges deserts gardens ferries dunes fens".split()


def distinct(request: ModelRequest) -> str:
    """Fresh words at every question, without a name in them."""
    beat = int(request.key.partition("/")[0].removeprefix("beat-"))
    who = request.key.rpartition("/")[2][:2]
    return f" birds {VERBS[beat % 14]} {who}{beat} {PLACES[beat % 13]}."


async def play(
    project: Path, model: Model, *, name: str = "the-apology", seed: int = 1, others: dict[str, Model] | None = None
) -> Run:
    """A whole scene of the examples, with everybody small but those in `others`; the company judges."""
    shutil.copytree(EXAMPLES / name, project / name, ignore=shutil.ignore_patterns("data"), dirs_exist_ok=True)
    settings = Settings(project=project / name)
    scene = find_scene(settings.project, next((settings.project / "scenes").glob("*.yaml")).stem)
    cards = load_cast(settings.project, scene.characters)
    clock = StillClock()
    played = {card.name: (others or {}).get(card.name, model) for card in cards}
    models: dict[str, Model] = {one.name: one for one in played.values()} | {"rehearsal": RehearsalCompany(clock)}
    store = await open_store(settings)
    try:
        library = RunLibrary(store, clock, scene_kinds())
        run = await library.create("scene", name, seed=seed)
        casting = Casting({who: one.name for who, one in played.items()}, "rehearsal")
        await run.append(*open_scene(scene, cards, casting, seed=seed, folder=f"scenes/{name}"))
        await play_scene(
            performance_of(run), stage_scene(run, settings, lambda asked, who: Recorded(models[asked], run, who))
        )
        return run
    finally:
        await store.close()


def given(run: Run) -> list[ResponseGiven]:
    return [entry.event for entry in run.entries if isinstance(entry.event, ResponseGiven)]


def spoken(state: SceneState) -> list[str]:
    return [line.content for line in state.lines if line.kind == "line" and line.content]


async def test_a_model_that_only_finds_words_plays_a_scene_to_its_goal(tmp_path: Path) -> None:
    model = small(distinct)
    run = await play(tmp_path, model)
    state = scene_state(run.entries)
    assert state.ended is not None
    assert (state.ended.reason, state.ended.goal_achieved) == ("goal_achieved", True)
    assert any("birds" in line for line in spoken(state))
    assert {request.key.count("/") for request in model.requests} <= {1, 2}


async def test_who_is_silent_in_the_plan_costs_no_question(tmp_path: Path) -> None:
    model = small(distinct)
    run = await play(tmp_path, model)
    asked = {request.key.removesuffix("/again") for request in model.requests}
    silent = {f"beat-{one.beat}/{one.character}" for one in given(run) if one.response.parsed.action == "silent"}
    assert silent
    assert not asked & silent


async def test_the_model_is_shown_one_script_that_breaks_off_inside_the_quotation_marks(tmp_path: Path) -> None:
    model = small(distinct)
    await play(tmp_path, model)
    first, *later = (request.messages[0] for request in model.requests)
    assert first.role == "assistant"
    assert "Bob missed an important project deadline" in first.text
    assert first.text.count('"') % 2 == 1
    assert all(request.system == "" and request.stop == ('"', "\n") for request in model.requests)
    head = first.text.partition("\n\nOn stage")[0]
    assert all(message.text.startswith(head) for message in later)


async def test_what_was_played_stays_at_the_beginning_of_every_later_script(tmp_path: Path) -> None:
    model = small(distinct)
    await play(tmp_path, model)
    scripts = [request.messages[0].text for request in model.requests if not request.key.endswith("/again")]
    for earlier, later in pairwise(scripts):
        played = earlier[: earlier.rindex("\n[") + 1]
        assert later.startswith(played)


async def test_a_model_that_does_not_continue_texts_is_asked_in_a_chat(tmp_path: Path) -> None:
    model = small(lambda request: f'"{distinct(request).strip()}"', SMALL)
    run = await play(tmp_path, model)
    request = model.requests[0]
    assert "Write only what Alice says" in request.system
    assert (request.messages[0].role, request.stop) == ("user", ())
    assert any("birds" in line for line in spoken(scene_state(run.entries)))
    assert not any('"' in line for line in spoken(scene_state(run.entries)))


JUNK = [
    "",
    "   \n\n",
    "[TONE: angry] Bob: what?",
    "As an AI language model I cannot do that.",
    "Alice (angry): hello there",
    "I told Emily and Emily told Margaret.",
    "We agree. We agree. We agree.",
    "*laughs* <b>no</b> http://example.com",
    "word " * 300,
    "\x00 \u202e",
    "Bob missed an important project deadline, causing the team to lose a client.",
]


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
async def test_whatever_a_model_says_every_line_is_in_form_and_the_scene_ends_for_a_reason(
    junk: str, tmp_path: Path
) -> None:
    run = await play(tmp_path, small(lambda request: junk))
    state = scene_state(run.entries)
    assert state.ended is not None
    assert state.ended.reason == "goal_achieved"
    cast = [member.display_name for member in state.cast]
    for one in given(run):
        parsed, warnings = parse_response(one.response.raw, cast=cast)
        assert parsed == one.response.parsed
        assert warnings == ()
    assert len(set(spoken(state))) == len(spoken(state))


@pytest.mark.parametrize("seed", [1, 2, 3, 7])
@pytest.mark.parametrize("name", ["the-apology", "the-lighthouse", "the-last-slice"])
async def test_every_example_arrives_whatever_the_seed(name: str, seed: int, tmp_path: Path) -> None:
    state = scene_state((await play(tmp_path, small(distinct), name=name, seed=seed)).entries)
    assert state.ended is not None
    assert state.ended.reason == "goal_achieved"


async def test_a_bad_line_is_asked_for_once_more_and_then_replaced_and_the_log_says_so(tmp_path: Path) -> None:
    model = small(lambda request: "")
    run = await play(tmp_path, model)
    keys = [request.key for request in model.requests]
    assert keys[:2] == ["beat-0/alice", "beat-0/alice/again"]
    assert model.requests[0].temperature != model.requests[1].temperature
    opening = given(run)[0]
    assert opening.warnings == ("empty", "empty", "the rehearsal company's line was taken")
    assert opening.response.parsed.content


async def test_a_second_try_that_is_good_is_taken(tmp_path: Path) -> None:
    model = small(lambda request: distinct(request) if request.key.endswith("/again") else "")
    run = await play(tmp_path, model)
    assert "birds" in given(run)[0].response.parsed.content
    assert given(run)[0].warnings == ("empty",)


async def test_a_deed_is_done_in_words_that_do_it(tmp_path: Path) -> None:
    """Birds are no apology: the second time the deed is put into the model's mouth."""
    run = await play(tmp_path, small(distinct))
    state = scene_state(run.entries)
    undone = [one for one in given(run) if any(text.startswith("does not do it") for text in one.warnings)]
    assert undone
    assert all(evidence.quote in " ".join(spoken(state)) for evidence in state.verdict.met)


async def test_an_interruption_cuts_a_line_that_was_spoken_as_planned(tmp_path: Path) -> None:
    for seed in range(1, 6):
        run = await play(tmp_path / str(seed), small(distinct), seed=seed)
        assert not [entry for entry in run.entries if isinstance(entry.event, CutMissed)]


async def test_in_a_mixed_cast_only_the_small_model_is_helped(tmp_path: Path) -> None:
    able = ScriptedModel(lambda request: '[TONE: plain] "I will say it my own way."', name="able")
    run = await play(tmp_path, small(distinct), others={"bob": able})
    assert "You are Bob" in able.requests[0].system
    bobs = [one.response.parsed.content for one in given(run) if one.character == "bob"]
    assert "I will say it my own way." in bobs
    assert not [entry for entry in run.entries if isinstance(entry.event, CutMissed)]


async def test_what_the_model_was_shown_is_logged_before_it_answers(tmp_path: Path) -> None:
    run = await play(tmp_path, small(distinct))
    cues = [entry.event for entry in run.entries if isinstance(entry.event, CueGiven)]
    assert cues[0].receipt is not None
    assert cues[0].message.endswith('): "')
    assert len({(cue.beat, cue.character) for cue in cues}) == len(cues)


@pytest.mark.parametrize(
    ("asked", "model", "kind"),
    [
        ("auto", "ollama/qwen2.5:1.5b", "assisted"),
        ("auto", "anthropic/claude-sonnet-5-5", "direct"),
        ("auto", "rehearsal", "direct"),
        ("auto", "claude-code/sonnet", "task"),
        ("direct", "ollama/qwen2.5:1.5b", "direct"),
        ("direct", "claude-code/sonnet", "direct"),
        ("assisted", "anthropic/claude-sonnet-5-5", "assisted"),
        ("assisted", "rehearsal", "direct"),
        ("task", "claude-code/sonnet", "task"),
    ],
)
def test_how_a_model_plays_is_its_profiles_affair_unless_the_settings_say_otherwise(
    asked: str, model: str, kind: str
) -> None:
    assert part_mode(asked, ScriptedModel([], name=model, profile=profile_of(model))) == kind


def test_a_task_is_not_given_to_a_model_that_takes_none() -> None:
    with pytest.raises(InvalidSettings, match="claude-code"):
        part_mode("task", ScriptedModel([], name="openai/gpt-4o"))


def test_a_small_model_does_not_judge_unless_it_was_named_for_it() -> None:
    name, reason = who_judges(None, "small", SMALL)
    assert name == "rehearsal"
    assert "small" in reason
    assert who_judges("small", "small", SMALL) == ("small", "")
    assert who_judges(None, "able", profile_of("openai/gpt-4o")) == ("able", "")


@pytest.mark.parametrize(
    ("agent", "kind"),
    [("auto", AssistedCharacterAgent), ("direct", DirectCharacterAgent), ("task", TaskCharacterAgent)],
)
async def test_the_stage_casts_as_the_settings_say(agent: str, kind: type, tmp_path: Path, library: RunLibrary) -> None:
    shutil.copytree(EXAMPLES / "the-apology", tmp_path / "s", ignore=shutil.ignore_patterns("data"))
    settings = Settings(project=tmp_path / "s", scenes=SceneSettings(agent=agent))
    name = "claude-code/sonnet" if agent == "task" else "small"
    model = ScriptedModel([], name=name, profile=SMALL.model_copy(update={"takes_tasks": agent == "task"}))
    scene = find_scene(settings.project, "the-apology")
    cards = load_cast(settings.project, scene.characters)
    run = await RunLibrary(library._store, StillClock(), scene_kinds()).create("scene", "x", seed=1)
    casting = Casting({card.name: name for card in cards}, name)
    await run.append(*open_scene(scene, cards, casting, seed=1, folder="scenes/x"))
    production = stage_scene(run, settings, lambda asked, who: model)
    assert {type(agent) for agent in production.agents.values()} == {kind}


class Interrupted(Exception):
    """The process dies."""


@pytest.mark.parametrize(("way", "sees"), [("direct", "You are"), ("assisted", "")])
async def test_a_run_that_is_resumed_goes_on_as_it_was_begun_whatever_the_settings_say_now(
    way: str, sees: str, tmp_path: Path
) -> None:
    def dies(request: ModelRequest) -> str | Exception:
        return Interrupted() if request.key.startswith("beat-2/") else distinct(request)

    shutil.copytree(EXAMPLES / "the-apology", tmp_path, ignore=shutil.ignore_patterns("data"), dirs_exist_ok=True)
    config = find_scene(tmp_path, "the-apology")
    async with studio_of(tmp_path, small(dies)) as studio:
        run = await studio.scenes.open(config, model="small", agent=way)
        with pytest.raises(Interrupted):
            await studio.start(run)
    model = small(distinct)
    async with studio_of(tmp_path, model) as studio:
        settings = SceneSettings(agent="assisted" if way == "direct" else "direct")
        studio.resources.settings = studio.settings.model_copy(update={"scenes": settings})
        again = await studio.adopt(run.id)
        await studio.start(again)
        fork = await studio.scenes.fork(run.id, 1)
    assert model.requests
    for request in model.requests:
        if request.purpose == "acting":
            assert (sees in request.system) if sees else request.system == ""
    assert again.state.scene.agent == scene_state(fork.entries).scene.agent == way


async def test_a_scene_that_cannot_be_played_so_is_refused_before_there_is_a_run(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "the-apology", tmp_path, ignore=shutil.ignore_patterns("data"), dirs_exist_ok=True)
    async with studio_of(tmp_path, small(distinct)) as studio:
        with pytest.raises(InvalidSettings, match="claude-code"):
            await studio.scenes.open(find_scene(tmp_path, "the-apology"), model="small", agent="task")
        assert await studio.runs.find() == []
