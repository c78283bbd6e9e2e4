"""A tournament, read from its log: the passages by cell, how each was judged, and what is measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from dramaturg.kernel.runs.events import Entry
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.voice.antipatterns import RuleCount, check_prose
from dramaturg.workshop.voice.lineup import BlindReport
from dramaturg.workshop.voice.profile import VoiceProfile, profile_of
from dramaturg.workshop.voice.prose import count_words, read_prose
from dramaturg.workshop.voice.rule_files import RuleSet
from dramaturg.workshop.voice.tournament.events import CompanyJudged, PassageWritten
from dramaturg.workshop.voice.tournament.scores import JudgedPassage, judged

OWN_CELL = 0
WRITER = "the writer"


@dataclass(frozen=True, slots=True)
class Contest:
    """What a tournament came to. `unscored` are the companies without scores, and why."""

    run: str
    test_prompt: str
    passages: Mapping[int, PassageWritten]
    judged: Mapping[int, JudgedPassage]
    unscored: tuple[str, ...]


class OpenPassage(WireValue):
    """A passage with its label, its scores and its measures; the writer's own page has cell 0 and is not judged."""

    letter: str = ""
    cell: int
    agent: str
    strategy: str = ""
    words: int
    text: str
    judged: JudgedPassage | None = Field(None, description="null if no judge saw it; a score in it is null if unscored")
    profile: VoiceProfile
    broken: tuple[RuleCount, ...] = ()


class VoiceReport(WireValue):
    """The line-up with its labels open: who wrote what, what the choices say, and the passage that was chosen."""

    tournament: str
    winner: OpenPassage
    passages: tuple[OpenPassage, ...]
    choosing: BlindReport | None = None
    notes: str = ""
    dislikes: tuple[str, ...] = ()
    unscored: tuple[str, ...] = ()


def contest_of(run: str, entries: Iterable[Entry[Any]], test_prompt: str = "") -> Contest:
    """A tournament as its log has it."""
    events = [entry.event for entry in entries]
    passages = {one.cell: one for one in events if isinstance(one, PassageWritten)}
    companies = [one for one in events if isinstance(one, CompanyJudged)]
    cards = [card for one in companies for card in one.cards]
    return Contest(
        run=run,
        test_prompt=test_prompt,
        passages=passages,
        judged={cell: judged(cell, cards) for cell in passages},
        unscored=tuple(dict.fromkeys(one.unscored for one in companies if one.unscored)),
    )


def open_passage(contest: Contest, cell: int, own: str, rules: RuleSet, letter: str = "") -> OpenPassage:
    """A passage with everything that is known of it."""
    written = contest.passages.get(cell)
    text = written.text if written else own
    prose = read_prose(text)
    report = check_prose(prose, rules.rules, rules.waivers)
    return OpenPassage(
        letter=letter,
        cell=cell,
        agent=written.agent if written else WRITER,
        strategy=written.strategy if written else "",
        words=count_words(text),
        text=text,
        judged=contest.judged.get(cell),
        profile=profile_of(prose, hits=report.hits),
        broken=report.broken,
    )
