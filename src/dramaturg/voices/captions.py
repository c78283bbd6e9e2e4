"""WebVTT (w3.org/TR/webvtt1): its building blocks, and the captions and chapters of a programme."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from dramaturg.voices.programme import Chapter, Placement, Programme

SOMEBODY = "Somebody"


def plain(text: str) -> str:
    """On one line, with single spaces and without control characters."""
    kept = (char for char in text if char.isspace() or unicodedata.category(char) not in ("Cc", "Cs"))
    return " ".join("".join(kept).split())


def clock(milliseconds: int) -> str:
    """hh:mm:ss.mmm"""
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"


def escaped(text: str) -> str:
    """Escaped for a cue. With `>` escaped, no arrow is left that could be read as a timing."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def note(*rows: str) -> str:
    """Notes have no escapes, so a `-->` in one is written as an arrow character."""
    shown = (plain(row).replace("-->", "→") for row in rows)
    return "\n".join(("NOTE", *(row for row in shown if row)))


def cue(name: str, start_ms: int, end_ms: int, payload: str) -> str:
    return f"{name}\n{clock(start_ms)} --> {clock(end_ms)}\n{payload}"


def voiced(speaker: str, *rows: str) -> str:
    """Rows with their speaker as the voice. The caller escapes the rows, since some contain tags."""
    return f"<v {escaped(plain(speaker)) or SOMEBODY}>" + "\n".join(rows) + "</v>"


def render_captions(programme: Programme, placed: Sequence[Placement]) -> str:
    """One cue per passage with its speaker as the voice; missing lines are listed in a note at the end."""
    blocks = ["WEBVTT", note(programme.title)]
    for place, placement in enumerate(placed, start=1):
        passage = placement.passage
        payload = voiced(passage.speaker, escaped(plain(passage.text)))
        blocks.append(cue(str(place), placement.start_ms, placement.end_ms, payload))
    if programme.missing:
        rows = (f"{one.speaker}: {one.text} ({one.reason})" for one in programme.missing)
        blocks.append(note("Could not be spoken:", *rows))
    return "\n\n".join(blocks) + "\n"


def render_chapters(chapters: Sequence[Chapter]) -> str:
    """A chapters track, as media players load it with the sound."""
    cues = (
        cue(str(place), chapter.start_ms, chapter.end_ms, escaped(plain(chapter.title)) or f"Part {place}")
        for place, chapter in enumerate(chapters, start=1)
    )
    return "\n\n".join(("WEBVTT", *cues)) + "\n"
