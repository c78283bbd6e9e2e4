"""Which lore is told now: books, a talk and a state in, entries with their reasons and the next state out.

Nothing is read or kept elsewhere, and the dice are seeded by the chat, the length of the talk and the entry: the
same scan gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from dramaturg.episodes.lore_scan.eligibility import closed
from dramaturg.episodes.lore_scan.groups import losers
from dramaturg.episodes.lore_scan.keys import KeySearch
from dramaturg.episodes.lore_scan.scan import (
    ActiveLore,
    LoreMessage,
    LoreScan,
    LoreSettings,
    LoreState,
    LoreSurroundings,
    TimedEffect,
    UntoldLore,
)
from dramaturg.kernel.characters.lorebook.entry import Lorebook, LoreEntry
from dramaturg.kernel.characters.tavern.macros import SOMEBODY, MacroContext, expand_macros
from dramaturg.kernel.models.tokens import estimate_tokens

NOTHING_YET, ORDINARY, NOWHERE = LoreState(), LoreSettings(), LoreSurroundings()


def activate(
    books: Sequence[Lorebook],
    messages: Sequence[LoreMessage],
    state: LoreState = NOTHING_YET,
    settings: LoreSettings = ORDINARY,
    around: LoreSurroundings = NOWHERE,
    *,
    count: Callable[[str], int] = estimate_tokens,
) -> LoreScan:
    """One scan. Books come in the order of their precedence; what is told stands in the order of the prompt."""
    return _Scanning(tuple(_pages(books)), messages, state, settings, around, count).result()


@dataclass(frozen=True, slots=True)
class _Page:
    """An entry in its book; `place` is its number among all entries of all books."""

    entry: LoreEntry
    book: Lorebook
    title: str
    place: int


@dataclass(frozen=True, slots=True)
class _Fresh:
    """An entry that wants to be told in this pass."""

    page: _Page
    reason: str
    score: int = 0


@dataclass(frozen=True, slots=True)
class _Pass:
    """One look at everything: the first, one after new lore, or one further back in the talk."""

    recursion: bool = False
    level: int = 0
    deeper: int = 0


class _Scanning:
    def __init__(
        self,
        pages: tuple[_Page, ...],
        messages: Sequence[LoreMessage],
        state: LoreState,
        settings: LoreSettings,
        around: LoreSurroundings,
        count: Callable[[str], int],
    ) -> None:
        self.pages, self.messages, self.settings, self.around, self.count = pages, messages, settings, around, count
        self.length = len(messages)
        speech = MacroContext(around.char, around.user or SOMEBODY, around.seed, self.length)
        self.speech = speech
        self.texts = _texts(messages, settings, speech)
        self.search = KeySearch(settings, speech)
        self.state = _carried(state, {page.entry.uid: page.entry for page in pages}, self.length)
        self.purse = _Purse(settings.budget_tokens)
        self.told: dict[str, ActiveLore] = {}
        self.untold: dict[str, UntoldLore] = {}
        self.places: dict[str, int] = {page.entry.uid: page.place for page in pages}
        self.lore: list[str] = []
        self.effects: list[TimedEffect] = list(self.state.effects)

    def result(self) -> LoreScan:
        for this in self._passes():
            self._admit(self._fresh(this))
        for uid, fault in self.search.faults.items():
            if uid not in self.told:
                page = self.pages[self.places[uid]]
                self._keep_back(page.entry, fault)
        told = sorted(self.told.values(), key=lambda one: (one.entry.order, self.places[one.entry.uid]))
        shown = tuple(one for one in told if one.text)
        return LoreScan(
            told=shown,
            untold=tuple(self.untold.values()),
            state=LoreState(effects=tuple(self.effects)),
            tokens=sum(one.tokens for one in shown),
        )

    def _passes(self) -> Iterator[_Pass]:
        """Passes until nothing new can come of another."""
        levels = self._levels()
        this = _Pass(level=levels.pop(0) if levels else 0)
        for _ in range(self.settings.most_passes):
            known = len(self.lore)
            yield this
            deeper = this.deeper + 1
            if self.purse.is_spent:
                return
            if len(self.lore) > known and any(_is_recursive(page, self.settings) for page in self.pages):
                this = _Pass(True, this.level, this.deeper)
            elif len(self.told) < self.settings.min_activations and self._can_look(deeper):
                this = _Pass(False, this.level, deeper)
            elif levels:
                this = _Pass(True, levels.pop(0), this.deeper)
            else:
                return

    def _levels(self) -> list[int]:
        delays = {
            page.entry.delay_until_recursion
            for page in self.pages
            if page.entry.enabled and _is_recursive(page, self.settings)
        }
        return sorted(level for level in delays if level > 0)

    def _can_look(self, deeper: int) -> bool:
        depth = self.settings.scan_depth + deeper
        return depth <= self.length and (not self.settings.deepest or depth <= self.settings.deepest)

    def _fresh(self, this: _Pass) -> list[_Fresh]:
        found = (
            self._considered(page, this)
            for page in self.pages
            if page.entry.enabled and page.entry.uid not in self.told and page.entry.uid not in self.untold
        )
        return [one for one in found if one is not None]

    def _considered(self, page: _Page, this: _Pass) -> _Fresh | None:
        entry = page.entry
        sticky = self.state.holds(entry.uid, "sticky")
        shut, reason = closed(entry, self.messages, self.state, self.around)
        if shut:
            if reason:
                self._keep_back(entry, reason)
            return None
        if sticky is None and not self._may_now(page, this):
            return None
        if entry.decorators.activate:
            return _Fresh(page, "@@activate")
        if entry.decorators.dont_activate:
            return None
        if entry.constant:
            return _Fresh(page, "constant")
        if sticky is not None:
            return _Fresh(page, f"sticky until message {sticky.end}")
        if entry.decorators.keep_activate_after_match and self.state.holds(entry.uid, "matched"):
            return _Fresh(page, "matched before")
        return self._matched(page, this)

    def _may_now(self, page: _Page, this: _Pass) -> bool:
        """The rules of recursion."""
        entry = page.entry
        if entry.delay_until_recursion:
            return this.recursion and entry.delay_until_recursion <= this.level
        return not (this.recursion and entry.exclude_recursion)

    def _matched(self, page: _Page, this: _Pass) -> _Fresh | None:
        entry = page.entry
        if not entry.keys:
            return None
        depth = next(
            depth for depth in (entry.scan_depth, page.book.scan_depth, self.settings.scan_depth) if depth is not None
        )
        depth = max(0, depth + this.deeper)
        recent = self.texts[max(0, self.length - depth) :] if depth else []
        also = [str(getattr(self.around, name)) for name in entry.also_scan]
        direct = "\n".join([*also, *recent])
        found = self.search.found(entry, direct)
        if found:
            return _Fresh(page, f"key {found.key!r} in {_counted(min(depth, self.length))}", found.score)
        if self.lore and this.recursion and _is_recursive(page, self.settings):
            found = self.search.found(entry, "\n".join([direct, *self.lore]))
            return _Fresh(page, f"key {found.key!r} in lore that was told", found.score) if found else None
        return None

    def _admit(self, fresh: list[_Fresh]) -> None:
        """Groups, then the dice, then the budget."""
        sticky = frozenset(one.page.entry.uid for one in fresh if self.state.holds(one.page.entry.uid, "sticky"))
        lost = losers(
            [one.page.entry for one in fresh],
            [one.entry for one in self.told.values()],
            sticky,
            {one.page.entry.uid: one.score for one in fresh},
            self.settings.group_scoring,
            self._seed(),
        )
        kept: list[_Fresh] = []
        for one in fresh:
            entry = one.page.entry
            reason = lost.get(entry.uid) or ("" if entry.uid in sticky else self._rolled(entry))
            if reason:
                self._keep_back(entry, reason)
            else:
                kept.append(one)
        kept.sort(key=lambda one: _rank(one.page, one.page.entry.uid in sticky))
        for one in kept:
            self._tell(one)

    def _rolled(self, entry: LoreEntry) -> str:
        if entry.probability >= 100:
            return ""
        roll = Random(f"{self._seed()}/{entry.uid}").random() * 100
        return "" if roll < entry.probability else f"the dice: {roll:.0f} of {entry.probability:g}"

    def _tell(self, one: _Fresh) -> None:
        entry = one.page.entry
        text = expand_macros(entry.content, self.speech).strip("\r\n")
        tokens = self.count(text) if text else 0
        if not self.purse.pays(one.page, tokens):
            self._keep_back(entry, "over the budget")
            return
        self.told[entry.uid] = ActiveLore(entry=entry, book=one.page.title, text=text, tokens=tokens, reason=one.reason)
        if text and not entry.prevent_recursion:
            self.lore.append(expand_macros(entry.content, replace(self.speech, hidden_keys=True)))
        self.effects.extend(_left_by(entry, LoreState(effects=tuple(self.effects)), self.length))

    def _keep_back(self, entry: LoreEntry, reason: str) -> None:
        self.untold[entry.uid] = UntoldLore(uid=entry.uid, label=entry.label, reason=reason)

    def _seed(self) -> str:
        return f"{self.around.seed}/{self.length}"


@dataclass(slots=True)
class _Purse:
    """What may be spent, over all books and in each that sets a limit of its own."""

    left: int
    is_spent: bool = False
    books: dict[str, int] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)

    def pays(self, page: _Page, tokens: int) -> bool:
        """Takes the tokens, or says no; after the first no, only what ignores the budget is paid for."""
        if page.entry.ignore_budget:
            return True
        limit = page.book.token_budget
        spent = self.books.get(page.title, 0)
        if page.title in self.closed or (limit is not None and spent + tokens > limit):
            self.closed.add(page.title)
            return False
        if self.is_spent or tokens > self.left:
            self.is_spent = True
            return False
        self.left -= tokens
        self.books[page.title] = spent + tokens
        return True


def _pages(books: Sequence[Lorebook]) -> Iterator[_Page]:
    """Every entry of every book, under a name that no other has."""
    taken: set[str] = set()
    place = 0
    for number, book in enumerate(books):
        title = _free(book.name or f"book {number + 1}", taken)
        for entry in book.entries:
            uid = _free(f"{title}/{entry.uid}", taken)
            yield _Page(entry.model_copy(update={"uid": uid}), book, title, place)
            place += 1


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    taken.add(free)
    return free


def _texts(messages: Sequence[LoreMessage], settings: LoreSettings, speech: MacroContext) -> list[str]:
    """The talk as it is looked through; hidden keys count, names if they are wanted."""
    hearing = replace(speech, hidden_keys=True)
    return [
        f"{one.name}: {expand_macros(one.text, hearing)}" if settings.names and one.name else expand_macros(one.text, hearing)
        for one in messages
    ]


def _counted(messages: int) -> str:
    return "the last message" if messages == 1 else f"the last {messages} messages"


def _is_recursive(page: _Page, settings: LoreSettings) -> bool:
    return settings.recursive if page.book.recursive is None else page.book.recursive


def _rank(page: _Page, sticky: bool) -> tuple[bool, bool, float, int]:
    """Who is paid for first."""
    return (not sticky, not page.entry.constant, -page.entry.weight, page.place)


def _carried(state: LoreState, entries: Mapping[str, LoreEntry], length: int) -> LoreState:
    """The state at this length; what has just ceased to stick begins to cool down."""
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
    again = {one.uid for one in cooling}
    held = (
        one
        for one in state.at(length).effects
        if one.uid in entries and not (one.kind == "cooldown" and one.uid in again)
    )
    return LoreState(effects=(*held, *cooling))


def _left_by(entry: LoreEntry, state: LoreState, length: int) -> Iterable[TimedEffect]:
    """What an activation leaves behind."""
    if entry.sticky and not state.holds(entry.uid, "sticky"):
        yield TimedEffect(uid=entry.uid, kind="sticky", start=length, end=length + entry.sticky)
    if entry.cooldown and not state.holds(entry.uid, "cooldown"):
        yield TimedEffect(uid=entry.uid, kind="cooldown", start=length, end=length + entry.cooldown)
    asked = entry.decorators
    remembers = asked.keep_activate_after_match or asked.dont_activate_after_match
    if remembers and not state.holds(entry.uid, "matched"):
        yield TimedEffect(uid=entry.uid, kind="matched", start=length)
