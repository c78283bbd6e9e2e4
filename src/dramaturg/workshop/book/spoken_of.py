"""The scenes that a message speaks of: those it names, and those that have its rarer words.

Words are looked up as they stand in the text, from their stems; which paragraphs are told is decided by the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import log

from dramaturg.kernel.text.words import content
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.manuscript import ManuscriptFile

MOST_SCENES = 3
LEAST_WORDS = 2
"""How many words of the message a scene must have, unless it has one that the scene at hand has not."""
SHORTEST_WORD = 3
MOST_WORDS = 40
"""How many words of a message are looked for: each costs a look at the whole book."""
LONGEST_LOOK = 4_000
_NAMED = re.compile(
    r"\b(?:ch(?:apter|apitre|ap)?|kapitel|capítulo|capitolo|hoofdstuk)\.?[ -]?(?P<chapter>\d{1,3})"
    r"(?:[-, ]{0,2}(?:sc(?:ene)?|szene|scène|escena|scena)\.?[ -]?(?P<scene>\d{1,3}))?",
    re.IGNORECASE,
)


class SceneProse(Value):
    """The text of a scene, without its front matter."""

    file: str
    text: str


def scenes_spoken_of(
    message: str, scenes: Sequence[ManuscriptFile], prose: Callable[[str], str], *, at_hand: str
) -> tuple[SceneProse, ...]:
    """Up to three scenes besides the one at hand, those that are named first, then by the words they share."""
    message = message[:LONGEST_LOOK]
    wanted = set(islice(dict.fromkeys(word for word in content(message) if len(word) >= SHORTEST_WORD), MOST_WORDS))
    named = frozenset(_named(message, scenes))
    if not wanted and not named:
        return ()
    texts = {one.path: prose(one.path) for one in scenes if one.is_drafted}
    shared = _shared(wanted, texts)
    here = shared.get(at_hand, frozenset())
    often = {word: sum(word in words for words in shared.values()) for word in wanted}

    def weight(path: str) -> float:
        return sum(log(1 + len(texts) / often[word]) for word in shared[path])

    met = [path for path in texts if path != at_hand and (path in named or _is_met(shared[path], here))]
    best = sorted(met, key=lambda path: (path not in named, -weight(path)))[:MOST_SCENES]
    return tuple(SceneProse(file=path, text=texts[path]) for path in best)


def _is_met(words: frozenset[str], here: frozenset[str]) -> bool:
    return len(words) >= LEAST_WORDS or bool(words - here)


def _shared(wanted: set[str], texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The words of the message that stand in each text."""
    folded = {path: text.casefold() for path, text in texts.items()}
    return {path: frozenset(word for word in wanted if word in text) for path, text in folded.items()}


def _named(message: str, scenes: Sequence[ManuscriptFile]) -> Iterator[str]:
    for found in _NAMED.finditer(message):
        chapter, scene = str(int(found["chapter"])), found["scene"]
        for one in scenes:
            if one.chapter == chapter and (scene is None or one.scene == str(int(scene))):
                yield one.path
