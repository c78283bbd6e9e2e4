"""CrewAI: an agent for each part and one that judges, each asked with its whole thread."""

from __future__ import annotations

import os

from benchmarks.peers.conversation import Play, main


def load() -> Play:
    os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_TRACING_ENABLED": "false"}
    import asyncio

    from crewai import LLM, Agent

    from benchmarks.peers.conversation import CAST, KEY, MAX_TOKENS, MODEL, Conversation

    async def play(url: str, beats: int, scenes: int) -> None:
        def agent(role: str, story: str) -> Agent:
            model = LLM(model=f"openai/{MODEL}", base_url=f"{url}/v1", api_key=KEY, max_tokens=MAX_TOKENS)
            return Agent(role=role, goal="Answer in your part.", backstory=story, llm=model, verbose=False)

        async def scene() -> None:
            told = Conversation()
            cast = {name: agent(name, told.system(name)) for name in CAST}
            judge = agent("judge", "You judge a scene.")
            threads: dict[str, list[dict[str, str]]] = {name: [] for name in CAST}

            async def speak(name: str) -> str:
                threads[name].append({"role": "user", "content": told.cue(beat)})
                answer = str((await cast[name].kickoff_async(list(threads[name]))).raw)
                threads[name].append({"role": "assistant", "content": answer})
                return answer

            for beat in range(beats):
                names = told.on_stage(beat)
                answers = await asyncio.gather(*(speak(name) for name in names))
                for name, answer in zip(names, answers, strict=True):
                    told.hear(name, answer)
                await judge.kickoff_async([{"role": "user", "content": told.question()}])

        await asyncio.gather(*(scene() for _ in range(scenes)))

    return play


if __name__ == "__main__":
    main("crewai", load)
