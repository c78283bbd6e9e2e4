"""Servers of two releases share a store: runs and talks go from either to the other, and nothing is paid for twice."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from dramaturg.cli.edge import STORE
from dramaturg.kernel.settings import Settings
from tests.faults.audit import audit
from tests.faults.chats import chat_with, write_episode
from tests.faults.provider_count import ProviderCount
from tests.faults.servers import IN_FLIGHT, House, house
from tests.model_server import ModelServer
from tests.server.visitor import CALLS

ROOT = Path(__file__).parents[2]
EARLIER = "98b7b04f"
"""A state of the program with the same schema, whose logs know fewer entries."""
TOO_EARLY = "cc42afed"
"""One from before an older program could live with a newer schema."""

REFUSAL = (
    r"dramaturg: The store \S+: it was written by a newer dramaturg \(schema \d+; this one knows up to 0010\)\. .+\n"
)
ALLOWED = 10
"""The answers that a scene gets from the first release."""


def package_of(commit: str, folder: Path) -> Path:
    """The folder with the package as it was."""
    kept = subprocess.run(["git", "archive", commit, "src/dramaturg"], cwd=ROOT, capture_output=True, check=False)
    if kept.returncode:
        pytest.skip(f"the history that this was cloned with does not go back to {commit}")
    with tarfile.open(fileobj=io.BytesIO(kept.stdout)) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder / "src"


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package_of(EARLIER, tmp_path_factory.mktemp("earlier"))


@pytest.fixture
def place(store_settings: Settings, tmp_path: Path, models: ModelServer) -> House:
    made = house(tmp_path, models, store_settings.store.url, lease=3)
    write_episode(made.story)
    return made


@pytest.mark.parametrize("upgrades", [True, False], ids=["upgrade", "and back again"])
async def test_a_run_and_a_talk_go_on_when_one_release_takes_the_place_of_the_other(
    place: House, earlier: Path, upgrades: bool
) -> None:
    first, then = (earlier, None) if upgrades else (None, earlier)
    count = ProviderCount(place.models, re.compile("They argue"), 1)
    await count.allow(ALLOWED)
    async with place.server(release=first) as one, place.server(release=then) as other:
        chat = await chat_with(one)
        for server in (one, other, one, other):
            chat.server = server
            await chat.say()
        _, started = await one.ask("POST", "/v1/scenes", json={"scene": "argument"})
        await count.used_up()
        one.send(signal.SIGTERM)
        await count.allow(10**9)
        assert await other.over(started["run"]) == "ended"
        await chat.say()
        assert await one.process.wait() == -signal.SIGTERM
        assert "Traceback" not in one.errors.read_text() + other.errors.read_text()
    found = await audit(place)
    assert (found.gaps, found.twice, found.asked_again(count), chat.failures) == (0, 0, 0, 0)
    assert found.found({chat.session: chat.answered}) == 5
    assert 0 <= count.total - found.answers <= 2 * IN_FLIGHT


async def test_a_release_that_is_too_old_for_the_store_says_so_and_another_one_plays_on(
    place: House, tmp_path: Path
) -> None:
    release = package_of(TOO_EARLY, tmp_path / "release")
    async with place.server() as server:
        run = await server.into_a_beat(place.models)
        settings = place.story / "dramaturg.toml"
        settings.write_text(settings.read_text(encoding="utf-8").partition("[store]")[0], encoding="utf-8")
        async with place.started(release=release) as older:
            assert await older.process.wait() == STORE
        assert re.fullmatch(REFUSAL, older.errors.read_text(encoding="utf-8"))
        place.models.release()
        assert await server.over(run) == "ended"
    assert len(place.models.requests) == CALLS
