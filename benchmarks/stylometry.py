"""`python -m benchmarks.stylometry FOLDER [SAMPLES [CANDIDATES]]`: nearest author by sample length, and abstentions.

FOLDER holds novels as `author_title….txt`, at least two for most authors. A sample comes from one work, the candidates'
pages from the others, so no sample is compared with the book it is from. The sample of a "stranger" is compared with
everybody but its author: whoever answers then is wrong.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dramaturg.workshop.voice.prose import read_prose
from dramaturg.workshop.voice.stylometry import FEWEST_WORDS, nearest

LENGTHS = (250, 500, 1000, 2500, 5000, 10_000)
PAGES = 20_000
"""How many words of each candidate there are."""

Works = Mapping[str, Mapping[str, Sequence[str]]]


class Row(NamedTuple):
    """The answers for one length: `forced` is the nearest whatever happens, `said` what the product says."""

    length: int
    samples: int
    forced: int
    said: int
    right: int
    strangers: int
    stranger_said: int


def works_in(folder: Path) -> Works:
    """The words of every work, by author."""
    found: dict[str, dict[str, Sequence[str]]] = defaultdict(dict)
    for path in sorted(folder.rglob("*.txt")):
        author = path.stem.split("_")[0]
        found[author][path.stem] = read_prose(path.read_bytes().decode("utf-8-sig", "replace")).words
    return found


def pages_of(works: Works, author: str, without: str) -> Sequence[str]:
    """Pages of an author: as many of each work but one."""
    held = [words for title, words in works[author].items() if title != without]
    share = PAGES // max(1, len(held))
    return [word for words in held for word in words[len(words) // 4 :][:share]]


def measured(works: Works, length: int, samples: int, most: int) -> Row:
    """The answers to as many samples, each from another place; among `most` candidates if that is not 0."""
    rng = random.Random(length)
    count = forced = said = right = stranger_said = 0
    for author, title, sample in _samples(works, length, samples, rng):
        drawn = rng.sample([name for name in works if name != author], most) if most else list(works)
        names = sorted({author, *drawn})
        candidates = {name: pages for name in names if len(pages := pages_of(works, name, title)) >= FEWEST_WORDS}
        count += 1
        told = nearest(sample, candidates)
        anyhow = told if told.distances else nearest(sample, candidates, fewest=0, draws=0)
        forced += bool(anyhow.distances) and anyhow.distances[0].name == author
        said += bool(told.name)
        right += told.name == author
        others = {name: pages for name, pages in candidates.items() if name != author}
        stranger_said += bool(nearest(sample, others).name)
    return Row(length, count, forced, said, right, count, stranger_said)


def _samples(works: Works, length: int, samples: int, rng: random.Random) -> Iterator[tuple[str, str, Sequence[str]]]:
    known = [(author, title) for author, held in works.items() if len(held) > 1 for title in held]
    rng.shuffle(known)
    for number in range(samples):
        author, title = known[number % len(known)]
        words = works[author][title]
        if len(words) < length + 1000:
            continue
        start = rng.randrange(500, len(words) - length - 499)
        yield author, title, words[start : start + length]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("Give a folder of novels: python -m benchmarks.stylometry FOLDER [SAMPLES [CANDIDATES]]")
    works, samples = works_in(Path(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    among = f"{most + 1} candidates" if most else "all of them candidates"
    print(f"{sum(map(len, works.values()))} works of {len(works)} authors, {among}, {samples} samples of each length\n")
    print("| words | nearest, forced | says a name | of those right | stranger: says a name |")
    print("|--:|--:|--:|--:|--:|")
    for length in LENGTHS:
        row = measured(works, length, samples, most)
        correct = f"{row.right / row.said:.0%}" if row.said else "–"
        print(
            f"| {length:,} | {row.forced / row.samples:.0%} | {row.said / row.samples:.0%} | {correct} "
            f"| {row.stranger_said / row.strangers:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
