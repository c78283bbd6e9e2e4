"""The words of a fact in a text: whom it is about and what it says, told from common words that look like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dramaturg.workshop.book.plain_text import typographic_spans
from dramaturg.workshop.graph.names import NameIndex, is_common, quote_around, words_in_lower_case
from dramaturg.workshop.graph.scene_facts import paragraphs_in
from dramaturg.workshop.graph.values import Fact, StoryGraph

MOST_PLACES = 200
LONG = 3
"""A value of so many words is looked for as it stands, without its subject beside it."""
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class FactWords:
    """The names of a fact's subject, and the words for what it says: a text, or the names of another one."""

    subject: tuple[str, ...]
    value: str = ""
    target: tuple[str, ...] = ()

    @classmethod
    def of(cls, graph: StoryGraph, fact: Fact) -> FactWords:
        target = _names(graph, fact.object) if fact.object is not None else ()
        return cls(_names(graph, fact.subject), "" if target else fact.value.strip(), target)

    @property
    def is_long(self) -> bool:
        return len(self.value.split()) >= LONG

    def values_in(self, text: str) -> list[tuple[int, int]]:
        """Where what the fact says stands in a text, word for word."""
        if self.target:
            found = NameIndex(self.target, words=words_in_lower_case(text)).find(text)
            return [(one.start, one.end) for one in found][:MOST_PLACES]
        if not self.value:
            return []
        if self.is_long:
            return typographic_spans(text, self.value, most=MOST_PLACES)
        return [
            one.span()
            for one in self._pattern.finditer(text)
            if one[0] == self.value or not is_common(self.value) or self.value[:1].islower()
        ][:MOST_PLACES]

    def names_subject(self, text: str, *, is_known: bool = False) -> bool:
        """Whether a text names whom the fact is about.

        A name that is a common word must stand as a name; where the subject `is_known` to be in the text, it may
        begin a sentence too.
        """
        if is_known and any(set(words_of(name)) <= set(words_of(text)) for name in self.subject):
            return True
        return any(NameIndex(self.subject, words=words_in_lower_case(text)).find(text))

    def sentences_in(
        self, text: str, *, about_subject: bool = False, is_known: bool = False
    ) -> Iterator[tuple[int, int]]:
        """The sentences of a text that have the words of the fact.

        Short values count only where the paragraph, or of two entities the sentence, names the subject; in a text
        that is all `about_subject` they count everywhere. `is_known` says that the graph has the subject there.
        """
        seen: set[tuple[int, int]] = set()
        for begin, end in paragraphs_in(text):
            paragraph = text[begin:end]
            places = self.values_in(paragraph)
            if not places or not (about_subject or self.is_long or self.names_subject(paragraph, is_known=is_known)):
                continue
            for one in places:
                start, stop = quote_around(paragraph, *one)
                if (
                    self.target
                    and not about_subject
                    and not self.names_subject(paragraph[start:stop], is_known=is_known)
                ):
                    continue
                span = (begin + start, begin + stop)
                if span not in seen:
                    seen.add(span)
                    yield span

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        before = r"(?<!\w)" if _WORD.match(self.value) else ""
        after = r"(?!\w)" if _WORD.match(self.value[-1:]) else ""
        own = r"\s{1,3}".join(re.escape(word) for word in self.value.split())
        return re.compile(f"{before}{own}{after}", re.IGNORECASE)


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
