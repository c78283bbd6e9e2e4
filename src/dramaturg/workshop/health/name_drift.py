"""K1: names that drift: a spelling that is nearly that of a known name, seldom, and belongs to nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.graph.names import is_common, quote_around
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, result
from dramaturg.workshop.health.record_matter import paragraph_at
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding

NAME, TITLE = "K1_name_drift", "Names that drift"
SHORTEST, LONG = 4, 8
"""Names of at least four letters may differ by one letter, those of at least eight by two."""
SELDOM = 0.5
"""A second spelling that is more frequent than this share of the first is a name of its own."""
_TOKEN = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")


@dataclass(slots=True)
class _Spelling:
    """A capitalised word inside sentences: how often, and where first."""

    count: int = 0
    path: str = ""
    start: int = 0


def look(book: CheckedBook) -> CheckResult:
    """Words that are written like names, once or twice, one letter away from the name of somebody."""
    known = {
        part: one.name
        for one in book.graph.entities
        if one.kind in ("character", "location")
        for name in one.names
        for part in _TOKEN.findall(name)
        if len(part) >= SHORTEST and part[0].isupper()
    }
    measured = f"{counted(len(known), 'part')} of names over {counted(len(book.texts), 'scene')}."
    if not known or not book.texts:
        return cannot_tell(
            NAME, TITLE, measured,
            "No name is known. Name the cast in front matter, or give characters a page in story-bible/.",
        )  # fmt: skip
    spelled, lower = _spellings(book)
    near = _neighbours(known)
    findings = [
        _finding(book, word, own, known[own], seen, spelled[own].count)
        for word, seen in spelled.items()
        if (own := _meant(word, known, near, spelled)) and word.casefold() not in lower and not is_common(word)
    ]
    return result(NAME, TITLE, measured, tuple(findings))


def _spellings(book: CheckedBook) -> tuple[Mapping[str, _Spelling], frozenset[str]]:
    """Every capitalised word with its count and first place inside a sentence, and all words in lower case."""
    found: dict[str, _Spelling] = {}
    lower: set[str] = set()
    for scene in book.texts:
        body = scene.text[len(scene.matter.head) :]
        for token in _TOKEN.finditer(body):
            word = _bare(token[0])
            if word.islower():
                lower.add(word)
            elif word[0].isupper() and not word.isupper():
                held = found.setdefault(word, _Spelling())
                held.count += 1
                if not held.path:
                    held.path, held.start = scene.path, token.start()
    return found, frozenset(lower)


def _bare(word: str) -> str:
    """A word without the ending of a genitive."""
    return re.sub(r"[’']s?$", "", word)


def _neighbours(known: Mapping[str, str]) -> Mapping[str, set[str]]:
    """The known names by every word that one or, for long ones, two left-out letters make of them."""
    found: dict[str, set[str]] = {}
    for name in known:
        for short in _shortened(name):
            found.setdefault(short, set()).add(name)
    return found


def _shortened(word: str) -> Iterator[str]:
    plain = word.casefold()
    once = {plain[:at] + plain[at + 1 :] for at in range(len(plain))}
    yield plain
    yield from once
    if len(plain) >= LONG:
        yield from {one[:at] + one[at + 1 :] for one in once for at in range(len(one))}


def _meant(word: str, known: Mapping[str, str], near: Mapping[str, set[str]], spelled: Mapping[str, _Spelling]) -> str:
    """The known name that a word is a misspelling of; empty if it is none."""
    if word in known or len(word) < SHORTEST - 1:
        return ""
    if any(word.endswith(end) and word.removesuffix(end) in known for end in ("s", "es", "n", "en")):
        return ""
    close = {name for short in _shortened(word) for name in near.get(short, ())}
    drifted = [name for name in close if _is_drift(word, name, spelled)]
    return max(drifted, key=lambda one: spelled[one].count, default="")


def _is_drift(word: str, name: str, spelled: Mapping[str, _Spelling]) -> bool:
    own = spelled.get(name)
    if own is None or word.casefold() == name.casefold():
        return False
    allowed = 2 if min(len(name), len(word)) >= LONG else 1
    return spelled[word].count <= SELDOM * own.count and distance(word.casefold(), name.casefold()) <= allowed


def distance(one: str, other: str) -> int:
    """How many letters must be added, dropped, changed or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        new = [at]
        for to, wanted in enumerate(other, start=1):
            cost = min(row[to] + 1, new[to - 1] + 1, row[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, before[to - 2] + 1)
            new.append(cost)
        before, row = row, new
    return row[-1]


def _finding(book: CheckedBook, word: str, own: str, who: str, seen: _Spelling, often: int) -> Finding:
    scene = next(one for one in book.texts if one.path == seen.path)
    body = scene.text[len(scene.matter.head) :]
    start, end = quote_around(body, seen.start, seen.start + len(word))
    times = "once" if seen.count == 1 else f"{seen.count} times"
    return Finding(
        check=NAME,
        severity="warning",
        subject=who,
        text=f"“{word}” is written {times}, “{own}” {often} times; nobody is called {word}.",
        recommendation=f"Write {own}; or, if {word} is somebody else, name them in the cast of the scene.",
        evidence=(Evidence(file=seen.path, paragraph=paragraph_at(body, seen.start), quote=body[start:end]),),
    )


CHECK = HealthCheck(NAME, TITLE, look)
