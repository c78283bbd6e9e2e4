"""An episode that never ends by itself, what its model answers, and who plays it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.episodes.staging import FLIRT, MINA
from tests.faults.servers import Server
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


class Chat:
    """A player who says one thing after another, and asks again for what was not answered."""

    def __init__(self, server: Server, opened: dict[str, Any]) -> None:
        self.server = server
        self.session = str(opened["session"]["id"])
        self._token = {"X-Player-Token": str(opened["player_token"])}
        self.answered: list[str] = []
        self.failures = 0

    async def talk(self, turns: int) -> None:
        for _ in range(turns):
            await self.say()

    async def say(self) -> None:
        """Says something that nobody has said, until it is answered."""
        number = len(self.answered)
        message = {"text": f"Word {number} in {self.session}.", "client_id": f"message-{number}"}
        shown = await self._shown("/messages", message)
        while "message_complete" not in shown:
            assert "error" in shown, shown
            self.failures += 1
            shown = await self._shown("/retry", {})
        self.answered.append(message["client_id"])

    async def _shown(self, path: str, body: dict[str, str]) -> list[str]:
        status, told = await self.server.ask(
            "POST", f"/v1/sessions/{self.session}{path}", json=body, headers=self._token
        )
        assert status == 200, told
        return re.findall(r"^event: (\S+)", told, re.M)


async def chat_with(server: Server) -> Chat:
    status, opened = await server.ask("POST", "/v1/sessions", json={"template": "last-orders"})
    assert status == 201, opened
    return Chat(server, opened)
