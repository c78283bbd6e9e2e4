"""The names under which a text lets people speak, and which of them are one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dramaturg.workshop.book.decisions import key_name

_TITLES = frozenset(
    "mr mrs ms miss dr sir lady lord captain capt uncle aunt herr frau madame mme monsieur m doctor professor prof "
    "inspector father mother sister brother king queen prince princess old young little rev hon the".split()
)
_GENDERED = frozenset("mr mrs ms miss lady lord sir madame mme monsieur herr frau uncle aunt king queen".split())


@dataclass(frozen=True, slots=True)
class SpokenName:
    """A person who speaks: the name that the text uses most, and the others."""

    name: str
    aliases: tuple[str, ...]
    tags: int


def people(tagged: Iterable[str], known: Mapping[str, str]) -> tuple[SpokenName, ...]:
    """The people behind the names of tags, the most frequent first. `known` gives a person's name for each alias."""
    counts = Counter(tagged)
    given = {_key(alias): name for alias, name in known.items()}
    groups: dict[str, set[str]] = {}
    for name in counts:
        groups.setdefault(given.get(_key(name)) or _whole(name, counts), set()).add(name)
    found: list[SpokenName] = []
    for whole, aliases in groups.items():
        name = whole if whole in known.values() else max(sorted(aliases), key=lambda one: counts[one])
        found.append(SpokenName(name, tuple(sorted(aliases - {name})), sum(counts[one] for one in aliases)))
    return tuple(sorted(found, key=lambda one: (-one.tags, one.name)))


def _whole(name: str, counts: Mapping[str, int]) -> str:
    """The one longer name that a name is a part of; itself if there is none, or more than one."""
    words = _words(name)
    longer = {other for other in counts if _is_part(words, _words(other))}
    if len(longer) == 1:
        return longer.pop()
    return name


def _is_part(words: tuple[str, ...], other: tuple[str, ...]) -> bool:
    bare, whole = [one for one in words if one not in _TITLES], [one for one in other if one not in _TITLES]
    if not bare or len(words) >= len(other) or not set(bare) <= set(whole):
        return False
    titles = {one for one in words if one in _GENDERED}, {one for one in other if one in _GENDERED}
    return not titles[1] - titles[0] or bool(titles[0] & titles[1])


def _words(name: str) -> tuple[str, ...]:
    return tuple(name.casefold().replace(".", "").split())


def _key(name: str) -> str:
    return key_name(name)
