"""When to cut a spoken line, so that its last word is heard in full and the next one not at all."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from dramaturg.voices.port import WordTime
from dramaturg.voices.recording import Recording

SHORTEST_MS = 80
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*", re.UNICODE)


def end_of(said: str, recording: Recording) -> int | None:
    """The end of the last of the words `said` at the beginning of a recording, in milliseconds.

    None if the engine gave no word times, or none for these words.
    """
    wanted = _words(said)
    words = [word for word in recording.words if _words(word.word)]
    heard = [_words(word.word)[0] for word in words]
    last = _place_of_last(wanted, heard) if wanted and heard else None
    if last is None:
        return None
    end = round(1000 * _end(words, last))
    return end if SHORTEST_MS <= end < recording.duration_ms else None


def _words(text: str) -> list[str]:
    return [found[0].casefold() for found in _WORD.finditer(text)]


def _place_of_last(wanted: list[str], heard: list[str]) -> int | None:
    """The index of the last wanted word among the spoken words. Numbers may be spoken as other words."""
    if heard[: len(wanted)] == wanted:
        return len(wanted) - 1
    matcher = SequenceMatcher(None, wanted, heard, autojunk=False)
    for block in reversed(matcher.get_matching_blocks()):
        if block.size and block.a <= len(wanted) - 1 < block.a + block.size:
            return block.b + len(wanted) - 1 - block.a
    return None


def _end(words: list[WordTime], place: int) -> float:
    """The end of a word, or the start of the next one if that is earlier."""
    end = words[place].end
    return min(end, words[place + 1].start) if place + 1 < len(words) else end
