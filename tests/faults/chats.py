"""An episode that never ends by itself, and what its model answers."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.episodes.staging import FLIRT, MINA
from tests.model_server.replies import Asked
from tests.scenes.test_kill_and_resume import line_for

OPEN = {**FLIRT, "completion_mode": "open", "evaluation": None}
PLAYERS = "[players]\nper_player = 100000\nper_address = 1000000\nburst = 1000\n"


def write_episode(story: Path) -> None:
    """Adds the episode `last-orders` to a story."""
    (story / ".claude" / "agents" / "mina.md").write_text(MINA, encoding="utf-8")
    (story / "episodes").mkdir()
    (story / "episodes" / "last-orders.yaml").write_text(yaml.safe_dump(OPEN), encoding="utf-8")
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(PLAYERS)


def reply(asked: Asked) -> str:
    """A line of a scene, or what is said in a chat."""
    if '"dialogue"' in asked.prompt or "tension_shift" in asked.prompt:
        return json.dumps({"dialogue": line_for(asked)[15:-1], "action": "", "internal": "", "mood": "calm"})
    return line_for(asked)
