"""The state of a book as the Foreman sees it, as plain values."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from dramaturg.kernel.values import Value
from dramaturg.workshop.book.bible import BiblePage
from dramaturg.workshop.book.knowledge import Disagreement
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.ranked_knowledge import Knowledge
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.spoken_of import SceneProse
from dramaturg.workshop.notebooks import NotebookListing


class Project(Value):
    """Title, protagonist, genre and tone of a book."""

    title: str
    protagonist: str = ""
    genre: str = ""
    tone: str = ""


class ActiveContext(Value):
    """What the writer is working on."""

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
    """The narrative voice, as far as it has been found."""

    locked: bool = False
    winning_agent: str = ""
    winning_strategy: str = ""
    voice_state: str = ""
    antipatterns: tuple[Antipattern, ...] = ()


class NarrativeVoiceBundle(Value):
    """The files of the locked voice: excerpts for large models, a summary for small ones."""

    gold_standard_file: str = ""
    antipattern_file: str = ""
    evolution_file: str = ""
    summary: str = ""
    gold_standard: str = ""
    antipatterns: str = ""


class HealthAlert(Value):
    """A structural problem that the writer should look at."""

    severity: Literal["info", "warning", "critical"]
    check: str
    text: str


class Mishap(Value):
    """What the model is told of its last answer: a request that was refused or waits, a breach of the protocol, or
    what the writer took back or rejected since."""

    kind: Literal["refused", "undone", "offered", "confirmed", "rejected"] = "refused"
    what: str
    quote: str = ""


class Book(Value):
    """Everything a prompt may say about a book; mode and tier decide how much of it is said."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    mode: Mode
    completion: int
    project: Project
    active: ActiveContext = ActiveContext()
    pages: tuple[BiblePage, ...] = ()
    voice: VoiceContext = VoiceContext()
    bundle: NarrativeVoiceBundle | None = None
    scaffold: Scaffold | None = Field(None, description="of the scene that is worked on")
    scaffolds: tuple[Scaffold, ...] = Field((), description="of every planned scene, in reading order")
    knowledge: Knowledge = Field(Knowledge(), description="most relevant first")
    disagreements: tuple[Disagreement, ...] = ()
    scenes: int = Field(0, description="the files of the manuscript")
    prose: str = Field("", description="the text of the file that is worked on")
    spoken_of: tuple[SceneProse, ...] = Field((), description="other scenes that the message is about")
    notebooks: tuple[NotebookListing, ...] = ()
    alerts: tuple[HealthAlert, ...] = ()
    mishaps: tuple[Mishap, ...] = ()
    works: tuple[str, ...] = Field((), description="long works that are over, and what came of each")
