"""Waivers: what the writer means to be so, with the reason, in `story-bible/waivers.yaml`.

waivers:
  - {check: A3, place: ch02-sc01, reason: the train really is that fast here}
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from dramaturg.kernel.authored import AuthoredForm
from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.health.checks import check_named
from dramaturg.workshop.health.values import Finding, Waived, Waiver

FILE = "story-bible/waivers.yaml"
MOST = 1000
EVERYWHERE = "book"


class WaiverEntry(Value):
    """One waiver as a writer types it."""

    check: str = Field(min_length=1, max_length=80)
    place: str = Field(EVERYWHERE, min_length=1, max_length=200)
    reason: str = Field(min_length=3, max_length=600)


class WaiverFile(Value):
    """The file of waivers."""

    waivers: tuple[WaiverEntry, ...] = Field((), max_length=MOST)


_FORM = AuthoredForm(WaiverFile, "list of waivers", such_as="'waivers'", named_by_file=False)


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
    names = [key_name(file.removesuffix(".md").rpartition("/")[2]) for file in finding.files]
    names += [key_name(file) for file in finding.files]
    return place in names or place == key_name(finding.subject) or place in key_name(finding.subject).split("_and_")
