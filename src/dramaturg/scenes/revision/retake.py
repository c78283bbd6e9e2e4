"""Another take of one line: its speaker is asked again, with exactly what it had heard and was told at that beat."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace

from dramaturg.kernel.errors import InvalidConfig, ModelError
from dramaturg.kernel.models.port import Model, ModelAnswer
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.events import TakeAdded
from dramaturg.scenes.hearing import as_spoken
from dramaturg.scenes.insight.ablation import ask_again
from dramaturg.scenes.insight.occasion import Occasion, occasion_of
from dramaturg.scenes.line import Line
from dramaturg.scenes.question_keys import line_key
from dramaturg.scenes.rehearsal.cues import LineCue
from dramaturg.scenes.response import CharacterResponse, ParsedResponse, parse_response
from dramaturg.scenes.revised import takes_of
from dramaturg.scenes.revision.changes import first_take, spoken_line
from dramaturg.scenes.revision_events import LineTake
from dramaturg.scenes.state import SceneState

MOST_TAKES = 10
SEEDS_TRIED = 24
"""How many other seeds the rehearsal company is asked with for words it has not said yet."""


class Retake:
    """One line that is to be taken again."""

    def __init__(self, entries: Sequence[Entry[Event]], state: SceneState, number: int, settings: Settings) -> None:
        self._state, self._number, self._settings = state, number, settings
        line = spoken_line(state, number) or next((take.line for take in state.takes[number] if take.line), None)
        if line is None:
            raise AssertionError("take 1 of a line has words")
        first = first_take(entries, state, number)
        known = number in state.takes
        self._known = takes_of(state, number) if known else (LineTake(take=1, line=first),)
        self._first = () if known else (TakeAdded(number=number, take=self._known[0]),)
        self._line = line
        self._used = {entry.event.key for entry in entries if isinstance(entry.event, TakeAdded)}
        name = next((member.name for member in state.cast if member.display_name == line.speaker), "")
        self.occasion = occasion_of(entries, line.beat, name)

    async def asked(self, model: Model, count: int) -> tuple[TakeAdded, ...]:
        """So many takes more, asked for at once. Those that fail are missing; raises the first failure if all do."""
        if not 1 <= count <= MOST_TAKES:
            raise InvalidConfig(f"Ask for 1 to {MOST_TAKES} takes at once, not {count}.", takes=count)
        if model.profile.is_stand_in:
            answers = [("", answer) for answer in self._rehearsed(count)]
        else:
            answers = await self._answers(model, count)
        first = len(self._known) + 1
        added = (self._added(take, *answer) for take, answer in enumerate(answers, start=first))
        return (*self._first, *added)

    async def _answers(self, model: Model, count: int) -> list[tuple[str, ModelAnswer]]:
        questions = [ask_again(None, self.occasion, mark, self._settings) for mark in self._marks(count)]
        found = await asyncio.gather(*(question.asked(model) for question in questions), return_exceptions=True)
        failures = [one for one in found if isinstance(one, BaseException)]
        for failure in failures:
            if len(failures) == count or not isinstance(failure, ModelError):
                raise failure
        keys = (self._key(question.key) for question in questions)
        return [(key, one) for key, one in zip(keys, found, strict=True) if isinstance(one, ModelAnswer)]

    def _marks(self, count: int) -> list[str]:
        """Marks of the next questions. One whose answer was paid for and never kept as a take comes first again."""
        marks = (f"take-{number}" for number in itertools.count(2))
        return list(itertools.islice((mark for mark in marks if self._key(mark) not in self._used), count))

    def _key(self, mark: str) -> str:
        return f"{line_key(self.occasion.beat, self.occasion.member.name)}#{mark}"

    def _rehearsed(self, count: int) -> list[ModelAnswer]:
        """The company's other ways to play the moment; it answers alike to a seed, so others are tried."""
        request = self.occasion.request(self._settings)
        cue = request.cue
        if not isinstance(cue, LineCue):
            raise AssertionError("the company is asked by cues")
        said = {_words(take.line) for take in self._known}
        found: list[ModelAnswer] = []
        for step in range(1, SEEDS_TRIED + 1):
            other = replace(cue, book=replace(cue.book, seed=cue.book.seed + step))
            text = other.answer().text
            words = _words(self._spoken(self._parsed(text)[0]))
            if words and words not in said:
                said.add(words)
                found.append(ModelAnswer(text=text, model=self.occasion.member.model))
            if len(found) == count:
                return found
        if not found:
            raise InvalidConfig(
                f"The rehearsal company has no other words for line {self._number}. Write another way to say it under "
                "'lines' in the scene file, edit the line, or have a language model play the scene.",
                line=self._number,
            )
        return found

    def _added(self, take: int, key: str, answer: ModelAnswer) -> TakeAdded:
        parsed, warnings = self._parsed(answer.text)
        response = CharacterResponse(raw=answer.text, parsed=parsed, timestamp=answer.arrived_at)
        kept = LineTake(take=take, line=self._spoken(parsed))
        return TakeAdded(number=self._number, take=kept, key=key, response=response, warnings=warnings)

    def _parsed(self, text: str) -> tuple[ParsedResponse, tuple[str, ...]]:
        cast = [member.display_name for member in self._state.cast]
        return parse_response(text, me=self._line.speaker, cast=cast)

    def _spoken(self, parsed: ParsedResponse) -> Line | None:
        """The take as an entry of the transcript; None for silence."""
        if parsed.action == "silent":
            return None
        occasion: Occasion = self.occasion
        line = Line.spoken(self._number, self._line.beat, self._line.speaker, parsed)
        cast = occasion.state.cast
        named = CastNames(tuple(member.display_name for member in cast)).resolve(line.target or "")
        if named is not None:
            line = line.model_copy(update={"target": named})
        return as_spoken(line, occasion.member, cast, occasion.state.on_stage(occasion.beat))


def _words(line: Line | None) -> str:
    return (line.content or line.nonverbal or "") if line is not None else ""
