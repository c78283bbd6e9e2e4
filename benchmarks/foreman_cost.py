"""What a turn of the Foreman costs: CPU at 10, 100 and 1,000 turns of conversation, and at 0 and 500 scenes.

`python -m benchmarks.foreman_cost [TURNS …]`. The rehearsal company answers, so that no time is spent on waiting; the
least of several turns counts, since other programs on the machine only ever add to it.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from dramaturg.kernel.settings import ModelSettings, Settings
from dramaturg.studio import Studio
from dramaturg.workshop.front import Workshop

TURNS = (10, 100, 1000)
SCENES = (0, 500)
MEASURED = 8
SAID = "She counts the lamps, and says nothing of the letter."
PAGE = "---\nname: Ruth Hale\n---\n\n## Fatal flaw\n\nShe never asks for help.\n"
PROSE = "Ruth counted the lamps on the quay and wrote the number down. Nobody had asked her to.\n\n" * 30


def write_book(folder: Path, scenes: int) -> None:
    (folder / "story-bible").mkdir()
    (folder / "story-bible" / "protagonist.md").write_text(PAGE, encoding="utf-8")
    (folder / "manuscript").mkdir()
    for number in range(scenes):
        name = f"ch{number // 10 + 1:02}-sc{number % 10 + 1:02}.md"
        head = f"---\ntitle: Lamp {number}\ncast: [Ruth Hale]\n---\n"
        (folder / "manuscript" / name).write_text(f"{head}{PROSE}", encoding="utf-8")


async def turn(foreman: Workshop, number: int) -> float:
    before = time.process_time()
    async for _ in foreman.consult(f"{SAID} ({number})"):
        pass
    return time.process_time() - before


async def measure(scenes: int, marks: tuple[int, ...]) -> dict[int, float]:
    """The CPU milliseconds of a turn after so many others."""
    found: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        write_book(Path(folder), scenes)
        settings = Settings(project=Path(folder), models=ModelSettings(default="rehearsal"))
        async with Studio.open(settings) as studio:
            costs: list[float] = []
            for number in range(1, max(marks) + MEASURED + 1):
                costs.append(await turn(studio.workshop, number))
                if number - MEASURED in marks:
                    found[number - MEASURED] = min(costs[-MEASURED:]) * 1000
    return found


def main(*wanted: int) -> None:
    marks = wanted or TURNS
    print("| turns before | " + " | ".join(f"{count} scenes" for count in SCENES) + " |")
    print("|--:|" + "--:|" * len(SCENES))
    columns = [asyncio.run(measure(count, tuple(marks))) for count in SCENES]
    for mark in marks:
        print(f"| {mark:,} | " + " | ".join(f"{column[mark]:.0f} ms" for column in columns) + " |")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
