"""The script of an audio play: the spoken lines of a scene in order, read from its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.scenes.audioplay.tones import shade_of
from dramaturg.scenes.cut import DASH
from dramaturg.scenes.events import LineUnsaid
from dramaturg.scenes.exports.script import Playscript, at_once, cuts, playscript_of, sentence, speaker_of, words_of
from dramaturg.scenes.line import Line
from dramaturg.voices.programme import GAP_MS

NARRATOR = "Narrator"
OPENING = "Opening"
BEAT_GAP_MS, NARRATOR_GAP_MS, TOGETHER_GAP_MS = 700, 850, 80
DEED_MS, LONGEST_GAP_MS = 500, 2_000
"""A gesture is not spoken; it is heard as a pause."""
ASIDE_DB = -5.0
MORE_WORDS = 4
"""Unsaid words recorded past a cut but never heard, so that the voice does not drop before the cut."""


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One line of an audio play before it is spoken. `number` is 0 for the narrator's opening.

    `cuts` is the number of the line that this one cuts short, `more` what the speaker of a cut line would have said
    next. `who` is the character's name on its card, and empty for the narrator.
    """

    number: int
    beat: int
    speaker: str
    who: str
    text: str
    said: str
    more: str = ""
    profile: str | None = None
    level: float = 0.0
    gap_ms: int = GAP_MS
    cuts: int | None = None
    chapter: str = OPENING

    @property
    def is_cut(self) -> bool:
        return bool(self.more)


def spoken_lines(run_id: str, entries: Sequence[Entry[Event]], *, narrator: bool = True) -> tuple[SpokenLine, ...]:
    """Every spoken line of a run, ended or stopped; not gestures, silence or system lines."""
    return script_lines(playscript_of(run_id, entries), unsaid_of(entries), narrator=narrator)


def script_lines(
    script: Playscript,
    unsaid: Mapping[int, str],
    *,
    narrator: bool = True,
    chapter: Callable[[int], str] = lambda beat: f"Beat {beat}",
) -> tuple[SpokenLine, ...]:
    """The same for any script, with the rests of its cut lines. `chapter` names the chapter of a beat."""
    reader = _Reader(script, unsaid, chapter, narrator=narrator)
    for line in script.lines:
        reader.read(line)
    # If nobody spoke, the narrator's opening alone is no play.
    return tuple(reader.lines) if any(line.who for line in reader.lines) else ()


def unsaid_of(entries: Sequence[Entry[Event]]) -> Mapping[int, str]:
    """The rests of the lines that were cut, by the number of the line."""
    events = (entry.event for entry in entries)
    return {event.number: event.unsaid for event in events if isinstance(event, LineUnsaid)}


class _Reader:
    """Reads a script line by line and keeps the pauses between what is heard."""

    def __init__(
        self, script: Playscript, unsaid: Mapping[int, str], chapter: Callable[[int], str], *, narrator: bool
    ) -> None:
        self.lines: list[SpokenLine] = [_opening(script)] if narrator else []
        self._unsaid, self._chapter, self._narrator = unsaid, chapter, narrator
        self._cuts, self._together = cuts(script.lines), at_once(script)
        self._names = {member.display_name: member.name for member in script.cast}
        self._deeds = 0

    def read(self, line: Line) -> None:
        if line.kind == "system":
            return
        if line.kind == "line" and words_of(line):
            self._add(self._spoken(line))
        elif line.kind == "event" and self._narrator:
            self._add(self._told(line))
        else:
            self._deeds += 1

    def _add(self, line: SpokenLine) -> None:
        self.lines.append(line)
        self._deeds = 0

    def _spoken(self, line: Line) -> SpokenLine:
        shade, text = shade_of(line.tone), words_of(line)
        more = " ".join(self._unsaid.get(line.number, "").split()[:MORE_WORDS]) if line.cut_by else ""
        return SpokenLine(
            number=line.number,
            beat=line.beat,
            speaker=speaker_of(line),
            who=self._names.get(line.speaker, ""),
            text=text,
            said=text.rstrip(f" {DASH}") if more else text,
            more=more,
            profile=shade.profile,
            level=min(shade.level, ASIDE_DB) if line.aside else shade.level,
            gap_ms=TOGETHER_GAP_MS if line.number in self._together else self._gap(line, GAP_MS),
            cuts=self._cuts.get(line.number),
            chapter=self._chapter(line.beat),
        )

    def _told(self, line: Line) -> SpokenLine:
        text = sentence(line.content)
        gap = self._gap(line, NARRATOR_GAP_MS)
        return _narrated(text, line.number, line.beat, gap, self._chapter(line.beat))

    def _gap(self, line: Line, least: int) -> int:
        before = self.lines[-1] if self.lines else None
        gap = least
        if before is not None and not before.who:
            gap = max(gap, NARRATOR_GAP_MS)
        elif before is not None and before.beat != line.beat:
            gap = max(gap, BEAT_GAP_MS)
        return min(LONGEST_GAP_MS, gap + DEED_MS * self._deeds)


def _opening(script: Playscript) -> SpokenLine:
    text = " ".join(sentence(part) for part in (script.title, script.setting) if part)
    return _narrated(text, 0, -1, 0, OPENING)


def _narrated(text: str, number: int, beat: int, gap: int, chapter: str) -> SpokenLine:
    return SpokenLine(
        number=number, beat=beat, speaker=NARRATOR, who="", text=text, said=text, gap_ms=gap, chapter=chapter
    )
