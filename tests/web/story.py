"""A server for the studio's stories: an example in a folder of its own, played by the rehearsal company."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.graph import story
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from dramaturg.workshop.graph.exchange import to_json
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.patches.patch import PatchSource, quoted_patch

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"


TOKEN = "the-token-of-the-stories"
"""What the author logs in with, where the server has a token. It opens nothing but the copy of an example."""


BOOK = EXAMPLE.parent / "the-last-starship"
PROSE = (
    "Ruth put the lamp on the sill. The harbour was grey, and nobody came up the path. She counted the boats twice.",
    "The rain began again before noon. Ruth asked Ida about the ledger, and Ida said that there had never been one.",
)


def write_book(project: Path) -> None:
    """A half planned novel with two scenes, and three changes to them that wait for the writer."""
    shutil.copytree(BOOK / "story-bible", project / "story-bible")
    (project / "manuscript").mkdir()
    for number, text in enumerate(PROSE, 1):
        (project / "manuscript" / f"ch01-sc0{number}.md").write_text(f"{text}\n", encoding="utf-8")
    asyncio.run(_propose(project))


async def _propose(project: Path) -> None:
    changes = (("Ruth put", "She put"), ("nobody came", "no one came"), ("counted the boats", "counted the sails"))
    path = "manuscript/ch01-sc01.md"
    patches = [
        quoted_patch(path, f"{PROSE[0]}\n", old, new, reason="It is flat.", issue="flat") for old, new in changes
    ]
    async with Studio.open(read_settings(project, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
        source = PatchSource(name="rehearsal", purpose="prose")
        await studio.workshop.patches.propose("t1", "Prose pass", source, tuple(patches))


FACTS = 20_000
"""How many facts the book of the server with a token has."""


async def fill_graph(project: Path) -> None:
    """A knowledge graph as that of a long series, told by no file of this book."""
    graph = story(FACTS)
    told = StoryGraph(graph.entities, tuple(replace(fact, file="") for fact in graph.facts), ())
    async with Studio.open(read_settings(project, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
        await studio.workshop.graph.fill(to_json(told))


OLLAMA = 6
"""How far the port of the double of Ollama is from that of the author's machine; nothing answers beside the other."""
WORLD = {
    "entries": {"0": {"uid": 0, "key": ["semaphore"], "content": "It has not moved since the war.", "stranger": 1}}
}
ACT = "name: two-evenings\nscenes: [the-apology, {scene: the-apology, as: the-next-evening}]\n"


def main(port: str, *, token: bool) -> None:
    project = Path(tempfile.mkdtemp(prefix="dramaturg-story-")) / "story"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("data"))
    if token:
        asyncio.run(fill_graph(project))
    write_book(project)
    (project / "acts").mkdir()
    (project / "acts" / "two-evenings.yaml").write_text(ACT, encoding="utf-8")
    (project / "lorebooks").mkdir()
    (project / "lorebooks" / "the-coast.json").write_text(json.dumps(WORLD), encoding="utf-8")
    with (project / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write('\n[voices]\nengine = "hibari"\n')  # the quickest that can be heard
        file.write(f'\n[providers.ollama]\nbase_url = "http://127.0.0.1:{int(port) + OLLAMA}/v1"\n')
        file.write('\n[server]\ntoken_env = "DRAMATURG_STORY_TOKEN"\n' if token else "")
    env = {**os.environ, "DRAMATURG_MODEL": "rehearsal"} | ({"DRAMATURG_STORY_TOKEN": TOKEN} if token else {})
    program = [sys.executable, "-m", "dramaturg", "serve", "--project", str(project), "--port", port]
    os.execve(sys.executable, program, env)


if __name__ == "__main__":
    main(sys.argv[1], token="--token" in sys.argv)
