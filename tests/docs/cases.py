"""The page of case tables: what each holds a reader or a judge to, and how many cases it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.episodes import accusations, concerns
from tests.episodes.cards_of_all_sorts import sorts
from tests.episodes.nasty_streams import STREAMS
from tests.scenes.test_everyday_answers import CASES as EVERYDAY

TESTS = Path(__file__).parents[1]
INTRODUCTION = """# Tables of cases

Readers and judges are held to tables of cases. Every case is a test, so all of them pass. Cuts have a law of their
own: with a scripted cast of three that arrives at random, at least 95% of more than 100 quoted cuts land, and no prompt
of more than 200 holds what was cut off (`tests/scenes/test_lines_in_two_parts.py`).

"""


@dataclass(frozen=True, slots=True)
class CaseTable:
    """A table of cases. `law` is what holds for each of them."""

    name: str
    cases: int
    law: str
    where: str


def case_tables() -> Iterator[CaseTable]:
    """Every table that is long enough to be counted."""
    goals = _yaml("scenes/director/natural_goals.yaml")
    yield CaseTable("goals as people write them", len(goals), "split as a reader would", "scenes/director")
    kinds = _yaml("scenes/rehearsal/fifteen.yaml")
    law = "the company claims nothing, a model that earns the end has it, one that does not has not"
    yield CaseTable("kinds of scene", len(kinds), law, "scenes/rehearsal")
    law = "printed in the transcript as a reader expects it"
    yield CaseTable("everyday answers of characters", len(EVERYDAY), law, "scenes/test_everyday_answers.py")
    law = "in four chunkings, what is streamed is what is kept; nothing hidden is shown, nothing visible lost"
    yield CaseTable("nasty streams", len(STREAMS), law, "episodes/nasty_streams.py")
    meant = (*accusations.ACCUSES, *accusations.MORE_ACCUSES, *accusations.LAST_ACCUSES)
    nobody = (*accusations.ACCUSES_NOBODY, *accusations.MORE_NOBODY, *accusations.LAST_NOBODY)
    yield CaseTable("accusations", len(meant), "end the episode, against whom they name", "episodes/accusations.py")
    yield CaseTable("no accusations", len(nobody), "end nothing", "episodes/accusations.py")
    law = "the company speaks the card's own words in at least 70% of its answers, and never another card's"
    yield CaseTable("cards of all sorts", len(tuple(sorts())), law, "episodes/cards_of_all_sorts.py")
    harm = (*concerns.SELF_HARM, *concerns.ABUSE, *concerns.MORE_SELF_HARM, *concerns.MORE_ABUSE)
    harmless = (*concerns.HARMLESS, *concerns.MORE_HARMLESS)
    yield CaseTable("messages about harm", len(harm), "noticed in their language", "episodes/concerns.py")
    yield CaseTable("figures of speech, plots, denials", len(harmless), "left alone", "episodes/concerns.py")
    answers = _yaml("workshop/foreman/answers.yaml")
    law = "does what it means, and nothing it only thinks about"
    yield CaseTable("answers of a Foreman", sum(map(len, answers.values())), law, "workshop/foreman/answers.yaml")
    law = "writes the field they are about, or none"
    strangers = _yaml("workshop/rehearsal/strangers.yaml")
    yield CaseTable("strangers' sentences to the Foreman", len(strangers), law, "workshop/rehearsal/strangers.yaml")


def _yaml(path: str) -> Any:
    return yaml.safe_load((TESTS / path).read_text(encoding="utf-8"))


def cases_page() -> str:
    """The page, as Markdown."""
    rows = [f"| {one.name} | {one.cases} | {one.law} | `tests/{one.where}` |" for one in case_tables()]
    return INTRODUCTION + "| table | cases | each | where |\n|---|--:|---|---|\n" + "\n".join(rows)
