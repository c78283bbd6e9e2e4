"""Short ways for tests to ask: a gateway whose providers are all the local server, and questions to put."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Message, Model, ModelAnswer, ModelRequest
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings
from tests.model_server.server import ModelServer

ANTHROPIC_KEY = "sk-ant-secret-0123456789"
OPENAI_KEY = "sk-proj-secret-9876543210"
KEYS = {"ANTHROPIC_API_KEY": ANTHROPIC_KEY, "OPENAI_API_KEY": OPENAI_KEY, "MISTRAL_API_KEY": "secret-mistral"}
CLAUDE, GPT, LOCAL = "anthropic/claude-sonnet-4-6", "openai/gpt-4o", "ollama/character"
BOTH = (CLAUDE, GPT)


@dataclass
class House:
    """A server, a gateway that knows no other, and the clock both tests and retries go by."""

    server: ModelServer
    gateway: Gateway
    clock: StillClock

    def open(self, name: str) -> Model:
        return self.gateway.open(name)


@asynccontextmanager
async def house(*, retries: int = 3, timeout: float = 20.0, concurrency: int = 8) -> AsyncGenerator[House, None]:
    async with ModelServer() as server:
        clock = StillClock()
        async with Gateway(settings_at(server.url, retries, timeout, concurrency), clock) as gateway:
            yield House(server, gateway, clock)


def settings_at(url: str, retries: int = 3, timeout: float = 20.0, concurrency: int = 8) -> Settings:
    def at(base_url: str) -> ProviderSettings:
        return ProviderSettings(base_url=base_url, timeout=timeout, concurrency=concurrency)  # type: ignore[call-arg]

    rows = {name: at(f"{url}/v1") for name in ("openai", "mistral", "ollama", "xai", "deepseek", "qwen")}
    return Settings(
        models=ModelSettings(retries=retries),  # type: ignore[call-arg]
        providers={"anthropic": at(url), **rows},
        env=KEYS,
    )


def question(text: str = "Who goes there?", **changes: Any) -> ModelRequest:
    asked: dict[str, Any] = {
        "key": "q1",
        "purpose": "acting",
        "system": "You keep the gate of an old town.",
        "messages": (Message("user", text),),
        "max_tokens": 200,
    }
    return ModelRequest(**{**asked, **changes})


async def heard(pieces: AsyncIterator[str | ModelAnswer]) -> tuple[list[str], ModelAnswer]:
    """The pieces of a stream, and the answer at its end."""
    everything = [piece async for piece in pieces]
    answer = everything.pop()
    assert isinstance(answer, ModelAnswer)
    return [piece for piece in everything if isinstance(piece, str)], answer
