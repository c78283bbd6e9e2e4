"""Manuscripts: where scenes begin, and a book of 100,000 words to Word and back.

    python -m benchmarks.manuscripts [EBOOK ...]

EBOOK is the folder of an ebook in the layout of Standard Ebooks: `src/epub/text/chapter-*.xhtml`, with `<hr/>` where a
scene ends. It is written as plain text in several layouts and divided again. Nothing of it is part of dramaturg.
"""

from __future__ import annotations

import io
import random
import re
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from dramaturg.workshop.manuscripts.book_text import BookText, ChapterText, SceneText, scene_text
from dramaturg.workshop.manuscripts.division.cuts import cuts_in
from dramaturg.workshop.manuscripts.readers.folder import read_one
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch, QuoteAnchor
from dramaturg.workshop.manuscripts.word.review import read_review
from dramaturg.workshop.manuscripts.word.writer import WordOptions, write_docx

_XHTML = "{http://www.w3.org/1999/xhtml}"
_HEADS = (f"{_XHTML}hgroup", f"{_XHTML}header", f"{_XHTML}head")
LAYOUTS = {"* * *": "\n\n* * *\n\n", "blank lines": "\n\n\n\n", "no marks": ""}
AT = "2026-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class GoldText:
    """A text, and the first words of its chapters and scenes."""

    text: str
    chapters: frozenset[str]
    scenes: frozenset[str]


def division(ebooks: Sequence[Path]) -> None:
    print("| ebook | layout | chapters: precision | recall | scenes: precision | recall |")
    print("|---|---|--:|--:|--:|--:|")
    for ebook in ebooks:
        for layout, between in LAYOUTS.items():
            gold = _gold(ebook, between)
            source = read_one("book.txt", gold.text.encode())
            found: dict[str, set[str]] = {"chapter": set(), "scene": set()}
            for cut in cuts_in(source):
                if cut.kind in found and cut.at + cut.skip < len(source.blocks):
                    found[cut.kind].add(_opening(source.blocks[cut.at + cut.skip].plain))
            cells = [*_scores(found["chapter"], gold.chapters), *_scores(found["scene"], gold.scenes)]
            print(f"| {ebook.name.rpartition('_')[2]} | {layout} | {' | '.join(cells)} |")


def _gold(ebook: Path, between: str) -> GoldText:
    parts: list[str] = []
    chapters: set[str] = set()
    scenes: set[str] = set()
    files = sorted(ebook.glob("src/epub/text/*.xhtml"), key=lambda one: [*map(int, re.findall(r"\d+", one.name)), 0])
    number = 0
    for file in files:
        rows = list(_rows(ElementTree.fromstring(file.read_bytes())))
        words = sum(len((row or "").split()) for row in rows)
        if words < 500:
            continue
        number += 1
        parts.append(f"\n\n\nCHAPTER {number}\n\n")
        is_first, is_after = True, False
        for row in rows:
            if row is None:
                parts.append(between)
                is_after = not is_first
                continue
            text = " ".join(row.split())
            if not text:
                continue
            if is_first:
                chapters.add(_opening(text))
            elif is_after:
                scenes.add(_opening(text))
            parts.append(f"{text}\n\n")
            is_first = is_after = False
    return GoldText("".join(parts), frozenset(chapters), frozenset(scenes))


def _rows(node: ElementTree.Element) -> Iterator[str | None]:
    """The paragraphs of a chapter without its heading; None where a scene ends."""
    for child in node:
        if child.tag == f"{_XHTML}hr":
            yield None
        elif child.tag == f"{_XHTML}p":
            yield "".join(child.itertext())
        elif child.tag not in _HEADS:
            yield from _rows(child)


def _opening(text: str) -> str:
    return " ".join(text.split())[:60]


def _scores(found: set[str], gold: frozenset[str]) -> tuple[str, str]:
    right = len(found & gold)
    return _share(right, len(found)), _share(right, len(gold))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}% of {whole}" if whole else "-"


def round_trip(words: int = 100_000) -> None:
    scenes = _novel(words)
    chance = random.Random(3)
    patches, notes = [], []
    for scene in scenes:
        lines = scene.prose.shown.text.split("\n")
        for line in chance.sample(range(len(lines)), 4):
            anchor = QuoteAnchor(path=scene.path, quote=f"number {line} of {scene.name}")
            patches.append(ManuscriptPatch(anchor=anchor, new=f"changed {line}", author="Ed"))
        for line in chance.sample(range(len(lines)), 3):
            anchor = QuoteAnchor(path=scene.path, quote=f"{line} of {scene.name} ends")
            notes.append(ManuscriptNote(anchor=anchor, text=f"See {line}.", author="Ed"))
    book = BookText("Novel", "A", (), "en", (ChapterText("Chapter 1", tuple(scenes)),))
    tracemalloc.start()
    began = time.process_time()
    out = write_docx(book, WordOptions(at=AT), notes, patches)
    written = time.process_time() - began
    began = time.process_time()
    unchanged = read_review("out.docx", out.data, scenes)
    read = time.process_time() - began
    plain = write_docx(book, WordOptions(at=AT)).data
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    edited = _as_an_editors(out.data, plain)
    now = [scene_text(one.path, f"A new first line.\n\n{one.source}") for one in scenes]
    for what, target in (("as they went out", scenes), ("with a new first line", now)):
        review = read_review("out.docx", edited, target)
        ready = sum(one.state == "ready" for one in review.patches)
        right = sum(one.state == "ready" for one in review.notes)
        print(f"{len(scenes)} scenes {what}: {ready} of {len(patches)} changes, {right} of {len(notes)} comments back")
    print(f"{words:,} words: {written:.1f} s to write, {read:.1f} s to read, {peak / 2**20:.0f} MiB; ", end="")
    print(f"{len(out.data) / 2**20:.1f} MiB; unchanged brings {len(unchanged.patches)} changes")


def _as_an_editors(marked: bytes, plain: bytes) -> bytes:
    """The marked document as if an editor had marked it: with the part of ours that knows nothing of the marks."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(marked)) as old,
        zipfile.ZipFile(io.BytesIO(plain)) as other,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, (other if name == "customXml/item1.xml" else old).read(name))
    return out.getvalue()


def _novel(words: int) -> list[SceneText]:
    chance, scenes = random.Random(7), []
    vocabulary = [f"w{number}" for number in range(4000)]
    for number in range(max(1, words // 1500)):
        name = f"ch{number // 4 + 1:02}-sc{number % 4 + 1:02}"
        lines = []
        for line in range(25):
            some = " ".join(chance.choices(vocabulary, k=53))
            lines.append(f"{some} *number* {line} of {name} ends here.".replace("*number*", "number"))
        scenes.append(scene_text(f"manuscript/{name}.md", "\n\n".join(lines) + "\n"))
    return scenes


def main() -> None:
    round_trip()


if __name__ == "__main__":
    division([Path(one) for one in sys.argv[1:]])
    round_trip()
