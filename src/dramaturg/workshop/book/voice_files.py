"""The narrative voice, read from the three files of `Voice Bundle/`."""

from __future__ import annotations

import re
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.book import Antipattern, NarrativeVoiceBundle, VoiceContext
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.pages import Page, is_filled, read_page

FOLDER = "Voice Bundle"
GOLD, SHEET, GUIDE = "Voice-Gold-Standard.md", "Voice-Anti-Pattern-Sheet.md", "Phase-Evolution-Guide.md"
MOST_BYTES = 500_000
MOST_PATTERNS = 40
_ITEM = re.compile(r"^[ \t]*[-*+][ \t]++(.*\S)", re.M)


def voice_places(project: Path) -> list[Path]:
    """The files that the voice is read from."""
    return [project / FOLDER / name for name in (GOLD, SHEET, GUIDE)]


def read_voice(project: Path) -> tuple[VoiceContext, NarrativeVoiceBundle | None, tuple[str, ...]]:
    """The voice, its bundle if there is one, and the problems of files that cannot be read."""
    pages, problems = {}, []
    files = ProjectFiles(project)
    for name in (GOLD, SHEET, GUIDE):
        try:
            text = files.text(f"{FOLDER}/{name}", MOST_BYTES)
            if text is not None:
                pages[name] = read_page(f"{FOLDER}/{name}", text)
        except InvalidConfig as error:
            problems.append(error.message)
    gold, sheet = pages.get(GOLD), pages.get(SHEET)
    if gold is None:
        return VoiceContext(antipatterns=_patterns(sheet)), None, tuple(problems)
    matter = {name: str(value) for name, value in gold.matter.items()}
    voice = VoiceContext(
        locked=matter.get("locked", "").lower() == "true",
        winning_agent=matter.get("agent", ""),
        winning_strategy=matter.get("strategy", ""),
        voice_state=matter.get("state", ""),
        antipatterns=_patterns(sheet),
    )
    bundle = NarrativeVoiceBundle(
        gold_standard_file=f"{FOLDER}/{GOLD}",
        antipattern_file=f"{FOLDER}/{SHEET}" if sheet else "",
        evolution_file=f"{FOLDER}/{GUIDE}" if GUIDE in pages else "",
        summary=matter.get("summary", "") or _section(gold, "summary"),
        gold_standard=_body(gold),
        antipatterns=_body(sheet) if sheet else "",
    )
    return voice, bundle, tuple(problems)


def _patterns(sheet: Page | None) -> tuple[Antipattern, ...]:
    found: list[Antipattern] = []
    for passage in sheet.passages if sheet else ():
        strict = "zero" in passage.heading.lower()
        for item in _ITEM.findall(passage.text):
            if is_filled(item):
                found.append(Antipattern(severity="zero_tolerance" if strict else "deduction", text=item))
    return tuple(found[:MOST_PATTERNS])


def _section(page: Page, name: str) -> str:
    return next((passage.text.strip() for passage in page.passages if name in passage.heading.lower()), "")


def _body(page: Page) -> str:
    return "".join(passage.mark + passage.text for passage in page.passages).strip()
