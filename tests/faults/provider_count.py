"""A provider that counts: what it was asked, when, and whether the answer was in a log by then."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections import Counter, defaultdict
from typing import Any

from tests.model_server import Asked, ModelServer
from tests.model_server.protocols import prompt_of
from tests.scenes.test_kill_and_resume import line_for


def answer(asked: Asked) -> str:
    """An answer that no other question gets: a line of a scene, its judge's verdict, or what is said in a chat."""
    if '"natural_end"' in asked.prompt:
        confidence = random.Random(asked.prompt).uniform(0.0, 0.2)
        return json.dumps({"goals": [], "confidence": confidence, "natural_end": False})
    line = line_for(asked)
    if '"dialogue"' in asked.prompt or "tension_shift" in asked.prompt:
        return json.dumps({"dialogue": line[15:-1], "action": "", "internal": "", "mood": "calm"})
    return line


class ProviderCount:
    """Notes each question, lets each scene have so many answers, and holds a question that has certain words in it."""

    def __init__(self, provider: ModelServer, scenes: re.Pattern[str], count: int) -> None:
        """`scenes` finds the name of a scene in its questions; there are so many scenes."""
        self.arrivals: dict[str, list[float]] = defaultdict(list)
        self._provider = provider
        self._scenes, self._count = scenes, count
        self._asked: Counter[str] = Counter()
        self._allowed = 0
        self._held_words = ""
        self._is_held = asyncio.Event()
        self._changed = asyncio.Condition()
        provider.reply, provider.on_request = answer, self._take

    @property
    def total(self) -> int:
        return len(self._provider.requests)

    async def allow(self, questions: int) -> None:
        """Each scene gets so many answers in all; its later questions wait."""
        self._allowed = questions
        async with self._changed:
            self._changed.notify_all()

    async def used_up(self) -> None:
        """Returns when every scene waits for what is not allowed yet."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: sum(asked > self._allowed for asked in self._asked.values()) == self._count
            )

    def hold(self, words: str) -> None:
        """The question with these words in it waits for `release`."""
        self._held_words = words
        self._is_held.clear()

    async def held(self) -> None:
        """Returns when it is asked."""
        await self._is_held.wait()

    async def release(self) -> None:
        self._held_words = ""
        async with self._changed:
            self._changed.notify_all()

    def asked_again(self, recorded: dict[str, float]) -> int:
        """How many questions came when their answer was in a log: answers with the time they were written."""
        return sum(arrived > written for text, written in recorded.items() for arrived in self.arrivals[text])

    async def _take(self, _number: int, body: dict[str, Any]) -> None:
        prompt = prompt_of(body)
        self.arrivals[answer(Asked("openai", body["model"], prompt, body))].append(time.time())
        if scene := self._scenes.search(prompt):
            await self._take_scene_question(scene[0])
        elif self._held_words and self._held_words in prompt:
            words = self._held_words
            self._is_held.set()
            async with self._changed:
                await self._changed.wait_for(lambda: self._held_words != words)

    async def _take_scene_question(self, scene: str) -> None:
        self._asked[scene] += 1
        number = self._asked[scene]
        async with self._changed:
            self._changed.notify_all()
            await self._changed.wait_for(lambda: number <= self._allowed)
