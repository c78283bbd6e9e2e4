"""The values of a health check: what is known of each scene, what a check found, and the report.

What is known has an origin. What a writer put into front matter counts as said; what a model read out of the text has a
quotation that stands there; what was only found by a name in the prose is a hint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from pydantic import Field

from dramaturg.kernel.values import WireValue

T = TypeVar("T")
Origin: TypeAlias = Literal["front matter", "extracted", "prose"]
SceneKind: TypeAlias = Literal["scene", "flashback", "dream", "letter"]
Severity: TypeAlias = Literal["info", "warning", "critical"]
CheckStatus: TypeAlias = Literal["found", "clear", "cannot_tell"]


class Evidence(WireValue):
    """Words of the book, and where they stand. Paragraph 0 is the front matter, or a page of the story bible."""

    file: str
    paragraph: int = 0
    quote: str = ""
    origin: Origin = "front matter"


@dataclass(frozen=True, slots=True)
class Told(Generic[T]):
    """Something known about a scene, with its evidence."""

    value: T
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class SceneRecord:
    """What is known of one scene. `start` and `end` are its place in the book, as shares of all words."""

    path: str
    name: str
    title: str = ""
    chapter: str = ""
    position: int = 0
    words: int = 0
    start: float = 0.0
    end: float = 0.0
    kind: SceneKind = "scene"
    tension: Told[float] | None = None
    beat: Told[str] | None = None
    cast: tuple[Told[str], ...] = ()
    pov: tuple[Told[str], ...] = ()
    places: tuple[Told[str], ...] = ()
    time: Told[str] | None = None
    until: str = ""
    challenge: Told[bool] | None = None
    symbols: tuple[Told[str], ...] = ()
    objects: tuple[Told[str], ...] = ()
    resonance: Told[float] | None = None
    opening: str = ""
    digest: str = ""

    @property
    def is_exempt(self) -> bool:
        """Whether it lies outside the order of the story: a flashback, a dream, a letter."""
        return self.kind != "scene"

    @property
    def label(self) -> str:
        return f"{self.name} “{self.title}”" if self.title else self.name

    @property
    def place(self) -> Evidence:
        """The scene itself as evidence: the words it begins with."""
        return Evidence(file=self.path, paragraph=1 if self.opening else 0, quote=self.opening, origin="prose")

    @property
    def people(self) -> frozenset[str]:
        """Who is there. Someone who is only named in the prose need not be."""
        return frozenset(one.value for one in self.cast if one.evidence.origin != "prose")


class Finding(WireValue):
    """What a check found at a place of the book, and what can be done about it."""

    check: str
    severity: Severity
    subject: str = Field(description="whom or what it is about")
    text: str
    recommendation: str
    evidence: tuple[Evidence, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.file for one in self.evidence))

    @property
    def key(self) -> str:
        """What makes it the same finding in the next report: check, subject and files, not its figures."""
        return "|".join((self.check, self.subject.casefold(), *sorted(self.files)))

    @property
    def is_alarm(self) -> bool:
        return self.severity != "info"


class CheckResult(WireValue):
    """What one check measured and found. Where data is missing it says so, and does not guess."""

    check: str
    title: str
    status: CheckStatus
    measured: str = Field(description="what was measured, on how many scenes, and from where it is known")
    missing: str = Field("", description="why it cannot tell, and what would help")
    findings: tuple[Finding, ...] = ()
    details: tuple[str, ...] = Field((), description="single measurements, such as what each character carries")
    in_drills: str = Field("", description="what it has caught in fire drills")


class Waiver(WireValue):
    """The writer's word that something is meant to be so."""

    check: str
    place: str = Field("book", description="a scene, a name, or `book`")
    reason: str


class Waived(WireValue):
    """A finding that the writer waived, and the reason."""

    finding: Finding
    waiver: Waiver


class Comparison(WireValue):
    """This report beside the one before it. `mended` are findings of the last one that are gone."""

    run: str = ""
    at: float = 0.0
    new: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    mended: tuple[Finding, ...] = ()


class ScenePoint(WireValue):
    """A scene as the plots show it."""

    path: str
    name: str
    title: str = ""
    chapter: str = ""
    start: float
    end: float
    kind: SceneKind = "scene"
    tension: float | None = None
    beat: str = ""
    cast: tuple[str, ...] = ()
    named: tuple[str, ...] = Field((), description="those whom only the prose names")
    challenge: bool | None = None
    symbols: tuple[str, ...] = ()
    resonance: float | None = None
    extracted: tuple[str, ...] = Field((), description="the fields that a model read out of the text")


class HealthReport(WireValue):
    """Everything that the checks found. There is no mark for the book, and none can be made of this."""

    title: str
    at: float
    scope: str = "all"
    scenes: int
    words: int
    checks: tuple[CheckResult, ...]
    waived: tuple[Waived, ...] = ()
    waivers: tuple[Waiver, ...] = Field((), description="all of them, with or without a finding")
    comparison: Comparison = Comparison()
    points: tuple[ScenePoint, ...] = ()
    sources: Mapping[str, int] = Field(default_factory=dict, description="how many values come from where")
    refused: int = Field(0, description="values that a model gave with words that are not in the text")
    problems: tuple[str, ...] = ()
    digest: str = Field("", description="of the files that were read")

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for check in self.checks for finding in check.findings)
