"""dramaturg plays the scene with everything on: opening it, its log in SQLite and its files are counted."""

from __future__ import annotations

from benchmarks.peers.conversation import Play, main


def load() -> Play:
    import asyncio
    import os
    import tempfile
    from contextlib import AsyncExitStack
    from pathlib import Path

    from benchmarks.scenes import play_scene, story
    from dramaturg import Studio, read_settings

    class Company:
        """A studio that is opened once, as a server or a batch has it."""

        def __init__(self) -> None:
            self._open = AsyncExitStack()
            self._studio: Studio | None = None

        async def __call__(self, url: str, beats: int, scenes: int) -> None:
            if self._studio is None:
                folder = Path(self._open.enter_context(tempfile.TemporaryDirectory()))
                settings = read_settings(story(folder, url), os.environ)
                self._studio = await self._open.enter_async_context(Studio.open(settings))
            await asyncio.gather(*(play_scene(self._studio, beats) for _ in range(scenes)))

        async def aclose(self) -> None:
            await self._open.aclose()

    return Company()


if __name__ == "__main__":
    main("dramaturg", load)
