"""Assisted play: help with turns and form; the words are the model's, or the moment is walked through."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import orjson
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
from dramaturg.scenes.events import CueGiven, ResponseGiven, TurnGiven
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.response import parse_response
from dramaturg.scenes.scene import PartSheet, find_scene
from dramaturg.scenes.stage import Casting, open_scene, stage_scene
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.task_agent import TaskCharacterAgent
from dramaturg.scenes.wire import result_of
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
    return f'softly): "birds {VERBS[beat % 14]} {who}{beat} {PLACES[beat % 13]}."'


async def play(
    project: Path,
    model: Model,
    *,
    name: str = "the-apology",
    seed: int = 1,
    others: dict[str, Model] | None = None,
    judge: Model | None = None,
    secrets: dict[str, str] | None = None,
) -> Run:
    """A whole scene of the examples, with everybody small but those in `others`; the company judges, or `judge`."""
    shutil.copytree(EXAMPLES / name, project / name, ignore=shutil.ignore_patterns("data"), dirs_exist_ok=True)
    settings = Settings(project=project / name)
    scene = find_scene(settings.project, next((settings.project / "scenes").glob("*.yaml")).stem)
    scene = scene.model_copy(
        update={
            "parts": {who: PartSheet(secrets=(secret,)) for who, secret in (secrets or {}).items()},
            "max_beats": 20,
        }
    )
    cards = load_cast(settings.project, scene.characters)
    clock = StillClock()
    played = {card.name: (others or {}).get(card.name, model) for card in cards}
    director = judge or RehearsalCompany(clock)
    models: dict[str, Model] = {one.name: one for one in (*played.values(), director)}
    store = await open_store(settings)
    try:
        library = RunLibrary(store, clock, scene_kinds())
        run = await library.create("scene", name, seed=seed)
        casting = Casting({who: one.name for who, one in played.items()}, director.name)
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


async def test_one_of_the_helped_speaks_at_a_time_and_the_others_cost_no_question(tmp_path: Path) -> None:
    model = small(distinct)
    run = await play(tmp_path, model)
    asked = {request.key.removesuffix("/again") for request in model.requests}
    assert len(asked) == len({key.partition("/")[0] for key in asked}) > 3
    silent = {f"beat-{one.beat}/{one.character}" for one in given(run) if one.response.parsed.action == "silent"}
    assert silent
    assert not asked & silent


async def test_what_is_said_is_the_models_own_and_nobody_claims_the_goal(tmp_path: Path) -> None:
    """Nobody has written these words, and the company has no plan for a model."""
    run = await play(tmp_path, small(distinct))
    state = scene_state(run.entries)
    assert all("birds" in line for line in spoken(state))
    assert state.ended is not None
    assert (state.ended.reason, state.ended.goal_achieved) == ("walked_through", False)
    found = result_of(run.id, run.entries).metadata.words
    assert found.by_model == found.spoken > 0


async def test_the_model_is_shown_one_script_that_breaks_off_where_it_speaks(tmp_path: Path) -> None:
    model = small(distinct)
    await play(tmp_path, model)
    first, *later = (request.messages[0] for request in model.requests)
    assert first.role == "assistant"
    assert "Bob missed an important project deadline" in first.text
    assert first.text.endswith("\nAlice (")
    assert all(request.system == "" and request.stop == ("\n",) for request in model.requests)
    head = first.text.partition("\n\nOn stage")[0]
    assert all(message.text.startswith(head) for message in later)


async def test_what_was_played_stays_at_the_beginning_of_every_later_script(tmp_path: Path) -> None:
    model = small(distinct)
    await play(tmp_path, model)
    scripts = [request.messages[0].text for request in model.requests if not request.key.endswith("/again")]
    for earlier, later in pairwise(scripts):
        assert later.startswith(earlier[: earlier.index("\nAbout ")].rstrip())


async def test_a_model_that_does_not_continue_texts_is_asked_in_a_chat(tmp_path: Path) -> None:
    model = small(lambda request: f'"{distinct(request).strip()}"', SMALL)
    run = await play(tmp_path, model)
    request = model.requests[0]
    assert {one.system for one in model.requests} == {request.system}
    assert "one line at a time" in request.system
    assert (request.messages[0].role, request.stop) == ("user", ())
    assert request.messages[0].text.endswith("Begin with: Alice (")
    assert any("birds" in line for line in spoken(scene_state(run.entries)))


async def test_the_open_sub_goal_is_offered_in_its_own_words_to_whoever_must_reach_it(tmp_path: Path) -> None:
    model = small(distinct)
    run = await play(tmp_path, model)
    state = scene_state(run.entries)
    turns = [entry.event for entry in run.entries if isinstance(entry.event, TurnGiven)]
    assert [turn.goal for turn in turns if turn.goal] == sorted(turn.goal for turn in turns if turn.goal)
    for turn in turns:
        asked = next(one for one in model.requests if one.key == f"beat-{turn.beat}/{turn.character}")
        shown = asked.messages[0].text.rpartition("\nAbout ")[2]
        offered = next((goal.text for goal in state.goals if goal.id == turn.goal), None)
        assert offered is None or offered in shown
        assert not turn.due or state.member(turn.character).display_name in (offered or "") or "they" in (offered or "")
    assert any(turn.due for turn in turns)


JUNK = [
    "Bob missed an important project deadline, causing the team to lose a client.",
    "",
    "   \n\n",
    "[TONE: angry] Bob: what?",
    "As an AI language model I cannot do that.",
    "We agree. We agree. We agree.",
    "*laughs* <b>no</b> http://example.com",
    "\x00 \u202e",
]


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
async def test_what_a_model_cannot_say_is_walked_through_and_never_replaced(junk: str, tmp_path: Path) -> None:
    run = await play(tmp_path, small(lambda request: junk, SMALL))
    state = scene_state(run.entries)
    assert state.ended is not None
    assert not state.ended.goal_achieved
    goals = " ".join(goal.text for goal in state.goals)
    lines = [line for line in state.lines if line.kind == "line"]
    assert lines
    assert all(line.action == "react" and (line.nonverbal or "") in goals for line in lines)
    assert result_of(run.id, run.entries).metadata.words.by_model == 0
    cast = [member.display_name for member in state.cast]
    for one in given(run):
        assert parse_response(one.response.raw, cast=cast) == (one.response.parsed, ())


@pytest.mark.parametrize(
    ("answer", "tone", "target", "words"),
    [
        ('Alice (furious, to Bob): "Where were you?"', "furious", "Bob", "Where were you?"),
        ('Sure! Here is the line:\nAlice (cold): "Sit down."\nBob (low): "Why?"', "cold", "Bob", "Sit down."),
        ('"Where were you? Did you sleep? I waited."', "neutral", "Bob", "Where were you? I waited."),
        ("Sit down. Bob, it cost us 3.50 a head.", "neutral", "Bob", "Sit down. Bob, it cost us 3.50 a head."),
        ('coldly, to Bob): "Sit down."', "coldly", "Bob", "Sit down."),
        ('(Alice): "Sit down."', "neutral", "Bob", "Sit down."),
        ('Alice (how it is said): "Sit down."', "neutral", "Bob", "Sit down."),
        ("One. Two. Three. Four. Five.", "neutral", "Bob", "One. Two. Three."),
        ("**Alice:** I called Emily and Margaret.", "neutral", "Bob", "I called Emily and Margaret."),
        ('Alice [TO: Bob, TONE: dry] "So."', "dry", "Bob", "So."),
    ],
)
async def test_help_is_with_the_form_alone(answer: str, tone: str, target: str, words: str, tmp_path: Path) -> None:
    run = await play(tmp_path, small(lambda request: answer if request.key.startswith("beat-0/") else "", SMALL))
    line = scene_state(run.entries).lines[0]
    assert (line.tone, line.target or "Bob", line.content) == (tone, target, words)


@pytest.mark.parametrize(
    ("manner", "target", "unheard"),
    [
        ("low, to Bob", "Bob", ()),
        ("aside to Bob", "Bob", ("Charlie",)),
        ("aside, low", "oneself", ("Bob", "Charlie")),
        ("aside to Alice", "oneself", ("Bob", "Charlie")),
    ],
)
async def test_an_aside_of_a_small_model_stays_one(
    manner: str, target: str, unheard: tuple[str, ...], tmp_path: Path
) -> None:
    answer = f'Alice ({manner}): "Sit down."'
    run = await play(tmp_path, small(lambda request: answer if request.key.startswith("beat-0/") else "", SMALL))
    line = scene_state(run.entries).lines[0]
    assert (line.aside, line.target, line.unheard_by) == ("aside" in manner, target, unheard)


async def test_a_bad_line_is_asked_for_once_more_and_the_log_says_why(tmp_path: Path) -> None:
    model = small(lambda request: "", SMALL)
    run = await play(tmp_path, model)
    keys = [request.key for request in model.requests]
    assert keys[:2] == ["beat-0/alice", "beat-0/alice/again"]
    assert model.requests[0].temperature != model.requests[1].temperature
    assert given(run)[0].warnings == ("empty", "empty", "it was walked through")


async def test_a_second_try_that_is_good_is_taken(tmp_path: Path) -> None:
    model = small(lambda request: distinct(request) if request.key.endswith("/again") else "", SMALL)
    run = await play(tmp_path, model)
    assert "birds" in given(run)[0].response.parsed.content
    assert given(run)[0].warnings == ("empty",)


async def test_a_line_that_was_said_already_is_not_said_again(tmp_path: Path) -> None:
    run = await play(tmp_path, small(lambda request: "The birds have left the harbour for good.", SMALL))
    assert len(spoken(scene_state(run.entries))) == 1
    assert any("repeats what was said" in text for one in given(run) for text in one.warnings)


async def test_a_card_that_is_read_aloud_is_no_line(tmp_path: Path) -> None:
    def recites(request: ModelRequest) -> str:
        who, _, about = request.messages[0].text.rpartition("\nAbout ")[2].partition("\n")[0].partition(": ")
        name = who.partition(",")[0]
        return f"{name} ({about})" if "/again" in request.key else f'{name}: "{about}"'

    run = await play(tmp_path, small(recites, SMALL))
    assert not spoken(scene_state(run.entries))
    assert any("recites what it was told" in text for text in given(run)[0].warnings)


async def test_in_a_mixed_cast_only_the_small_model_is_helped(tmp_path: Path) -> None:
    able = ScriptedModel(lambda request: '[TONE: plain] "I will say it my own way."', name="able")
    run = await play(tmp_path, small(distinct), others={"bob": able})
    assert "You are Bob" in able.requests[0].system
    bobs = [one.response.parsed.content for one in given(run) if one.character == "bob"]
    assert "I will say it my own way." in bobs


async def test_a_secret_is_shown_to_nobody_but_its_keeper(tmp_path: Path) -> None:
    model = small(distinct)
    await play(tmp_path, model, secrets={"bob": "He slept through it."})
    for request in model.requests:
        assert ("He slept through it." in request.messages[0].text) == ("/bob" in request.key)


async def test_what_the_model_was_shown_is_logged_before_it_answers(tmp_path: Path) -> None:
    run = await play(tmp_path, small(distinct))
    cues = [entry.event for entry in run.entries if isinstance(entry.event, CueGiven)]
    assert cues[0].receipt is not None
    assert [layer.name for layer in cues[0].receipt.layers] == ["script", "part"]
    assert cues[0].message.endswith("Alice (")
    assert len({(cue.beat, cue.character) for cue in cues}) == len(cues)


async def test_a_model_judge_decides_the_end_by_words_that_were_said(tmp_path: Path) -> None:
    """The judge's quotes are checked as anywhere; what was only walked through shows nothing."""

    def claims(request: ModelRequest) -> str:
        quote = "missed the deadline and I am sorry"
        met = {"id": 1, "met": True, "quote": quote, "speaker": "Bob"}
        walked = {"id": 2, "met": True, "quote": "accepts the apology", "speaker": "Alice"}
        return orjson.dumps({"goals": [met, walked], "confidence": 1.0, "natural_end": True}).decode()

    def reply(request: ModelRequest) -> str:
        return "I missed the deadline and I am sorry." if request.key == "beat-1/bob" else ""

    judge = ScriptedModel(claims, name="judge")
    run = await play(tmp_path, small(reply, SMALL), judge=judge)
    state = scene_state(run.entries)
    assert {evidence.goal for evidence in state.verdict.met} == {1}
    assert state.ended is not None
    assert not state.ended.goal_achieved


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
