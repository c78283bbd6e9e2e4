"""Whether words only speak of what a sub-goal asks for: "Thanks are cheap in this house" thanks nobody.

Whoever forgives, promises or owns up says so of herself, or to somebody. A line in which every sentence states
something about a thing, with nobody present in it, does none of that. Told only in languages that have a word of its
own for who does something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from dramaturg.kernel.text.words import stem
from dramaturg.scenes.director.deed import alike, fold, small_words
from dramaturg.scenes.director.evidence import is_about
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.tables import lexicon, row_set
from dramaturg.scenes.director.tongues import languages_of

_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")
_WORD = re.compile(r"[^\W\d_]+")
_LANGUAGES = frozenset(("en", "de", "fr", "nl", "sv", "nb"))
_LEAD = 6
"""The verb of a goal stands among so many words."""
_FEWEST = 4


def only_speaks_of(goal: Goal, text: str, cast: CastNames) -> bool:
    """Whether the sub-goal asks for an act of speech or will, and the words name it in statements about a thing.

    What names no word of the goal is the judge's to weigh: "The books are balanced" may well forgive.
    """
    spoken = languages_of(text, 1)
    if not _asks_for_an_act(_words(goal.text)) or not spoken or not spoken <= _LANGUAGES:
        return False
    names = {part for name in cast.names for part in _words(name)}
    asked = [word for word in _words(goal.text) if word not in names and word not in small_words()]
    if not is_about(goal, text, cast) and not any(alike(word, one) for word in _words(text) for one in asked):
        return False
    sentences = (
        (sentence, [word for word in _words(sentence) if word not in names]) for sentence in _SENTENCE.findall(text)
    )
    return all(_states(sentence, said, asked[1:]) for sentence, said in sentences)


def _asks_for_an_act(asked: Sequence[str]) -> bool:
    for spot, word in enumerate(asked[:_LEAD]):
        if stem(word) in _acts():
            return True
        if word in row_set("mention", "owns_up"):
            return not row_set("mention", "own").isdisjoint(asked[spot + 1 : spot + _FEWEST])
    return False


def _states(sentence: str, said: Sequence[str], things: Sequence[str]) -> bool:
    """Whether a sentence states something about a thing; a question does not, and neither does a "Done."."""
    doing = row_set("mention", "persons") | row_set("mention", "does")
    if "?" in sentence or not doing.isdisjoint(said):
        return False
    opens = bool(said) and (said[0] in row_set("mention", "opens") or any(alike(said[0], thing) for thing in things))
    return (opens and len(said) > _FEWEST) or not row_set("mention", "states").isdisjoint(said[1:3])


def _words(text: str) -> list[str]:
    """The words; what is joined by an apostrophe is apart: "I'll", "j'ai"."""
    return _WORD.findall(fold(text))


@cache
def _acts() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon("mention")["acts"])
