"""The floor: a bare aiohttp client that asks the same questions, and does nothing else."""

from __future__ import annotations

from benchmarks.peers.conversation import Play, main


def load() -> Play:
    import asyncio

    import aiohttp
    import orjson

    from benchmarks.peers.conversation import MAX_TOKENS, MODEL, Conversation

    async def play(url: str, beats: int, scenes: int) -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def ask(messages: list[dict[str, str]]) -> str:
                body = orjson.dumps({"model": MODEL, "messages": messages, "max_tokens": MAX_TOKENS})
                headers = {"content-type": "application/json"}
                async with session.post(f"{url}/v1/chat/completions", data=body, headers=headers) as response:
                    answer: str = orjson.loads(await response.read())["choices"][0]["message"]["content"]
                    return answer

            async def scene() -> None:
                told = Conversation()
                threads: dict[str, list[dict[str, str]]] = {}
                for beat in range(beats):
                    cast = told.on_stage(beat)
                    for name in cast:
                        thread = threads.setdefault(name, [{"role": "system", "content": told.system(name)}])
                        thread.append({"role": "user", "content": told.cue(beat)})
                    answers = await asyncio.gather(*(ask(threads[name]) for name in cast))
                    for name, answer in zip(cast, answers, strict=True):
                        threads[name].append({"role": "assistant", "content": answer})
                        told.hear(name, answer)
                    await ask([{"role": "user", "content": told.question()}])

            await asyncio.gather(*(scene() for _ in range(scenes)))

    return play


if __name__ == "__main__":
    main("aiohttp", load)
