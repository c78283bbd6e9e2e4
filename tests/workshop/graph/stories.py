"""A small book on disk for the tests of the graph."""

from __future__ import annotations

from pathlib import Path

from dramaturg.workshop.graph.intake import Intake, take_in
from dramaturg.workshop.graph.values import Entity, Fact, StoryGraph

PROTAGONIST = """---
name: Elena
aliases: [Mrs Vance]
---
# Protagonist

## Fatal flaw

She trusts nobody.
"""
DOCKS = """---
title: The Docks
cast: [Elena, Marcus]
pov: Elena
place: The Docks, pier 4
time: 2190-05-04
beat: Catalyst
symbols: the photograph
facts:
  - {subject: Marcus, predicate: owns, object: the Meridian}
  - {subject: Marcus, predicate: described_as, object: a broker, modality: claimed, by: Marcus}
---
Elena waited at the rail. Marcus came late.

"You are late," said Elena to Marcus. She put the photograph away.
"""
BERTH = """---
cast: Marcus, Ruth
place: the berth
time: 2190-05-06
facts:
  - {subject: Ruth, predicate: knows, object: the berth is sold}
---
Ruth laughed. Marcus did not; he thought of Elena.
"""
CHILDHOOD = """---
cast: [Elena]
time: 2170-01-01
facts:
  - {subject: Elena, predicate: has_trait, object: afraid of water}
---
The girl stood in the water. Elena was six.
"""


def the_book(project: Path) -> Path:
    """Three scenes: the docks, the berth, and a flashback that is read last."""
    write(project, "story-bible/protagonist.md", PROTAGONIST)
    write(project, "manuscript/ch01-sc01.md", DOCKS)
    write(project, "manuscript/ch02-sc01.md", BERTH)
    write(project, "manuscript/ch10-sc01.md", CHILDHOOD)
    return project


def write(project: Path, path: str, text: str) -> None:
    place = project / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def scene(project: Path, name: str, matter: str, prose: str = "") -> None:
    write(project, f"manuscript/{name}.md", f"---\n{matter}\n---\n{prose}\n")


def read(project: Path, graph: StoryGraph | None = None, at: float = 1.0) -> tuple[StoryGraph, Intake]:
    """The graph after reading the book, and what was read."""
    before = graph or StoryGraph()
    intake = take_in(before, project)
    return before.changed(intake.change, at), intake


def named(graph: StoryGraph, name: str) -> Entity:
    return next(one for one in graph.entities if one.name == name)


def said(graph: StoryGraph) -> set[tuple[str, str, str]]:
    """The facts that hold, in names."""
    return {(graph.root(one.subject).name, one.predicate, _target(graph, one)) for one in graph.current}


def _target(graph: StoryGraph, fact: Fact) -> str:
    return graph.root(fact.object).name if fact.object is not None else fact.value
