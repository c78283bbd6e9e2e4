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
_WIDE = frozenset("。！？")
_GOES_ON = ".!?…。！？\"'”’»)]"
"""What still belongs to the end of a sentence behind one of the wide marks."""


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
        self._begun: list[str] = []
        """The words of a sentence in which no mark ends it: they are not looked at again."""
        self._run: list[str] = []
        """The letters of the same manner that follow them."""
        self._before = ""
        """The last letter of both that is no space."""
        self._manner_of_part: Manner = "speech"
        self._part: list[str] = []
        self._length = 0
        self._quote = ""
        """What closes the open quotation; empty outside of one."""
        self._action: list[str] | None = None
        self._aside: list[str] | None = None
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
            self._action = []

    def _end_action(self) -> None:
        action, self._action = "".join(self._action or ()), None
        if self._is_stressed(action):
            for letter in action:
                self._add(letter)
            return
        self._flush()
        self._say("narration", action)

    def _is_stressed(self, words: str) -> bool:
        """Whether a word between asterisks is emphasis: one word within a sentence that names no act."""
        before = self._before
        bare = words.strip(".,!?;:…—").replace("'", "").replace("’", "").replace("-", "")
        amid = bool(before) and (before.isalnum() or before in ",’'")
        return amid and bare.isalpha() and bare.lower() not in ACTS

    def _quotation(self, mark: str, following: str) -> None:
        if self._action is not None or (mark == '"' and self._last.isalnum() and following.isalnum()):
            self._add(mark)
        elif self._aside is not None:
            if mark in self._quote:
                self._end_aside(said=bool(self._aside) and self._aside[-1] in _ENDS_WORDS)
            else:
                self._aside.append(mark)
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
            self._quote, self._aside = _CLOSERS[mark], []

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
        words, self._aside, self._quote = "".join(self._aside or ()), None, ""
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
            self._action.append(letter)
            if letter == "\n" and self._last == "\n":
                self._end_action()
        elif self._aside is not None:
            self._aside.append(letter)
            if letter == "\n" and self._last == "\n":
                self._end_aside(said=True)
        elif letter == "\n":
            self._flush()
        else:
            last = self._run[-1] if self._run else ""
            self._run.append(letter)
            if not letter.isspace():
                self._before = letter
                if last.isspace() or (last in _WIDE and letter not in _GOES_ON):
                    self._cut()
        self._last = letter if letter == "\n" or not (letter.isspace() and self._last == "\n") else "\n"

    def _cut(self) -> None:
        """Takes complete sentences out of the run; the last one may continue with the letter that came last."""
        letter = self._run.pop()
        run = "".join(self._run)
        *ends, _ = sentence_ends(run + letter)
        start = self._say_sentences(run, ends)
        self._begun.append(run[start:])
        self._run = [letter]

    def _flush(self) -> None:
        """The run ends here."""
        run = "".join(self._run)
        self._say_sentences(run, sentence_ends(run))
        self._begun, self._run, self._before = [], [], ""

    def _say_sentences(self, run: str, ends: list[int]) -> int:
        start = 0
        for end in ends:
            self._say(self._manner, "".join((*self._begun, run[start:end])))
            self._begun, start = [], end
        return start

    def _say(self, manner: Manner, sentence: str) -> None:
        words = " ".join(sentence.split())
        if not words or (manner == "narration" and not self._narrates):
            return
        if manner != self._manner_of_part:
            self._emit()
        if self._part:
            words = f"{'. ' if self._part[-1][-1].isalnum() else ' '}{words}"
        self._manner_of_part = manner
        self._part.append(words)
        self._length += len(words)
        if not self._whole and self._length >= SHORTEST:
            self._emit()

    def _emit(self) -> None:
        if self._part:
            self._ready.append(SpokenPart(self._manner_of_part, "".join(self._part)))
        self._manner_of_part, self._part, self._length = "speech", [], 0


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
