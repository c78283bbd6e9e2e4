"""Where each promise of a book stands: from the writer's ledger, the scaffolds, and the words of the scenes.

A quotation that does not stand in its scene does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.scaffolds import reading_order
from dramaturg.workshop.promises.ledger import END, LONGEST_QUOTE, PromiseEntry, QuotedScene
from dramaturg.workshop.promises.wire import Promise, PromisePlace, PromiseState
from dramaturg.workshop.voice.prose import read_prose

FEWEST_WORDS = 3
"""A quotation of fewer words proves nothing."""
LONG_WORD, MOST_ENDING = 4, 2


@dataclass(frozen=True, slots=True)
class PlannedScene:
    """A scene of the book, by its name: whether it is written, and its beat."""

    name: str
    is_drafted: bool
    beat: str = ""
    is_planned: bool = True


@dataclass(frozen=True)
class PromiseBook:
    """What promises are checked against: the scenes in reading order, and the prose of each by its name."""

    scenes: tuple[PlannedScene, ...]
    prose: Callable[[str], str]
    scaffolds: tuple[Scaffold, ...] = ()
    _sentences: dict[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, PlannedScene]:
        return {one.name: one for one in self.scenes}

    @cached_property
    def frontier(self) -> tuple[int, int, str]:
        """The last scene that is written."""
        return max((reading_order(one.name) for one in self.scenes if one.is_drafted), default=(-1, 0, ""))

    @cached_property
    def is_drafted(self) -> bool:
        """Whether every planned scene is written."""
        return bool(self.scaffolds) and all(one.is_drafted for one in self.scenes if one.is_planned)

    def stands(self, place: QuotedScene) -> bool:
        return is_quoted(place.quote, self.prose(scene_name(place.scene)), fewest=FEWEST_WORDS)

    def sentence(self, scene: str, name: str) -> str:
        """The first sentence of a scene that has every word of a name; empty if none has."""
        if scene not in self._sentences:
            self._sentences[scene] = read_prose(self.prose(scene)).sentences
        return sentence_about(name, self._sentences[scene])


def sentence_about(name: str, sentences: Iterable[str]) -> str:
    """The first sentence that has every word of a name, whatever its ending; empty if none has.

    Short words, such as articles, count only where there are no others.
    """
    every = set(content(name.replace("_", " ")))
    wanted = {word for word in every if len(word) >= LONG_WORD} or every
    found = next((one for one in sentences if wanted and _has_all(set(content(one)), wanted)), "")
    return " ".join(found.split())[:LONGEST_QUOTE]


def _has_all(there: set[str], wanted: set[str]) -> bool:
    return all(word in there or any(_is_inflected(word, other) for other in there) for word in wanted)


def _is_inflected(one: str, other: str) -> bool:
    """Whether two words are one with another ending: `rote` and `roten`."""
    short, long = sorted((one, other), key=len)
    return len(short) >= LONG_WORD and len(long) - len(short) <= MOST_ENDING and long.startswith(short)


def scene_name(scene: str) -> str:
    """The name of a scene: `Chapter 4, Scene 2` is `ch04-sc02`; what is no name stays as it is."""
    try:
        return PurePosixPath(Manuscript.named(scene)).stem
    except InvalidConfig:
        return scene


def promise_parts(item: str) -> tuple[str, str]:
    """The name and the explanation of an item in a scaffold: `the_photograph: she hides it`."""
    name, _, what = item.partition(": ")
    return name.strip(), what.strip()


def standing_promises(entries: Sequence[PromiseEntry], book: PromiseBook) -> tuple[Promise, ...]:
    """Every promise of the ledger and of the scaffolds, in the order in which they are planted."""
    names: dict[str, str] = {one.key: one.promise for one in entries}
    what: dict[str, str] = {}
    plants: dict[str, list[str]] = {}
    calls: dict[str, list[str]] = {}
    for scaffold in book.scaffolds:
        for held, items in ((plants, scaffold.foreshadowing), (calls, scaffold.callbacks)):
            for item in items:
                name, told = promise_parts(item)
                if not (key := key_name(name)):
                    continue
                names.setdefault(key, name)
                what.setdefault(key, told)
                held.setdefault(key, []).append(scaffold.scaffold_id)
    noted = {one.key: one for one in entries}
    found = [
        _promise(noted.get(key) or PromiseEntry(promise=name[:120], what=what.get(key, "")[:LONGEST_QUOTE]),
                 plants.get(key, []), calls.get(key, []), book)
        for key, name in names.items()
    ]  # fmt: skip
    marked = (one.model_copy(update={"is_noted": key_name(one.name) in noted}) for one in found)
    return tuple(sorted(marked, key=_first))


def _first(one: Promise) -> tuple[int, int, str]:
    scene = one.planted.scene if one.planted else one.planned_in[0] if one.planned_in else ""
    return reading_order(scene) if scene else (1_000_001, 0, "")


def _promise(entry: PromiseEntry, plants: Sequence[str], calls: Sequence[str], book: PromiseBook) -> Promise:
    problems: list[str] = []
    planted = _noted(entry.planted, "planted", book, problems) or _planted(entry, plants, calls, book, problems)
    noted = [place for one in entry.echoed if (place := _noted(one, "taken up", book, problems))]
    known = {place.scene for place in (*noted, planted) if place}
    echoed = [
        *noted,
        *(PromisePlace(scene=scene, quote=quote, found=True)
          for scene in calls if scene not in known and (quote := book.sentence(scene, entry.promise))),
    ]  # fmt: skip
    paid = _noted(entry.paid, "paid", book, problems)
    due = _due(entry.due, book, problems)
    state: PromiseState = (
        "dropped" if entry.dropped
        else "paid" if paid
        else "planned" if planted is None
        else _late(due, book) or ("echoed" if echoed else "planted")
    )  # fmt: skip
    return Promise(
        name=entry.promise,
        what=entry.what,
        state=state,
        planted=planted,
        echoed=tuple(sorted(echoed, key=lambda one: reading_order(one.scene))),
        due=due or entry.due,
        paid=paid,
        dropped=entry.dropped,
        planned_in=tuple(dict.fromkeys((*plants, *calls))),
        problems=tuple(problems),
    )


def _noted(place: QuotedScene | None, how: str, book: PromiseBook, problems: list[str]) -> PromisePlace | None:
    """A place that the ledger notes, if its words stand there."""
    if place is None:
        return None
    scene = scene_name(place.scene)
    if book.stands(place):
        return PromisePlace(scene=scene, quote=place.quote)
    gone = scene not in book.by_name or not book.by_name[scene].is_drafted
    where = f"{scene}, which is not there any more" if gone else scene
    problems.append(f"It is noted as {how} in {where}, with words that do not stand there: “{place.quote[:80]}”")
    return None


def _planted(
    entry: PromiseEntry, plants: Sequence[str], calls: Sequence[str], book: PromiseBook, problems: list[str]
) -> PromisePlace | None:
    """Where it is planted by its words: in the scenes whose scaffolds plant it, else before it is first taken up."""
    if entry.planted is not None:
        return None
    first = min(map(reading_order, calls), default=None)
    before = [one.name for one in book.scenes if first is not None and reading_order(one.name) < first]
    for scene in plants or before:
        if quote := book.sentence(scene, entry.promise):
            return PromisePlace(scene=scene, quote=quote, found=True)
    drafted = [scene for scene in plants if scene in book.by_name and book.by_name[scene].is_drafted]
    if drafted:
        problems.append(f"{drafted[0]} is written, and no sentence of it has the words of '{entry.promise}'.")
    elif calls and not plants:
        problems.append(f"{calls[0]} takes it up, and nothing before plants it by its words.")
    return None


def _due(due: str, book: PromiseBook, problems: list[str]) -> str:
    """The name of the scene that a promise is due in, or the end; empty if nobody says."""
    if not due.strip() or key_name(due) == END:
        return END if due.strip() else ""
    named = scene_name(due)
    if named in book.by_name:
        return named
    of_beat = [one.name for one in book.scenes if one.beat and key_name(due) and key_name(due) in key_name(one.beat)]
    if of_beat:
        return of_beat[-1]
    known = reading_order(named)[0] < 1_000_000
    problems.append(
        f"It is due in {named}, which is neither planned nor written."
        if known
        else f"It is due in '{due}', which is no scene and no beat of a planned one."
    )
    return named if known else ""


def _late(due: str, book: PromiseBook) -> PromiseState | None:
    """Whether a promise that is open is due or overdue."""
    if due in ("", END):
        return "overdue" if book.is_drafted else None
    here = book.by_name.get(due)
    if here is None:
        return "overdue" if reading_order(due) <= book.frontier else None
    if here.is_drafted:
        return "overdue"
    first = next((one.name for one in book.scenes if not one.is_drafted), "")
    return "due" if first == due or reading_order(due) < book.frontier else None
