"""The pictures of an example book in docs: its graph, its contradictions, a fire drill.

`python -m tests.docs.book_pictures` draws them; a test looks whether what they show is still so.
"""

from __future__ import annotations

import asyncio
import math
import re
import shutil
import tempfile
from html import escape
from itertools import combinations
from pathlib import Path
from textwrap import wrap

from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.kernel.settings import ModelSettings, Settings
from dramaturg.studio import Studio

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
BOOK = ROOT / "benchmarks" / "books" / "salt-road"
CONTRADICTIONS = ROOT / "benchmarks" / "continuity" / "tidewater" / "manuscript"
WIDTH, LINE, COLUMNS, MOST_LINES = 1000, 20, 108, 30
_STYLE = (
    "svg{background:#fff}text{font-family:ui-sans-serif,system-ui,sans-serif;fill:#222}"
    ".mono{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px;white-space:pre}"
    "@media(prefers-color-scheme:dark){svg{background:#181818}text{fill:#ddd}circle{fill:#3b5b7a}line{stroke:#789}}"
)


async def drawn_graph() -> str:
    """The characters of the book: larger, the more central; lines, the thicker the more often they meet."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(BOOK, folder, dirs_exist_ok=True)
        settings = Settings(project=Path(folder), models=ModelSettings(default="rehearsal"))
        async with Studio.open(settings) as studio:
            graph = studio.workshop.graph
            ranks = (await graph.characters()).characters
            names = [one.entity.name for one in ranks]
            met = {pair: len((await graph.together(*pair)).meetings) for pair in combinations(names, 2)}
    angle = 2 * math.pi / len(ranks)
    places = {
        one.entity.name: (500 + 330 * math.cos(angle * at - 1.57), 250 + 190 * math.sin(angle * at - 1.57))
        for at, one in enumerate(ranks)
    }
    lines = [
        f'<line x1="{places[a][0]:.0f}" y1="{places[a][1]:.0f}" x2="{places[b][0]:.0f}" y2="{places[b][1]:.0f}" '
        f'stroke="#9ab" stroke-width="{count}"><title>{escape(a)} and {escape(b)}: {count} scenes</title></line>'
        for (a, b), count in met.items()
        if count
    ]
    dots = [
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{10 + 90 * one.rank:.0f}" fill="#bcd4ea"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle" font-size="15">{escape(one.entity.name)}</text>'
        for one in ranks
        for x, y in [places[one.entity.name]]
    ]
    return _svg(500, [*lines, *dots])


def printed(title: str, text: str) -> str:
    """What a command prints, as a picture."""
    rows = [
        part for line in text.rstrip().splitlines() for part in wrap(line, COLUMNS, subsequent_indent="      ") or [""]
    ]
    shown = rows[:MOST_LINES] + (["…"] if len(rows) > MOST_LINES else [])
    rows = [f"$ {title}", "", *shown]
    parts = [f'<text x="20" y="{28 + at * LINE}" class="mono">{escape(row)}</text>' for at, row in enumerate(rows)]
    return _svg(40 + LINE * (len(shown) + 2), parts)


def _svg(height: int, parts: list[str]) -> str:
    body = "\n".join(parts)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">'
    return f"{head}\n<style>{_STYLE}</style>\n{body}\n</svg>\n"


def pictures() -> dict[str, str]:
    """Every picture by its file."""
    with tempfile.TemporaryDirectory() as folder:
        book, other = Path(folder) / "salt-road", Path(folder) / "tidewater"
        shutil.copytree(BOOK, book)
        shutil.copytree(CONTRADICTIONS, other / "manuscript")
        (other / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
        _typed(other, "consolidate", "--yes")
        conflicts, drill = _typed(other, "conflicts"), _typed(book, "drill", "--seed", "3")
    return {
        "graph.svg": asyncio.run(drawn_graph()),
        "conflicts.svg": printed("dramaturg foreman conflicts", conflicts),
        "drill.svg": printed(
            "dramaturg foreman drill --seed 3", re.sub(r"\b[0-9a-z]{18}\b", "1mkq8zt4c0v7hxw3rn", drill)
        ),
    }


def _typed(project: Path, *words: str) -> str:
    done = CliRunner().invoke(app, ["foreman", *words, "--project", str(project), "--trust"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


if __name__ == "__main__":
    for name, text in pictures().items():
        (PICTURES / name).write_text(text, encoding="utf-8")
