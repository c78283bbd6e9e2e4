"""A chat program: the official SDK, and the history it keeps and sends each time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from tests.episodes.staging import FLIRT, write_project
from tests.model_server import ModelServer
from tests.model_server.replies import Asked

TOKEN = "the-author-of-this-house"
PLAYERS = '[players]\nopen = ["last-orders"]\nper_player = 100000\nper_address = 1000000\nburst = 1000\n'
OTHER: dict[str, object] = {**FLIRT, "name": "behind-the-bar", "title": "Behind the bar"}


def write_house(folder: Path, url: str, more: str = "") -> Path:
    """A project whose characters are played by the model server at `url`; without it, by the rehearsal company."""
    folder.mkdir()
    write_project(folder, FLIRT, OTHER)
    house = f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\n' if url else ""
    default = "house/character" if url else "rehearsal"
    care = "[care]\nshow = true\n" if "[care]" in more else ""
    (folder / "dramaturg.toml").write_text(
        f'[models]\ndefault = "{default}"\n[episodes]\nextraction = false\n{house}{more or care}', encoding="utf-8"
    )
    return folder


class Numbered:
    """A model that numbers its answers, keeps to the form, and has something to hide."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, asked: Asked) -> str:
        self.count += 1
        return json.dumps(
            {
                "action": "She wipes a glass",
                "dialogue": f"Answer {self.count}.",
                "internal": "SECRET-THOUGHT",
                "mood": "dry",
                "tension_shift": 0.1,
            }
        )


@dataclass
class Chat:
    """One conversation in a chat program."""

    client: AsyncOpenAI
    model: str = "character/mina"
    messages: list[dict[str, Any]] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)
    session: str = ""

    async def say(self, text: str) -> str:
        self.messages.append({"role": "user", "content": text})
        return await self.regenerate()

    async def regenerate(self) -> str:
        """Asks for an answer to the last message; an answer that is there is thrown away."""
        if self.messages[-1]["role"] == "assistant":
            self.messages.pop()
        raw = await self.client.chat.completions.with_raw_response.create(
            model=self.model, messages=self.messages, **self.more
        )
        made = raw.parse()
        self.session = raw.headers["x-dramaturg-session"]
        said = made.choices[0].message.content or ""
        self.messages.append({"role": "assistant", "content": said})
        return said

    async def stream(self, text: str) -> list[str]:
        self.messages.append({"role": "user", "content": text})
        stream = await self.client.chat.completions.create(
            model=self.model, messages=self.messages, stream=True, **self.more
        )
        pieces = [one.choices[0].delta.content or "" async for one in stream if one.choices]
        self.messages.append({"role": "assistant", "content": "".join(pieces)})
        return pieces


@asynccontextmanager
async def program(url: str, key: str = "any key", **how: Any) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=60, **how) as client:
        yield client


def asked_of(models: ModelServer) -> list[str]:
    """The last message of each request that reached the model."""
    return [one.body["messages"][-1]["content"] for one in models.requests]
