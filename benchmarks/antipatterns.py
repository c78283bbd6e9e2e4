"""`python -m benchmarks.antipatterns FOLDER`: how often our rules are broken in a folder of novels.

For each rule: how many works have it at all, the median rate per 1,000 words, and the rate that nine of ten stay below,
which is where our allowances come from.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from dramaturg.workshop.voice.antipatterns import check_prose
from dramaturg.workshop.voice.prose import Prose, read_prose
from dramaturg.workshop.voice.rule_files import house_rules

WORDS = 40_000
"""How many words of each work are read, from its first quarter on."""


def pages(path: Path) -> Prose:
    paragraphs = read_prose(path.read_bytes().decode("utf-8-sig", "replace")).paragraphs
    start = len(paragraphs) // 4
    kept, words = start, 0
    while kept < len(paragraphs) and words < WORDS:
        words += len(paragraphs[kept].text.split())
        kept += 1
    return Prose(paragraphs[start:kept])


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("Give a folder of novels: python -m benchmarks.antipatterns FOLDER")
    works = sorted(Path(sys.argv[1]).rglob("*.txt"))
    rates: dict[str, list[float]] = {rule.id: [] for rule in house_rules()}
    for path in works:
        report = check_prose(pages(path), house_rules())
        for name, found in rates.items():
            count = report.count_of(name)
            found.append(count.per_1000 if count else 0.0)
    print(f"{len(works)} works, up to {WORDS:,} words of each\n")
    print("| rule | works with it | median per 1,000 | nine of ten below | allowed |")
    print("|---|--:|--:|--:|--:|")
    for rule in house_rules():
        found = sorted(rates[rule.id])
        high = found[int(0.9 * (len(found) - 1))]
        has = sum(map(bool, found))
        print(f"| {rule.id} | {has} | {median(found):.2f} | {high:.2f} | {rule.per_1000:g} |", flush=True)


if __name__ == "__main__":
    main()
