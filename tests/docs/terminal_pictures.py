"""Pictures of the terminal for the docs: commands on a copy of an example, drawn as SVG without fonts from elsewhere.

`python -m tests.docs.terminal_pictures` draws them; look at them before they are committed.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 104
SERIES = ROOT / "examples" / "the-harbour-books"
BOOK = "the-weighing-house"
FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def shell(folder: Path, *words: str) -> str:
    """What a command prints at a terminal of this width."""
    colours = {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color", "DRAMATURG_TRUST": "1"}
    child = [sys.executable, "-m", "dramaturg", *words]
    done = subprocess.run(child, cwd=folder, env=os.environ | colours, capture_output=True, text=True, check=True)
    return done.stdout


def draw(name: str, title: str, printed: str, most_rows: int) -> None:
    """Writes a picture of what was printed, no longer than so many rows."""
    rows = printed.rstrip().splitlines()
    shown = rows if len(rows) <= most_rows else [*rows[: most_rows - 1], "…"]
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(shown)))
    svg = console.export_svg(title=title, theme=SVG_EXPORT_THEME, unique_id=name)
    svg = FONT_FACE.sub("", svg).replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(SERIES, Path(place) / "books")
        book = Path(place) / "books" / BOOK
        shell(book, "foreman", "mode", "VOICE_CALIBRATION")
        ways = ("--strategy", "ACTION", "--strategy", "DIALOGUE", "--yes")
        shell(book, "foreman", "voice", "tournament", "Dagny counts the sacks again", *ways)
        draw("lineup", "dramaturg foreman voice lineup", shell(book, "foreman", "voice", "lineup"), 34)
        shell(book, "foreman", "mode", "DIRECTOR")
        shell(book, "foreman", "enhance", "ch02-sc02", "--six-pass", "--yes")
        shell(book, "foreman", "thread", "Corvin Sayle eye colour", "--retcon", "pale blue", "--yes")
        draw("patches", "dramaturg foreman patches", shell(book, "foreman", "patches"), 34)
        shell(book, "foreman", "draft", "ch02-sc03", *ways)
        draw("variants", "dramaturg foreman variants", shell(book, "foreman", "variants"), 34)


if __name__ == "__main__":
    main()
