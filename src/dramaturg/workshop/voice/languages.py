"""Which language a text is in, as far as its function words tell, and those words. Unknown is an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from dramaturg.kernel.text.tables import table

FEWEST_WORDS = 60
"""Below this, no language is told."""
SHARE = 0.28
"""The least share of a text that a language's function words have; prose has 0.4 to 0.6."""
LEAD = 1.25
"""How far the language must be ahead of the next one."""
MOST_READ = 20_000
NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
}


@cache
def function_words() -> Mapping[str, tuple[str, ...]]:
    """The function words of each language that has a list, each once."""
    raw = table(__package__, "lexicon/function_words.toml")
    return {name: tuple(dict.fromkeys(held.split())) for name, held in raw["words"].items()}


def language_of(words: Sequence[str]) -> str:
    """The language of these words; empty where none is told: too few words, no list for it, or two that are mixed."""
    if len(words) < FEWEST_WORDS:
        return ""
    read = words[:MOST_READ]
    counted = Counter(read)
    shares = sorted(
        ((sum(counted[word] for word in listed) / len(read), name) for name, listed in function_words().items()),
        reverse=True,
    )
    (best, name), (second, _) = shares[0], shares[1]
    return name if best >= SHARE and best >= LEAD * second else ""
