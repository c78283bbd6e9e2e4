"""From words to the phonemes that the offline engines know, and from their durations back to word times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from threading import Lock
from typing import Protocol

from dramaturg.voices.port import WordTime
from dramaturg.voices.providers.runtime import onnx_runtime

_CLAUSE = ",;:—"
# Both networks voice a word this much before its frame, in seconds (measured on onsets after silence).
_ONSET_LEAD = 0.05


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """A word or a punctuation mark as phonemes; `spaced` if a space follows."""

    text: str
    sounds: tuple[int, ...]
    spaced: bool


@dataclass(frozen=True, slots=True)
class Phrase:
    """What an engine synthesizes in one go."""

    pieces: tuple[Pronunciation, ...]
    space: int

    @property
    def sounds(self) -> tuple[int, ...]:
        return tuple(sound for piece in self.pieces for sound in self._with_space(piece))

    def times(self, held: Sequence[float], seconds: float) -> tuple[WordTime, ...]:
        """Word times. `held` is how long the engine held each phoneme, and the silence before and after."""
        scale = seconds / sum(held)
        at, place, words = held[0], 1, []
        for piece in self.pieces:
            after = place + len(piece.sounds)
            end = at + sum(held[place:after])
            if piece.sounds and _is_word(piece):
                start, stop = (round(max(0.0, time * scale - _ONSET_LEAD), 3) for time in (at, end))
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
    """English pronunciation, American or British. Loaded on first use; thread-safe."""

    def __init__(self, *, british: bool) -> None:
        self._british = british
        self._lock = Lock()
        self._loaded: _Reader | None = None

    def phrases(self, text: str, most: int, *, together: bool) -> list[Phrase]:
        """The text in phrases of at most `most` phonemes.

        Sentences are put `together` while they fit, or each is a phrase. One that is too long is split at a comma,
        else between words. Empty if no word can be pronounced.
        """
        with self._lock:
            self._loaded = self._loaded or _Reader(british=self._british)
            sentences = [list(self._loaded.pronounced(sentence)) for sentence in self._loaded.sentences(text)]
        runs: list[list[Pronunciation]] = []
        for sentence in sentences:
            for part in _split(sentence, most):
                if together and runs and _length([*runs[-1], *part]) <= most:
                    runs[-1].extend(part)
                else:
                    runs.append(part)
        phrases = [Phrase((*run[:-1], replace(run[-1], spaced=False)), self._loaded.space) for run in runs]
        return [phrase for phrase in phrases if any(piece.sounds and _is_word(piece) for piece in phrase.pieces)]


class _Reader:
    """hibari's English front end: sentence splitting, numbers and dates as words, pronunciation."""

    def __init__(self, *, british: bool) -> None:
        # Words outside the lexicon are pronounced by a small network of hibari's.
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

    def pronounced(self, sentence: str) -> Iterator[Pronunciation]:
        tokens: list[_Token] = self._g2p.phonemize_tokens(self._g2p.tokenize(self._normalize(sentence)))
        for place, token in enumerate(tokens):
            known = self._vocabulary
            sounds = tuple(known[sound] for sound in token.phonemes or "" if sound in known)
            # The last word of a sentence is spaced too: another sentence may follow in the same phrase.
            spaced = bool(token.whitespace) or place == len(tokens) - 1
            if sounds or spaced:
                yield Pronunciation(token.text, sounds, spaced)


def _split(sentence: list[Pronunciation], most: int) -> Iterator[list[Pronunciation]]:
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
    """A single 'word' longer than a phrase is truncated."""
    for piece in sentence:
        yield piece if len(piece.sounds) < most else Pronunciation(piece.text, piece.sounds[: most - 1], piece.spaced)


def _length(pieces: Sequence[Pronunciation]) -> int:
    return sum(len(piece.sounds) + piece.spaced for piece in pieces)


def _is_word(piece: Pronunciation) -> bool:
    return any(letter.isalnum() for letter in piece.text)
