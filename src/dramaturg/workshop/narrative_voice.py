"""The front of a book's voice: rules and bans, measures, line-ups, the bundle and its lock."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.book.files import MARK, ProjectFiles, plain_lines
from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.book.voice_files import FOLDER, GOLD, MOST_BYTES
from dramaturg.workshop.calibration.contest import VoiceReport
from dramaturg.workshop.calibration.desk import VoiceDesk
from dramaturg.workshop.events import ActionDone
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.bench import BookBench
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.state import ForemanState
from dramaturg.workshop.turn_context import Alone, ForemanPerformance, writers_bench
from dramaturg.workshop.voice.antipatterns import RuleReport, check_prose
from dramaturg.workshop.voice.lineup import BlindLineup, Choice, Way
from dramaturg.workshop.voice.own_pages import joined, own_pages, page_text
from dramaturg.workshop.voice.profile import Difference, VoiceProfile, differences, profile_of
from dramaturg.workshop.voice.prose import Prose, read_prose
from dramaturg.workshop.voice.rule_files import RULES, Ban, RuleFile, read_rule_file, rule_set
from dramaturg.workshop.voice.rules import Rule, Waiver
from dramaturg.workshop.voice.selection import Selection
from dramaturg.workshop.voice.stylometry import Nearest, nearest
from dramaturg.workshop.works.front import BookWorks

GOLD_PATH = f"{FOLDER}/{GOLD}"


class PageReport(WireValue):
    """One file against the rules, and before it the writer's own earlier pages against the same rules."""

    file: str
    own: RuleReport | None = Field(None, description="the writer's earlier pages; null if there are none")
    own_files: tuple[str, ...] = ()
    report: RuleReport


class PageProfile(WireValue):
    """One file measured, and how it differs from the writer's other pages."""

    file: str
    profile: VoiceProfile
    others: VoiceProfile | None = Field(None, description="the writer's other pages; null if there are none")
    differences: tuple[Difference, ...] = ()
    nearest: Nearest | None = Field(None, description="which of the other files is nearest, if that can be told")


class BanResult(WireValue):
    """A ban that holds now, and how often it stands in the writer's own earlier pages."""

    ban: Ban
    rule: str
    own_hits: int
    own_words: int
    quotes: tuple[str, ...] = ()
    said: str


class _Held(NamedTuple):
    performance: ForemanPerformance
    bench: BookBench
    desk: VoiceDesk


class NarrativeVoice:
    """The voice of one book, in this process. `alone` holds its conversation, `state` reads it."""

    def __init__(
        self,
        book: BookSources,
        works: BookWorks,
        alone: Alone,
        state: Callable[[], Awaitable[ForemanState]],
    ) -> None:
        self._book, self._works, self._alone, self._state = book, works, alone, state

    # Rules.

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of the book, the writer's own first."""
        return rule_set(self._book.project).rules

    async def own_report(self) -> PageReport:
        """The writer's own earlier pages against the rules."""
        return await to_thread(self._own_report)

    def _own_report(self) -> PageReport:
        pages, rules = own_pages(self._book.project), rule_set(self._book.project)
        report = check_prose(joined(pages), rules.rules, rules.waivers)
        return PageReport(file="", own_files=tuple(pages), report=report)

    async def check(self, file: str) -> PageReport:
        """A file of the project against the rules, the writer's other pages first. Raises InvalidConfig."""
        return await to_thread(self._check, file)

    def _check(self, file: str) -> PageReport:
        project = self._book.project
        name, prose = self._page(file)
        rules = rule_set(project)
        pages = {path: held for path, held in own_pages(project).items() if path != name}
        own = check_prose(joined(pages), rules.rules, rules.waivers) if pages else None
        report = check_prose(prose, rules.rules, rules.waivers, file=name)
        return PageReport(file=name, own=own, own_files=tuple(pages), report=report)

    async def ban(self, ban: Ban) -> BanResult:
        """Ban a phrase or a pattern; it stands in `voice/rules.yaml`, and can be undone as any action."""
        pages = own_pages(self._book.project)
        found = (await to_thread(check_prose, joined(pages), [ban.rule])).count_of(ban.id)
        hits, words = (found.hits if found else 0), len(joined(pages).words)
        told = f" It stands {hits} times in {words:,} words of your own." if words else ""
        said = f"Banned: {ban.rule.says}{f' ({ban.rule.where})' if ban.rule.where else ''}.{told}"
        await self._write_rules("ban", said, lambda file: file.with_ban(ban))
        quotes = tuple(one.quote for one in found.quotes) if found else ()
        return BanResult(ban=ban, rule=ban.id, own_hits=hits, own_words=words, quotes=quotes, said=said)

    async def unban(self, rule: str) -> Outcome:
        """Lift a ban, by its words or by the name of its rule. Raises NotFound."""
        held = read_rule_file(self._book.project)
        found = next((one for one in held.bans if rule in (one.id, one.ban)), None)
        if found is None:
            known = ", ".join(one.ban for one in held.bans) or "none"
            raise NotFound(f"There is no ban of '{rule}' (banned: {known}).", rule=rule)
        kept = RuleFile(bans=tuple(one for one in held.bans if one.id != found.id), waivers=held.waivers)
        return await self._write_rules("unban", f"No longer banned: {found.rule.says}.", lambda _: kept)

    async def waive(self, waiver: Waiver) -> Outcome:
        """Let a rule not hold: in this book, in one file, or for one sentence. Raises NotFound for an unknown rule."""
        rule = rule_set(self._book.project).named(waiver.rule)
        where = f" in {waiver.file}" if waiver.file else ""
        said = f"Waived{where}: {rule.says}."
        return await self._write_rules("waive", said, lambda file: file.with_waiver(waiver))

    # Measures.

    async def profile(self, file: str) -> PageProfile:
        """A file of the project, measured, beside the writer's other pages. Raises InvalidConfig."""
        return await to_thread(self._profile, file)

    def _profile(self, file: str) -> PageProfile:
        project = self._book.project
        name, prose = self._page(file)
        rules = rule_set(project)
        hits = check_prose(prose, rules.rules, rules.waivers, file=name).hits
        profile = profile_of(prose, hits=hits)
        pages = {path: held for path, held in own_pages(project).items() if path != name}
        if not pages:
            return PageProfile(file=name, profile=profile)
        together = joined(pages)
        others = profile_of(together, hits=check_prose(together, rules.rules, rules.waivers).hits)
        return PageProfile(
            file=name,
            profile=profile,
            others=others,
            differences=differences(profile, others),
            nearest=nearest(prose.words, {path: held.words for path, held in pages.items()}),
        )

    # The line-up.

    async def lineup(
        self, tournament: str = "", *, way: Way = "all", own: str = "", new: bool = False, seed: int | None = None
    ) -> BlindLineup:
        """The line-up under way; a new one where there is none, or where another is asked for."""
        state = await self._state()
        drawn = state.lineup
        if not new and not own and drawn is not None and tournament in ("", drawn.tournament):
            desk = self._reading(state)
            if not desk.opened:
                return await desk.blind()
        async with self._held() as held:
            return await held.desk.draw(tournament, way=way, own=own, seed=seed)

    async def current(self) -> BlindLineup:
        """The line-up under way. Raises NotFound if there is none."""
        return await self._reading(await self._state()).blind()

    async def choose(self, choice: Choice) -> BlindLineup:
        """Prefer a passage, of a pair or of all."""
        async with self._held() as held:
            return await held.desk.choose(choice)

    async def select(self, wanted: Selection) -> VoiceReport:
        """Choose the voice, and open the labels."""
        async with self._held() as held:
            selected = await held.desk.selected(wanted)
            outcome = Outcome(said=selected.said, decisions=selected.decisions, chose_voice=selected.is_new)
            await _done(held, "select_winner", outcome)
            return await held.desk.report()

    async def report(self) -> VoiceReport:
        """The line-up with its labels open. Raises NotFound before the choice."""
        return await self._reading(await self._state()).report()

    # The bundle.

    async def bundle(self, output_dir: str = "") -> Outcome:
        """Write the three files of the bundle, all or none."""
        async with self._held() as held:
            made = await held.bench.write_files(await held.desk.bundle(output_dir))
            names = ", ".join(one.path for one in made)
            outcome = Outcome.of_files(f"Wrote the voice bundle: {names}. It is not locked yet.", made)
            return await _done(held, "generate_bundle", outcome)

    async def lock(self, *, locked: bool = True) -> Outcome:
        """Lock the voice, or unlock it. Raises NotFound if there is no bundle."""
        text = ProjectFiles(self._book.project).text(GOLD_PATH, MOST_BYTES)
        if text is None:
            raise NotFound(f"There is no {GOLD_PATH} to lock. Write it first: dramaturg foreman voice bundle")
        page = read_page(GOLD_PATH, text)
        word = "lock" if locked else "unlock"
        if (str(page.matter.get("locked", "")).lower() == "true") == locked:
            raise InvalidConfig(f"The voice is {word}ed already.")
        async with self._held() as held:
            new = page.with_matter("locked", "true" if locked else "false").render()
            made = await held.bench.write_files({GOLD_PATH: new})
            said = f"The voice is {word}ed."
            return await _done(held, f"voice_{word}", Outcome.of_files(said, made))

    # Inside.

    def _page(self, file: str) -> tuple[str, Prose]:
        name = file.strip().replace("\\", "/").removeprefix("./")
        return name, read_prose(page_text(self._book.project, name))

    def _reading(self, state: ForemanState) -> VoiceDesk:
        """A desk that only reads."""

        async def refuse(*events: object) -> None:
            raise AssertionError("nothing is written while reading")

        return VoiceDesk(self._book, lambda: state, refuse)

    async def _write_rules(self, action: str, said: str, change: Callable[[RuleFile], RuleFile]) -> Outcome:
        async with self._held() as held:
            new = change(read_rule_file(self._book.project))
            text = plain_lines(held.bench.files.exact(RULES, MOST_BYTES) or "").removeprefix(MARK)
            made = await held.bench.write_files({RULES: new.written_into(text) if text.strip() else new.render()})
            return await _done(held, action, Outcome.of_files(said, made))

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[_Held]:
        async with self._alone() as performance:
            bench = await writers_bench(performance, self._book, self._works)
            yield _Held(performance, bench, VoiceDesk(self._book, lambda: performance.state, performance.write))


async def _done(held: _Held, action: str, outcome: Outcome) -> Outcome:
    done = ActionDone(act=held.bench.act, turn=0, action=action, outcome=outcome, by="writer")
    await held.performance.write(done)
    return outcome
