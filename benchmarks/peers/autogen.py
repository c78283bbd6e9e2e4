"""AutoGen AgentChat: an assistant for each part with its own context, and one that judges and forgets."""

from __future__ import annotations

from benchmarks.peers.conversation import Play, main


def load() -> Play:
    import asyncio

    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import TextMessage
    from autogen_core import CancellationToken
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    from benchmarks.peers.conversation import CAST, KEY, MAX_TOKENS, MODEL, Conversation

    async def ask(agent: AssistantAgent, text: str) -> str:
        response = await agent.on_messages([TextMessage(content=text, source="user")], CancellationToken())
        return str(response.chat_message.content)

    async def play(url: str, beats: int, scenes: int) -> None:
        client = OpenAIChatCompletionClient(
            model=MODEL, base_url=f"{url}/v1", api_key=KEY, max_tokens=MAX_TOKENS, max_retries=0
        )

        async def scene() -> None:
            told = Conversation()
            cast = {name: AssistantAgent(name, client, system_message=told.system(name)) for name in CAST}
            judge = AssistantAgent("judge", client, system_message=None)
            for beat in range(beats):
                names, cue = told.on_stage(beat), told.cue(beat)
                answers = await asyncio.gather(*(ask(cast[name], cue) for name in names))
                for name, answer in zip(names, answers, strict=True):
                    told.hear(name, answer)
                await judge.on_reset(CancellationToken())
                await ask(judge, told.question())

        await asyncio.gather(*(scene() for _ in range(scenes)))
        await client.close()

    return play


if __name__ == "__main__":
    main("autogen-agentchat", load)
