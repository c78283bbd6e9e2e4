"""Health checks of a long book, and fire drills over books: seconds, memory, recall and false alarms.

python -m benchmarks health
"""

from __future__ import annotations

import resource
import time
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from dramaturg.workshop.drill.drill import PLANTERS, run_drill
from dramaturg.workshop.graph.intake import take_in
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.material import checked_book
from dramaturg.workshop.health.report import run_checks

BOOKS = Path(__file__).parent / "books"
SEEDS = range(1, 21)
WORDS = (30_000, 100_000, 300_000)
SCENE_WORDS = 1500
CAST = ("Ines", "Tobias", "Hanna", "Marit", "Joost", "Clara", "Anselm", "Bruno", "Edda", "Falk")
BEATS = {
    0.01: "Opening image",
    0.12: "Catalyst",
    0.22: "Break into two",
    0.5: "Midpoint",
    0.75: "All is lost",
    0.9: "Finale",
}


def long_book(project: Path, words: int) -> Path:
    """A book of so many words, with front matter in every scene."""
    rng, scenes = Random(words), max(10, words // SCENE_WORDS)
    (project / "manuscript").mkdir(parents=True)
    (project / "story-bible").mkdir()
    bible = "---\nname: Ines\n---\n\n## Fatal flaw\n\nShe never turns back.\n"
    (project / "story-bible" / "protagonist.md").write_text(bible, encoding="utf-8")
    (project / "story-bible" / "theme.md").write_text("## Central theme\n\nTurning back\n", encoding="utf-8")
    vocabulary = [f"word{number}" for number in range(4000)]
    for number in range(scenes):
        cast = rng.sample(CAST, 3)
        beat = next((name for at, name in BEATS.items() if int(at * scenes) == number), "")
        matter = [
            f"chapter: {number // 4 + 1}", f"cast: [Ines, {', '.join(cast)}]", f"place: Place {rng.randrange(30)}",
            f"time: Day {number + 1}, {rng.randrange(24):02}:00", f"tension: {rng.randrange(11)}",
            f"flaw_challenged: {'yes' if number % 6 == 0 else 'no'}", f"resonance: {rng.randrange(11)}",
            f"symbols: [the {rng.choice(('compass', 'lamp', 'key'))}]",
            f"objects: [the {rng.choice(('watch', 'ledger'))}]",
            *([f"beat: {beat}"] if beat else []),
        ]  # fmt: skip
        sentences = [
            f"{rng.choice(cast)} {' '.join(rng.choices(vocabulary, k=13))}." for _ in range(max(1, SCENE_WORDS // 14))
        ]
        prose = "\n\n".join(" ".join(sentences[at : at + 8]) for at in range(0, len(sentences), 8))
        name = f"ch{number // 4 + 1:03}-sc{number % 4 + 1:02}.md"
        (project / "manuscript" / name).write_text("---\n" + "\n".join(matter) + f"\n---\n{prose}\n", encoding="utf-8")
    return project


def time_checks(words: int) -> None:
    with TemporaryDirectory() as folder:
        project = long_book(Path(folder) / "book", words)
        started = time.process_time()
        intake = take_in(StoryGraph(), project)
        graph = StoryGraph().changed(intake.change, 1.0)
        read = time.process_time()
        report = run_checks(checked_book(project, graph), at=1.0)
        done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"| {report.words:,} | {report.scenes} | {read - started:.1f} s | {done - read:.1f} s | {peak:.0f} MB "
        f"| {len(report.findings)} |"
    )


def drill_books() -> None:
    for book in sorted(path for path in BOOKS.iterdir() if path.is_dir()):
        for recorded in (True, False):
            planted, caught, alarms, words = Counter[str](), Counter[str](), 0, 1
            for seed in SEEDS:
                report = run_drill(book, seed=seed, at=1.0, recorded=recorded)
                for one in report.outcomes:
                    planted[one.flaw.kind] += 1
                    caught[one.flaw.kind] += bool(one.caught_by)
                alarms, words = len(report.false_alarms), report.words
            where = "front matter and prose" if recorded else "prose alone"
            print(f"\n{book.name}, {len(SEEDS)} drills, flaws in {where}:")
            for kind in (one.kind for one in PLANTERS):
                print(
                    f"| {kind.replace('_', ' ')} | {caught[kind]} of {planted[kind]} |"
                    if planted[kind]
                    else f"| {kind.replace('_', ' ')} | no fact |"
                )
            print(f"| all | {sum(caught.values())} of {sum(planted.values())} |")
            print(f"False alarms: {alarms} in {words:,} words.")


def main() -> None:
    print(
        "| words | scenes | read into the graph, CPU | checks, CPU | peak memory | findings |\n"
        "|--:|--:|--:|--:|--:|--:|"
    )
    for words in WORDS:
        time_checks(words)
    drill_books()
