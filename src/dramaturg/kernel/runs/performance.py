"""A run in the hands of one process: its log, the state folded from it, and whoever follows.

Every kind of run is played through one of these. What is written goes into the log first; the state, the stream and
the files follow from it. Text of an answer on its way is shown before it is logged as a whole. A follower that loses
its connection resumes from the mark of the last thing it received.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.run import Run

if TYPE_CHECKING:
    from dramaturg.kernel.runs.kind import Kind

E = TypeVar("E", bound=Event)
S = TypeVar("S")

LONGEST_MARK = 40
MOST_DIGITS = 18
"""A longer number is no place in any log, and no database can hold it."""


class Mark(NamedTuple):
    """A place in a stream: an entry of the log, and how much of the answer it asks for was shown. As text, "17.52".

    `aside` is the last entry that was shown ahead of its place, while that answer was on its way: "17.52~20".
    """

    seq: int = 0
    offset: int = 0
    aside: int = 0

    def __str__(self) -> str:
        if self.aside > self.seq:
            return f"{self.seq}.{self.offset}~{self.aside}"
        return f"{self.seq}.{self.offset}" if self.offset else f"{self.seq}"

    @classmethod
    def read(cls, text: str) -> Mark:
        """A mark as a client sends it back. Raises InvalidConfig."""
        place, _, aside = text.strip().partition("~")
        seq, _, offset = place.partition(".")
        numbers = (seq, offset or "0", aside or "0")
        if not all(number.isdecimal() and len(number) <= MOST_DIGITS for number in numbers):
            raise InvalidConfig(
                f"'{text[:LONGEST_MARK]}' is not a place in a stream. Send the id of the last event you received."
            )
        here, shown, ahead = map(int, numbers)
        return cls(here, shown, ahead if ahead > here else 0)


START = Mark()


class AnswerSoFar(NamedTuple):
    """The part of a streamed answer that may be shown, and whether more of it may come."""

    text: str
    is_open: bool


class Piece(NamedTuple):
    """A piece of an answer on its way: the entry that asked for it, where the piece ends, and its text."""

    entry: Entry[Event]
    mark: Mark
    text: str


class Aside(NamedTuple):
    """An entry that is shown while an answer is on its way, ahead of its place in the log, and where that is."""

    entry: Entry[Any]
    mark: Mark


@dataclass(slots=True)
class LiveAnswer:
    """An answer on its way: the entry that asked for it, what was shown of it, and what is not logged yet."""

    seq: int
    shown: str = ""
    unlogged: str = ""


class Performance(Generic[E, S]):
    """One run, held by this process. `failure` is what broke it, for those who follow."""

    def __init__(self, run: Run[E], kind: Kind[E, S]) -> None:
        self.run = run
        self.kind = kind
        self.state: S = kind.fold(run.entries)
        self.live: LiveAnswer | None = None
        self.failure: BaseException | None = None
        self.followers = 0

    @property
    def id(self) -> str:
        return self.run.id

    async def write(self, *events: E) -> tuple[Entry[E], ...]:
        """Append events; the state has them at once, and when it returns they are safe."""
        entries = self.put(*events)
        await self.run.written(entries)
        return entries

    def put(self, *events: E) -> tuple[Entry[E], ...]:
        """Append events without waiting until they are safe; the state has them at once.

        For what follows from answers that are in the log already, and can be rebuilt from them.
        """
        entries = self.run.put(*events)
        if entries:
            self.state = self.kind.fold.after(self.state, entries)
        return entries

    def ahead(self, events: Iterable[E]) -> S:
        """The state as it will be once these events are in the log."""
        return self.kind.fold.ahead(self.state, events, self.run.claimed)

    def hear(self, seq: int, piece: str, shown: str) -> LiveAnswer:
        """Take in a piece of the answer that entry `seq` asked for, and show what may be shown of it."""
        if self.live is None or self.live.seq != seq:
            self.live = LiveAnswer(seq)
        self.live.unlogged += piece
        if shown:
            self.live.shown += shown
            self.run.changes.notify()
        return self.live

    def overhear(self, entry: Entry[E]) -> None:
        """Take in an entry that another process wrote to a run that is only followed here."""
        self.run.overhear(entry)
        self.state = self.kind.fold.after(self.state, (entry,))

    def fail(self, error: BaseException) -> None:
        """Nothing more comes of this performance; everybody who follows is told why."""
        self.failure = error
        self.run.changes.notify()

    @property
    def broken(self) -> BaseException | None:
        """What broke the performance, or the log it writes to; None while it is intact."""
        return self.failure or self.run.failure

    def check(self) -> None:
        """Raises what broke the performance, if anything did."""
        if self.failure is not None:
            raise self.failure

    async def follow(self, after: Mark = START, *, live: bool = True) -> AsyncGenerator[Entry[E] | Piece | Aside, None]:
        """The entries after a mark, and the text of answers between them; then, if `live`, whatever comes.

        It ends when the caller stops listening, and raises what breaks the performance.
        """
        seq, offset, aside = after
        inside = self._entry(seq)
        self.followers += 1
        try:
            while True:
                changed = self.run.changes.next()
                if inside is not None:
                    answer = self._answer(inside)
                    if len(answer.text) > offset:
                        piece, offset = answer.text[offset:], len(answer.text)
                        yield Piece(inside, Mark(seq, offset, aside), piece)
                        continue
                    if answer.is_open and (ahead := self._aside(max(seq, aside))) is not None:
                        aside = ahead.seq
                        yield Aside(ahead, Mark(seq, offset, aside))
                        continue
                    inside = inside if answer.is_open else None
                if inside is None and seq < self.run.seq:
                    entry = self.run.entries[seq]
                    seq, offset = entry.seq, 0
                    inside = entry if self.kind.answer_at(self, entry) is not None else None
                    if seq > aside or not self.kind.is_aside(entry):
                        yield entry
                    continue
                self.check()
                if not live:
                    return
                await changed.wait()
        finally:
            self.followers -= 1

    def _aside(self, after: int) -> Entry[E] | None:
        """The next entry that is shown even while an answer is on its way."""
        return next((one for one in self.run.entries[after:] if self.kind.is_aside(one)), None)

    def _entry(self, seq: int) -> Entry[E] | None:
        return self.run.entries[seq - 1] if 0 < seq <= self.run.seq else None

    def _answer(self, entry: Entry[E]) -> AnswerSoFar:
        return self.kind.answer_at(self, entry) or AnswerSoFar("", is_open=False)
