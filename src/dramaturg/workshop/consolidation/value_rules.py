"""Rules for what someone or something is, has, and is to others."""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.workshop.consolidation.comparison import differs
from dramaturg.workshop.consolidation.standing import Finding, StandingFacts
from dramaturg.workshop.consolidation.timeline import EARLIER, same_instant, years_between
from dramaturg.workshop.graph.predicates import PARENTS, declared
from dramaturg.workshop.graph.story_time import compared, overlap
from dramaturg.workshop.graph.values import Fact

FEELINGS = frozenset({"loves", "hates", "friend_of", "enemy_of"})
"""Relations of their moment: they turn into their opposite in the course of a story."""
GREYING = 5
"""After how many years hair may have another colour without a word being said."""
_ELSEWHERE = frozenset({"age", "is_at", "takes_place_at", "is_alive", "is_dead"})
"""Single-valued predicates with a rule of their own."""


def single_value(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """Two values of a predicate that has one at a time, over story times that meet."""
    if not declared(new.predicate).single or new.predicate in _ELSEWHERE:
        return
    subject = standing.root(new.subject)
    for end in dict.fromkeys((subject, standing.root(new.object) if declared(new.predicate).symmetric else subject)):
        for old in standing.of(end, new.predicate):
            if _is_other(old, new, end, standing) and _meet(old, new, standing):
                yield Finding("single_value", old, new, f"{standing.told(old)}; but {standing.told(new)}.")


def _is_other(old: Fact, new: Fact, end: int | None, standing: StandingFacts) -> bool:
    if (old.object is None) != (new.object is None):
        mine, theirs = (_named(one, end, standing) for one in (old, new))
        return differs(new.predicate, mine, theirs)
    if new.object is None:
        return differs(new.predicate, old.value, new.value)
    here, there = standing.partner(old, end), standing.partner(new, end)
    if new.predicate == "located_in" and (here in within(there, standing) or there in within(here, standing)):
        return False
    if new.predicate == "married_to" and _is_gone(here, standing):
        return False
    return here != there


def _named(fact: Fact, end: int | None, standing: StandingFacts) -> str:
    return fact.value if fact.object is None else standing.name(standing.partner(fact, end))


def _is_gone(who: int | None, standing: StandingFacts) -> bool:
    """Whether someone is dead: their marriage is over, and what was theirs may be inherited."""
    return any(standing.of(who, "is_dead", "died_on")) or any(standing.about(who, "killed"))


def _meet(old: Fact, new: Fact, standing: StandingFacts) -> bool:
    """Whether two facts are true at one time; for what lasts, an open end goes on."""
    predicate = declared(new.predicate)
    if new.predicate in ("born_on", "died_on", "happens_at", "eye_colour"):
        return True  # once and for all
    if EARLIER in (old.time_from, new.time_from):
        return False
    if new.predicate == "hair_colour":
        years = years_between(old.time_from, new.time_from)
        if years is not None and abs(years) >= GREYING:
            return False
    if predicate.instant:
        return bool(old.time_from) and compared(old.time_from, new.time_from) == 0
    return overlap((old.time_from, old.time_to), (new.time_from, new.time_to)) is not False


def within(place: int | None, standing: StandingFacts) -> frozenset[int | None]:
    """A place and everything that it lies in."""
    found: set[int | None] = {place}
    ahead = [place]
    while ahead:
        for fact in standing.of(ahead.pop(), "located_in"):
            target = standing.root(fact.object)
            if target is not None and target not in found:
                found.add(target)
                ahead.append(target)
    return frozenset(found)


def opposite_relations(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """Two relations between the same two that exclude one another."""
    if new.object is None:
        return
    subject, target = standing.root(new.subject), standing.root(new.object)
    for old, is_kin in _opposites(new, subject, target, standing):
        if is_kin or _same_moment(old, new):
            yield Finding("relation", old, new, f"{standing.told(old)}; but {standing.told(new)}.")


def _opposites(
    new: Fact, subject: int | None, target: int | None, standing: StandingFacts
) -> Iterator[tuple[Fact, bool]]:
    if new.predicate == "sibling_of":
        for one, other in ((subject, target), (target, subject)):
            kin = standing.of(one, *PARENTS, "child_of")
            yield from ((old, True) for old in kin if standing.root(old.object) == other)
        return
    if new.predicate in (*PARENTS, "child_of"):
        yield from (
            (old, True) for old in standing.of(subject, "sibling_of") if standing.partner(old, subject) == target
        )
    if new.predicate in PARENTS:
        yield from ((old, True) for old in standing.of(target, *PARENTS) if standing.root(old.object) == subject)
        yield from ((old, True) for old in standing.of(subject, "child_of") if standing.root(old.object) == target)
        return
    if new.predicate == "child_of":
        yield from ((old, True) for old in standing.of(subject, *PARENTS) if standing.root(old.object) == target)
        yield from ((old, True) for old in standing.of(target, "child_of") if standing.root(old.object) == subject)
        return
    opposite = declared(new.predicate).opposite
    for old in standing.of(subject, opposite) if opposite else ():
        if standing.partner(old, subject) == target:
            yield old, new.predicate not in FEELINGS


def _same_moment(old: Fact, new: Fact) -> bool:
    """Whether two feelings are of one moment: the same story time, or one scene that has none."""
    if old.time_from or new.time_from:
        return bool(old.time_from and new.time_from) and compared(old.time_from, new.time_from) == 0
    return old.file == new.file


def possession(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """One thing that belongs to two, or is in two hands at one moment."""
    if new.predicate not in ("owns", "carries") or new.object is None:
        return
    me = standing.root(new.subject)
    for old in standing.about(standing.root(new.object), new.predicate):
        other = standing.root(old.subject)
        if other == me or _share(me, other, standing) or (old.file == new.file and old.quote == new.quote):
            continue
        if _at_once(old, new) and not _is_gone(other, standing) and not _changed_hands(new, old, standing):
            yield Finding("possession", old, new, f"{standing.told(old)}; but {standing.told(new)}.")


def _at_once(old: Fact, new: Fact) -> bool:
    """Whether a thing is in two hands at one instant, or belongs to two over times that meet; an open end goes on."""
    if new.predicate == "carries":
        return same_instant(old.time_from, new.time_from)
    if EARLIER in (old.time_from, new.time_from):
        return False
    return overlap((old.time_from, old.time_to), (new.time_from, new.time_to)) is True


def _changed_hands(one: Fact, other: Fact, standing: StandingFacts) -> bool:
    """Whether the book tells that one of two owners got the thing from somebody."""
    owners = {standing.root(one.subject), standing.root(other.subject)}
    return any(standing.root(fact.subject) in owners for fact in standing.about(standing.root(one.object), "receives"))


def _share(one: int | None, other: int | None, standing: StandingFacts) -> bool:
    """Whether two may own things together: they are married."""
    return any(standing.partner(fact, one) == other for fact in standing.of(one, "married_to"))


RULES = (single_value, opposite_relations, possession)
