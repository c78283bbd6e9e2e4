"""The cast of `concordia.py`: an entity for each part, whose calls block a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
from concordia.agents import entity_agent
from concordia.components.agent import concat_act_component, constant
from concordia.language_model import language_model
from concordia.typing import entity

from benchmarks.peers.conversation import CAST, KEY, MAX_TOKENS, MODEL, Conversation


class Model(language_model.LanguageModel):
    """OpenAI's protocol; the prompt is one message, as Concordia writes it."""

    def __init__(self, client: openai.OpenAI) -> None:
        self._client = client

    def sample_text(
        self,
        prompt: str,
        *,
        max_tokens: int = MAX_TOKENS,
        terminators: Collection[str] = (),
        temperature: float = 0.5,
        timeout: float = 60,
        seed: int | None = None,
        **_: Any,
    ) -> str:
        messages = [{"role": "user", "content": prompt}]
        answer = self._client.chat.completions.create(model=MODEL, messages=messages, max_tokens=MAX_TOKENS)
        return answer.choices[0].message.content or ""

    def sample_choice(
        self, prompt: str, responses: Sequence[str], *, seed: int | None = None
    ) -> tuple[int, str, Mapping[str, Any]]:
        raise NotImplementedError


def part(name: str, told: Conversation, heard: list[str], model: Model) -> entity_agent.EntityAgent:
    thread = constant.Constant("", pre_act_label="Heard")
    thread.get_pre_act_value = lambda: "\n".join(heard)
    return entity_agent.EntityAgent(
        agent_name=name,
        act_component=concat_act_component.ConcatActComponent(model=model),
        context_components={"card": constant.Constant(told.system(name), pre_act_label="Card"), "heard": thread},
    )


def scene(client: openai.OpenAI, beats: int, pool: ThreadPoolExecutor) -> None:
    told, model = Conversation(), Model(client)
    heard: dict[str, list[str]] = {name: [] for name in CAST}
    cast = {name: part(name, told, heard[name], model) for name in CAST}
    spec = entity.ActionSpec(call_to_action="What does {name} say?", output_type=entity.OutputType.FREE)

    def speak(name: str, cue: str) -> str:
        heard[name].append(cue)
        answer = str(cast[name].act(spec))
        heard[name].append(answer)
        return answer

    for beat in range(beats):
        names, cue = told.on_stage(beat), told.cue(beat)
        for name, answer in zip(names, list(pool.map(speak, names, [cue] * len(names))), strict=True):
            told.hear(name, answer)
        model.sample_text(told.question())


async def play(url: str, beats: int, scenes: int) -> None:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(scenes) as stages, ThreadPoolExecutor(3 * scenes) as pool:
        await asyncio.gather(*(loop.run_in_executor(stages, scene, client, beats, pool) for _ in range(scenes)))
