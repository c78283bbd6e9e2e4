"""A book with a scaffold, and models that write scenes of a given length."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.runs import Limits
from dramaturg.workshop.drafts.wire import DraftView
from dramaturg.workshop.front import Workshop
from tests.workshop.works.cases import copy_book

SCAFFOLD = """---
title: The Confrontation
beat: "Midpoint: False Victory"
word_target: 300
pov: Elena
characters_present: [Elena, "Marcus (knows the berth)", "Background: dock workers"]
location: A warehouse by the docks
time_of_day: Dusk
callbacks: [the_photograph]
---

## Scene goal

Elena learns the berth and keeps her cover.

## Protagonist constraint

Cannot ask about the past.
"""
MODELS = ("alpha/one", "beta/two")
REQUEST: dict[str, Any] = {"target": "ch04-sc02", "models": list(MODELS), "strategies": ["ACTION", "CHARACTER"]}


def book(folder: Path) -> Path:
    project = copy_book(folder)
    (project / "scaffolds").mkdir()
    (project / "scaffolds" / "ch04-sc02.md").write_text(SCAFFOLD, encoding="utf-8")
    return project


def asked_words(request: ModelRequest) -> int:
    """How many words a request asks for."""
    return int(re.findall(r"in about (\d+) words", request.messages[-1].text)[-1])


def prose(words: int, mark: str = "lamp") -> str:
    """So many words in paragraphs of ten."""
    paragraphs = [" ".join([f"The {mark}", *["went"] * 7, "out."]) for _ in range(words // 10)]
    return "\n\n".join([*paragraphs, " ".join(["rain"] * (words % 10))]).strip()


def written(request: ModelRequest) -> str:
    """A section of the length that was asked for, with the letter and the number of its question in it."""
    letter, _, section = request.key.partition(" ")
    return prose(asked_words(request), f"lamp{letter}{section.split('-')[1].split()[0]}")


async def drafted(foreman: Workshop, request: dict[str, Any] | None = None, limits: Limits | None = None) -> DraftView:
    """A draft that was played to its end."""
    asked = foreman.works.read("draft", REQUEST if request is None else request)
    run = await foreman.works.start("draft", asked, limits or Limits())
    await foreman.works.wait(run.id)
    return await foreman.drafts.draft(run.id)
