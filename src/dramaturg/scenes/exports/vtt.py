"""Subtitles in WebVTT (w3.org/TR/webvtt1), for a film, an audio play or a reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dramaturg.scenes.exports.script import Playscript, deed_of, goal_lines, speaker_of, words_of
from dramaturg.scenes.exports.timeline import Timing, timings
from dramaturg.scenes.line import Line
from dramaturg.voices.caption_cues import TimedRows, split_line
from dramaturg.voices.captions import cue, escaped, note, plain, voiced
from dramaturg.voices.word_times import estimated


@dataclass(frozen=True, slots=True)
class _Block:
    """A cue or a note; a note stands where the line before it begins."""

    start: int
    text: str


def render_vtt(script: Playscript) -> str:
    """A header in notes, the cues of each line with its speaker as the voice, events in brackets, the end in a note."""
    times = timings(script)
    names = ", ".join(plain(member.display_name) for member in script.cast)
    head = [f"Scene: {script.title}", f"Characters: {names}", f"Goal: {script.goal}", f"Played by: {script.played_by}"]
    if script.setting:
        head.insert(1, f"Setting: {script.setting}")
    blocks: list[_Block] = []
    last = 0
    for line in script.lines:
        timing = times.get(line.number)
        if timing is None:
            blocks.append(_Block(last, note(line.content)))
        else:
            blocks.extend(_cues(line, timing))
            last = max(last, timing.start)
    shown = [block.text for block in sorted(blocks, key=lambda block: block.start)]
    return "\n\n".join(["WEBVTT", note(*head), *shown, note(script.end, *goal_lines(script))]) + "\n"


def _cues(line: Line, timing: Timing) -> Iterator[_Block]:
    """The first cue has the line's number, the others a second one after it."""
    for number, (one, payload) in enumerate(_payloads(line, timing), start=1):
        name = str(line.number) if number == 1 else f"{line.number}-{number}"
        yield _Block(one.start_ms, cue(name, one.start_ms, one.end_ms, payload))


def _payloads(line: Line, timing: Timing) -> Iterator[tuple[TimedRows, str]]:
    if line.kind == "event":
        for one in _split(f"[{plain(line.content)}]", timing):
            yield one, "\n".join(map(escaped, one.rows))
        return
    words = words_of(line)
    if not words:
        for one in _split(deed_of(line), timing):
            yield one, f"<i>{_text(one)}</i>"
        return
    said, told = _split(words, timing), _split(plain(line.gloss or ""), timing)
    beside = f"\n<i>{_text(told[0])}</i>" if told and len(said) == len(told) == len(told[0].rows) == 1 else ""
    for number, one in enumerate(said):
        aside = (
            f"<i>(aside to {escaped(plain(line.target))})</i>\n" if line.aside and line.target and not number else ""
        )
        yield one, voiced(speaker_of(line), f"{aside}{_text(one)}{beside}")
    if not beside:  # a long translation has cues of its own, at the same time
        for one in told:
            yield one, f"<i>{_text(one)}</i>"


def _split(text: str, timing: Timing) -> tuple[TimedRows, ...]:
    if not text:
        return ()
    words = tuple(estimated(text, (timing.end - timing.start) / 1000))
    return split_line(text, timing.start, timing.end, words)


def _text(one: TimedRows) -> str:
    return "\n".join(map(escaped, one.rows))
