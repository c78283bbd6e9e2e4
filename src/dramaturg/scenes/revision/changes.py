"""What changes when a line gets other words or goes: the line itself, and the lines that it cuts or that cut it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs.events import AnswersSetAside, Entry, Event, ModelAnswered
from dramaturg.kernel.text.control import plain
from dramaturg.kernel.text.digits import whole_number
from dramaturg.scenes.answers.marks import DOUBLE_QUOTES
from dramaturg.scenes.cut import DASH, cut_line, ends_with
from dramaturg.scenes.events import LineCut, LineSpoken, LineUnsaid, ResponseGiven, SceneEvent
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.line import Line
from dramaturg.scenes.revised import takes_of
from dramaturg.scenes.revision_events import LineEdited, LineStruck, LineTake, TakeAdded, TakeChosen
from dramaturg.scenes.state import SceneState, scene_state

LONGEST_EDIT = 4000
_BRACKETS = "[]【】［］"


@dataclass(frozen=True, slots=True)
class Edit:
    """Other words for a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Another of the takes of a line."""

    take: int


@dataclass(frozen=True, slots=True)
class Strike:
    """A line is to go."""


LineChange = Edit | Choice | Strike
"""What an author wants of a line."""


def revision_of(entries: Sequence[Entry[Event]], number: int, change: LineChange) -> tuple[SceneEvent, ...]:
    """The events of a revision. Raises InvalidConfig for one that cannot be, NotFound without such a line or take."""
    return _Revision(entries, number).events(change)


def spoken_line(state: SceneState, number: int) -> Line | None:
    """A line that somebody said, by its number; None if it was struck. Raises NotFound, or InvalidConfig."""
    line = next((line for line in state.lines if line.number == number), None)
    if line is None and number not in state.takes:
        raise NotFound(f"No line {number} in this run; its lines are 1 to {state.last_number}.", line=number)
    if line is not None and line.kind != "line":
        raise InvalidConfig(
            f"Entry {number}, {line.rendered()}, is not a line that somebody said, so it stays.", line=number
        )
    return line


def first_take(entries: Sequence[Entry[Event]], state: SceneState, number: int) -> Line | None:
    """A line as it was first said, with the words that a cut left unsaid."""
    known = takes_of(state, number)
    return _whole(entries, state, known[0].line) if known and known[0].line is not None else None


def edited_words(text: str) -> str:
    """The words of an edit, in one row. Raises InvalidConfig if they are not words alone."""
    words = " ".join(text.split())
    if len(words) > 1 and words[0] in DOUBLE_QUOTES and words[-1] in DOUBLE_QUOTES:
        words = words[1:-1].strip()
    if not any(letter.isalnum() for letter in words):
        raise InvalidConfig("There are no words in this edit. To take the line out, strike it.")
    if plain(words) != words:
        raise InvalidConfig("This edit has control characters in it. Give the words as plain text.")
    if found := next((mark for mark in words if mark in _BRACKETS), None):
        raise InvalidConfig(
            f"This edit has a '{found}' in it, which marks tags and what only the engine writes. An edit changes the "
            "words; tone, target and gesture stay as they are."
        )
    if len(words) > LONGEST_EDIT:
        raise InvalidConfig(f"This edit has {len(words)} characters; a line has at most {LONGEST_EDIT}.")
    return words


def set_aside(entries: Sequence[Entry[Event]], state: SceneState) -> tuple[AnswersSetAside, ...]:
    """The answers that were given to the earlier words and that nothing was built on yet."""
    asked = (entry.event.key for entry in entries if isinstance(entry.event, ModelAnswered))
    keys = tuple(dict.fromkeys(key for key in asked if _is_pending(key, state)))
    return (AnswersSetAside(keys=keys),) if keys else ()


def _is_pending(key: str, state: SceneState) -> bool:
    step, _, what = key.partition("/")
    number = whole_number(step.removeprefix("beat-")) if step.startswith("beat-") else None
    beat = -1 if number is None else number
    if what == "judge":
        return beat > state.judged
    if beat != state.beat or "#" in what or state.ended is not None:
        return False
    return what == "event" or not state.played


class _Revision:
    """One line of a run, about to be revised."""

    def __init__(self, entries: Sequence[Entry[Event]], number: int) -> None:
        self._entries, self._number = entries, number
        self._state = scene_state(entries)
        self._was = spoken_line(self._state, number)
        self._changed: dict[int, Line] = {}

    def events(self, change: LineChange) -> tuple[SceneEvent, ...]:
        number = self._number
        kept = self._first()
        if isinstance(change, Strike):
            self._check_strike()
            self._place(None)
            struck = LineStruck(number=number, lines=self._lines(), followed=self._followed())
            return (*kept, struck)
        if isinstance(change, Choice):
            take = self._take(change.take)
            self._place(take.line)
            chosen = TakeChosen(number=number, take=take.take, lines=self._lines(), followed=self._followed())
            return (*kept, chosen)
        line = self._edited(edited_words(change.text))
        count = len(takes_of(self._state, number)) + 1
        self._place(line)
        added = TakeAdded(number=number, take=LineTake(take=count, by="author", line=line))
        edited = LineEdited(number=number, take=count, lines=self._lines(), followed=self._followed())
        return (*kept, added, edited)

    def _first(self) -> tuple[SceneEvent, ...]:
        """Take 1, with all its words, once something else is put in its place."""
        if self._number in self._state.takes:
            return ()
        return (TakeAdded(number=self._number, take=LineTake(take=1, line=self._whole(self._was))),)

    def _takes(self) -> tuple[LineTake, ...]:
        known = takes_of(self._state, self._number)
        return known if self._number in self._state.takes else (LineTake(take=1, line=self._whole(self._was)),)

    def _take(self, number: int) -> LineTake:
        found = next((take for take in self._takes() if take.take == number), None)
        if found is None:
            count = len(self._takes())
            known = "it has only the one" if count == 1 else f"its takes are 1 to {count}"
            raise NotFound(f"Line {self._number} has no take {number}; {known}.", line=self._number, take=number)
        now = self._state.revised.get(self._number)
        if (now.take if now else 1) == number:
            raise InvalidConfig(f"Take {number} of line {self._number} is the one that stands.", take=number)
        if found.line is None:
            self._check_strike()
        return found

    def _edited(self, words: str) -> Line:
        if self._was is None:
            raise InvalidConfig(
                f"Line {self._number} was struck. Choose one of its takes first, such as take 1.", line=self._number
            )
        if words == self._was.content:
            raise InvalidConfig(f"Line {self._number} has these words already.", line=self._number)
        action = "speak" if self._was.action == "react" else self._was.action
        return self._was.model_copy(update={"content": words, "action": action, "gloss": None, "cut_by": None})

    def _check_strike(self) -> None:
        if self._was is None:
            raise InvalidConfig(f"Line {self._number} was struck already.", line=self._number)
        if sum(line.kind == "line" for line in self._state.lines) == 1:
            raise InvalidConfig(
                f"Line {self._number} is the only line of this scene, and a scene without one cannot be read. "
                "Edit it instead.",
                line=self._number,
            )

    def _place(self, new: Line | None) -> None:
        """Put the line in its place, and let cuts follow: those it makes, and the one made into it."""
        target = self._cut_by_me()
        if target is not None:
            whole = self._whole(target)
            self._changed[target.number] = whole.model_copy(update={"cut_by": None})
        if new is not None and new.action == "interrupt":
            new = self._cutting(new, target)
        cutter = self._cutter() or self._former_cutter()
        if cutter is not None:
            self._changed[cutter.number] = cutter
            new = self._cut(new, cutter)
        if new is not None:
            self._changed[new.number] = new

    def _cut_by_me(self) -> Line | None:
        """The line that this one cuts as it stands."""
        was = self._was
        if was is None or was.action != "interrupt":
            return None
        before = (line for line in reversed(self._state.lines) if line.number < was.number)
        return next((line for line in before if line.cut_by == was.speaker and line.beat >= was.beat - 1), None)

    def _cutting(self, new: Line, target: Line | None) -> Line:
        """The line as an interruption, if there is something it can cut; else as an ordinary one."""
        phrase = new.interrupt_after or ""
        for other in self._cuttable(new, target):
            cut = cut_line(other.content, phrase)
            if cut is not None:
                self._changed[other.number] = other.model_copy(update={"content": cut.said, "cut_by": new.speaker})
                return new
        return new.model_copy(update={"action": "speak", "interrupt_after": None})

    def _cuttable(self, new: Line, target: Line | None) -> Iterator[Line]:
        """What was cut here before; then the lines of the same beat before it, as nobody had heard them to the end."""
        if target is not None:
            yield self._changed[target.number]
        for other in reversed(self._state.lines):
            named = other.kind == "line" and other.speaker != new.speaker and new.speaker not in other.unheard_by
            if other.beat == new.beat and other.number < new.number and named and other.cut_by is None:
                yield other

    def _cutter(self) -> Line | None:
        """The line that cuts this one as it stands."""
        was = self._was
        if was is None or was.cut_by is None:
            return None
        after = (line for line in self._state.lines if line.number > was.number and line.action == "interrupt")
        return next((line for line in after if line.speaker == was.cut_by and line.beat <= was.beat + 1), None)

    def _former_cutter(self) -> Line | None:
        """The line that cut this one when it was said, as it was then; only if nothing else has become of it."""
        spoken = {e.event.line.number: e.event.line for e in self._entries if isinstance(e.event, LineSpoken)}
        was = spoken.get(self._number)
        late = {e.event.number: e.event.by for e in self._entries if isinstance(e.event, LineCut)}
        by = late.get(self._number) or (was.cut_by if was is not None else None)
        for line in self._state.lines:
            said = spoken.get(line.number)
            follows = was is not None and line.number > was.number and line.beat <= was.beat + 1
            if by and follows and said is not None and said.action == "interrupt" and said.speaker == by:
                return said if line.number not in self._state.revised and line.content == said.content else None
        return None

    def _cut(self, new: Line | None, cutter: Line) -> Line | None:
        """The line up to where it is cut, if it still has the words that the other cuts in after."""
        phrase = cutter.interrupt_after or ""
        words = new.content if new is not None else ""
        cut = cut_line(words, phrase)
        if new is not None and (cut is not None or ends_with(words, phrase)):
            said = cut.said if cut is not None else words.rstrip(" ,;:.!?…-–—") + DASH
            return new.model_copy(update={"content": said, "cut_by": cutter.speaker})
        ordinary = {"action": "speak", "interrupt_after": None}
        self._changed[cutter.number] = cutter.model_copy(update=ordinary)
        return new

    def _whole(self, line: Line | None) -> Line:
        """A line with all its words, also those that a cut left unsaid."""
        if line is None:
            raise AssertionError("a line that was struck has its takes")
        return _whole(self._entries, self._state, line)

    def _lines(self) -> tuple[Line, ...]:
        return tuple(self._changed[number] for number in sorted(self._changed))

    def _followed(self) -> int:
        """How many later lines were said by somebody who had heard this one as it was."""
        heard = takes_of(self._state, self._number)[0].line or self._was
        if heard is None:
            return 0
        return sum(
            line.kind == "line" and line.beat > heard.beat and bool(heard_by(line.speaker, (heard,)))
            for line in self._state.lines
        )


def _whole(entries: Sequence[Entry[Event]], state: SceneState, line: Line) -> Line:
    if line.cut_by is None:
        return line
    now = state.revised.get(line.number)
    if now is not None:
        take = next((take for take in takes_of(state, line.number) if take.take == now.take), None)
        if take is not None and take.line is not None:
            return take.line
    name = next((member.name for member in state.cast if member.display_name == line.speaker), "")
    for entry in entries:
        event = entry.event
        if isinstance(event, ResponseGiven) and (event.beat, event.character) == (line.beat, name):
            return line.model_copy(update={"content": event.response.parsed.content, "cut_by": None})
    unsaid = next(
        (e.event.unsaid for e in entries if isinstance(e.event, LineUnsaid) and e.event.number == line.number), ""
    )
    return line.model_copy(update={"content": f"{line.content.rstrip(DASH)} {unsaid}".strip(), "cut_by": None})
