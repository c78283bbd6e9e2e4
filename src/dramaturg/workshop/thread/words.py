"""The words of a fact in a text: whom it is about and what it says, told from common words that look like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from dramaturg.kernel.text.words import content, lexicon
from dramaturg.workshop.book.plain_text import typographic_spans
from dramaturg.workshop.graph.names import NameIndex, is_common, quote_around, words_in_lower_case
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.scene_facts import NAMED, paragraphs_in
from dramaturg.workshop.graph.values import Fact, StoryGraph
from dramaturg.workshop.thread.inflections import forms_in, is_german

MOST_PLACES = 200
LONG = 3
"""A value of so many words is looked for as it stands, without its subject beside it."""
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class FactWords:
    """The names of a fact's subject, and the words for what it says: a text, or the names of another one."""

    subject: tuple[str, ...]
    value: str = ""
    target: tuple[str, ...] = ()
    relation: frozenset[str] = frozenset()
    """The words for what two entities are to one another; where none of them stands, nothing is said of it."""
    others: tuple[str, ...] = ()
    """The names of everybody else, so that a part of one is not taken for another."""
    thing: tuple[str, ...] = ()
    """The words for what a colour is said of, such as eyes; a sentence without one is about something else."""

    @classmethod
    def of(cls, graph: StoryGraph, fact: Fact) -> FactWords:
        target = _names(graph, fact.object) if fact.object is not None else ()
        if not target:
            return cls(_names(graph, fact.subject), fact.value.strip(), thing=_thing(fact.predicate))
        relation = content(f"{declared(fact.predicate).label} {fact.predicate.replace('_', ' ')}")
        others = {name for one in graph.entities if one.kind in NAMED for name in one.names}
        return cls(_names(graph, fact.subject), "", target, frozenset(relation), tuple(sorted(others - set(target))))

    @property
    def is_long(self) -> bool:
        return len(self.value.split()) >= LONG

    def is_about(self, sentence: str) -> bool:
        """Whether a sentence with the value can be about the fact: grey eyes, and not a grey morning."""
        said = sentence.casefold()
        written = set(_LETTERS.findall(said))
        return not self.thing or any(one in (written if one.isascii() or len(one) > 1 else said) for one in self.thing)

    def values_in(self, text: str) -> list[tuple[int, int]]:
        """Where what the fact says stands in a text, word for word."""
        if self.target:
            found = NameIndex((*self.target, *self.others), words=words_in_lower_case(text)).find(text)
            return [(one.start, one.end) for one in found if one.name in self.target][:MOST_PLACES]
        if not self.value:
            return []
        if self.is_long:
            return typographic_spans(text, self.value, most=MOST_PLACES)
        return [
            one.span()
            for one in self._pattern.finditer(text)
            if one[0] == self.value or not is_common(self.value) or self.value[:1].islower()
        ][:MOST_PLACES]

    def forms_in(self, text: str, *, german: bool) -> list[tuple[int, int]]:
        """Where what the fact says stands in a text, word for word or in another form of its words."""
        found = self.values_in(text)
        phrases = [
            one for one in (self.target or (self.value,)) if one and not (len(one.split()) == 1 and is_common(one))
        ]
        if self.is_long and not german:
            phrases = []
        for phrase in phrases:
            found += [one for one in forms_in(text, phrase, german=german) if not _meets(one, found)]
        return sorted(found)[:MOST_PLACES]

    def names_subject(self, text: str, *, is_known: bool = False) -> bool:
        """Whether a text names whom the fact is about.

        A name that is a common word must stand as a name; where the subject `is_known` to be in the text, it may
        begin a sentence too.
        """
        if is_known and any(set(words_of(name)) <= set(words_of(text)) for name in self.subject):
            return True
        if any(NameIndex(self.subject, words=words_in_lower_case(text)).find(text)):
            return True
        known = [name for name in self.subject if not is_common(name)] if is_german(text) else []
        return any(forms_in(text, name, german=True) for name in known)

    def sentences_in(
        self, text: str, *, about_subject: bool = False, is_known: bool = False
    ) -> Iterator[tuple[int, int]]:
        """The sentences of a text that have the words of the fact.

        Short values count only where the paragraph names the subject; in a text that is all `about_subject` they count
        everywhere. Of two entities, the sentence names both and what they are to one another. `is_known` says that
        the graph has the subject there.
        """
        seen: set[tuple[int, int]] = set()
        german = is_german(text)
        for begin, end in paragraphs_in(text):
            paragraph = text[begin:end]
            places = self.forms_in(paragraph, german=german)
            if not places or not (about_subject or self.is_long or self.names_subject(paragraph, is_known=is_known)):
                continue
            for one in places:
                start, stop = quote_around(paragraph, *one)
                if self.target and not self._tells(paragraph[start:stop], about_subject, is_known):
                    continue
                span = (begin + start, begin + stop)
                if span not in seen:
                    seen.add(span)
                    yield span

    def _tells(self, sentence: str, about_subject: bool, is_known: bool) -> bool:
        """Whether a sentence says what two entities are to one another."""
        if not self.relation & set(content(sentence)):
            return False
        return about_subject or self.names_subject(sentence, is_known=is_known)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        before = r"(?<!\w)" if _WORD.match(self.value) else ""
        after = r"(?!\w)" if _WORD.match(self.value[-1:]) else ""
        own = r"\s{1,3}".join(re.escape(word) for word in self.value.split())
        return re.compile(f"{before}{own}{after}", re.IGNORECASE)


@cache
def _thing(predicate: str) -> tuple[str, ...]:
    """The words of what a predicate gives a colour; none for other predicates."""
    of, _, colour = predicate.rpartition("_")
    rows = lexicon("things", __package__) if colour in ("colour", "color") else ()
    return next((row for row in rows if row[0] == of), ())


def _meets(one: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(one[0] < end and start < one[1] for start, end in others)


def words_of(text: str) -> list[str]:
    """The words of a text as they are written."""
    return _WORDS.findall(text)


def _names(graph: StoryGraph, entity: int) -> tuple[str, ...]:
    """Every name of an entity and of what was merged into it, and every part that nobody else has, longest first."""
    root = graph.roots[entity]
    own = {name for one in graph.entities if graph.roots[one.id] == root for name in one.names}
    others = {
        word for one in graph.entities if graph.roots[one.id] != root for name in one.names for word in words_of(name)
    }
    parts = {word for name in own for word in words_of(name) if word[:1].isupper() and word not in others}
    names = own | {word for word in parts if not is_common(word)}
    return tuple(sorted(names, key=lambda one: (-len(one), one)))
