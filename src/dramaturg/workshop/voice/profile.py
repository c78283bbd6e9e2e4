"""A voice, measured: what can be counted in a text, with error bands. No figure here is a judgement of quality."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.voice.bands import Band, mean_band, rate_band, share_band
from dramaturg.workshop.voice.languages import NAMES, function_words, language_of
from dramaturg.workshop.voice.prose import Paragraph, Prose, words_of
from dramaturg.workshop.voice.stylometry import FEWEST_WORDS

WINDOW = 100
"""Lexical diversity is the share of different words in a window of this many, so that length does not count."""
SHORT, LONG = 6, 30
MARKS: Mapping[str, str] = {
    "commas": ",，、",
    "semicolons": ";；",
    "colons": ":：",
    "dashes": "—–",
    "questions": "?？",
    "exclamations": "!！",
    "ellipses": "…",
    "brackets": "(（",
}


class VoiceProfile(WireValue):
    """The measured profile of a text. What cannot be measured is null; `abstains` says what and why."""

    words: int
    language: str = Field("", description="as its function words tell; empty if they do not")
    sentence_length: Band | None = Field(None, description="mean words of a sentence")
    sentence_spread: float | None = Field(None, description="standard deviation of the words of a sentence")
    short_sentences: Band | None = Field(None, description=f"share of sentences of {SHORT} words or fewer")
    long_sentences: Band | None = Field(None, description=f"share of sentences of {LONG} words or more")
    punctuation: Mapping[str, Band] = Field(default_factory=dict, description="marks per 1,000 words")
    dialogue_share: Band | None = Field(None, description="share of the words that are spoken aloud")
    lexical_diversity: Band | None = Field(None, description=f"share of different words in {WINDOW}")
    function_word_share: Band | None = None
    antipattern_hits: Band | None = Field(None, description="per 1,000 words; null if no rules were applied")
    abstains: tuple[str, ...] = ()

    @property
    def is_enough(self) -> bool:
        """Whether there are enough words to compare it with another text."""
        return self.words >= FEWEST_WORDS


class Difference(WireValue):
    """One measure of two texts. `tells` is `alike`, `differs`, or `too short to tell`."""

    measure: str
    one: Band | None
    other: Band | None
    tells: str


def profile_of(prose: Prose, *, hits: int | None = None) -> VoiceProfile:
    """Everything that is measured of a text. `hits` are its anti-patterns, where somebody has looked for them."""
    words = prose.words
    language = language_of(words)
    lengths = [len(words_of(sentence)) for sentence in prose.sentences]
    lengths = [length for length in lengths if length]
    length = mean_band([float(one) for one in lengths])
    return VoiceProfile(
        words=len(words),
        language=language,
        sentence_length=length,
        sentence_spread=_spread(lengths, length),
        short_sentences=share_band([(int(one <= SHORT), 1) for one in lengths]),
        long_sentences=share_band([(int(one >= LONG), 1) for one in lengths]),
        punctuation=_punctuation(prose, len(words)),
        dialogue_share=share_band([_spoken(paragraph) for paragraph in prose.paragraphs]),
        lexical_diversity=_diversity(words),
        function_word_share=_function_share(words, language),
        antipattern_hits=None if hits is None else rate_band(hits, len(words)),
        abstains=tuple(_abstentions(len(words), language)),
    )


def differences(one: VoiceProfile, other: VoiceProfile) -> tuple[Difference, ...]:
    """How two texts differ, measure by measure. Texts that are too short are not told apart."""
    enough = one.is_enough and other.is_enough
    told = [(name, getattr(one, name), getattr(other, name)) for name in _COMPARED]
    told += [(mark, one.punctuation.get(mark), other.punctuation.get(mark)) for mark in MARKS]
    return tuple(Difference(measure=name, one=a, other=b, tells=_tells(a, b, enough)) for name, a, b in told)


_COMPARED = (
    "sentence_length", "short_sentences", "long_sentences", "dialogue_share", "lexical_diversity",
    "function_word_share", "antipattern_hits",
)  # fmt: skip


def _tells(one: Band | None, other: Band | None, enough: bool) -> str:
    if one is None or other is None or not enough:
        return "too short to tell"
    return "alike" if one.overlaps(other) else "differs"


def _spread(lengths: Sequence[int], mean: Band | None) -> float | None:
    if mean is None:
        return None
    squares = sum((length - mean.value) ** 2 for length in lengths)
    return round(math.sqrt(squares / (len(lengths) - 1)), 2)


def _punctuation(prose: Prose, words: int) -> dict[str, Band]:
    text = prose.text.replace("...", "…").replace("--", "—")
    counted = Counter(text)
    found = {name: rate_band(sum(counted[mark] for mark in marks), words) for name, marks in MARKS.items()}
    return {name: band for name, band in found.items() if band is not None}


def _spoken(paragraph: Paragraph) -> tuple[int, int]:
    counts = [(stretch.is_spoken, len(words_of(stretch.text))) for stretch in paragraph.stretches]
    return sum(count for spoken, count in counts if spoken), sum(count for _, count in counts)


def _diversity(words: Sequence[str]) -> Band | None:
    """The mean over windows that do not overlap, so that the band is honest; None for fewer than two windows."""
    windows = [words[start : start + WINDOW] for start in range(0, len(words) - WINDOW + 1, WINDOW)]
    return mean_band([len(set(window)) / WINDOW for window in windows])


def _function_share(words: Sequence[str], language: str) -> Band | None:
    if not language:
        return None
    listed = frozenset(function_words()[language])
    blocks = [words[start : start + WINDOW] for start in range(0, len(words), WINDOW)]
    return share_band([(sum(word in listed for word in block), len(block)) for block in blocks])


def _abstentions(words: int, language: str) -> list[str]:
    told = []
    if words < FEWEST_WORDS:
        told.append(f"Whose voice it is: too short to tell ({words:,} of {FEWEST_WORDS:,} words).")
    if not language:
        known = ", ".join(NAMES.values())
        told.append(f"Function words: the language is not one with a list here ({known}), or there are too few words.")
    return told
