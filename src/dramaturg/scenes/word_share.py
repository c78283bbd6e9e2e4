"""Whose words a scene is made of: those that models wrote, and those that authors did. Counted in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field

from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.events import ResponseGiven
from dramaturg.scenes.line import Line
from dramaturg.scenes.question_keys import line_of
from dramaturg.scenes.seats.events import SeatAnswered
from dramaturg.scenes.state import SceneState

REPLACED = "the rehearsal company's line was taken"
"""In old logs, the last warning of a line for which a helped model found no words that would do."""
WALKED = "it was walked through"
"""The last warning of a line that its model could not give: what it shows is in the words of the goal."""


class WordCount(WireValue):
    """The words of a scene's lines, gestures included, and how many of them are a language model's own.

    Of the others some are a person's who played a part, and the rest the author's: lines of cards and scene files, and
    what was walked through in the words of the goal.
    """

    spoken: int = 0
    by_model: int = 0
    by_person: int = Field(0, description="words of people who played a part", exclude_if=lambda count: not count)

    @property
    def share(self) -> float | None:
        """The part that is a model's; None where no word was spoken."""
        return self.by_model / self.spoken if self.spoken else None

    @property
    def percent(self) -> str:
        """The share for a reader: only what is whole is 100%, and only nothing is 0%."""
        share = self.share or 0.0
        return f"{round(100 * share) if share in (0.0, 1.0) else min(99, max(1, round(100 * share)))}%"


def count_words(entries: Sequence[Entry[Event]], state: SceneState) -> WordCount:
    """A word of a line is a model's if it is in the answer that was taken for the line."""
    names = {member.display_name: member.name for member in state.cast}
    lines = [line for line in state.lines if line.kind == "line"]
    taken = _taken(entries)
    seated = {(event.beat, event.character) for one in entries if isinstance(event := one.event, SeatAnswered)}
    spoken = own = theirs = 0
    for line in lines:
        said = Counter(_words(line))
        spoken += said.total()
        moment = (line.beat, names.get(line.speaker, ""))
        theirs += said.total() if moment in seated else 0
        answers = taken.get(moment, ())
        own += max(((said & Counter(words(text))).total() for text in answers), default=0)
    return WordCount(spoken=spoken, by_model=own, by_person=theirs)


def _words(line: Line) -> Iterator[str]:
    yield from words(line.content)
    yield from words(line.nonverbal or "")


def _taken(entries: Iterable[Entry[Event]]) -> dict[tuple[int, str], list[str]]:
    """The answers of language models to the question for each line, without those that were not taken."""
    taken: dict[tuple[int, str], list[str]] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, ModelAnswered) and event.purpose == "acting" and not is_stand_in(event.answer.model):
            if (moment := line_of(event.key)) is not None:
                taken.setdefault(moment, []).append(event.answer.text)
        elif isinstance(event, ResponseGiven) and {REPLACED, WALKED} & set(event.warnings):
            taken.pop((event.beat, event.character), None)
    return taken
