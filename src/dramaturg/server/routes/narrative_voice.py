"""The narrative voice of a book: rules and bans, measures, the blind line-up, the bundle and its lock."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.calibration.contest import VoiceReport
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.narrative_voice import BanResult, PageProfile, PageReport
from dramaturg.workshop.voice.lineup import BlindLineup, Choice, Way
from dramaturg.workshop.voice.rule_files import Ban
from dramaturg.workshop.voice.rules import Rule, Waiver
from dramaturg.workshop.voice.selection import Selection

router = api_router(prefix="/v1/projects/{project}/voice", tags=["workshop"])


class RuleList(WireValue):
    """Every rule of the book, the writer's own first."""

    rules: tuple[Rule, ...]


class PageRequest(WireValue):
    """A file of the project."""

    file: str = Field(min_length=1, max_length=400, examples=["manuscript/ch01-sc01.md"])


class LineupRequest(WireValue):
    """How to draw a line-up."""

    tournament: str = Field("", max_length=80, description="the run of a tournament; the newest if not set")
    way: Way = Field("all", description="all at once, or pairs of which some come again")
    own: str = Field("", max_length=400, description="a file of the project with a page of the writer's own, to hide")
    seed: int | None = Field(None, ge=0, le=2**31, description="fixes the order; drawn at random if not set")


class PassageChoice(WireValue):
    """A preference, of a pair or, with pair 0, of all."""

    pair: int = Field(0, ge=0, le=1000)
    letter: str = Field(min_length=1, max_length=2)


class BundleRequest(WireValue):
    """Where the bundle goes."""

    output_dir: str = Field("", max_length=200, description="a folder of the project; `Voice Bundle` if not set")


class LockRequest(WireValue):
    """Whether the voice is locked."""

    locked: bool = True


@router.get("/rules", summary="List the anti-patterns", responses=declared_errors(404, 422))
async def list_voice_rules(foreman: TheForeman) -> RuleList:
    """What the prose must not do, or not so often."""
    return RuleList(rules=foreman.voice.rules())


@router.post("/bans", status_code=201, summary="Ban words", responses=declared_errors(404, 409, 422))
async def ban_words(ban: Ban, foreman: TheForeman) -> BanResult:
    """Keep a phrase or a pattern out of the book; the answer tells how often it stands in the writer's own pages."""
    return await foreman.voice.ban(ban)


@router.delete("/bans/{rule}", summary="Lift a ban", responses=declared_errors(404, 409, 422))
async def lift_ban(rule: Annotated[str, Path(max_length=120, description="its rule")], foreman: TheForeman) -> Outcome:
    """The words may be used again."""
    return await foreman.voice.unban(rule)


@router.post("/waivers", status_code=201, summary="Waive a rule", responses=declared_errors(404, 409, 422))
async def waive_rule(waiver: Waiver, foreman: TheForeman) -> Outcome:
    """Let a rule not hold: in this book, in one file, or for one sentence."""
    return await foreman.voice.waive(waiver)


@router.get("/pages", summary="Check the writer's own pages", responses=declared_errors(404, 422))
async def check_own_pages(foreman: TheForeman) -> PageReport:
    """The anti-patterns in the writer's own earlier pages."""
    return await foreman.voice.own_report()


@router.post("/check", summary="Check a file", responses=declared_errors(404, 422))
async def check_page(wanted: PageRequest, foreman: TheForeman) -> PageReport:
    """The anti-patterns in a file, and before it in the writer's other pages."""
    return await foreman.voice.check(wanted.file)


@router.post("/profile", summary="Measure a file", responses=declared_errors(404, 422))
async def measure_page(wanted: PageRequest, foreman: TheForeman) -> PageProfile:
    """What can be counted in a file, with error bands; what cannot be told is null, and said to be."""
    return await foreman.voice.profile(wanted.file)


@router.post("/lineup", status_code=201, summary="Draw a line-up", responses=declared_errors(404, 409, 422))
async def draw_lineup(wanted: LineupRequest, foreman: TheForeman) -> BlindLineup:
    """The passages of a tournament, shuffled and without their authors. It replaces the line-up before."""
    return await foreman.voice.lineup(wanted.tournament, way=wanted.way, own=wanted.own, new=True, seed=wanted.seed)


@router.get("/lineup", summary="Get the line-up", responses=declared_errors(404, 422))
async def get_lineup(foreman: TheForeman) -> BlindLineup:
    """The line-up under way, without the authors of its passages."""
    return await foreman.voice.current()


@router.post("/lineup/choices", summary="Prefer a passage", responses=declared_errors(404, 409, 422))
async def choose_passage(wanted: PassageChoice, foreman: TheForeman) -> BlindLineup:
    """Choose one of a pair, or one of all. The labels stay closed."""
    return await foreman.voice.choose(Choice(pair=wanted.pair, letter=wanted.letter))


@router.post("/winner", summary="Choose the voice", responses=declared_errors(404, 409, 422))
async def select_winner(wanted: Selection, foreman: TheForeman) -> VoiceReport:
    """Choose a passage by its letter, or by agent and strategy, and open the labels."""
    return await foreman.voice.select(wanted)


@router.get("/report", summary="Get the opened line-up", responses=declared_errors(404, 422))
async def get_voice_report(foreman: TheForeman) -> VoiceReport:
    """Who wrote what, how it was judged and measured, and how reliably the writer chose. 404 before the choice."""
    return await foreman.voice.report()


@router.post(
    "/bundle", status_code=201, summary="Write the voice bundle", responses=declared_errors(404, 409, 422, 503)
)
async def write_voice_bundle(wanted: BundleRequest, foreman: TheForeman) -> Outcome:
    """The three files of the chosen voice, all or none; it can be undone."""
    return await foreman.voice.bundle(wanted.output_dir)


@router.put("/lock", summary="Lock or unlock the voice", responses=declared_errors(404, 409, 422))
async def lock_voice(wanted: LockRequest, foreman: TheForeman) -> Outcome:
    """A locked voice opens the gate to drafting, and its bundle is not written anew."""
    return await foreman.voice.lock(locked=wanted.locked)
