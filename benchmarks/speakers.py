"""Who speaks: attribution of quoted lines, against novels whose speakers people have marked.

    python -m benchmarks.speakers CORPUS [NOVEL ...]

CORPUS is a folder in the layout of the Project Dialogism Novel Corpus: `data/<novel>/` with `novel_text.txt`,
`quotation_info.csv` and `character_info.csv`. Nothing of it is part of dramaturg. No name is given beforehand.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dramaturg.workshop.manuscripts.speech.attribution import SpokenLine, attributed

_PARAGRAPH = re.compile(r"(?:[^\n]+\n?)+")
NEAR = 3


@dataclass(frozen=True, slots=True)
class GoldLine:
    """A part of a quotation as people marked it."""

    start: int
    speaker: str
    kind: str


def main(corpus: Path, novels: list[str]) -> None:
    total: Counter[str] = Counter()
    print("| novel | lines | found | attributed | abstained | right | certain ones right |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for folder in sorted(one for one in (corpus / "data").iterdir() if not novels or one.name in novels):
        counts = measured(folder)
        print(_row(folder.name, counts))
        total += counts
    print(_row("all", total))
    for how in ("tag", "paragraph", "continued", "beat", "turn"):
        right, all_ = total[f"right {how}"], total[f"all {how}"]
        print(f"by {how}: {all_} lines, {_share(right, all_)} right")
    for kind in ("Explicit", "Anaphoric", "Implicit"):
        print(
            f"{kind}: {total[f'gold {kind}']} lines, {_share(total[f'given {kind}'], total[f'gold {kind}'])} attributed"
        )


def measured(folder: Path) -> Counter[str]:
    text = (folder / "novel_text.txt").read_text(encoding="utf-8")
    aliases = _aliases(folder / "character_info.csv")
    gold = _gold(folder / "quotation_info.csv")
    spans = [(found.start(), found[0]) for found in _PARAGRAPH.finditer(text)]
    lines = attributed([" ".join(part.split("\n")) for _, part in spans]).lines
    starts = {spans[line.paragraph][0] + line.start: line for line in lines}
    places = sorted(starts)
    counts: Counter[str] = Counter()
    for one in gold:
        counts["lines"] += 1
        counts[f"gold {one.kind}"] += 1
        line = _near(one.start, places, starts)
        if line is None:
            continue
        counts["found"] += 1
        if line.speaker is None:
            counts["abstained"] += 1
            continue
        right = _is_same(line.speaker, one.speaker, aliases)
        counts["attributed"] += 1
        counts["right"] += right
        counts[f"given {one.kind}"] += 1
        counts[f"all {line.how}"] += 1
        counts[f"right {line.how}"] += right
        counts["certain"] += line.is_certain
        counts["certain right"] += line.is_certain and right
    return counts


def _near(at: int, places: list[int], starts: dict[int, SpokenLine]) -> SpokenLine | None:
    index = bisect_left(places, at - NEAR)
    return starts[places[index]] if index < len(places) and places[index] <= at + NEAR else None


def _gold(path: Path) -> list[GoldLine]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        GoldLine(int(span[0]), row["speaker"], row["quoteType"])
        for row in rows
        for span in ast.literal_eval(row["quoteByteSpans"])
    ]


def _aliases(path: Path) -> dict[str, set[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["Main Name"]: {row["Main Name"], *ast.literal_eval(row["Aliases"])} for row in rows}


def _is_same(name: str, speaker: str, aliases: dict[str, set[str]]) -> bool:
    """Whether a name is one of the speaker's, or a part of one that is nobody else's: `Bill` for `Bill Gorton`."""
    said = _bare(name)
    if said in {_bare(one) for one in aliases.get(speaker, {speaker})}:
        return True
    words = set(said.split())
    meant = {who for who, names in aliases.items() if any(words <= set(_bare(one).split()) for one in names)}
    return meant == {speaker}


def _bare(name: str) -> str:
    return re.sub(r"^the ", "", name.casefold().replace(".", "")).strip()


def _row(name: str, counts: Counter[str]) -> str:
    found = counts["found"]
    cells = (
        name, f"{counts['lines']:,}", _share(found, counts["lines"]), _share(counts["attributed"], found),
        _share(counts["abstained"], found), _share(counts["right"], counts["attributed"]),
        _share(counts["certain right"], counts["certain"]),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
