"""A rehearsal is a run: it is followed, stopped and resumed like any other, and its report stays."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.episodes.rehearsal.players import TEMPERS
from dramaturg.episodes.rehearsal_report import report_of
from dramaturg.episodes.rehearsal_room import rehearse_once, rounds_of
from dramaturg.episodes.rehearsal_run import RehearsalSessionEnded, RehearsalSessionStarted
from dramaturg.episodes.template import named_template
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidSettings, NotFound
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.runs import ModelAnswered
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio

LEDGER = Path(__file__).parents[2] / "examples" / "the-missing-ledger"


@pytest.fixture
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    story = Path(shutil.copytree(LEDGER, tmp_path / "story", ignore=shutil.ignore_patterns("data")))
    async with Studio.open(read_settings(story, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as opened:
        yield opened


async def test_a_run_has_the_report_that_the_rehearsal_room_gives_and_leaves_no_session(studio: Studio) -> None:
    run = await studio.episodes.rehearsals.open("the-ferryman", most_turns=6)
    await studio.start(run)
    found = await studio.episodes.rehearsals.detail(run.id)
    template = named_template(studio.settings.project, "the-ferryman")
    player = RehearsalCompany(StillClock())
    sessions = [
        (await rehearse_once(studio.episodes, template, one, player, most_turns=6, rehearsal="x")).session
        for one in rounds_of(TEMPERS, 1)
    ]
    assert found.report == report_of(template, sessions)
    assert (found.status, found.played, found.of, found.now) == ("ended", len(TEMPERS), len(TEMPERS), None)
    assert found.models == ("rehearsal",)
    assert await studio.episodes.sessions() == ()


async def test_the_report_has_the_words_that_showed_a_beat_and_the_clues_that_nobody_found(studio: Studio) -> None:
    run = await studio.episodes.rehearsals.open("the-ferryman", most_turns=2)
    await studio.start(run)
    report = (await studio.episodes.rehearsals.detail(run.id)).report
    ledger = named_template(studio.settings.project, "the-ferryman").clue_ledger
    assert ledger is not None
    found = {clue for one in report.sessions for clue in one.clues}
    assert found
    assert {clue.id for clue in report.clues_never_found} == {clue.id for clue in ledger.clues} - found != set()
    for one in report.sessions:
        said = "\n".join(line.text for line in one.talk)
        assert all(words in said for words in (*one.quotes.values(), *one.clues.values()))


async def test_what_the_players_sessions_paid_for_is_counted_with_the_rehearsal(studio: Studio) -> None:
    run = await studio.episodes.rehearsals.open("the-ferryman", most_turns=2)
    await studio.start(run)
    entries = (await studio.runs.open(run.id)).entries
    keys = [entry.event.key for entry in entries if isinstance(entry.event, ModelAnswered)]
    assert len(keys) == len(set(keys))
    assert {key.partition("/")[0] for key in keys} == {"player", *(f"{temper}-0" for temper in TEMPERS)}


async def test_a_rehearsal_that_was_stopped_goes_on_with_the_players_who_have_not_played(studio: Studio) -> None:
    run = await studio.episodes.rehearsals.open("the-ferryman", most_turns=3)
    playing = studio.start(run)
    async for entry in studio.runs.tail(run.id, 0, "hidden"):
        if isinstance(entry.event, RehearsalSessionStarted) and entry.event.temper == "hostile":
            break
    await studio.cancel(run.id)
    await asyncio.wait([playing])
    before = await studio.episodes.rehearsals.detail(run.id)
    assert (before.status, before.played) == ("stopped", 2)
    await studio.start(await studio.adopt(run.id))
    events = [entry.event for entry in (await studio.runs.open(run.id)).entries]
    ended = [event.session.temper for event in events if isinstance(event, RehearsalSessionEnded)]
    assert ended == list(TEMPERS)
    assert await studio.episodes.sessions() == ()


async def test_rehearsals_are_listed_all_or_those_of_one_episode(studio: Studio) -> None:
    rehearsals = studio.episodes.rehearsals
    for name in ("the-ferryman", "the-empty-shelf", "the-ferryman"):
        await studio.start(await rehearsals.open(name, most_turns=1))
    listed = sorted(one.episode for one in await rehearsals.newest())
    assert listed == ["the-empty-shelf", "the-ferryman", "the-ferryman"]
    assert [one.episode for one in await rehearsals.newest(episode="the-empty-shelf")] == ["the-empty-shelf"]


async def test_nothing_is_begun_for_an_episode_or_a_model_that_is_not_there(studio: Studio) -> None:
    with pytest.raises(NotFound):
        await studio.episodes.rehearsals.open("no-such-episode")
    with pytest.raises(InvalidSettings):
        await studio.episodes.rehearsals.open("the-ferryman", players="no-such-provider/x")
    assert await studio.episodes.rehearsals.newest() == ()
