"""Small stories with acts, played by the rehearsal company or by a model of the test's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.runs import Run
from dramaturg.scenes.acts.act import find_act
from dramaturg.scenes.acts.state import ActState, act_state
from dramaturg.studio import Studio
from tests.stage import write_cards

CAST = ("alice", "bob", "cora")
SORRY = 'Bob [TO: Alice, TONE: low] "I am sorry, Alice, and I apologize for the letter."'
FORGIVEN = 'Alice [TO: Bob, TONE: warm] "I forgive you, Bob. Leave the letter there."'


def scene(*, lines: bool = True, **more: object) -> dict[str, object]:
    """Bob apologizes and Alice forgives him; without lines the company walks it through."""
    written = [
        {"at": "opening", "say": 'Alice [TO: Bob, TONE: cool] "You opened my letter."'},
        {"at": "apology", "goal": 1, "say": SORRY},
        {"at": "forgiveness", "goal": 2, "say": FORGIVEN},
    ]
    return {
        "prompt": "Bob opened a letter of Alice's.",
        "goal": ["Bob apologizes", "Alice forgives Bob"],
        "characters": ["alice", "bob"],
        "maxBeats": 8,
        **({"lines": written} if lines else {}),
        **more,
    }


def write_story(
    project: Path, scenes: Mapping[str, Mapping[str, object]], settings: str = "", **acts: Mapping[str, object]
) -> Path:
    """A project with these scenes and acts; dashes in the names of acts are written as underscores."""
    write_cards(project, CAST)
    for folder, files in (("scenes", scenes), ("acts", acts)):
        (project / folder).mkdir(exist_ok=True)
        for name, value in files.items():
            (project / folder / f"{name}.yaml").write_text(yaml.safe_dump(dict(value)), encoding="utf-8")
    toml = f'[models]\ndefault = "rehearsal"\n[scenes]\npace = 0\n{settings}'
    (project / "dramaturg.toml").write_text(toml, encoding="utf-8")
    return project


async def play_act(studio: Studio, name: str = "play", **how: object) -> Run:
    """An act of the studio's project, played to its end."""
    run = await studio.acts.open(find_act(studio.settings.project, name), **how)
    await studio.start(run)
    return run


def played(run: Run) -> list[str]:
    """The scenes that ended, in order."""
    return [one.name for one in state_of(run).played]


def state_of(run: Run) -> ActState:
    return act_state(run.entries)


def costly(request: ModelRequest) -> ModelAnswer:
    """A thousand tokens an answer, one cent each; nobody ever apologizes."""
    text = '{"goals": []}' if request.purpose == "judging" else f'[TONE: low] "Word {request.key}."'
    return ModelAnswer(text=text, model="able", usage=Usage(input_tokens=900, output_tokens=100), cost_usd=0.01)
