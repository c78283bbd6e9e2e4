"""What a turn of the Foreman costs: CPU after 10, 100 and 1,000 turns of conversation, and at 0 and 500 scenes.

`python -m benchmarks.foreman_cost [TURNS …]`. The rehearsal company answers, so that no time is spent on waiting. A
few turns are played; the others before the measured ones are copies of the last of them, each with a decision of its
own, written to the log and to the store directly. The books take turns in one process, so that a machine that slows
down slows all of them. The median of the measured turns counts, and the least is given too, since other programs on
the machine only ever add to it; both beside the first book's. The function calls of a turn, counted in a second run,
do not depend on the machine at all.

`python -m benchmarks.foreman_cost --instructions [TURNS …]` counts what the processor is told to do in a turn, by
Valgrind, which must be installed: the work of C is in it, and no other program is. The system's own is not.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.runs import ModelAnswered
from dramaturg.kernel.settings import ModelSettings, Settings
from dramaturg.studio import Studio
from dramaturg.workshop.book.bible import TEMPLATES, StoryBible
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.book.file_cache import TICK_SECONDS
from dramaturg.workshop.events import ActionDone, ForemanEvent, PromptAssembled
from dramaturg.workshop.front import Workshop
from tests.work_count import WorkCount

TURNS = (10, 100, 1000)
SCENES = (0, 500)
PLAYED = 3
"""How many turns are played before any are copied, so that caches are as in the middle of a day's work."""
MEASURED, COUNTED = 25, 4
SAID = "She counts the lamps, and says nothing of the letter."
PROSE = "Ruth counted the lamps on the quay and wrote the number down. Nobody had asked her to.\n\n" * 30
BATCH = 50
WHO = ("Ruth", "the harbourmaster", "Ivo", "her sister", "the pilot", "old Brandt", "the cook")
WHAT = (
    "the lamps",
    "a letter",
    "the spare key",
    "two oars",
    "the tide book",
    "a pistol",
    "bread",
    "the log",
    "a dog",
    "the chart",
    "rope",
)
WHERE = (
    "below the stairs",
    "at the quay",
    "in the chapel",
    "behind the mill",
    "on the ferry",
    "in the north tower",
    "at home",
    "in the cellar",
    "by the well",
    "in the office",
    "under the bridge",
    "on the roof",
    "in town",
)
INSTRUCTIONS, COUNTED_BOOK = "--instructions", "--counted-book"
CATEGORIES = ("structure", "world", "character")


@dataclass(frozen=True, slots=True)
class TurnCost:
    """CPU milliseconds of a turn, and its function calls, in a book of so many scenes after so many turns."""

    turns: int
    scenes: int
    costs: Sequence[float]
    calls: int

    @property
    def median(self) -> float:
        return statistics.median(self.costs)

    def beside(self, first: TurnCost) -> str:
        """A row of the table."""
        least, calls = min(self.costs) / min(first.costs), self.calls / first.calls
        return (
            f"| {self.turns:,} | {self.scenes} | {self.median:.1f} ms ({min(self.costs):.1f}) "
            f"| {self.median / first.median:.2f} ({least:.2f}) | {self.calls / 1000:.1f}k | {calls:.2f} |"
        )


def write_book(folder: Path, scenes: int) -> None:
    """A book whose story bible is complete, so that every turn asks for the same."""
    bible = StoryBible(folder)
    for name, template in TEMPLATES.items():
        bible.write(
            name, {field: f"1. {heading}: she counts.\n2. And.\n3. So." for field, heading in template.fields.items()}
        )
        bible.set_status(name, "complete")
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


@asynccontextmanager
async def book_of(scenes: int, turns: int) -> AsyncIterator[Workshop]:
    """The Foreman of a book with so many scenes, after so many turns."""
    with tempfile.TemporaryDirectory() as folder:
        write_book(Path(folder), scenes)
        settings = Settings(project=Path(folder), models=ModelSettings(default="rehearsal"))
        async with Studio.open(settings) as studio:
            for number in range(1, PLAYED + 1):
                await turn(studio.workshop, number)
            await copy_turns(studio.workshop, PLAYED, turns)
            await asyncio.sleep(TICK_SECONDS)  # a file that has only just changed is read again
            yield studio.workshop


async def copy_turns(foreman: Workshop, last: int, most: int) -> None:
    """Continues the conversation with copies of its last turn, as if they had been played."""
    async with foreman._hold.alone() as performance:
        events = [entry.event for entry in performance.run.entries]
        spoke = max(at for at, event in enumerate(events) if event.type == "writer.spoke")
        for first in range(last + 1, most + 1, BATCH):
            batch: list[ForemanEvent] = []
            for number in range(first, min(first + BATCH, most + 1)):
                kept = await foreman._knowledge.decide(decision_of(number), time.time())
                batch.extend(_copied(events[spoke:], last, number, kept.id))
            await performance.write(*batch)


def decision_of(number: int) -> NewDecision:
    """A decision that no other is like; some have a word of what the writer says."""
    who, what, where = (words[number % len(words)] for words in (WHO, WHAT, WHERE))
    value = f"{who} keeps {what} {where}, and it is number {number}."
    return NewDecision(category=CATEGORIES[number % 3], key=f"{where}_{number}", value=value, source="writer")


def _copied(events: Sequence[ForemanEvent], old: int, new: int, decision: int) -> Iterator[ForemanEvent]:
    for event in events:
        change: dict[str, object] = {"turn": new} if hasattr(event, "turn") else {}
        if isinstance(event, ModelAnswered | PromptAssembled):
            change["key"] = event.key.replace(f"turn-{old}/", f"turn-{new}/")
        if isinstance(event, ActionDone):
            change["act"] = f"{new}.{event.act.partition('.')[2]}"
            change["outcome"] = event.outcome.model_copy(update={"decided": decision})
        yield event.model_copy(update=change)


async def measure(books: Sequence[tuple[int, int]]) -> list[list[float]]:
    """For each book of so many scenes and turns, the costs of its turns."""
    costs: list[list[float]] = [[] for _ in books]
    async with AsyncExitStack() as open_books:
        foremen = [await open_books.enter_async_context(book_of(*book)) for book in books]
        for number in range(1, MEASURED + 1):
            places = range(len(books))
            for place in places if number % 2 else reversed(places):
                costs[place].append(await turn(foremen[place], books[place][1] + number) * 1000)
    return [of_book[1:] for of_book in costs]  # the first finds cold caches


async def count(scenes: int, turns: int) -> int:
    counted = []
    with WorkCount().installed() as work:
        async with book_of(scenes, turns) as foreman:
            for number in range(1, COUNTED + 1):
                with work.counting():
                    await turn(foreman, turns + number)
                counted.append(work.calls)
    return min(counted)


def instructions(scenes: int, turns: int) -> float:
    """Millions of instructions for a turn, counted in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        counter = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out"]
        played = [sys.executable, "-m", "benchmarks.foreman_cost", COUNTED_BOOK, str(scenes), str(turns)]
        same = {**os.environ, "PYTHONHASHSEED": "0"}
        said = subprocess.run([*counter, *played], check=True, capture_output=True, text=True, env=same).stderr
    found = re.search(r"Collected : (\d+)", said)
    if found is None:
        raise SystemExit(f"Valgrind counted nothing:\n{said}")
    return int(found[1]) / COUNTED / 1e6


async def play_counted(scenes: int, turns: int) -> None:
    """Plays turns of a book, the last of them counted by the Valgrind that this process runs in."""
    async with book_of(scenes, turns) as foreman:
        for number in range(1, PLAYED + COUNTED + 1):
            if number == PLAYED + 1:
                subprocess.run(["callgrind_control", "-i", "on", str(os.getpid())], check=True, capture_output=True)
            await turn(foreman, turns + number)
        subprocess.run(["callgrind_control", "-i", "off", str(os.getpid())], check=True, capture_output=True)


def show_instructions(books: Sequence[tuple[int, int]]) -> None:
    if shutil.which("valgrind") is None:
        raise SystemExit("Valgrind is not installed. Its package has this name on most systems.")
    counted = [instructions(*book) for book in books]
    print("| turns before | scenes | million instructions | × the first |\n|--:|--:|--:|--:|")
    for (scenes, turns), one in zip(books, counted, strict=True):
        print(f"| {turns:,} | {scenes} | {one:.1f} | {one / counted[0]:.2f} |")


def main(*words: str) -> None:
    if words[:1] == (COUNTED_BOOK,):
        asyncio.run(play_counted(int(words[1]), int(words[2])))
        return
    wanted = [int(word) for word in words if word != INSTRUCTIONS]
    books = [(scenes, turns) for turns in wanted or TURNS for scenes in SCENES]
    if INSTRUCTIONS in words:
        show_instructions(books)
        return
    costs = asyncio.run(measure(books))
    rows = [
        TurnCost(turns, scenes, of_book, asyncio.run(count(scenes, turns)))
        for (scenes, turns), of_book in zip(books, costs, strict=True)
    ]
    print("| turns before | scenes | median (least) | × the first | calls | × the first |\n|--:|--:|--:|--:|--:|--:|")
    print("\n".join(row.beside(rows[0]) for row in rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
