"""What is known about a book: the fields of its story bible and the writer's decisions, as one list without doubles.

The files are the truth. A decision that says the same as a field is that field; one that says something else is left
out and reported, so that the writer can settle which of the two holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from pydantic import Field

from dramaturg.kernel.text.words import content
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import BEATS, BiblePage, TemplateName, page_path, rules_of
from dramaturg.workshop.book.decisions import Category, Decision, DecisionKind, key_name

BibleField: TypeAlias = tuple[TemplateName, str]
"""A template of the story bible, and the name of a field of it."""
CORE_FIELDS = ("fatal_flaw", "the_lie")
_BEAT_KEYS = {f"beat_{beat.number}": key_name(beat.name) for beat in BEATS}
_CATEGORIES: Mapping[TemplateName, Category] = {
    "protagonist": "character",
    "beat_sheet": "structure",
    "theme": "structure",
    "world_rules": "world",
}
# The words of a key that say which field it is, once names and fillers are left out.
_FIELDS: Mapping[tuple[str, ...], BibleField] = {
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
_LEAD_KEYS = ("protagonist", "protagonist_name", "main_character", "hero")
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
    written = written_fields(pages)
    lead = protagonist or lead_of(decisions)
    decided = [(one, *decided_entry(one, lead)) for one in decisions]
    entries = [entry for _, field, entry in decided if field is None or field not in written]
    differing = [
        difference(one, field, written[field]) for one, field, _ in decided if field is not None and field in written
    ]
    return KnownFacts(
        entries=(*field_entries(pages, protagonist), *entries), disagreements=tuple(filter(None, differing))
    )


def written_fields(pages: Sequence[BiblePage]) -> dict[BibleField, str]:
    """What the filled fields of the story bible say."""
    return {(page.template, field): text for page in pages for field, text in page.fields.items()}


def difference(decision: Decision, field: BibleField, written: str) -> Disagreement | None:
    """How a decision and its field differ; None if they say the same."""
    if _agrees(decision.value, written):
        return None
    template, name = field
    return Disagreement(key=decision.key, decided=decision.value, template=template, field=name, written=written)


def field_of(key: str, protagonist: str) -> BibleField | None:
    """The field of the story bible that a decision's key names: `elena_fatal_flaw`, `midpoint`, `beat_3`."""
    own = set(key_name(protagonist).split("_"))
    said = tuple(word for word in key.split("_") if word not in own and word not in _FILLERS)
    return _FIELDS.get(said)


def lead_of(decisions: Sequence[Decision]) -> str:
    """The protagonist of a book without a page for one: who was decided on, else who got the first flaw."""
    for one in decisions:
        if one.key in _LEAD_KEYS:
            return one.value
    for one in decisions:
        if one.category == "character" and (name := _flawed(one.key)):
            return name
    return ""


def may_name_the_lead(decision: Decision) -> bool:
    """Whether a decision counts when the protagonist of a book is looked for."""
    return decision.key in _LEAD_KEYS or (decision.category == "character" and bool(_flawed(decision.key)))


@lru_cache(maxsize=8192)
def _flawed(key: str) -> str:
    """Whose flaw a key names; empty if it names none."""
    found = re.fullmatch(r"(\w+?)_(?:fatal_)?flaw", key)
    return found[1].replace("_", " ") if found else ""


def field_entries(pages: Iterable[BiblePage], protagonist: str) -> Iterator[KnowledgeEntry]:
    """The filled fields and the notes of the story bible."""
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


def decided_entry(decision: Decision, protagonist: str) -> tuple[BibleField | None, KnowledgeEntry]:
    """The field of the story bible that a decision is about, and the decision as an entry."""
    kind, category = decision.kind, decision.category
    field = field_of(decision.key, protagonist) if kind == "fact" else None
    is_core = field is not None and field[1] in CORE_FIELDS
    return field, KnowledgeEntry(
        category=category,
        key=decision.key,
        value=decision.value,
        kind=_MEMORY.get(category, kind) if kind == "fact" else kind,
        decision=decision.id,
        at=decision.decided_at,
        is_core=is_core and category == "character",
    )


def _agrees(decided: str, written: str) -> bool:
    """Whether a decision says nothing that its field does not say: nearly all of its words are there."""
    if decided.strip() in written:
        return True
    mine, theirs = set(content(decided)), set(content(written))
    return bool(mine) and len(mine & theirs) >= _MINE * len(mine)
