"""Runs that a process took up and cannot play for want of a provider or a key: who leaves what, and for how long."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from dramaturg.cluster import left_runs
from dramaturg.cluster.left_runs import LeftRuns, leave_unplayable, missing_models, warn_of_missing_models
from dramaturg.kernel.errors import BudgetExceeded, InvalidSettings, KeyRejected
from dramaturg.kernel.runs import Engine, LocalEngine, Run, RunLibrary
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings
from tests.contracts.machines import Machine, answered, machine

NO_KEY = KeyRejected("house needs a key and HOUSE_KEY is not set.")
NO_PROVIDER = InvalidSettings("'house' is not known here.", model="house/tiny")


def leaving(library: RunLibrary) -> Engine:
    return leaving_for(library, 300.0)


def leaving_for(library: RunLibrary, seconds: float) -> Engine:
    engine = LocalEngine(library)
    leave_unplayable(engine, LeftRuns(library, library._store.database, seconds))
    return engine


def at_once(library: RunLibrary) -> Engine:
    return leaving_for(library, 0.0)


class Lacking:
    """Plays nothing: something is missing here. `after` is written first."""

    def __init__(self, error: Exception, *after: str) -> None:
        self.error, self.after = error, after

    async def __call__(self, run: Run) -> None:
        await run.append(*(answered(key) for key in self.after))
        raise self.error


async def abandoned(here: Machine) -> str:
    run = await here.library.create("said", "hello")
    await here.library.release(run)
    return run.id


@pytest.mark.parametrize("error", [NO_KEY, NO_PROVIDER])
async def test_a_process_without_the_provider_leaves_an_abandoned_run_to_another(
    store_settings: Settings, error: Exception
) -> None:
    async with (
        machine(store_settings, "without", Lacking(error), make=leaving) as without,
        machine(store_settings, "other", make=leaving) as other,
    ):
        run_id = await abandoned(without)
        assert await without.take_up() == [run_id]
        assert await without.take_up() == []
        assert (await without.library.get(run_id)).status == "playing"
        assert await other.take_up() == [run_id]
        assert (await other.library.get(run_id)).status == "ended"
        assert (await other.types(run_id))[:3] == ["run.adopted", "run.released", "run.adopted"]


async def test_a_run_that_nobody_else_plays_fails_at_the_second_try(store_settings: Settings) -> None:
    async with machine(store_settings, "alone", Lacking(NO_KEY), make=at_once) as alone:
        run_id = await abandoned(alone)
        assert [await alone.take_up() for _ in range(3)] == [[run_id], [run_id], []]
        assert (await alone.library.get(run_id)).status == "failed"
        assert await alone.types(run_id) == ["run.adopted", "run.released", "run.adopted", "run.stopped"]


async def test_a_run_is_left_again_while_others_play_but_not_for_ever(
    store_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_runs, "MOST_TIMES", 5)
    async with (
        machine(store_settings, "without", Lacking(NO_KEY), make=at_once) as without,
        machine(store_settings, "busy") as busy,
    ):
        run_id = await abandoned(without)
        await busy.library.create("said", "what the other plays")
        for _ in range(5):
            assert await without.take_up() == [run_id]
            assert (await without.library.get(run_id)).status == "playing"
        await without.take_up()
        assert (await without.library.get(run_id)).status == "failed"


@pytest.mark.parametrize(
    "play",
    [
        Lacking(NO_KEY, "beat-0/alice"),
        Lacking(BudgetExceeded("Spent.")),
        Lacking(InvalidSettings("The file cannot be read.", key="scenes")),
        Lacking(ValueError("a defect")),
    ],
    ids=["answered before", "budget", "another setting", "defect"],
)
async def test_what_another_process_would_not_do_better_fails_here(store_settings: Settings, play: Lacking) -> None:
    async with machine(store_settings, "one", play, make=leaving) as one:
        run_id = await abandoned(one)
        await one.take_up()
        assert (await one.library.get(run_id)).status == "failed"


async def test_what_somebody_starts_or_resumes_here_fails_here(store_settings: Settings) -> None:
    async with machine(store_settings, "one", Lacking(NO_KEY), make=leaving) as one:
        run = await one.library.create("said", "hello")
        for task in (one.engine.start(one.library.perform(run)), await one.engine.resume(await abandoned(one))):
            with pytest.raises(KeyRejected):
                await task
        assert {record.status for record in await one.library.find()} == {"failed"}


async def test_what_is_missing_is_said_once(store_settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    async with machine(store_settings, "one", Lacking(NO_KEY), make=leaving) as one:
        for _ in range(3):
            await abandoned(one)
        await one.take_up()
    assert [record.getMessage().count("HOUSE_KEY is not set") for record in caplog.records] == [1]


def test_a_process_says_at_its_start_which_models_of_the_settings_it_cannot_ask(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house = ProviderSettings(protocol="openai", base_url="https://models.example/v1", key_env="HOUSE_KEY")
    models = ModelSettings(default="house/tiny", director="house/tiny", characters={"a": "nowhere/x", "b": "rehearsal"})
    settings = Settings(project=tmp_path, models=models, providers={"house": house})
    with caplog.at_level(logging.WARNING):
        warn_of_missing_models(settings)
    assert [("HOUSE_KEY" in one.getMessage(), "nowhere" in one.getMessage()) for one in caplog.records] == [
        (True, False),
        (False, True),
    ]
    with_key = settings.model_copy(update={"env": {"HOUSE_KEY": "k"}})
    assert ["nowhere" in message for message in missing_models(with_key)] == [True]
