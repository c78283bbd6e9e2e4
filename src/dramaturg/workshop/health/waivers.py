"""Waivers: what the writer means to be so, with the reason, in `story-bible/waivers.yaml`.

waivers:
  - {check: A3, place: ch02-sc01, reason: the train really is that fast here}
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import orjson
from pydantic import Field, ValidationError

from dramaturg.authored import AuthoredForm
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.manuscript import scene_numbers
from dramaturg.workshop.health.checks import check_named
from dramaturg.workshop.health.values import Finding, Waived, Waiver

FILE = "story-bible/waivers.yaml"
MOST = 1000
MOST_BYTES = 1_000_000
EVERYWHERE = "book"
_ABOUT = re.compile(r":\s|\s(?:and|to)\s")
"""What parts whom a finding is about from where it was found, and one of them from the other."""
_CHAPTER = re.compile(r"ch(?:apter)?_?0*(\d{1,4})")


class WaiverEntry(Value):
    """One waiver as a writer types it."""

    check: str = Field(min_length=1, max_length=80)
    place: str = Field(EVERYWHERE, min_length=1, max_length=200)
    reason: str = Field(min_length=3, max_length=600)


class WaiverFile(Value):
    """The file of waivers."""

    waivers: tuple[WaiverEntry, ...] = Field((), max_length=MOST)


_FORM = AuthoredForm(WaiverFile, "list of waivers", such_as="'waivers'", named_by_file=False, may_be_empty=True)


def read_waivers(project: Path) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
    """The waivers of a book, and why they cannot be read."""
    if not (project / FILE).is_file():
        return (), ()
    found: list[Waiver] = []
    problems: list[str] = []
    try:
        entries = _FORM.read(project / FILE, project=project).waivers
    except AuthorError as error:
        return (), (error.message,)
    for entry in entries:
        try:
            name = check_named(entry.check).name
        except AuthorError as error:
            problems.append(f"{FILE}: {error.message}")
            continue
        found.append(Waiver(check=name, place=entry.place, reason=" ".join(entry.reason.split())))
    return tuple(found), tuple(problems)


def with_waiver(text: str, waiver: Waiver) -> str:
    """The file with a waiver; one of the same check and place is replaced. Comments and other lines stay."""
    entry = WaiverEntry(check=check_named(waiver.check).code, place=waiver.place, reason=waiver.reason)
    kept = without_waiver(text, waiver.check, waiver.place) or text
    entries = (*_entries(kept), entry)
    dashes = re.findall(r"^([ \t]*)-", kept, re.M)
    line = f"{dashes[-1] if dashes else '  '}- {_flow(entry)}\n"
    head = kept if dashes else re.sub(r"^waivers:[ \t]*+(?:\[\])?[ \t]*+$", "waivers:", kept, count=1, flags=re.M)
    gap = "" if not head or head.endswith("\n") else "\n"
    started = head if "waivers:" in head else f"{head}{gap}waivers:\n"
    return _checked(f"{started}{'' if started.endswith(chr(10)) else chr(10)}{line}", entries)


def without_waiver(text: str, check: str, place: str) -> str | None:
    """The file without the waiver of a check at a place; None if it has none. Comments and other lines stay."""
    entries = _entries(text)
    wanted = (check_named(check).name, key_name(place))
    kept = tuple(one for one in entries if (_check_of(one), key_name(one.place)) != wanted)
    if len(kept) == len(entries):
        return None
    found = re.split(r"^(?=[ \t]*-)", text, flags=re.M)
    items = [one for one, entry in zip(found[1:], entries, strict=False) if entry in kept]
    head = found[0] if items else re.sub(r"^waivers:[ \t]*$", "waivers: []", found[0], count=1, flags=re.M)
    return _checked("".join([head, *items]), kept)


def _entries(text: str) -> tuple[WaiverEntry, ...]:
    """The waivers of a file. Raises InvalidConfig if it cannot be read."""
    try:
        loaded = parse_yaml(text) if text.strip() else None
        if loaded in (None, {"waivers": None}):
            return ()
        return WaiverFile.model_validate(loaded).waivers
    except (MalformedTextError, ValidationError) as error:
        raise InvalidConfig(
            f"{FILE} cannot be read. 'dramaturg foreman health waivers' says why; mend it by hand first."
        ) from error


def _checked(text: str, entries: tuple[WaiverEntry, ...]) -> str:
    """The text if it says this, else a new one that does."""
    with suppress(InvalidConfig):
        if _entries(text) == entries:
            return text
    return "".join(["waivers:\n", *(f"  - {_flow(one)}\n" for one in entries)]) if entries else "waivers: []\n"


def _flow(entry: WaiverEntry) -> str:
    """A waiver on one line. Scalars are written as JSON, which is YAML whatever they contain."""
    rows = (f"{name}: {orjson.dumps(held).decode()}" for name, held in entry.model_dump().items())
    return f"{{{', '.join(rows)}}}"


def _check_of(entry: WaiverEntry) -> str:
    with suppress(InvalidConfig):
        return check_named(entry.check).name
    return entry.check


def split_waived(
    findings: Iterable[Finding], waivers: Iterable[Waiver]
) -> tuple[tuple[Finding, ...], tuple[Waived, ...]]:
    """The findings that stand, and those that a waiver covers."""
    known, standing, waived = tuple(waivers), [], []
    for finding in findings:
        covering = next((one for one in known if covers(one, finding)), None)
        if covering is None:
            standing.append(finding)
        else:
            waived.append(Waived(finding=finding, waiver=covering))
    return tuple(standing), tuple(waived)


def covers(waiver: Waiver, finding: Finding) -> bool:
    """Whether a waiver is for this finding: the same check, and its place is the book, a scene, a chapter or a name."""
    if waiver.check != finding.check:
        return False
    place = key_name(waiver.place)
    if place == EVERYWHERE:
        return True
    number = chapter_in(waiver.place)
    if number is not None:
        return any(found[0] == number for one in _stems(finding) if (found := scene_numbers(one)))
    return place in names_of(finding)


def names_of(finding: Finding) -> frozenset[str]:
    """The places and names that a waiver may call a finding by, normalized."""
    named = (*finding.files, *_stems(finding), finding.subject, *_ABOUT.split(finding.subject))
    return frozenset(map(key_name, named))


def chapter_in(place: str) -> int | None:
    """The number of a chapter, if the place is one: `ch02`, `chapter 2`."""
    found = _CHAPTER.fullmatch(key_name(place))
    return int(found[1]) if found else None


def _stems(finding: Finding) -> list[str]:
    return [file.removesuffix(".md").rpartition("/")[2] for file in finding.files]
