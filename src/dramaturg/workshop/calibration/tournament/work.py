"""The tournament as a long work: every agent writes with every strategy, and a judge sees each passage twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, ModelError
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered
from dramaturg.model_notes.scene_text import scene_text
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.snapshot import project_of
from dramaturg.workshop.calibration.tournament.cells import MOST_CELLS, Company, TournamentCell, cells_of, companies
from dramaturg.workshop.calibration.tournament.events import CompanyJudged, PassageWritten
from dramaturg.workshop.calibration.tournament.passage import flaw_of
from dramaturg.workshop.calibration.tournament.prompts import HOUSE, VoicePrompts
from dramaturg.workshop.calibration.tournament.scores import CompanyClaims, check_claims
from dramaturg.workshop.rehearsal.voice_cues import CompanyCue, PassageCue
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.voice.rule_files import rule_set
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult

PASSAGE_TOKENS = 1400
JUDGE_TOKENS = 4000
DEFAULT_PROMPT = "the protagonist alone, on an ordinary day, a moment before something is asked of them"


class TournamentRequest(WorkRequest):
    """What to write, who writes, and how."""

    test_prompt: str = Field("", max_length=4000, description="the passage every voice writes")
    agents: tuple[str, ...] = Field((), max_length=MOST_CELLS, description="models; the configured one if not set")
    strategies: tuple[str, ...] = Field((), max_length=MOST_CELLS, description="all four if not set")
    context: str = Field("", max_length=4000, description="what the passage must know: place, time, point of view")
    words: int = Field(500, ge=100, le=1500, description="about how long a passage is")
    seed: int = Field(1, ge=0, le=2**31, description="who is judged with whom")


class TournamentResult(WorkResult):
    """How far it got. Who wrote what is told when the writer has chosen."""

    passages: int
    missing: int
    scored: int = Field(description="companies whose judge gave scores that count")
    unscored: int


class Tournament(LongWork[TournamentRequest, TournamentResult]):
    """Voices that write the same passage."""

    name = "tournament"
    noun = "a tournament of voices"
    request = TournamentRequest
    result = TournamentResult
    events = (PassageWritten, CompanyJudged)

    async def plan(self, book: BookSources, request: TournamentRequest) -> WorkPlan:
        cells = await contestants(book, request)
        for agent in dict.fromkeys(one.agent for one in cells):
            book.resources.gateway.open(agent)  # a model that cannot be opened is refused before anything is paid
        draft = " ".join(["word"] * request.words)
        seen = companies([one.number for one in cells], request.seed)
        texts = {one.number: draft for one in cells}
        later = tuple(_company_cell(book, request, one, texts) for one in seen)
        return WorkPlan(
            cells=tuple(_passage_cell(book, request, one) for one in cells),
            later=later,
            blind_spots=("your manuscript: the voices write from the prompt and the story bible's front matter alone",),
        )

    async def play(self, context: WorkContext[TournamentRequest]) -> TournamentResult:
        request, book = context.request, context.book
        cells = await contestants(book, request)
        texts = await self._written(context, cells)
        seen = companies(sorted(texts), request.seed)
        judged = await self._judged(context, seen, texts)
        cards = sum(any(card.scores for card in one.cards) for one in judged)
        missing, unscored = len(cells) - len(texts), len(seen) - cards
        return TournamentResult(
            said=_said(len(texts), missing, cards, unscored, _stand_ins(cells)),
            passages=len(texts),
            missing=missing,
            scored=cards,
            unscored=unscored,
        )

    def shown(self, entry: Entry[Any]) -> Entry[Any]:
        """An entry as the log of a run shows it: no passage, and nothing that tells whose it is."""
        event = entry.event
        hidden: Event | None = None
        if isinstance(event, PassageWritten):
            hidden = event.model_copy(update={"text": HIDDEN, "agent": HIDDEN, "strategy": HIDDEN})
        elif isinstance(event, ModelAnswered):
            answer = event.answer.model_copy(update={"text": HIDDEN, "model": HIDDEN})
            hidden = event.model_copy(update={"answer": answer, "key": event.key.split(" ")[0]})
        elif isinstance(event, CompanyJudged):
            hidden = event.model_copy(update={"cards": (), "cells": ()})
        return entry if hidden is None else entry.model_copy(update={"event": hidden})

    async def _written(
        self, context: WorkContext[TournamentRequest], cells: Sequence[TournamentCell]
    ) -> Mapping[int, str]:
        """The passages by cell. A cell whose model fails, or writes no passage, has none; the rest stands."""
        asked = {one.key: one for one in cells}
        found = await context.ask([_passage_cell(context.book, context.request, one) for one in cells])
        texts = {asked[key].number: scene_text(answer.text) for key, answer in found.answers.items()}
        texts = {number: text for number, text in texts.items() if not flaw_of(text)}
        told = {event.cell for event in context.own if isinstance(event, PassageWritten)}
        new = [one for one in cells if one.number in texts and one.number not in told]
        await context.tell(
            *(
                PassageWritten(cell=one.number, agent=one.agent, strategy=one.strategy, text=texts[one.number])
                for one in new
            )
        )
        return texts

    async def _judged(
        self, context: WorkContext[TournamentRequest], seen: Sequence[Company], texts: Mapping[int, str]
    ) -> list[CompanyJudged]:
        """What the judge says, company by company. A judge that fails, or answers in prose, leaves them unscored."""
        asking = [_company_cell(context.book, context.request, one, texts) for one in seen]
        judge = (await context.book.model_for("judge")).name
        try:
            found = await context.ask_for(CompanyClaims, asking)
            answers, why = found.answers, {key: one.error for key, one in found.failed.items()}
        except ModelError as error:
            answers, why = {}, {one.key: error.message for one in asking}
        events = []
        for one in seen:
            said = answers.get(one.key)
            cards = tuple(check_claims(said, one.cells, texts, one.round)) if said else ()
            no_card = "" if any(card.scores for card in cards) else why.get(one.key, "no score has a quote that counts")
            events.append(
                CompanyJudged(
                    round=one.round, number=one.number, cells=one.cells, judge=judge, cards=cards, unscored=no_card
                )
            )
        told = {(event.round, event.number) for event in context.own if isinstance(event, CompanyJudged)}
        await context.tell(*(one for one in events if (one.round, one.number) not in told))
        return events


HIDDEN = "hidden; once you have chosen: dramaturg foreman voice report"
WORK = Tournament()


async def contestants(book: BookSources, request: TournamentRequest) -> tuple[TournamentCell, ...]:
    """The cells of a request. Raises InvalidConfig for a strategy that is not there, or for too many cells."""
    prompts = VoicePrompts(book.project)
    agents = tuple(dict.fromkeys(request.agents)) or ((await book.model_for("tournament")).name,)
    strategies = tuple(dict.fromkeys(prompts.strategy_named(one) for one in request.strategies)) or HOUSE
    cells = cells_of(agents, strategies)
    if len(cells) > MOST_CELLS:
        raise InvalidConfig(
            f"{len(agents)} agents with {len(strategies)} strategies are {len(cells)} passages; "
            f"{MOST_CELLS} are the most.",
            cells=len(cells),
        )
    return cells


def _passage_cell(book: BookSources, request: TournamentRequest, one: TournamentCell) -> Cell:
    prompts, about = VoicePrompts(book.project), _about(book)
    wanted = request.test_prompt.strip() or DEFAULT_PROMPT
    return Cell(
        key=one.key,
        use="tournament",
        system=prompts.passage(about, request.words, one.strategy, rule_set(book.project).rules),
        text=prompts.request(wanted, request.context.strip()),
        max_tokens=max(PASSAGE_TOKENS, request.words * 3),
        model=one.agent,
        cue=PassageCue(one.number, one.strategy, about["protagonist"], wanted, request.words),
    )


def _company_cell(book: BookSources, request: TournamentRequest, one: Company, texts: Mapping[int, str]) -> Cell:
    prompts, shown = VoicePrompts(book.project), tuple(texts[cell] for cell in one.cells)
    wanted = request.test_prompt.strip() or DEFAULT_PROMPT
    return Cell(
        key=one.key,
        use="judge",
        system=prompts.judge(),
        text=prompts.company(wanted, shown),
        max_tokens=JUDGE_TOKENS,
        temperature=0.2,
        cue=CompanyCue(shown),
    )


def _about(book: BookSources) -> dict[str, str]:
    settings = book.resources.settings
    named = project_of(settings.project, settings.workshop, StoryBible(settings.project).pages())
    return named.model_dump()


def _stand_ins(cells: Sequence[TournamentCell]) -> str:
    if not any(is_stand_in(one.agent) for one in cells):
        return ""
    return " The rehearsal company wrote them: stand-ins to try the way with, not voices."


def _said(passages: int, missing: int, cards: int, unscored: int, by: str) -> str:
    lost = f", {missing} without a passage" if missing else ""
    left = f"; {unscored} of {cards + unscored} companies are unscored" if unscored else ""
    return f"{passages} passages are written{lost}{left}.{by} Choose blind: dramaturg foreman voice lineup"
