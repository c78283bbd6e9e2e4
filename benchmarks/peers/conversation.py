"""The conversation that is played, and how a player of it is measured. Only the standard library.

Three characters and a judge: in the first beat the opener is asked, in each that follows the whole cast at once, then
the judge. A character's thread grows by what it heard and by its answer; the judge is asked anew each time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import time
import urllib.request
from collections.abc import Callable, Coroutine
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

CAST = ("alice", "bob", "charlie")
PROMPT = "Bob missed an important deadline. Alice confronts him. Scene goal: Bob apologizes, Alice accepts."
CARD = (Path(__file__).parents[2] / "examples/the-apology/.claude/agents/alice.md").read_text(encoding="utf-8")
MODEL, MAX_TOKENS, KEY = "gpt-4o", 400, "none"
HEARD = 600
"""How many characters of the transcript a cue repeats."""

Play = Callable[[str, int, int], Coroutine[Any, Any, None]]
"""Plays so many beats of so many scenes at once, against the provider at a URL."""


@runtime_checkable
class Closing(Protocol):
    """A player that keeps something open between its plays."""

    async def aclose(self) -> None: ...


def requests_of(beats: int, scenes: int = 1) -> int:
    """How many questions a conversation has."""
    return scenes * (2 + (len(CAST) + 1) * (beats - 1))


class Conversation:
    """One scene: who is asked, and what."""

    def __init__(self) -> None:
        self.transcript = ""

    def system(self, name: str) -> str:
        return CARD.replace("Alice", name.title()) + "\n\n" + PROMPT

    def on_stage(self, beat: int) -> tuple[str, ...]:
        return CAST[:1] if beat == 0 else CAST

    def cue(self, beat: int) -> str:
        return self.transcript[-HEARD:] + f"Beat {beat}."

    def hear(self, name: str, answer: str) -> None:
        self.transcript += f"{name} {answer}\n"

    def question(self) -> str:
        return "natural_end\n" + self.transcript


def stats(url: str, *, reset: bool = False) -> dict[str, float]:
    """What the provider counted."""
    if reset:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/reset", method="POST")) as response:
            response.read()
    with urllib.request.urlopen(f"{url}/stats") as response:
        counted: dict[str, float] = json.loads(response.read())
    return counted


async def _seconds(play: Play, given: argparse.Namespace) -> tuple[float, float]:
    """Wall and CPU of the conversation; what is made once is made before."""
    await play(given.url, 1, 1)
    stats(given.url, reset=True)
    wall, cpu = time.perf_counter(), time.process_time()
    await play(given.url, given.beats, given.scenes)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if isinstance(play, Closing):
        await play.aclose()
    return wall, cpu


def peak_memory() -> float:
    """Megabytes. Linux hands the peak of whoever started a process on to it, and has its own in another place."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(distribution: str, load: Callable[[], Play]) -> None:
    """The program of a player: imports its framework, plays once to warm up, then plays measured and prints JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--beats", type=int, default=3)
    parser.add_argument("--scenes", type=int, default=1)
    given = parser.parse_args()
    began = time.process_time()
    play = load()
    imported = time.process_time() - began
    wall, cpu = asyncio.run(_seconds(play, given))
    counted = stats(given.url)
    measured = {
        "version": metadata.version(distribution),
        "wall": wall,
        "cpu": cpu,
        "requests": int(counted["requests"]),
        "tokens": int(counted["tokens"]),
        "cached_share": counted["cached_share"],
        "memory": peak_memory(),
        "import": imported,
    }
    print(json.dumps(measured), flush=True)
