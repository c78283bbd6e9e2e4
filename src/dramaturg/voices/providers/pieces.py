"""Lines too long for one request: split into pieces, and their sounds joined again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.kernel.models.providers.faults import Source
from dramaturg.voices.port import Sound
from dramaturg.voices.providers.voice_faults import voice_unreadable

_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]]*\s+|[。！？]+[」』”]*\s*|\n+")


def pieces_of(text: str, limit: int) -> list[str]:
    """A text in pieces of at most `limit` characters, split at the ends of sentences, else between words."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        cut = _cut(rest, limit)
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*pieces, rest] if rest else pieces


def _cut(text: str, limit: int) -> int:
    ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, limit + 1) if len(text[: end.end()].rstrip()) <= limit]
    if ends:
        return ends[-1]
    space = max(text.rfind(gap, 1, limit + 1) for gap in (" ", "\n", "\t"))
    return space if space > 0 else limit


def joined(source: Source, sounds: Sequence[Sound]) -> Sound:
    """The pieces of one line as one sound. Raises VoiceUnreadable if they cannot be joined."""
    if len({sound.sample_rate for sound in sounds}) != 1:
        raise voice_unreadable(source, "a line in pieces of different sample rates")
    rate = sounds[0].sample_rate
    words, length = [], 0
    for sound in sounds:
        begin = length / 2 / rate
        words += [
            word.model_copy(update={"start": round(word.start + begin, 4), "end": round(word.end + begin, 4)})
            for word in sound.words
        ]
        length += len(sound.pcm)
    return Sound(b"".join(sound.pcm for sound in sounds), rate, tuple(words))
