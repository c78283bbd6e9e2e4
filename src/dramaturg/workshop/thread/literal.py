"""A retcon without a model: the patches for every place where the old value stands word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from dramaturg.workshop.consolidation.decision_facts import SOURCE as DECISION
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.values import Fact
from dramaturg.workshop.patches.patch import Patch, patch_at
from dramaturg.workshop.thread.strands import ThreadSources
from dramaturg.workshop.thread.values import LookAt, Strand
from dramaturg.workshop.thread.words import FactWords

ISSUE = "retcon"
NOT_LITERAL = "It rests on the fact and does not say it in these words."
ELSE = "It has the word, and may be about something else."
MADE_BEFORE = "It was made when the old value held; what it wrote is in the files."


@dataclass(frozen=True, slots=True)
class LiteralChanges:
    """What can be changed word for word, the sentences that only a reader can reword, and what no patch reaches."""

    patches: tuple[Patch, ...] = ()
    to_reword: tuple[Strand, ...] = ()
    to_look_at: tuple[LookAt, ...] = ()


def literal_changes(sources: ThreadSources, fact: Fact, strands: Sequence[Strand], value: str) -> LiteralChanges:
    """The change of a fact to another value, as far as it needs no reading."""
    words = FactWords.of(sources.graph, fact)
    reason = f"{told(sources.graph, fact)} → {value}"
    patches: dict[tuple[str, int], Patch] = {}
    to_reword: list[Strand] = []
    look: list[LookAt] = []
    for one in strands:
        text = sources.text(one.where)
        if text is None or one.start < 0 or one.book:
            look.append(_look_at(sources, words, one, value))
            continue
        places = [(one.start + start, one.start + end) for start, end in words.values_in(one.quote)]
        if places and one.way == "words" and not words.is_about(one.quote):
            look.append(LookAt(where=one.where, quote=one.quote, line=one.line, why=ELSE))
            continue
        if not places:
            to_reword.append(one)
        for start, end in places:
            new = _in_case(text[start:end], words.value, value)
            patch = patch_at(one.where, text, start, end, new, reason=reason, issue=ISSUE)
            patches.setdefault((one.where, start), patch)
    ordered = [patch for _, patch in sorted(patches.items())]
    return LiteralChanges(tuple(ordered), tuple(to_reword), tuple(look))


def unread(one: Strand) -> LookAt:
    """A sentence that nobody reworded."""
    return LookAt(where=one.where, quote=one.quote, line=one.line, why=f"{NOT_LITERAL} {one.said}".strip())


def _look_at(sources: ThreadSources, words: FactWords, one: Strand, value: str) -> LookAt:
    why = MADE_BEFORE
    if one.book:
        why = f"It is in {one.book}; open that book to change it."
    elif one.kind == "decision":
        why = _decided_anew(sources, words, one, value)
    elif one.kind == "ledger":
        why = "The ledger has it."
    return LookAt(where=one.where, quote=one.quote, line=one.line, why=why, book=one.book)


def _decided_anew(sources: ThreadSources, words: FactWords, one: Strand, value: str) -> str:
    """How the writer changes a decision: with the new value where the old one stands word for word."""
    decision = next((held for held in sources.decisions if f"{DECISION} {held.id}" == one.where), None)
    places = words.values_in(one.quote)
    if decision is None or not places:
        return f"It is left as it is, and says it in other words. Decide anew: dramaturg foreman decide {one.said} …"
    new = one.quote
    for start, end in reversed(places):
        new = new[:start] + _in_case(new[start:end], words.value, value) + new[end:]
    kind = "" if decision.kind == "fact" else f" --kind {decision.kind}"
    command = f"dramaturg foreman decide {one.said} {quote(new)} --category {decision.category}{kind}"
    return f"It is left as it is. Decide anew: {command}"


def _in_case(found: str, old: str, new: str) -> str:
    """The new value with a capital where the old one has one that is not its own."""
    if found[:1].isupper() and old[:1].islower():
        return new[:1].upper() + new[1:]
    return new
