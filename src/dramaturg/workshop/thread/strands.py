"""Where a thread leads: one function for each source, from a fact to everything there that rests on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dramaturg.kernel.text.shortened import short_line
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.book.knowledge import ToldFact
from dramaturg.workshop.consolidation.decision_facts import SOURCE as DECISION
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.front_matter import read_matter
from dramaturg.workshop.graph.values import Fact, StoryGraph, book_of, folded
from dramaturg.workshop.graph.written_facts import SOURCE as WRITTEN
from dramaturg.workshop.graph.written_facts import quoted
from dramaturg.workshop.promises.ledger import FILE as LEDGER
from dramaturg.workshop.promises.wire import Promise
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.thread.choice import going_along, same_saying
from dramaturg.workshop.thread.values import Strand, StrandKind, StrandWay
from dramaturg.workshop.thread.words import FactWords
from dramaturg.workshop.works.events import FactsTold

LONGEST_SAID = 300
_LISTING = re.compile(r"[ \t]*(?:cast|characters|characters_present|pov|pov_character|place|location)[ \t]*:")
"""A line of front matter that names who and where, and says nothing more of them."""


@dataclass(frozen=True, slots=True)
class ToldRun:
    """A long work whose prompts told facts: its run, what it is, and what it told."""

    run: str
    noun: str
    told: tuple[FactsTold, ...]


@dataclass(frozen=True, slots=True)
class ThreadSources:
    """Everything that a thread is pulled through. Texts have plain line breaks, by their paths."""

    graph: StoryGraph
    manuscript: Mapping[str, str] = field(default_factory=dict)
    scaffolds: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    decisions: Sequence[Decision] = ()
    talk: ForemanState = field(default_factory=ForemanState)
    runs: Sequence[ToldRun] = ()
    promises: Sequence[Promise] = ()

    def text(self, path: str) -> str | None:
        return next((held[path] for held in (self.manuscript, self.scaffolds, self.pages) if path in held), None)


def pulled(sources: ThreadSources, fact: Fact) -> tuple[Strand, ...]:
    """Every strand of a fact, each place once: what is proved by a quotation comes before what only looks like it."""
    found = [
        *_evidence(sources, same_saying(sources.graph, fact), "quote"),
        *_written_lines(sources, fact),
        *_evidence(sources, going_along(sources.graph, fact), "graph"),
        *sentences(sources, fact),
        *scaffolds(sources, fact),
        *pages(sources, fact),
        *decisions(sources, fact),
        *ledger_entries(sources, fact),
        *passages(sources, fact),
        *run_passages(sources, fact),
    ]
    kept: list[Strand] = []
    for one in found:
        if not any(_covers(other, one) for other in kept):
            kept.append(one)
    return tuple(kept)


def sentences(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """The sentences of the manuscript that have the words of a fact."""
    return _in_texts(sources, fact, sources.manuscript, "sentence")


def scaffolds(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """The lines of scaffolds that have the words of a fact."""
    return _in_texts(sources, fact, sources.scaffolds, "scaffold")


def pages(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """The lines of the story bible that have the words of a fact."""
    return _in_texts(sources, fact, sources.pages, "page")


def decisions(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """The decisions that a fact was made of, or that have its words."""
    made_of = {one.source for one in same_saying(sources.graph, fact) if one.source.startswith(f"{DECISION} ")}
    words = FactWords.of(sources.graph, fact)
    for one in sources.decisions:
        where, text = f"{DECISION} {one.id}", f"{one.key.replace('_', ' ')}: {one.value}"
        keyed = any(folded(name) in folded(one.key.replace("_", " ")) for name in words.subject)
        if where in made_of:
            yield Strand(kind="decision", way="quote", where=where, quote=one.value, said=one.key)
        elif any(words.sentences_in(text, about_subject=keyed, is_known=True)):
            yield Strand(kind="decision", way="words", where=where, quote=one.value, said=one.key)


def ledger_entries(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """The promises of the ledger that have the words of a fact, in what they say or in the words that they quote."""
    words = FactWords.of(sources.graph, fact)
    for one in sources.promises:
        quotes = [place.quote for place in (one.planted, *one.echoed, one.paid) if place is not None and place.quote]
        held = next((text for text in (one.what, *quotes) if any(words.sentences_in(text, is_known=True))), "")
        if held:
            yield Strand(kind="ledger", way="words", where=LEDGER, quote=held, said=f"{one.name}, {one.state}")


def passages(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """What the Foreman made in turns whose prompts told a fact."""
    for number, turn in sorted(sources.talk.turns.items()):
        if not any(_tells(sources.graph, fact, prompt.receipt.facts) for prompt in turn.prompts):
            continue
        made = [one.outcome.said for one in turn.done if one.act not in sources.talk.undone]
        if made or turn.message:
            said = "; ".join(made) or "it answered"
            yield Strand(
                kind="passage",
                way="receipt",
                where=f"turn {number}",
                said=short_line(said, LONGEST_SAID),
                quote=short_line(turn.message, LONGEST_SAID),
            )


def run_passages(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """What long works made of prompts that told a fact: drafts, analyses, enhancements."""
    for one in sources.runs:
        about = [event.about for event in one.told if _tells(sources.graph, fact, event.facts)]
        if about:
            of = f" of {', '.join(filter(None, dict.fromkeys(about)))}" if any(about) else ""
            yield Strand(kind="passage", way="receipt", where=one.run, said=f"{one.noun}{of}")


def _evidence(sources: ThreadSources, facts: Iterable[Fact], way: StrandWay) -> Iterator[Strand]:
    """The words that facts were read from, where they stand now."""
    for fact in facts:
        text = sources.text(fact.file)
        if not fact.quote or text is None:
            continue
        start = fact.start if text.startswith(fact.quote, fact.start) else text.find(fact.quote)
        if start >= 0:
            said = told(sources.graph, fact) if way == "graph" else ""
            yield _strand(sources, fact.file, text, (start, start + len(fact.quote)), way, said)


def _in_texts(sources: ThreadSources, fact: Fact, texts: Mapping[str, str], kind: StrandKind) -> Iterator[Strand]:
    words = FactWords.of(sources.graph, fact)
    own, root = set(map(folded, words.subject)), sources.graph.roots[fact.subject]
    known = {one.file for one in sources.graph.current if root in _ends(sources.graph, one)}
    for path, text in texts.items():
        matter = read_matter(path, text)
        about = kind == "page" and folded(matter.name) in own
        head = 0 if kind == "scaffold" else len(matter.head)
        for start, end in words.sentences_in(text[head:], about_subject=about, is_known=path in known):
            if start + head >= len(matter.head) or not _LISTING.match(text, start + head):
                yield _strand(sources, path, text, (start + head, end + head), "words", "")


def _written_lines(sources: ThreadSources, fact: Fact) -> Iterator[Strand]:
    """The lines of front matter in which the writer put a fact down, where its evidence is a quotation elsewhere."""
    words = FactWords.of(sources.graph, fact)
    for one in same_saying(sources.graph, fact):
        text = sources.text(one.file) if one.source == WRITTEN else None
        if text is None:
            continue
        head = read_matter(one.file, text).head
        for name in words.subject:
            start, line = quoted(text, "", name, head, one.predicate)
            if one.predicate in line and words.values_in(line):
                yield _strand(sources, one.file, text, (start, start + len(line)), "quote", "")
                break


def _ends(graph: StoryGraph, fact: Fact) -> tuple[int | None, int | None]:
    return graph.roots[fact.subject], graph.roots.get(fact.object or 0)


def _strand(sources: ThreadSources, path: str, text: str, span: tuple[int, int], way: StrandWay, said: str) -> Strand:
    kind: StrandKind = "page" if path in sources.pages else "scaffold" if path in sources.scaffolds else "sentence"
    start, end = span
    line = text.count("\n", 0, start) + 1
    book = book_of(path)
    where = path.removeprefix(f"{book}:") if book else path
    return Strand(kind=kind, way=way, where=where, quote=text[start:end], line=line, start=start, said=said, book=book)


def _tells(graph: StoryGraph, fact: Fact, facts: Sequence[ToldFact]) -> bool:
    """Whether a receipt names a fact: by its words, or by its number and its subject.

    A number alone does not do: a prompt may have been sent before the graph was stored.
    """
    same = same_saying(graph, fact)
    numbers = {one.id for one in same}
    said = {text for one in same for text in (told(graph, one), one.value) if text}
    who = graph.root(fact.subject).name
    decided = {one.source for one in same}
    return any(
        one.said in said
        or (one.fact in numbers and who in one.said)
        or (one.decision is not None and f"{DECISION} {one.decision}" in decided)
        for one in facts
        if not one.book
    )


def _covers(one: Strand, other: Strand) -> bool:
    if one.where != other.where or one.book != other.book:
        return False
    if one.start < 0 or other.start < 0:
        return (one.kind, one.quote) == (other.kind, other.quote)
    return one.start <= other.start and other.start + len(other.quote) <= one.start + len(one.quote)
