"""What a scene is doing now, in a row or two: who is asked, the beat, the tokens, the cost, the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dramaturg.cli.status_line import QUIET, clock_time, elapsed, tail
from dramaturg.kernel.models.bounds import readable
from dramaturg.kernel.runs import Question
from dramaturg.kernel.runs.events import Event, ModelAnswered
from dramaturg.scenes.events import BeatClosed, BeatPlayed, CueGiven, SceneEnded, SceneOpened, SceneRun
from dramaturg.scenes.preview import line_preview

DOT = " · "
_BESIDES = {"judging": "judging", "repair": "judging", "events": "finding an event"}


class SceneStatus:
    """The state of a run that is being played in this process, read from its log and its questions under way."""

    def __init__(self, run: SceneRun, width: Callable[[], int], now: Callable[[], float] = time.time) -> None:
        self._run, self._width, self._now = run, width, now
        self._since = now()
        self._read = 0
        self._names: Mapping[str, str] = {}
        self._answered: dict[str, str] = {}
        self._begun = self._ended = False
        self.prices_known = True
        self.beat, self.tokens, self.usd = 0, 0, 0.0

    def rows(self) -> Sequence[Text]:
        """One row about the scene, and one for each character whose words of this beat are arriving or have arrived."""
        self.update()
        asked = list(self._run.answers.under_way.values())
        spent = spent_words(self.tokens, self.usd, self.prices_known)
        facts = [f"beat {self.beat}", self._doing(asked), *spent, elapsed(self._now() - self._since)]
        words = self._answered | {self._name(one): self._preview(one) for one in asked if one.purpose == "acting"}
        lines = (self._written(name, words[name]) for name in self._names.values() if words.get(name))
        return (Text(DOT.join(filter(None, facts)), QUIET), *lines)

    def _written(self, name: str, words: str) -> Text:
        return Text(f"{name}: {tail(words, self._width() - cell_len(name) - 4)}", "italic dim")

    def update(self) -> None:
        """Read what is new in the log."""
        for entry in self._run.entries[self._read :]:
            self._take(entry.event)
            self._read = entry.seq

    def _take(self, event: Event) -> None:
        match event:
            case SceneOpened():
                self._names = {member.name: member.display_name for member in event.cast}
            case CueGiven():
                self.beat, self._begun = max(self.beat, event.beat), True
            case BeatClosed():
                self.beat = event.beat + 1
            case ModelAnswered():
                self.tokens += event.answer.usage.total_tokens
                self.prices_known = self.prices_known and event.answer.cost_usd is not None
                self.usd += event.answer.cost_usd or 0.0
                if event.purpose == "acting":
                    name = self._names.get(event.who, event.who)
                    self._answered[name] = self._read_line(name, event.answer.text)
            case BeatPlayed():
                self._answered = {}
            case SceneEnded():
                self._ended = True

    def _doing(self, asked: Sequence[Question]) -> str:
        paused = {one.model.partition("/")[0]: one.paused_until for one in asked if one.paused_until is not None}
        if paused:
            return ", ".join(f"waiting until {clock_time(until)} for {provider}" for provider, until in paused.items())
        if not asked:
            return "" if self._begun else "getting ready"
        acting = [self._asked(one) for one in asked if one.purpose == "acting"]
        others = [self._besides(one) for one in asked if one.purpose != "acting"]
        who = f"asking {', '.join(acting)}" if acting else ""
        return ", ".join(dict.fromkeys(filter(None, (who, *others))))

    def _asked(self, one: Question) -> str:
        return f"{self._name(one)} (writing)" if one.text and not self._preview(one) else self._name(one)

    def _besides(self, one: Question) -> str:
        return _BESIDES.get(one.purpose) or ("remembering" if self._ended else "translating")

    def _name(self, one: Question) -> str:
        return self._names.get(one.who, one.who)

    def _preview(self, one: Question) -> str:
        return self._read_line(self._name(one), one.text) if one.text else ""

    def _read_line(self, name: str, raw: str) -> str:
        return readable("a preview", lambda: line_preview(raw, me=name, cast=list(self._names.values())))


class TakesStatus:
    """Several takes at once: how many are played, where the others are, and what all of them use."""

    def __init__(self, runs: Sequence[SceneRun], console: Console, now: Callable[[], float] = time.time) -> None:
        self._takes = [SceneStatus(run, lambda: console.width, now) for run in runs]
        self._now, self._since = now, now()
        self._playing: set[int] = set()
        self._played = 0

    @contextmanager
    def playing(self, number: int) -> Iterator[None]:
        """For the time of a block a take is being played."""
        self._playing.add(number)
        try:
            yield
        finally:
            self._playing.discard(number)
            self._played += 1

    def rows(self) -> Sequence[Text]:
        for take in self._takes:
            take.update()
        places = [f"take {number}: beat {self._takes[number - 1].beat}" for number in sorted(self._playing)]
        tokens = sum(take.tokens for take in self._takes)
        spent = spent_words(
            tokens, sum(take.usd for take in self._takes), all(take.prices_known for take in self._takes)
        )
        facts = [f"{self._played} of {len(self._takes)} takes", *places, *spent, elapsed(self._now() - self._since)]
        return (Text(DOT.join(facts), QUIET),)


def spent_words(tokens: int, usd: float, prices_known: bool) -> tuple[str, ...]:
    """Tokens and cost, once there are any."""
    if not tokens:
        return ()
    return (f"{tokens:,} tokens", f"${usd:.4f}" if prices_known else "price unknown")
