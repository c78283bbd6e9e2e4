"""Where a voice is found: line-ups are drawn and chosen from, a winner is selected, the bundle is written.

The log is told first. The same desk serves the writer's commands and the Foreman's actions.
"""

from __future__ import annotations

import secrets
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs import Run
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.decisions import LONGEST_VALUE, NewDecision
from dramaturg.workshop.book.voice_files import read_voice
from dramaturg.workshop.calibration.bundle import bundle_texts
from dramaturg.workshop.calibration.bundle_folder import bundle_folder
from dramaturg.workshop.calibration.contest import WRITER, Contest, VoiceReport, contest_of, open_passage
from dramaturg.workshop.calibration.report_text import selection_said
from dramaturg.workshop.calibration.tournament.prompts import VoicePrompts
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.voice.antipatterns import check_prose
from dramaturg.workshop.voice.events import LineupChosen, LineupDrawn, VoiceChosen
from dramaturg.workshop.voice.lineup import (
    BlindLineup,
    Choice,
    Lineup,
    Way,
    blind_report,
    blind_view,
    check_choice,
    draw_lineup,
)
from dramaturg.workshop.voice.own_pages import joined, own_pages, page_text
from dramaturg.workshop.voice.rule_files import rule_set
from dramaturg.workshop.voice.selection import Selection, VoiceSelected
from dramaturg.workshop.works.state import WORK_FOLD

TOURNAMENT = "tournament"
LONGEST_PAGE = 20_000


@dataclass(frozen=True, slots=True)
class VoiceDesk:
    """A book's voice, for whoever holds its conversation: `state` is the current state, `write` appends to the log."""

    book: BookSources
    state: Callable[[], ForemanState]
    write: Callable[..., Awaitable[Any]]

    async def draw(
        self, tournament: str = "", *, way: Way = "all", own: str = "", seed: int | None = None
    ) -> BlindLineup:
        """A line-up of a tournament, shuffled anew. `own` is a file with a page of the writer's."""
        contest = await self.contest(tournament)
        page = page_text(self.book.project, own).strip()[:LONGEST_PAGE] if own else ""
        if own and not page:
            raise InvalidConfig(f"{own} has no prose in it. Give a page that you wrote.", path=own)
        drawn = LineupDrawn(
            tournament=contest.run,
            way=way,
            seed=secrets.randbelow(2**31) if seed is None else seed,
            cells=tuple(sorted(contest.passages)),
            own=page,
        )
        lineup_of(drawn)
        await self.write(drawn)
        return await self.blind()

    async def blind(self) -> BlindLineup:
        """The line-up as the writer sees it. Raises NotFound if there is none."""
        drawn = self._drawn()
        contest, lineup = await self.contest(drawn.tournament), lineup_of(drawn)
        texts = [contest.passages[cell].text if cell else lineup.own for cell in lineup.order]
        return blind_view(drawn.tournament, lineup, texts, self.state().choices)

    async def choose(self, choice: Choice) -> BlindLineup:
        """Prefer a passage, of a pair or of all; a second choice for the same pair replaces the first."""
        drawn = self._drawn()
        if self.opened:
            raise InvalidConfig(
                "The labels of this line-up are open. Draw a new one: dramaturg foreman voice lineup --new"
            )
        await self.write(LineupChosen(choice=check_choice(lineup_of(drawn), choice)))
        return await self.blind()

    async def selected(self, wanted: Selection) -> VoiceSelected:
        """Open the labels: the passage that the writer chose. What they said of it is kept as decisions."""
        drawn, state = self.state().lineup, self.state()
        if not wanted.letter and not (wanted.agent and wanted.strategy):
            raise InvalidConfig("Say which passage: its letter in the line-up, or an agent and a strategy.")
        if wanted.letter:
            lineup = lineup_of(self._drawn())
            contest = await self.contest(self._drawn().tournament)
            cell, letter = lineup.cell_of(wanted.letter), "" if self.opened else wanted.letter.strip().upper()
            if wanted.own:
                lineup.cell_of(wanted.own)
        else:
            contest = await self.contest(drawn.tournament if drawn and not wanted.agent else "")
            cell, letter = self._named(contest, wanted), ""
        chosen = VoiceChosen(
            tournament=contest.run,
            cell=cell,
            letter=letter,
            guessed_own=wanted.own.strip().upper() if letter else "",
            notes=wanted.notes.strip(),
            dislikes=tuple(one.strip() for one in wanted.dislikes if one.strip()),
        )
        is_new = state.voice != chosen
        if is_new:
            await self.write(chosen)
        decisions = await self._decide(contest, chosen)
        return VoiceSelected(selection_said(await self.report()), decisions, is_new)

    async def report(self) -> VoiceReport:
        """The line-up with its labels open. Raises NotFound before the writer has chosen."""
        state = self.state()
        chosen, drawn = state.voice, state.lineup
        if chosen is None:
            raise NotFound(
                "No voice is chosen yet; the labels stay closed. Choose: dramaturg foreman voice select LETTER"
            )
        contest, rules = await self.contest(chosen.tournament), rule_set(self.book.project)
        same = drawn is not None and drawn.tournament == chosen.tournament
        lineup = lineup_of(drawn) if drawn is not None and same else None
        letters = dict(zip(lineup.order, lineup.letters, strict=True)) if lineup else {}
        cells = lineup.order if lineup else tuple(sorted(contest.passages))
        own = lineup.own if lineup else ""
        passages = await to_thread(
            lambda: tuple(open_passage(contest, cell, own, rules, letters.get(cell, "")) for cell in cells)
        )
        choosing = None
        if lineup is not None:
            choosing = blind_report(lineup, state.choices, guessed_own=chosen.guessed_own, blind=bool(chosen.letter))
        return VoiceReport(
            tournament=contest.run,
            winner=next(one for one in passages if one.cell == chosen.cell),
            passages=tuple(sorted(passages, key=lambda one: one.letter or f"{one.cell:03}")),
            choosing=choosing,
            notes=chosen.notes,
            dislikes=chosen.dislikes,
            unscored=contest.unscored,
        )

    async def bundle(self, output_dir: str = "") -> Mapping[str, str]:
        """The files of the bundle by their paths. Raises InvalidConfig for a folder outside, or a locked voice."""
        project = self.book.project
        folder = bundle_folder(project, output_dir)
        voice, _, _ = read_voice(project)
        if voice.locked:
            raise InvalidConfig(f"The voice in {folder}/ is locked. Unlock it first: dramaturg foreman voice unlock")
        report, rules = await self.report(), rule_set(project)
        pages = own_pages(project)
        own = await to_thread(check_prose, joined(pages), rules.rules, rules.waivers) if pages else None
        texts = bundle_texts(report, StoryBible(project).pages(), rules.rules, own)
        return {f"{folder}/{name}": text for name, text in texts.items()}

    @property
    def opened(self) -> bool:
        """Whether the labels of the current line-up are open."""
        state = self.state()
        return state.lineup is not None and state.lineup.tournament in state.opened

    async def contest(self, tournament: str = "") -> Contest:
        """A tournament of this book, the newest if none is named. Raises NotFound if there is none with a passage."""
        runs = self.book.resources.runs
        if tournament:
            run: Run[Any] = await runs.open(tournament)
        else:
            found = [one for one in await runs.find(kind=TOURNAMENT) if one.name == self.book.name]
            if not found:
                raise NotFound("There is no tournament yet. Start one: dramaturg foreman voice tournament")
            run = await runs.open(max(found, key=lambda one: (one.updated_at, one.id)).id)
        requested = WORK_FOLD(run.entries).requested
        if requested is None or (requested.work, requested.book) != (TOURNAMENT, self.book.name):
            raise NotFound(f"Run {run.id} is no tournament of this book.", run=run.id)
        asked = str(requested.request.get("test_prompt", ""))
        contest = contest_of(run.id, run.entries, asked)
        if not contest.passages:
            raise NotFound(f"Tournament {run.id} has no passage yet. Wait for it, or: dramaturg runs resume {run.id}")
        return contest

    def _drawn(self) -> LineupDrawn:
        drawn = self.state().lineup
        if drawn is None:
            raise NotFound("There is no line-up yet. Draw one: dramaturg foreman voice lineup")
        return drawn

    def _named(self, contest: Contest, wanted: Selection) -> int:
        """The cell of an agent and a strategy; a model may be named without its provider."""
        if wanted.agent.strip().lower() in (WRITER, "writer"):
            raise InvalidConfig("Your own page is chosen by its letter in the line-up.")
        strategy, agent = VoicePrompts(self.book.project).strategy_named(wanted.strategy), wanted.agent.strip().lower()
        for cell, one in contest.passages.items():
            name = one.agent.lower()
            if one.strategy == strategy and (name == agent or name.rpartition("/")[2].startswith(agent)):
                return cell
        # Who wrote what stays closed; who took part is no secret.
        known = sorted({one.agent for one in contest.passages.values()})
        raise NotFound(
            f"No passage of '{wanted.agent}' by {strategy} (agents: {', '.join(known)}).", agent=wanted.agent
        )

    async def _decide(self, contest: Contest, chosen: VoiceChosen) -> tuple[int, ...]:
        """Keeps what was chosen as decisions; those that did not hold before."""
        held = {one.id for one in await self.book.knowledge.current()}
        made: list[int] = []
        written = contest.passages.get(chosen.cell)
        winner = f"{written.agent}, {written.strategy}" if written else "the writer's own page"
        told = {
            "voice_winner": f"{winner} (tournament {contest.run})",
            "voice_notes": chosen.notes,
            "voice_dislikes": "\n".join(chosen.dislikes),
        }
        now = self.book.resources.clock.now()
        for key, value in told.items():
            if value:
                new = NewDecision(
                    category="voice", key=key, value=value[:LONGEST_VALUE], source="line-up", kind="preference"
                )
                made.append((await self.book.knowledge.decide(new, now)).id)
        return tuple(one for one in made if one not in held)


def lineup_of(drawn: LineupDrawn) -> Lineup:
    """The line-up that a seed gives; the same every time."""
    return draw_lineup(drawn.cells, way=drawn.way, seed=drawn.seed, own=drawn.own)
