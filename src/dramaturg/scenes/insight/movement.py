"""How far one answer lies from another: its words, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.response import ParsedResponse

WORDS, ACTION, TONE, TARGET = 0.7, 0.15, 0.1, 0.05
"""What a change of each is worth; together 1. The words are the line, the rest is how it is played."""
MOST_WORDS = 4000
"""How many words of each text are compared; a line has some sixty."""


class Movement(WireValue):
    """From 0, the same answer, to 1, another one altogether; `words` is the share of words that would be changed."""

    moved: float
    words: float
    action: bool
    tone: bool
    target: bool


def movement(before: ParsedResponse, after: ParsedResponse) -> Movement:
    """How far an answer moved. To fall silent, or to speak up, is to move all the way."""
    action = before.action != after.action
    tone = before.tone.casefold() != after.tone.casefold()
    target = (before.target or "").casefold() != (after.target or "").casefold()
    share = word_distance(before.content or before.nonverbal or "", after.content or after.nonverbal or "")
    moved = WORDS * share + ACTION * action + TONE * tone + TARGET * target
    if action and "silent" in (before.action, after.action):
        moved = 1.0
    return Movement(moved=round(moved, 4), words=round(share, 4), action=action, tone=tone, target=target)


def word_distance(before: str, after: str) -> float:
    """Words to put in, take out or exchange, as a share of the longer text. Case and punctuation do not count.

    Only the first `MOST_WORDS` of each text are compared.
    """
    old, new = words(before)[:MOST_WORDS], words(after)[:MOST_WORDS]
    longest = max(len(old), len(new))
    return _edits(old, new) / longest if longest else 0.0


def _edits(old: Sequence[str], new: Sequence[str]) -> int:
    """The least number of words to change, by Hyyrö's algorithm: a row of the table is two numbers, a bit a word.

    `more` has the words of the old text at which the count grows by one from the word before, `less` those at which it
    falls.
    """
    if not old:
        return len(new)
    places: dict[str, int] = {}
    for place, word in enumerate(old):
        places[word] = places.get(word, 0) | 1 << place
    every, last = (1 << len(old)) - 1, 1 << (len(old) - 1)
    more, less, count = every, 0, len(old)
    for word in new:
        same = places.get(word, 0)
        kept = same | less
        shifted = (((same & more) + more) ^ more) | same
        up, down = less | (every & ~(shifted | more)), more & shifted
        count += bool(up & last) - bool(down & last)
        up, down = up << 1 | 1, down << 1
        more, less = every & (down | ~(kept | up)), every & up & kept
    return count
