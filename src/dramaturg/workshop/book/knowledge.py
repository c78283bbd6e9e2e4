"""What is known about a book: the fields of its story bible and the writer's decisions, as one list without doubles.

The files are the truth. A decision that says the same as a field is that field; one that says something else is left
out and reported, so that the writer can settle which of the two holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from pydantic import Field

from dramaturg.kernel.text.words import content
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import BEATS, BiblePage, TemplateName, page_path, rules_of
from dramaturg.workshop.book.decisions import Category, Decision, DecisionKind, key_name

CORE_FIELDS = ("fatal_flaw", "the_lie")
_BEAT_KEYS = {f"beat_{beat.number}": key_name(beat.name) for beat in BEATS}
_CATEGORIES: Mapping[TemplateName, Category] = {
    "protagonist": "character",
    "beat_sheet": "structure",
    "theme": "structure",
    "world_rules": "world",
}
# The words of a key that say which field it is, once names and fillers are left out.
_FIELDS: Mapping[tuple[str, ...], tuple[TemplateName, str]] = {
    ("flaw",): ("protagonist", "fatal_flaw"),
    ("lie",): ("protagonist", "the_lie"),
    ("arc", "start"): ("protagonist", "arc_start"),
    ("arc", "midpoint"): ("protagonist", "arc_midpoint"),
    ("arc", "resolution"): ("protagonist", "arc_resolution"),
    ("arc", "end"): ("protagonist", "arc_resolution"),
    ("theme",): ("theme", "central_theme"),
    ("theme", "statement"): ("theme", "theme_statement"),
    **{("beat", str(beat.number)): ("beat_sheet", f"beat_{beat.number}") for beat in BEATS},
    **{tuple(key_name(beat.name).split("_")): ("beat_sheet", f"beat_{beat.number}") for beat in BEATS},
}
_FILLERS = frozenset({"protagonist", "hero", "the", "fatal", "central", "main", "s", "story", "book"})
_MINE = 0.8
"""The share of a decision's words that must be in a field for both to say the same."""
_MEMORY: Mapping[Category, DecisionKind] = {"preference": "preference", "constraint": "continuity"}


class KnowledgeEntry(Value):
    """Something that is settled about a book, as a prompt may tell it."""

    category: Category
    key: str
    value: str
    kind: DecisionKind = "fact"
    source: str = Field("", description="a file of the project; empty for a decision")
    decision: int | None = Field(None, description="the decision it comes from")
    at: float = 0.0
    is_core: bool = Field(False, description="the protagonist's flaw or lie, which every prompt tells")
    distance: float | None = Field(None, description="of a fact of the graph, to the scene at hand")
    fact: int | None = Field(None, description="its number in the graph, if it is a fact of it")
    book: str = Field("", description="the book of the series that says it; empty for this one")


class ToldFact(Value):
    """A fact that a prompt contained: its number in the graph, the number of its decision, and how it was told.

    A prompt may be sent before its book's graph is stored, so that its words count beside its number.
    """

    fact: int | None = Field(None, description="in the graph of the book", exclude_if=lambda held: held is None)
    decision: int | None = Field(None, exclude_if=lambda held: held is None)
    said: str
    book: str = Field("", description="the book of the series that says it", exclude_if=lambda held: not held)


def told_facts(entries: Iterable[KnowledgeEntry]) -> tuple[ToldFact, ...]:
    """The facts among what a prompt tells, each once."""
    return tuple(
        dict.fromkeys(
            ToldFact(fact=one.fact, decision=one.decision, said=one.value, book=one.book)
            for one in entries
            if one.fact is not None or one.decision is not None or one.book
        )
    )


class Disagreement(Value):
    """A decision and a field of the story bible that say different things. The field holds until it is settled."""

    key: str
    decided: str
    template: TemplateName
    field: str
    written: str

    @property
    def path(self) -> str:
        return page_path(self.template)


class KnownFacts(Value):
    """The knowledge about a book, and where its sources disagree."""

    entries: tuple[KnowledgeEntry, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()


def known_facts(pages: Sequence[BiblePage], decisions: Sequence[Decision], protagonist: str) -> KnownFacts:
    """Everything known about a book. Decisions about a filled field give way to it."""
    written = {(page.template, field): text for page in pages for field, text in page.fields.items()}
    entries, differing = list(_fields(pages, protagonist)), []
    lead = protagonist or _lead(decisions)
    decided = [
        (one, *_decided(one.id, one.category, one.kind, one.key, one.value, one.decided_at, lead)) for one in decisions
    ]
    entries += [entry for _, place, entry in decided if place is None or place not in written]
    for one, place, _ in decided:
        if place is not None and place in written and not _agrees(one.value, written[place]):
            differing.append(
                Disagreement(key=one.key, decided=one.value, template=place[0], field=place[1], written=written[place])
            )
    return KnownFacts(entries=tuple(entries), disagreements=tuple(differing))


def field_of(key: str, protagonist: str) -> tuple[TemplateName, str] | None:
    """The field of the story bible that a decision's key names: `elena_fatal_flaw`, `midpoint`, `beat_3`."""
    own = set(key_name(protagonist).split("_"))
    said = tuple(word for word in key.split("_") if word not in own and word not in _FILLERS)
    return _FIELDS.get(said)


def _lead(decisions: Sequence[Decision]) -> str:
    """The protagonist of a book without a page for one: who was decided on, else who got the first flaw."""
    for one in decisions:
        if one.key in ("protagonist", "protagonist_name", "main_character", "hero"):
            return one.value
    for one in decisions:
        if one.category == "character" and (name := _flawed(one.key)):
            return name
    return ""


@lru_cache(maxsize=8192)
def _flawed(key: str) -> str:
    """Whose flaw a key names; empty if it names none."""
    found = re.fullmatch(r"(\w+?)_(?:fatal_)?flaw", key)
    return found[1].replace("_", " ") if found else ""


def _fields(pages: Iterable[BiblePage], protagonist: str) -> Iterator[KnowledgeEntry]:
    first = next(iter(key_name(protagonist).split("_")), "") or "protagonist"
    for page in pages:
        category, source = _CATEGORIES[page.template], page_path(page.template)
        for field, text in page.fields.items():
            if field == "fundamental_rules":
                for number, rule in enumerate(rules_of(text), start=1):
                    yield KnowledgeEntry(category=category, key=f"rule_{number}", value=rule, source=source)
                continue
            key = f"{first}_{field}" if page.template == "protagonist" else field
            key = f"{field}_{_BEAT_KEYS[field]}" if field in _BEAT_KEYS else key
            core = page.template == "protagonist" and field in CORE_FIELDS
            yield KnowledgeEntry(category=category, key=key, value=text, source=source, is_core=core)
        for heading, text in page.notes.items():
            yield KnowledgeEntry(category=category, key=key_name(heading), value=text, source=source)


@lru_cache(maxsize=8192)
def _decided(
    number: int, category: Category, kind: DecisionKind, key: str, value: str, at: float, protagonist: str
) -> tuple[tuple[TemplateName, str] | None, KnowledgeEntry]:
    """The field of the story bible that a decision is about, and the decision as an entry.

    It is told by its parts, which are hashed without a call; a book asks for all its decisions in every turn.
    """
    place = field_of(key, protagonist) if kind == "fact" else None
    is_core = place is not None and place[1] in CORE_FIELDS
    return place, KnowledgeEntry(
        category=category,
        key=key,
        value=value,
        kind=_MEMORY.get(category, kind) if kind == "fact" else kind,
        decision=number,
        at=at,
        is_core=is_core and category == "character",
    )


def _agrees(decided: str, written: str) -> bool:
    """Whether a decision says nothing that its field does not say: nearly all of its words are there."""
    if decided.strip() in written:
        return True
    mine, theirs = set(content(decided)), set(content(written))
    return bool(mine) and len(mine & theirs) >= _MINE * len(mine)
