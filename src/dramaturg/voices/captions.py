"""WebVTT (w3.org/TR/webvtt1) and SubRip: their building blocks, and the captions and chapters of a programme."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dramaturg.voices.caption_cues import WIDEST_LEAD, columns, split_line
from dramaturg.voices.programme import Chapter, Placement, Programme
from dramaturg.voices.word_times import estimated

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


@dataclass(frozen=True, slots=True)
class CaptionCue:
    """What is shown of a passage at one time. `names` is whether it is the passage's first and names the speaker."""

    speaker: str
    names: bool
    rows: tuple[str, ...]
    start_ms: int
    end_ms: int


def cues_of(placed: Sequence[Placement]) -> tuple[CaptionCue, ...]:
    """The cues of all passages as they begin: those of one passage follow each other, two that overlap do as well."""
    cues = [cue for placement in placed for cue in _cues(placement)]
    return tuple(sorted(cues, key=lambda cue: cue.start_ms))


def _cues(placement: Placement) -> Iterator[CaptionCue]:
    passage, recording = placement.passage, placement.passage.recording
    words = recording.words or tuple(estimated(recording.spoken, recording.duration_ms / 1000))
    speaker = plain(passage.speaker) or SOMEBODY
    shown = split_line(
        plain(passage.text), placement.start_ms, placement.end_ms, words, lead=columns(_named(speaker)) + 1
    )
    for number, one in enumerate(shown):
        yield CaptionCue(speaker, number == 0, one.rows, one.start_ms, one.end_ms)


def render_captions(programme: Programme, placed: Sequence[Placement]) -> str:
    """Cues with their speakers as voices; missing lines are listed in a note at the end."""
    blocks = ["WEBVTT", note(programme.title)]
    for number, one in enumerate(cues_of(placed), start=1):
        rows = [escaped(row) for row in one.rows if row]
        blocks.append(cue(str(number), one.start_ms, one.end_ms, voiced(one.speaker, *rows)))
    if programme.missing:
        rows = [f"{one.speaker}: {one.text} ({one.reason})" for one in programme.missing]
        blocks.append(note("Could not be spoken:", *rows))
    return "\n\n".join(blocks) + "\n"


def render_subrip(placed: Sequence[Placement]) -> str:
    """The same as SubRip, which has no voices: the speaker stands before the first words of a passage."""
    blocks = (
        f"{number}\n{_comma(one.start_ms)} --> {_comma(one.end_ms)}\n{_rows(one)}"
        for number, one in enumerate(cues_of(placed), start=1)
    )
    return "\n\n".join(blocks) + "\n"


def _comma(milliseconds: int) -> str:
    return clock(milliseconds).replace(".", ",")


def _rows(one: CaptionCue) -> str:
    """Players read tags in angle brackets, and SubRip has no escapes for them."""
    first, *rest = one.rows
    rows = [f"{_named(one.speaker)} {first}".rstrip() if one.names else first, *rest]
    return "\n".join(rows).replace("-->", "→").replace("<", "‹").replace(">", "›")


def _named(speaker: str) -> str:
    """A name as it stands before words; a long one is shortened."""
    name = speaker
    while columns(name) > WIDEST_LEAD - 3:
        name = name[:-1]
    return f"{name}:" if name == speaker else f"{name.rstrip()}…:"


def render_chapters(chapters: Sequence[Chapter]) -> str:
    """A chapters track, as media players load it with the sound."""
    cues = (
        cue(str(place), chapter.start_ms, chapter.end_ms, escaped(plain(chapter.title)) or f"Part {place}")
        for place, chapter in enumerate(chapters, start=1)
    )
    return "\n\n".join(("WEBVTT", *cues)) + "\n"
