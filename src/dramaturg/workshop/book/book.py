"""The state of a book as the Foreman is told it: values, gathered from store and files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import BiblePage
from dramaturg.workshop.book.decisions import Decision
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.notebooks import NotebookListing


class Project(Value):
    """What the book is."""

    title: str
    protagonist: str = ""
    genre: str = ""
    tone: str = ""


class ActiveContext(Value):
    """What the writer has before them."""

    file: str = ""
    beat: str = ""
    chapter: str = ""
    scene: str = ""


NOWHERE = ActiveContext()


class Antipattern(Value):
    """Something the prose must not do."""

    severity: Literal["zero_tolerance", "deduction"]
    text: str


class VoiceContext(Value):
    """The narrative voice as it was found, or not yet."""

    locked: bool = False
    winning_agent: str = ""
    winning_strategy: str = ""
    voice_state: str = ""
    antipatterns: tuple[Antipattern, ...] = ()


class NarrativeVoiceBundle(Value):
    """The files of the locked voice: excerpts for models that read much, a summary for those that do not."""

    gold_standard_file: str = ""
    antipattern_file: str = ""
    evolution_file: str = ""
    summary: str = ""
    gold_standard: str = ""
    antipatterns: str = ""


class SceneScaffold(Value):
    """The plan of the scene at hand, field by field."""

    scaffold_id: str
    fields: Mapping[str, str] = Field(default_factory=dict)


class HealthAlert(Value):
    """Something about the structure that the writer should look at."""

    severity: Literal["info", "warning", "critical"]
    check: str
    text: str


class Mishap(Value):
    """What the last answer asked for and did not get, or how it left the protocol; the model is told."""

    what: str
    quote: str = ""


class Book(Value):
    """Everything a prompt may say about a book. What of it is said depends on mode and tier."""

    mode: Mode
    completion: int
    project: Project
    active: ActiveContext = ActiveContext()
    pages: tuple[BiblePage, ...] = ()
    voice: VoiceContext = VoiceContext()
    bundle: NarrativeVoiceBundle | None = None
    scaffold: SceneScaffold | None = None
    knowledge: tuple[Decision, ...] = Field((), description="ranked, the most needed first")
    notebooks: tuple[NotebookListing, ...] = ()
    alerts: tuple[HealthAlert, ...] = ()
    mishaps: tuple[Mishap, ...] = ()
