"""Where the words of a quotation stand in a text. What is kept is the text's own words, never the quotation.

Typography never matters: quotation marks, dashes, ellipses, spaces and case. Beyond that, rapidfuzz finds the passage
that is most alike, and it counts from `THRESHOLD` on: a slip of the pen, not another statement. Every word of the
quotation that bears meaning must still stand in that passage, or nearly; and every number must, to the digit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.kernel.errors import InvalidSettings, install_extra
from dramaturg.kernel.text.words import words

THRESHOLD = 80.0
"""How alike a passage must be, of 100. Measured by `python -m benchmarks evidence`; see docs/continuity.md."""
NEARLY = 75.0
"""How alike two words must be to be one word with a slip of the pen."""
SHORTEST = 6
"""How many letters a quotation needs to prove anything; of a script that writes a word with a character, half."""
_LOOKALIKES = str.maketrans(
    {**dict.fromkeys("“”„‟«»‹›‘’‚‛`´ʼ′″", "'"), '"': "'", **dict.fromkeys("‐‑‒–—―−", "-"), "…": ".", "\u00ad": " "}
)
_NEGATIONS = frozenset(
    "not never no none nobody nothing neither nor without cannot nicht nie niemals kein keine keinen keinem keiner "
    "niemand nichts ohne pas jamais aucun aucune rien sans ne no nunca nadie nada sin tampoco non mai nessuno niente "
    "senza не никогда никто ничего нет без".split()
)
_CONTRACTED = re.compile(r"n['’]t\b")


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a quotation stands: characters of the text, and how alike the two are, of 100."""

    start: int
    end: int
    likeness: float


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as it is compared, and the place in the original of each of its characters."""

    text: str
    places: tuple[int, ...]


def find_passage(quote: str, text: str, threshold: float = THRESHOLD) -> Passage | None:
    """The passage of a text that a quotation means; None if it does not stand there."""
    wanted, said = _folded(quote).text.strip(" .'-,"), _folded(text)
    if not _proves(wanted) or not said.text:
        return None
    at = said.text.find(wanted)
    if at >= 0:
        return _passage(said, at, at + len(wanted), 100.0, text)
    for found in _alike(wanted, said, threshold, text):
        if says_the_same(quote, text[found.start : found.end]):
            return found
    return None


def likeness_in(quote: str, text: str) -> float:
    """How alike a quotation and the passage of a text that is most like it are, of 100, whatever their words."""
    from rapidfuzz import fuzz

    return float(fuzz.partial_ratio(_folded(quote).text.strip(" .'-,"), _folded(text).text))


def says_the_same(quote: str, passage: str) -> bool:
    """Whether a passage has every word of a quotation, or nearly, in order, and denies no more and no less."""
    from rapidfuzz import fuzz

    theirs, at = words(passage), 0
    for word in words(quote):
        is_exact = word.isdecimal() or word in _NEGATIONS
        while at < len(theirs) and theirs[at] != word:
            if not is_exact and not theirs[at].isdecimal() and fuzz.ratio(word, theirs[at]) >= NEARLY:
                break
            at += 1
        if at == len(theirs):
            return False
        at += 1
    return _denials(quote) == _denials(passage)


def _denials(text: str) -> int:
    return sum(word in _NEGATIONS for word in words(text)) + len(_CONTRACTED.findall(text.casefold()))


def _alike(wanted: str, said: _Folded, threshold: float, text: str) -> Iterator[Passage]:
    """The passage that is most alike, as long as the quotation; and a little more, if words were left out in it."""
    try:
        from rapidfuzz import fuzz
    except ImportError as error:
        raise InvalidSettings(f"Consolidation needs rapidfuzz: {install_extra('workshop')}.") from error
    found = fuzz.partial_ratio_alignment(wanted, said.text, score_cutoff=threshold)
    if found is None or found.dest_end <= found.dest_start:
        return
    for more in (0, 4 + len(wanted) // 8):
        first, last = max(0, found.dest_start - more), min(len(said.text), found.dest_end + more)
        start, end = _whole_words(said.text, first, last)
        yield _passage(said, start, end, found.score, text)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the half words at its ends: grown to whole ones."""
    while start > 0 and text[start].isalnum() and text[start - 1].isalnum() and not _is_unspaced(text[start]):
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum() and not _is_unspaced(text[end]):
        end += 1
    while start < end and text[start] in " .,":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def _passage(said: _Folded, start: int, end: int, likeness: float, text: str) -> Passage:
    first, last = said.places[start], said.places[end - 1] + 1
    while last < len(text) and text[last] in ".!?…”’»\"'。！？":  # the mark that ends the sentence belongs to it
        last += 1
    return Passage(first, last, likeness)


def _proves(wanted: str) -> bool:
    letters = sum(char.isalnum() for char in wanted)
    return letters >= (SHORTEST // 2 if any(map(_is_unspaced, wanted)) else SHORTEST)


def _is_unspaced(char: str) -> bool:
    return "\u0e00" <= char <= "\u0eff" or "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff"


@lru_cache(maxsize=64)
def _folded(text: str) -> _Folded:
    kept: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for one in unicodedata.normalize("NFKC", char).translate(_LOOKALIKES).casefold():
            plain = " " if one.isspace() or one in "*_" else one
            if plain in " .-'" and kept and kept[-1] == plain:
                continue
            kept.append(plain)
            places.append(place)
    return _Folded("".join(kept), tuple(places))
