"""The parts of a message that are spoken: what a character says, and what is told about it, sentence by sentence.

*Actions* stand between asterisks, or words between quotation marks with the rest as narration. What a part is depends
only on what stands before its end, so an answer that is still arriving is cut as the whole will be.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Literal, NamedTuple

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.voices.spoken_text import ACTS, spoken

Manner = Literal["speech", "narration"]
SHORTEST = 24
"""Shorter sentences are spoken together with the next one."""
_CLOSERS = {'"': '"', "“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』"}
_ENDS_WORDS = ".,!?…—–-。！？、"


class SpokenPart(NamedTuple):
    """A part of a message, to be spoken in one go."""

    manner: Manner
    text: str


def part_file(message_id: str, number: int, part: SpokenPart) -> str:
    """The name of a part's file: other words have another one."""
    digest = sha256(f"{part.manner}\0{part.text}".encode()).hexdigest()[:12]
    return f"{message_id}-{number}-{digest}.wav"


def spoken_parts(text: str, *, prose: bool = False, narrates: bool = False, whole: bool = False) -> list[SpokenPart]:
    """The parts of a complete message."""
    cutter = MessageCutter(prose=prose, narrates=narrates, whole=whole)
    return [*cutter.feed(text), *cutter.close()]


class MessageCutter:
    """Cuts a message as it arrives.

    With `prose`, words outside quotation marks are narration from the start; else from the first quoted words on.
    Without `narrates`, narration is left out. With `whole`, parts only end where their manner changes.
    """

    def __init__(self, *, prose: bool = False, narrates: bool = False, whole: bool = False) -> None:
        self._prose = prose
        self._narrates = narrates
        self._whole = whole
        self._run = ""
        """Words of one manner that are not cut into sentences yet."""
        self._part = SpokenPart("speech", "")
        self._quote = ""
        """What closes the open quotation; empty outside of one."""
        self._action: str | None = None
        self._aside: str | None = None
        """Quoted words within a sentence, until it is clear whether somebody says them."""
        self._nested = False
        self._stars = 0
        self._mark = ""
        self._last = "\n"
        self._ready: list[SpokenPart] = []

    def feed(self, text: str) -> list[SpokenPart]:
        """The parts that are complete with this piece."""
        for letter in text:
            self._take(letter)
        return self._taken()

    def close(self) -> list[SpokenPart]:
        """The rest, when the message is complete."""
        self._take("\n")
        if self._action is not None:
            self._end_action()
        if self._aside is not None:
            self._end_aside(said=True)
        self._flush()
        self._emit()
        return self._taken()

    def _taken(self) -> list[SpokenPart]:
        ready, self._ready = self._ready, []
        return [part for part in ready if _has_words(part.text)]

    @property
    def _manner(self) -> Manner:
        return "speech" if self._quote or not self._prose else "narration"

    def _take(self, letter: str) -> None:
        """Asterisks and quotation marks are read together with the letter that follows them."""
        if letter == "*":
            self._settle_mark(letter)
            self._stars += 1
            return
        if self._stars:
            stars, self._stars = self._stars, 0
            if stars == 1:
                self._star(letter)
        self._settle_mark(letter)
        if letter in _CLOSERS or (self._quote and letter in self._quote) or letter in "”」』":
            self._mark = letter
            return
        self._add(letter)

    def _settle_mark(self, following: str) -> None:
        if self._mark:
            mark, self._mark = self._mark, ""
            self._quotation(mark, following)

    def _star(self, following: str) -> None:
        if self._action is not None:
            self._end_action()
        elif not following.isspace():
            self._action = ""

    def _end_action(self) -> None:
        action, self._action = self._action or "", None
        if self._is_stressed(action):
            for letter in action:
                self._add(letter)
            return
        self._flush()
        self._say("narration", action)

    def _is_stressed(self, words: str) -> bool:
        """Whether a word between asterisks is emphasis: one word within a sentence that names no act."""
        before = self._run.rstrip()
        bare = words.strip(".,!?;:…—").replace("'", "").replace("’", "").replace("-", "")
        amid = bool(before) and (before[-1].isalnum() or before[-1] in ",’'")
        return amid and bare.isalpha() and bare.lower() not in ACTS

    def _quotation(self, mark: str, following: str) -> None:
        if self._action is not None or (mark == '"' and self._last.isalnum() and following.isalnum()):
            self._add(mark)
        elif self._aside is not None:
            if mark in self._quote:
                self._end_aside(said=bool(self._aside) and self._aside[-1] in _ENDS_WORDS)
            else:
                self._aside += mark
        elif self._quote and mark in self._quote:
            if mark == '"' and (self._nested or self._opens(following)):
                self._nested = not self._nested
                self._add(mark)
            else:
                self._close_quotation()
        elif self._quote or mark not in _CLOSERS:
            self._add(mark)
        elif self._last == "\n":
            self._open_quotation(mark)
        else:
            self._quote, self._aside = _CLOSERS[mark], ""

    def _opens(self, following: str) -> bool:
        """Whether a straight mark within a quotation opens another one, inside it."""
        return self._last.isspace() and self._last != "\n" and not following.isspace()

    def _open_quotation(self, mark: str) -> None:
        self._flush()
        self._prose, self._quote = True, _CLOSERS[mark]

    def _close_quotation(self) -> None:
        self._flush()
        self._quote = ""

    def _end_aside(self, *, said: bool) -> None:
        words, self._aside, self._quote = self._aside or "", None, ""
        if not said:
            for letter in f'"{words}"':
                self._add(letter)
            return
        self._prose = True
        self._flush()
        self._say("speech", words)

    def _add(self, letter: str) -> None:
        """One more letter of a text without its marks."""
        if self._action is not None:
            self._action += letter
            if letter == "\n" and self._last == "\n":
                self._end_action()
        elif self._aside is not None:
            self._aside += letter
            if letter == "\n" and self._last == "\n":
                self._end_aside(said=True)
        elif letter == "\n":
            self._flush()
        else:
            self._run += letter
            if not letter.isspace() and (self._last.isspace() or self._last in "。！？"):
                self._cut()
        self._last = letter if letter == "\n" or not (letter.isspace() and self._last == "\n") else "\n"

    def _cut(self) -> None:
        """Takes complete sentences out of the run; the last one may continue."""
        start = 0
        for end in sentence_ends(self._run)[:-1]:
            self._say(self._manner, self._run[start:end])
            start = end
        self._run = self._run[start:]

    def _flush(self) -> None:
        """The run ends here."""
        run, self._run = self._run, ""
        start = 0
        for end in sentence_ends(run):
            self._say(self._manner, run[start:end])
            start = end

    def _say(self, manner: Manner, sentence: str) -> None:
        words = " ".join(sentence.split())
        if not words or (manner == "narration" and not self._narrates):
            return
        if manner != self._part.manner:
            self._emit()
        before = self._part.text
        gap = ". " if before[-1:].isalnum() else " "
        self._part = SpokenPart(manner, f"{before}{gap}{words}" if before else words)
        if not self._whole and len(self._part.text) >= SHORTEST:
            self._emit()

    def _emit(self) -> None:
        if self._part.text:
            self._ready.append(self._part)
        self._part = SpokenPart("speech", "")


def _has_words(text: str) -> bool:
    try:
        return bool(spoken(text))
    except VoiceError:
        return False


def is_quoted(text: str) -> bool:
    """Whether a text has quotation marks, so that the words outside of them are told, not said."""
    return any(mark in text for mark in _CLOSERS)


def numbered(parts: list[SpokenPart], message_id: str, start: int = 1) -> Iterator[tuple[int, str, SpokenPart]]:
    """Parts with their numbers and the names of their files."""
    for number, part in enumerate(parts, start=start):
        yield number, part_file(message_id, number, part), part
