"""A character played as a task: the whole beat in one message, nothing remembered, everything in the log."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs.events import ModelAnswered
from dramaturg.scenes.agent import SceneUpdate, thread_of
from dramaturg.scenes.events import CueGiven
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.task_agent import TaskCharacterAgent
from tests.stage import play_scripted

NAME = "claude-code/sonnet"
SCENE = {
    "name": "errand",
    "prompt": "Bob is late. Scene goal: Bob apologizes.",
    "characters": ["alice", "bob"],
    "maxBeats": 3,
    "lookahead": False,
}


def reply(request: ModelRequest) -> str:
    if request.purpose != "acting":
        return '{"goals": [], "confidence": 0.1, "natural_end": false}'
    return f'[TONE: plain] "Word {request.key} on the matter."'


async def played(project: Path) -> tuple[ScriptedModel, list[ModelRequest], object]:
    model = ScriptedModel(reply, name=NAME, profile=profile_of(NAME))
    run = await play_scripted(SCENE, model, project)
    return model, [request for request in model.requests if request.purpose == "acting"], run


async def test_every_beat_is_one_message_that_tells_all_the_character_needs(tmp_path: Path) -> None:
    _, asked, _ = await played(tmp_path)
    assert [request.key for request in asked] == [
        "beat-0/alice", "beat-1/alice", "beat-1/bob", "beat-2/alice", "beat-2/bob",
    ]  # fmt: skip
    assert all(len(request.messages) == 1 for request in asked)
    last = asked[-1]
    assert "# Bob - Colleague" in last.system
    assert "Word beat-0/alice on the matter." in last.messages[0].text
    assert "Word beat-1/bob on the matter." in last.messages[0].text
    assert last.messages[0].text.endswith("Beat 2. Bob:")


async def test_the_answer_is_in_the_log_before_it_is_used(tmp_path: Path) -> None:
    *_, run = await played(tmp_path)
    kinds = [entry.event for entry in run.entries]
    answers = [event for event in kinds if isinstance(event, ModelAnswered) and event.purpose == "acting"]
    assert [(event.key, event.who) for event in answers][:2] == [("beat-0/alice", "alice"), ("beat-1/alice", "alice")]
    spoken = next(place for place, event in enumerate(kinds) if event.type == "line.spoken")
    assert kinds.index(answers[0]) < spoken
    assert scene_state(run.entries).lines[0].content == "Word beat-0/alice on the matter."


async def test_a_resumed_beat_gives_the_same_task_and_logs_it_once(tmp_path: Path) -> None:
    *_, run = await played(tmp_path)
    model = ScriptedModel(reply, name=NAME, profile=profile_of(NAME))
    before = [entry for entry in run.entries if entry.event.type != "model.answered"]
    cue = next(e.event for e in before if isinstance(e.event, CueGiven) and e.event.beat == 0)
    thread = thread_of([entry for entry in before if entry.event is cue], "alice")
    role = _role_like(cue)
    logged: list[object] = []

    def log(event: object) -> None:
        logged.append(event)

    agent = TaskCharacterAgent(role, model, log, thread)
    response = await agent.respond_to(SceneUpdate(scene_context="", transcript="", last_event=None, beat=0))
    assert agent.name == "alice"
    assert model.requests[0].messages[0].text == cue.message
    assert logged == []
    assert response.parsed.content == "Word beat-0/alice on the matter."


async def test_only_the_window_is_told(tmp_path: Path) -> None:
    *_, run = await played(tmp_path)
    cue = next(e.event for e in run.entries if isinstance(e.event, CueGiven))
    model = ScriptedModel(reply, name=NAME)
    lines = tuple(Line(number=n, beat=n, speaker="Bob", tone="dry", content=f"line {n}.") for n in range(1, 30))

    def log(event: object) -> None: ...

    agent = TaskCharacterAgent(_role_like(cue), model, log, thread_of((), "alice"))
    update = SceneUpdate(scene_context="", transcript="", last_event=None, beat=30, heard=lines, moderator_note="Go.")
    await agent.respond_to(update)
    text = model.requests[0].messages[0].text
    assert "line 29." in text
    assert "line 19." not in text
    assert "DIRECTOR NOTE (only you see this): Go." in text


def _role_like(cue: CueGiven):
    from dramaturg.kernel.models.rehearsal.part import Part
    from dramaturg.kernel.prompts import Layer, assemble
    from dramaturg.scenes.agent import PartContext
    from dramaturg.scenes.rehearsal.playbook import Playbook
    from dramaturg.scenes.templates import scene_template

    book = Playbook("errand", "", (), (Part("Alice"), Part("Bob")), "Alice")
    system = assemble((Layer(name="card", text="# Alice"),), 100)
    return PartContext(cue.character, "Alice", system, scene_template("turn"), book, window=10, max_tokens=100)
