"""From words to the sounds that the offline engines know, and back to when each word is heard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from threading import Lock
from typing import Protocol

from dramaturg.kernel.voices.port import WordTime
from dramaturg.kernel.voices.providers.runtime import onnx_runtime

_CLAUSE = ",;:—"
# Both networks sound a word this much before the frame they count for it (measured on onsets after silence).
_SOONER = 0.05


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """A word, or a sign, in sounds; `spaced` if something follows after a space."""

    text: str
    sounds: tuple[int, ...]
    spaced: bool


@dataclass(frozen=True, slots=True)
class Phrase:
    """What an engine speaks in one breath."""

    pieces: tuple[Pronunciation, ...]
    space: int

    @property
    def sounds(self) -> tuple[int, ...]:
        return tuple(sound for piece in self.pieces for sound in self._with_space(piece))

    def times(self, held: Sequence[float], seconds: float) -> tuple[WordTime, ...]:
        """When each word is heard. `held` is how long the engine held each sound, and the silence before and after."""
        scale = seconds / sum(held)
        at, place, words = held[0], 1, []
        for piece in self.pieces:
            after = place + len(piece.sounds)
            end = at + sum(held[place:after])
            if piece.sounds and _is_word(piece):
                start, stop = (round(max(0.0, time * scale - _SOONER), 3) for time in (at, end))
                words.append(WordTime(word=piece.text, start=start, end=stop))
            at = end + (held[after] if piece.spaced else 0)
            place = after + piece.spaced
        return tuple(words)

    def _with_space(self, piece: Pronunciation) -> tuple[int, ...]:
        return (*piece.sounds, self.space) if piece.spaced else piece.sounds


class _Token(Protocol):
    text: str
    phonemes: str | None
    whitespace: str


class Phonetics:
    """English spelling to sound, American or British. Loaded on first use; threads may share one."""

    def __init__(self, *, british: bool) -> None:
        self._british = british
        self._lock = Lock()
        self._loaded: _Reader | None = None

    def phrases(self, text: str, most: int, *, together: bool) -> list[Phrase]:
        """The text in phrases of at most so many sounds.

        Sentences are spoken `together` while they fit, or each on its own. One that is too long is parted at a
        comma, or else between words. Empty where no word can be pronounced.
        """
        with self._lock:
            self._loaded = self._loaded or _Reader(british=self._british)
            sentences = [list(self._loaded.spelled(sentence)) for sentence in self._loaded.sentences(text)]
        runs: list[list[Pronunciation]] = []
        for sentence in sentences:
            for part in _parted(sentence, most):
                if together and runs and _length([*runs[-1], *part]) <= most:
                    runs[-1].extend(part)
                else:
                    runs.append(part)
        phrases = [Phrase((*run[:-1], replace(run[-1], spaced=False)), self._loaded.space) for run in runs]
        return [phrase for phrase in phrases if any(piece.sounds and _is_word(piece) for piece in phrase.pieces)]


class _Reader:
    """What hibari brings for English: splitting into sentences, numbers and dates as words, pronunciation."""

    def __init__(self, *, british: bool) -> None:
        # Words that no lexicon has are read by a small network of hibari's own.
        onnx_runtime()
        from hibari import Hibari
        from hibari.g2p import G2P
        from hibari.g2p.normalize import normalize

        self._vocabulary: dict[str, int] = json.loads(
            files("hibari").joinpath("assets", "vocab.json").read_text(encoding="utf-8")
        )
        self._split, self._normalize, self._g2p = Hibari.split_sentences, normalize, G2P(british=british)
        self.space = self._vocabulary[" "]

    def sentences(self, text: str) -> list[str]:
        found: list[str] = self._split(text)
        return found

    def spelled(self, sentence: str) -> Iterator[Pronunciation]:
        tokens: list[_Token] = self._g2p.phonemize_tokens(self._g2p.tokenize(self._normalize(sentence)))
        for place, token in enumerate(tokens):
            known = self._vocabulary
            sounds = tuple(known[sound] for sound in token.phonemes or "" if sound in known)
            # The last word of a sentence is spaced too: another sentence may follow in the same breath.
            spaced = bool(token.whitespace) or place == len(tokens) - 1
            if sounds or spaced:
                yield Pronunciation(token.text, sounds, spaced)


def _parted(sentence: list[Pronunciation], most: int) -> Iterator[list[Pronunciation]]:
    part: list[Pronunciation] = []
    for piece in _short_enough(sentence, most):
        if part and _length([*part, piece]) > most:
            breath = next((i + 1 for i in range(len(part) - 1, -1, -1) if part[i].text in _CLAUSE), len(part))
            yield part[:breath]
            part = part[breath:]
            if part and _length([*part, piece]) > most:
                yield part
                part = []
        part.append(piece)
    if part:
        yield part


def _short_enough(sentence: list[Pronunciation], most: int) -> Iterator[Pronunciation]:
    """A single 'word' longer than a breath is cut, since nobody could say it."""
    for piece in sentence:
        yield piece if len(piece.sounds) < most else Pronunciation(piece.text, piece.sounds[: most - 1], piece.spaced)


def _length(pieces: Sequence[Pronunciation]) -> int:
    return sum(len(piece.sounds) + piece.spaced for piece in pieces)


def _is_word(piece: Pronunciation) -> bool:
    return any(letter.isalnum() for letter in piece.text)
