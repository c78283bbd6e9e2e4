"""A text as prose: its paragraphs, its sentences, and which of its words are spoken aloud.

Everything is linear in the length of the text, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from dramaturg.kernel.text.sentences import sentence_ends
from dramaturg.workshop.dialogue.dashes import dashed_spans

LONGEST_BLOCK = 4000
"""How many characters are searched for the ends of sentences at once; longer paragraphs are read in blocks."""
LONGEST_TAG = 80
LONGEST_LINE = 120
_WORD = re.compile(r"[^\W\d_]+")
_BREAK = re.compile(r"[\s*#~_–—=.·•-]*")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_BLANK = re.compile(r"\n[ \t]*\n")
_CLOSES = {"“": "”", '"': '"', "„": "“”", "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "‘": "’", "'": "'"}
_DASHES = ("—", "–", "―", "- ")
_VERBS = (
    "said says asked asks answered replied called cried shouted whispered muttered murmured added went began told "
    "sagte sagt fragte rief flüsterte antwortete meinte dit demanda répondit dijo preguntó disse"
).split()
_TITLES = (
    "Mr Mrs Ms Miss Dr Sir Lord Lady Captain Professor Father Aunt Uncle Madame Mme Mlle Herr Frau Don Doña".split()
)
_TITLE = rf"(?:(?:{'|'.join(_TITLES)})\.?\s)?"
_NAME = r"[A-ZÀ-ÞŁŚŻ][\w’'-]{1,30}"
_TAG_AFTER = re.compile(
    rf"[\s,—–-]*+(?:(?:{'|'.join(_VERBS)})\s{_TITLE}({_NAME})|{_TITLE}({_NAME})\s(?:{'|'.join(_VERBS)}))\b"
)
_TAG_BEFORE = re.compile(rf"\b({_NAME})\s(?:{'|'.join(_VERBS)})[,:]?\s*$")
_NO_NAME = frozenset(
    (*_TITLES, *"He She They It We You I The A Then And But So This That There Er Sie Es Il Elle".split())
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words of one kind: narration, or what somebody says. `speaker` is empty where no tag names one."""

    text: str
    is_spoken: bool = False
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph, in stretches of narration and speech."""

    text: str
    stretches: tuple[Stretch, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(sentences_of(self.text))


@dataclass(frozen=True)
class Prose:
    """A text without its headings and scene breaks."""

    paragraphs: tuple[Paragraph, ...] = field(default=())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word in order, in lower case; an apostrophe parts two words."""
        return tuple(word for paragraph in self.paragraphs for word in words_of(paragraph.text))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        return tuple(sentence for paragraph in self.paragraphs for sentence in paragraph.sentences)

    @property
    def text(self) -> str:
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case; digits are no words, and an apostrophe parts two."""
    return _WORD.findall(text.lower())


def count_words(text: str) -> int:
    """How many words a writer would count: runs between blanks that have a letter or a digit."""
    return sum(any(letter.isalnum() for letter in run) for run in text.split())


def read_prose(text: str) -> Prose:
    """The prose of a text: Markdown or plain, wrapped or not. Never raises."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    body = "\n".join("" if _HEADING.match(line) else line for line in plain.split("\n"))
    found = (" ".join(one.split()) for block in _BLANK.split(body) for one in _unwrapped(block))
    kept = (block for block in found if block and not _BREAK.fullmatch(block))
    return Prose(tuple(Paragraph(block, tuple(_stretches(block))) for block in kept))


def _unwrapped(block: str) -> list[str]:
    """Lines that are too long to be wrapped are paragraphs of their own."""
    lines = block.split("\n")
    return lines if len(lines) > 1 and max(map(len, lines)) > LONGEST_LINE else [block]


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a paragraph, in order."""
    for block in _blocks(text):
        start = 0
        for end in sentence_ends(block):
            if sentence := block[start:end].strip():
                yield sentence
            start = end


def _blocks(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > LONGEST_BLOCK:
        cut = text.rfind(" ", start + LONGEST_BLOCK // 2, start + LONGEST_BLOCK)
        end = cut + 1 if cut > 0 else start + LONGEST_BLOCK
        yield text[start:end]
        start = end
    yield text[start:]


def _stretches(text: str) -> Iterator[Stretch]:
    is_dashed = text.startswith(_DASHES) and not text.startswith("--")
    at, said = 0, 0
    for start, end in dashed_spans(text) if is_dashed else _spoken_spans(text):
        if text[at:start].strip(" —–―-"):
            yield Stretch(text[at:start])
        yield Stretch(text[start:end], is_spoken=True, speaker=_speaker(text, start, end, said))
        at = said = end
    if text[at:].strip():
        yield Stretch(text[at:])


def _spoken_spans(text: str) -> list[tuple[int, int]]:
    """Where somebody speaks. A quotation that is not closed lasts to the end of the paragraph, as is the custom."""
    spans: list[tuple[int, int]] = []
    closes, opened = "", -1
    for place, letter in enumerate(text):
        if opened >= 0:
            if letter in closes and _may_close(text, place, letter):
                spans.append((opened, place + 1))
                opened = -1
        elif letter in _CLOSES and _may_open(text, place, letter):
            closes, opened = _CLOSES[letter], place
    if opened >= 0 and text[opened] not in "'‘":
        spans.append((opened, len(text)))
    return spans


def _may_open(text: str, place: int, letter: str) -> bool:
    if letter == "»":
        return place == 0 or text[place - 1].isspace()
    if letter not in "'‘":
        return True
    before = text[place - 1 : place] if place else " "
    return (before.isspace() or before in '([—–“"') and text[place + 1 : place + 2].isalpha()


def _may_close(text: str, place: int, letter: str) -> bool:
    """An apostrophe closes nothing: only a mark after a full stop, a comma or the like does."""
    if letter not in "'’":
        return True
    return text[place - 1] in ".,!?…—–-;:" and not text[place + 1 : place + 2].isalnum()


def _speaker(text: str, start: int, end: int, said: int) -> str:
    """Who speaks, where a tag beside the words says so; a pronoun is nobody's name. `said` ends the speech before."""
    after = _tagged(text, end)
    if after is not None:
        return after
    before = _TAG_BEFORE.search(text[max(said, start - LONGEST_TAG) : start])
    if before:
        return before[1] if before[1] not in _NO_NAME else ""
    # "No," said Ruth. "Not today.": the second half is hers too.
    return (_tagged(text, said) or "") if said else ""


def _tagged(text: str, place: int) -> str | None:
    """The name in the tag that follows; empty for a pronoun, None if there is no tag."""
    found = _TAG_AFTER.match(text[place : place + LONGEST_TAG])
    if found is None:
        return None
    name = found[1] or found[2]
    return name if name not in _NO_NAME else ""
