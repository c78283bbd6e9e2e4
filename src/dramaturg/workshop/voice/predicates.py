"""Anti-patterns that no list of phrases can catch, as functions from prose to the sentences that show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from dramaturg.workshop.voice.prose import Paragraph, Prose, words_of

Predicate = Callable[[Prose], Iterator[tuple[int, str]]]
"""The places where it holds: the number of a paragraph, and the words that show it."""

_RUN = 3
_SHORT = 4
_TAG = re.compile(
    r"\b(?:said|says|asked|asks|answered|replied|whispered|shouted|cried|muttered|murmured|called|snapped|sighed)"
    r"[ ,]{1,2}(?:[A-Z]\w{1,20} |he |she |they |I )?(\w{2,20}ly)\b"
    r"|\b(?:[A-Z]\w{1,20}|he|she|they|I) (?:said|asked|answered|replied|whispered|shouted|cried|muttered|murmured)"
    r"[ ,]{1,2}(\w{2,20}ly)\b"
)
_NOT_ADVERBS = frozenset(
    "only family early reply july italy ally lily sally emily molly polly billy kelly holy ugly".split()
)
_CAPTION = re.compile(r"(?i)\b(?:which meant|that was the (?:thing|point|trouble)|it was (?:a|her|his|their) way of)\b")
_MAXIM = re.compile(
    r"(?i)^(?:(?:some|most|all|every|no|sometimes|maybe|perhaps|because|that'?s|that is|and that)\b"
    r"|\w+ (?:is|are) (?:never|always)\b)"
)
_IS_NOT = re.compile(
    r"(?i)[“\"‘]?(?:it|this|that|these|those|he|she|they)(?: was| is| were| are|['’]s)(?: not|n['’]t)\b"
)
_IS = re.compile(r"(?i)[“\"‘]?(?:it|this|that|these|those|he|she|they)(?: was| is| were| are|['’]s)(?! not|n['’]t)\b")
_PRESENT = re.compile(r"(?i)\b(?:is|are|does|do|has|have|never|always|can|cannot|can'?t|isn'?t|aren'?t|don'?t)\b")
_PAST = re.compile(r"(?i)\b(?:was|were|had|did|said|went|came|looked|\w{3,}ed)\b")


def same_openers(prose: Prose) -> Iterator[tuple[int, str]]:
    """Three paragraphs in a row that begin with the same word."""
    openers = [(words_of(paragraph.text[:60]) or [""])[0] for paragraph in prose.paragraphs]
    length = 1
    for number in range(1, len(openers)):
        length = length + 1 if openers[number] and openers[number] == openers[number - 1] else 1
        if length == _RUN:
            yield number, _start(prose.paragraphs[number])


def drumbeat(prose: Prose) -> Iterator[tuple[int, str]]:
    """Three narrated paragraphs in a row of four words or fewer."""
    length = 0
    for number, paragraph in enumerate(prose.paragraphs):
        is_short = not any(one.is_spoken for one in paragraph.stretches) and len(words_of(paragraph.text)) <= _SHORT
        length = length + 1 if is_short else 0
        if length == _RUN:
            yield number, " / ".join(one.text for one in prose.paragraphs[number - _RUN + 1 : number + 1])


def adverb_tags(prose: Prose) -> Iterator[tuple[int, str]]:
    """An adverb that tells how a line is said."""
    for number, paragraph in enumerate(prose.paragraphs):
        if not any(stretch.is_spoken for stretch in paragraph.stretches):
            continue
        for stretch in paragraph.stretches:
            for found in _TAG.finditer(stretch.text) if not stretch.is_spoken else ():
                if (found[1] or found[2]).lower() not in _NOT_ADVERBS:
                    yield number, found[0]


def closing_maxims(prose: Prose) -> Iterator[tuple[int, str]]:
    """A narrated paragraph in the past that closes on a short saying in the present."""
    for number, paragraph in enumerate(prose.paragraphs):
        sentences = paragraph.sentences
        if len(sentences) < 3 or any(stretch.is_spoken for stretch in paragraph.stretches):
            continue
        last, before = sentences[-1], " ".join(sentences[:-1])[-LONGEST_BEFORE:]
        if len(words_of(last)) > 14 or not _PAST.search(before) or _PAST.search(last):
            continue
        if _MAXIM.match(last) and _PRESENT.search(last):
            yield number, last


def explained_subtext(prose: Prose) -> Iterator[tuple[int, str]]:
    """Spoken words or a gesture that the narration explains at once."""
    for number, paragraph in enumerate(prose.paragraphs):
        for stretch in paragraph.stretches:
            for found in _CAPTION.finditer(stretch.text) if not stretch.is_spoken else ():
                yield number, stretch.text[max(0, found.start() - 40) : found.end() + 60].strip()


def denials(prose: Prose) -> Iterator[tuple[int, str]]:
    """A sentence that says what something is not, and the next one what it is."""
    for number, paragraph in enumerate(prose.paragraphs):
        before = ""
        for sentence in paragraph.sentences:
            if before and _IS.match(sentence):
                yield number, f"{before} {sentence}"
            before = sentence if _IS_NOT.match(sentence) and len(sentence) <= LONGEST_DENIAL else ""


def even_sentences(prose: Prose) -> Iterator[tuple[int, str]]:
    """Six sentences in a row that hardly differ in length."""
    run: list[int] = []
    for number, paragraph in enumerate(prose.paragraphs):
        for sentence in paragraph.sentences:
            run = [*run, len(words_of(sentence))][-6:]
            if len(run) == 6 and min(run) >= 8 and max(run) - min(run) <= 3:
                yield number, sentence
                run = []


LONGEST_BEFORE = 2000
LONGEST_DENIAL = 120
PREDICATES: Mapping[str, Predicate] = {
    "same_openers": same_openers,
    "drumbeat": drumbeat,
    "adverb_tags": adverb_tags,
    "closing_maxims": closing_maxims,
    "explained_subtext": explained_subtext,
    "denials": denials,
    "even_sentences": even_sentences,
}


def _start(paragraph: Paragraph) -> str:
    return paragraph.text[:80].rsplit(" ", 1)[0] if len(paragraph.text) > 80 else paragraph.text
