"""The graph of `langgraph.py`: threads and lines are its state, and a beat is one way round."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from benchmarks.peers.conversation import CAST, KEY, MAX_TOKENS, MODEL, Conversation

Threads = dict[str, list[AnyMessage]]


def joined(old: Threads, new: Threads) -> Threads:
    return {**old, **{name: [*old.get(name, ()), *more] for name, more in new.items()}}


class State(TypedDict):
    beat: int
    beats: int
    threads: Annotated[Threads, joined]
    said: Annotated[list[tuple[int, str, str]], operator.add]


def told(state: State) -> Conversation:
    conversation = Conversation()
    for _, name, answer in sorted(state["said"], key=lambda one: (one[0], CAST.index(one[1]))):
        conversation.hear(name, answer)
    return conversation


def character(name: str, model: ChatOpenAI) -> Any:
    async def speak(state: State) -> dict[str, Any]:
        conversation = told(state)
        thread = state["threads"].get(name, [])
        new: list[AnyMessage] = [] if thread else [SystemMessage(conversation.system(name))]
        new.append(HumanMessage(conversation.cue(state["beat"])))
        answer = str((await model.ainvoke([*thread, *new])).content)
        return {"threads": {name: [*new, AIMessage(answer)]}, "said": [(state["beat"], name, answer)]}

    return speak


def cues(state: State) -> list[Send] | str:
    if state["beat"] == state["beats"]:
        return END
    return [Send(name, state) for name in Conversation().on_stage(state["beat"])]


def graph(model: ChatOpenAI) -> Any:
    async def judge(state: State) -> dict[str, Any]:
        await model.ainvoke([HumanMessage(told(state).question())])
        return {"beat": state["beat"] + 1}

    built = StateGraph(State)
    for name in CAST:
        built.add_node(name, character(name, model))
        built.add_edge(name, "judge")
    built.add_node("judge", judge)
    built.add_conditional_edges(START, cues, [*CAST, END])
    built.add_conditional_edges("judge", cues, [*CAST, END])
    return built.compile()


async def play(url: str, beats: int, scenes: int) -> None:
    model = ChatOpenAI(
        model=MODEL, base_url=f"{url}/v1", api_key=KEY, max_tokens=MAX_TOKENS, max_retries=0, use_responses_api=False
    )
    compiled = graph(model)
    begin = {"beat": 0, "beats": beats, "threads": {}, "said": []}
    config = {"recursion_limit": 4 * beats + 4}
    await asyncio.gather(*(compiled.ainvoke(begin, config) for _ in range(scenes)))
