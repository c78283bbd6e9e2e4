"""Subtitles in WebVTT (w3.org/TR/webvtt1), for a film, an audio play or a reading."""

from __future__ import annotations

from dramaturg.scenes.exports.script import Playscript, deed_of, goal_lines, speaker_of, words_of
from dramaturg.scenes.exports.timeline import Timing, timings
from dramaturg.scenes.line import Line
from dramaturg.voices.captions import cue, escaped, note, plain, voiced


def render_vtt(script: Playscript) -> str:
    """A header in notes, one cue per line with its speaker as the voice, events in brackets, the end in a note."""
    times = timings(script)
    names = ", ".join(plain(member.display_name) for member in script.cast)
    head = [f"Scene: {script.title}", f"Characters: {names}", f"Goal: {script.goal}", f"Played by: {script.played_by}"]
    if script.setting:
        head.insert(1, f"Setting: {script.setting}")
    blocks = ["WEBVTT", note(*head)]
    for line in script.lines:
        timing = times.get(line.number)
        blocks.append(_cue(line, timing) if timing else note(line.content))
    blocks.append(note(script.end, *goal_lines(script)))
    return "\n\n".join(blocks) + "\n"


def _cue(line: Line, timing: Timing) -> str:
    return cue(str(line.number), timing.start, timing.end, _payload(line))


def _payload(line: Line) -> str:
    if line.kind == "event":
        return f"[{escaped(plain(line.content))}]"
    words = words_of(line)
    if not words:
        return f"<i>{escaped(deed_of(line))}</i>"
    rows = [escaped(words)]
    if line.aside and line.target:
        rows.insert(0, f"<i>(aside to {escaped(plain(line.target))})</i>")
    if line.gloss and plain(line.gloss):
        rows.append(f"<i>{escaped(plain(line.gloss))}</i>")
    return voiced(speaker_of(line), *rows)
