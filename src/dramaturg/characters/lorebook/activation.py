"""Activation: books, a conversation and a state in; the entries to tell, their reasons and the next state out.

A pure function: nothing is read or stored elsewhere, and the dice are seeded by the chat, the length of the
conversation and the entry, so the same scan always gives the same result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random

from dramaturg.characters.lorebook.budget import OF_LONG, LoreBudget, cut_text
from dramaturg.characters.lorebook.eligibility import exclusion_of
from dramaturg.characters.lorebook.entry import Lorebook, LoreEntry
from dramaturg.characters.lorebook.groups import losers
from dramaturg.characters.lorebook.keys import TOO_LONG, KeySearch, SearchedText
from dramaturg.characters.lorebook.scan import (
    ActiveLore,
    HeldEffects,
    LoreMessage,
    LoreScan,
    LoreSettings,
    LoreState,
    LoreSurroundings,
    TimedEffect,
    UntoldLore,
)
from dramaturg.characters.lorebook.work import MAX_TEXT, PER_ENTRY, PER_TOLD, PER_TOLD_CHARACTER, leaves_the_loop
from dramaturg.characters.tavern.macros import SOMEBODY, MacroContext, expand_macros
from dramaturg.kernel.models.tokens import estimate_tokens

MOST_TEXTS = 8
"""How many texts are kept at once for other entries to be searched in."""
OVER_BUDGET = "over the budget"
NOTHING_YET, ORDINARY, NOWHERE = LoreState(), LoreSettings(), LoreSurroundings()


@lru_cache(maxsize=1024)
def estimated(text: str) -> int:
    """The estimated tokens of a text. The same entries are counted at every scan."""
    return estimate_tokens(text)


def activate(
    books: Sequence[Lorebook],
    messages: Sequence[LoreMessage],
    state: LoreState = NOTHING_YET,
    settings: LoreSettings = ORDINARY,
    around: LoreSurroundings = NOWHERE,
    *,
    count: Callable[[str], int] = estimated,
) -> LoreScan:
    """One scan. Books are given in order of precedence; the entries told are returned in prompt order."""
    return _Scan(tuple(_placed(books)), messages, state, settings, around, count).result()


async def activate_aside(
    books: Sequence[Lorebook],
    messages: Sequence[LoreMessage],
    state: LoreState = NOTHING_YET,
    settings: LoreSettings = ORDINARY,
    around: LoreSurroundings = NOWHERE,
) -> LoreScan:
    """The same scan; one that is expected to take long runs in a thread, so that nothing else waits for it.

    A thread is enough: RE2 releases the interpreter's lock while it searches, and what is Python hands it over every
    few milliseconds.
    """
    if not leaves_the_loop(books, (one.text for one in reversed(messages))):
        return activate(books, messages, state, settings, around)
    return await asyncio.to_thread(activate, books, messages, state, settings, around)


@dataclass(frozen=True, slots=True)
class _PlacedEntry:
    """An entry and its book; `place` is its number among all entries of all books."""

    entry: LoreEntry
    book: Lorebook
    title: str
    place: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entry that may be told in this pass, and why."""

    placed: _PlacedEntry
    reason: str
    score: int = 0

    @property
    def entry(self) -> LoreEntry:
        return self.placed.entry


@dataclass(frozen=True, slots=True)
class _Pass:
    """One look at every entry: the first, one prompted by new lore, or one further back in the conversation."""

    recursion: bool = False
    level: int = 0
    deeper: int = 0


class _Scan:
    def __init__(
        self,
        entries: tuple[_PlacedEntry, ...],
        messages: Sequence[LoreMessage],
        state: LoreState,
        settings: LoreSettings,
        around: LoreSurroundings,
        count: Callable[[str], int],
    ) -> None:
        self.entries, self.messages, self.settings, self.around, self.count = entries, messages, settings, around, count
        self.length = len(messages)
        self.macros = MacroContext(around.char, around.user or SOMEBODY, around.seed, self.length)
        self.answers = sum(not message.is_user for message in messages)
        self.texts = _Texts(messages, settings, around, self.macros)
        self.search = KeySearch(settings, self.macros)
        self.effects = _carried(state, {one.entry.uid: one.entry for one in entries}, self.length)
        self.held = LoreState(effects=tuple(self.effects)).held()
        limits = {one.title: one.book.token_budget for one in entries if one.book.token_budget is not None}
        self.budget = LoreBudget(settings.budget_tokens, limits)
        self.told: dict[str, ActiveLore] = {}
        self.untold: dict[str, UntoldLore] = {}
        self.places: dict[str, int] = {one.entry.uid: one.place for one in entries}
        self.lore: list[str] = []

    def result(self) -> LoreScan:
        for this in self._passes():
            self._admit(self._candidates(this))
        for uid, fault in self.search.faults.items():
            if uid not in self.told:
                self._withhold(self.entries[self.places[uid]].entry, fault)
        told = sorted(self.told.values(), key=lambda one: (one.entry.order, self.places[one.entry.uid]))
        shown = tuple(one for one in told if one.text)
        return LoreScan(
            told=shown,
            untold=tuple(self.untold.values()),
            state=LoreState(effects=tuple(self.effects)),
            tokens=sum(one.tokens for one in shown),
        )

    def _passes(self) -> Iterator[_Pass]:
        """Passes, until another could tell nothing new."""
        levels = self._levels()
        this = _Pass(level=levels.pop(0) if levels else 0)
        for _ in range(self.settings.most_passes):
            known = len(self.lore)
            yield this
            deeper = this.deeper + 1
            if self.budget.is_spent or self.search.steps.is_spent:
                return
            if len(self.lore) > known and any(_is_recursive(one, self.settings) for one in self.entries):
                this = _Pass(True, this.level, this.deeper)
            elif len(self.told) < self.settings.min_activations and self._can_look(deeper):
                this = _Pass(False, this.level, deeper)
            elif levels:
                this = _Pass(True, levels.pop(0), this.deeper)
            else:
                return

    def _levels(self) -> list[int]:
        delays = {
            one.entry.delay_until_recursion
            for one in self.entries
            if one.entry.enabled and _is_recursive(one, self.settings)
        }
        return sorted(level for level in delays if level > 0)

    def _can_look(self, deeper: int) -> bool:
        depth = self.settings.scan_depth + deeper
        return depth <= self.length and (not self.settings.deepest or depth <= self.settings.deepest)

    def _candidates(self, this: _Pass) -> list[_Candidate]:
        found = (
            self._candidate(one, this)
            for one in self.entries
            if one.entry.enabled and one.entry.uid not in self.told and one.entry.uid not in self.untold
        )
        return [one for one in found if one is not None]

    def _candidate(self, placed: _PlacedEntry, this: _Pass) -> _Candidate | None:
        entry = placed.entry
        if not self.search.steps.take(PER_ENTRY):
            self._withhold(entry, TOO_LONG)
            return None
        sticky = self.held.get((entry.uid, "sticky"))
        exclusion = exclusion_of(entry, self.length, self.answers, self.held, self.around)
        if exclusion is not None:
            if exclusion.reason:
                self._withhold(entry, exclusion.reason)
            return None
        if sticky is None and not self._may_now(placed, this):
            return None
        if entry.decorators.activate:
            return _Candidate(placed, "@@activate")
        if entry.decorators.dont_activate:
            return None
        if entry.constant:
            return _Candidate(placed, "constant")
        if sticky is not None:
            return _Candidate(placed, f"sticky until message {sticky.end}")
        if entry.decorators.keep_activate_after_match and (entry.uid, "matched") in self.held:
            return _Candidate(placed, "matched before")
        return self._match(placed, this)

    def _may_now(self, placed: _PlacedEntry, this: _Pass) -> bool:
        """Whether the rules of recursion allow the entry in this pass."""
        entry = placed.entry
        if entry.delay_until_recursion:
            return this.recursion and entry.delay_until_recursion <= this.level
        return not (this.recursion and entry.exclude_recursion)

    def _match(self, placed: _PlacedEntry, this: _Pass) -> _Candidate | None:
        entry = placed.entry
        if not entry.keys:
            return None
        depth = next(
            depth for depth in (entry.scan_depth, placed.book.scan_depth, self.settings.scan_depth) if depth is not None
        )
        depth = max(0, depth + this.deeper)
        found = self.search.match(entry, self.texts.of(depth, entry.also_scan))
        if found:
            return _Candidate(placed, f"key {found.key!r} in {_counted(min(depth, self.length))}", found.score)
        if self.lore and this.recursion and _is_recursive(placed, self.settings):
            found = self.search.match(entry, self.texts.of(depth, entry.also_scan, self.lore))
            return _Candidate(placed, f"key {found.key!r} in lore that was told", found.score) if found else None
        return None

    def _admit(self, candidates: list[_Candidate]) -> None:
        """Apply the groups, then the dice, then the budget."""
        sticky = frozenset(one.entry.uid for one in candidates if (one.entry.uid, "sticky") in self.held)
        lost = losers(
            [one.entry for one in candidates],
            [one.entry for one in self.told.values()],
            sticky,
            {one.entry.uid: one.score for one in candidates},
            self.settings.group_scoring,
            self._seed(),
        )
        kept: list[_Candidate] = []
        for one in candidates:
            entry = one.entry
            reason = lost.get(entry.uid) or ("" if entry.uid in sticky else self._rolled(entry))
            if reason:
                self._withhold(entry, reason)
            else:
                kept.append(one)
        kept.sort(key=lambda one: _rank(one.placed, one.entry.uid in sticky))
        shares = self._shares(kept)
        for one in kept:
            self._tell(one, shares.get(one.entry.uid))

    def _shares(self, kept: list[_Candidate]) -> dict[str, int]:
        """How many tokens each constant may have."""
        constants = [one for one in kept if one.entry.constant and not one.entry.ignore_budget]
        if len(constants) < 2:
            return {}
        return self.budget.shares({one.entry.uid: self.count(self._text(one.entry)) for one in constants})

    def _rolled(self, entry: LoreEntry) -> str:
        if entry.probability >= 100:
            return ""
        roll = Random(f"{self._seed()}/{entry.uid}").random() * 100
        return "" if roll < entry.probability else f"the dice: {roll:.0f} of {entry.probability:g}"

    def _tell(self, one: _Candidate, share: int | None = None) -> None:
        entry, title = one.entry, one.placed.title
        self.search.steps.take(PER_TOLD + PER_TOLD_CHARACTER * len(entry.content))
        text = self._text(entry)
        whole = tokens = self.count(text) if text else 0
        if not entry.ignore_budget:
            most = self.budget.room(title) if share is None else min(self.budget.room(title), share)
            if tokens > most:
                text = self._cut(text, title, most, share)
                if not text:
                    self.budget.close(title)
                    self._withhold(entry, OVER_BUDGET)
                    return
                tokens = self.count(text)
            self.budget.spend(title, tokens)
        cut_from = whole if tokens < whole else 0
        reason = f"{one.reason}; cut to {tokens} of {whole} tokens" if cut_from else one.reason
        self.told[entry.uid] = ActiveLore(
            entry=entry, book=title, text=text, tokens=tokens, reason=reason, cut_from=cut_from
        )
        if text and not entry.prevent_recursion:
            self.lore.append(expand_macros(entry.content, replace(self.macros, hidden_keys=True)))
        self.effects.extend(_left_by(entry, self.held, self.length))

    def _cut(self, text: str, title: str, room: int, share: int | None) -> str:
        """What is told of a text that does not fit; nothing if its book has told something already."""
        if share is not None:
            return cut_text(text, room, self.count)
        return "" if self.budget.has_told(title) else cut_text(text, int(room * OF_LONG), self.count)

    def _text(self, entry: LoreEntry) -> str:
        return expand_macros(entry.content, self.macros).strip("\r\n")

    def _withhold(self, entry: LoreEntry, reason: str) -> None:
        self.untold[entry.uid] = UntoldLore(uid=entry.uid, label=entry.label, reason=reason)

    def _seed(self) -> str:
        return f"{self.around.seed}/{self.length}"


def _placed(books: Sequence[Lorebook]) -> Iterator[_PlacedEntry]:
    """Every entry of every book, under a unique id."""
    taken: dict[str, int] = {}
    place = 0
    for number, book in enumerate(books):
        title = _free(book.name or f"book {number + 1}", taken)
        for entry in book.entries:
            uid = _free(f"{title}/{entry.uid}", taken)
            yield _PlacedEntry(entry.model_copy(update={"uid": uid}), book, title, place)
            place += 1


def _free(name: str, taken: dict[str, int]) -> str:
    """The name, with a number if it is taken. `taken` remembers the next number of each."""
    free, number = name, taken.get(name, 2)
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    taken[name] = number
    taken.setdefault(free, 2)
    return free


@dataclass(slots=True)
class _Texts:
    """What keys are searched in: the newest messages, further fields, and lore that was told."""

    messages: Sequence[LoreMessage]
    settings: LoreSettings
    around: LoreSurroundings
    macros: MacroContext
    _made: dict[object, SearchedText] = field(default_factory=dict)
    _expanded: dict[int, str] = field(default_factory=dict)

    def of(self, depth: int, also: tuple[str, ...], lore: Sequence[str] = ()) -> SearchedText:
        """The text for an entry that looks so many messages back. Lore only grows, so its length tells it apart."""
        asked = (min(depth, len(self.messages)), also, len(lore))
        if asked not in self._made:
            if len(self._made) >= MOST_TEXTS:
                del self._made[next(iter(self._made))]
            self._made[asked] = SearchedText(_end_of(self._newest_first(depth, also, lore)))
        return self._made[asked]

    def _newest_first(self, depth: int, also: tuple[str, ...], lore: Sequence[str]) -> Iterator[str]:
        yield from reversed(lore)
        count = len(self.messages)
        for place in range(count - 1, max(-1, count - 1 - depth), -1):
            yield self._message(place)
        for name in reversed(also):
            yield str(getattr(self.around, name))

    def _message(self, place: int) -> str:
        """A message with its hidden keys, and with its name if the settings ask for it."""
        if place not in self._expanded:
            one = self.messages[place]
            text = expand_macros(one.text, replace(self.macros, hidden_keys=True))
            self._expanded[place] = f"{one.name}: {text}" if self.settings.names and one.name else text
        return self._expanded[place]


def _end_of(newest_first: Iterable[str]) -> str:
    """The parts, oldest first, as far back as keys are searched for."""
    parts, length = [], 0
    for part in newest_first:
        parts.append(part)
        length += len(part) + 1
        if length > MAX_TEXT:
            break
    return "\n".join(reversed(parts))


def _counted(messages: int) -> str:
    return "the last message" if messages == 1 else f"the last {messages} messages"


def _is_recursive(placed: _PlacedEntry, settings: LoreSettings) -> bool:
    return settings.recursive if placed.book.recursive is None else placed.book.recursive


def _rank(placed: _PlacedEntry, sticky: bool) -> tuple[bool, bool, float, int]:
    """Sorts entries by who gets tokens first."""
    return (not sticky, not placed.entry.constant, -placed.entry.weight, placed.place)


def _carried(state: LoreState, entries: Mapping[str, LoreEntry], length: int) -> list[TimedEffect]:
    """The effects at this length; an entry that has just stopped being sticky starts its cooldown."""
    ended = [
        one
        for one in state.effects
        if one.kind == "sticky" and one.start < length and one.end is not None and one.end <= length
    ]
    cooling = [
        TimedEffect(uid=one.uid, kind="cooldown", start=length, end=length + entries[one.uid].cooldown, protected=True)
        for one in ended
        if one.uid in entries and entries[one.uid].cooldown
    ]
    restarted = {one.uid for one in cooling}
    held = (
        one
        for one in state.at(length).effects
        if one.uid in entries and not (one.kind == "cooldown" and one.uid in restarted)
    )
    return [*held, *cooling]


def _left_by(entry: LoreEntry, held: HeldEffects, length: int) -> Iterable[TimedEffect]:
    """The timed effects that an activation leaves."""
    if entry.sticky and (entry.uid, "sticky") not in held:
        yield TimedEffect(uid=entry.uid, kind="sticky", start=length, end=length + entry.sticky)
    if entry.cooldown and (entry.uid, "cooldown") not in held:
        yield TimedEffect(uid=entry.uid, kind="cooldown", start=length, end=length + entry.cooldown)
    asked = entry.decorators
    remembers = asked.keep_activate_after_match or asked.dont_activate_after_match
    if remembers and (entry.uid, "matched") not in held:
        yield TimedEffect(uid=entry.uid, kind="matched", start=length)
