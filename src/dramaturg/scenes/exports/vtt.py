"""Subtitles in WebVTT (w3.org/TR/webvtt1), for a film, an audio play or a reading."""

from __future__ import annotations

from dramaturg.scenes.exports.script import (
    Playscript,
    deed_of,
    goal_lines,
    plain,
    speaker_of,
    words_of,
)
from dramaturg.scenes.exports.timing import Timing, timings
from dramaturg.scenes.line import Line


def render_vtt(script: Playscript) -> str:
    """A header in notes, one cue a line with its speaker as the voice, events in brackets, the end in a note."""
    times = timings(script)
    names = ", ".join(plain(member.display_name) for member in script.cast)
    head = [f"Scene: {script.title}", f"Characters: {names}", f"Goal: {script.goal}", f"Played by: {script.played_by}"]
    if script.setting:
        head.insert(1, f"Setting: {script.setting}")
    blocks = ["WEBVTT", _note(*head)]
    for line in script.lines:
        timing = times.get(line.number)
        blocks.append(_cue(line, timing) if timing else _note(line.content))
    blocks.append(_note(script.end, *goal_lines(script)))
    return "\n\n".join(blocks) + "\n"


def _cue(line: Line, timing: Timing) -> str:
    return f"{line.number}\n{clock(timing.start)} --> {clock(timing.end)}\n{_payload(line)}"


def _payload(line: Line) -> str:
    if line.kind == "event":
        return f"[{_escaped(plain(line.content))}]"
    words = words_of(line)
    if not words:
        return f"<i>{_escaped(deed_of(line))}</i>"
    rows = [_escaped(words)]
    if line.aside and line.target:
        rows.insert(0, f"<i>(aside to {_escaped(plain(line.target))})</i>")
    if line.gloss and plain(line.gloss):
        rows.append(f"<i>{_escaped(plain(line.gloss))}</i>")
    return f"<v {_escaped(speaker_of(line))}>" + "\n".join(rows) + "</v>"


def clock(milliseconds: int) -> str:
    """hh:mm:ss.mmm"""
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"


def _escaped(text: str) -> str:
    """With `>` escaped there is no arrow left that could pass for a timing."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _note(*rows: str) -> str:
    """Notes know no escapes; an arrow in one is drawn as an arrow."""
    shown = (plain(row).replace("-->", "→") for row in rows)
    return "\n".join(("NOTE", *(row for row in shown if row)))
