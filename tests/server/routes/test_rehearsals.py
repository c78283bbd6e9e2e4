"""Rehearsals over HTTP: begun, followed, listed and read by the host."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.server.players import begin, example
from tests.server.visitor import Visitor, served

PATH = "/v1/host/rehearsals"
PROVIDER = """
[models]
default = "rehearsal"

[providers.house]
protocol = "openai"
base_url = "{url}/v1"
"""


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(example("the-missing-ledger", tmp_path / "story")) as visiting:
        yield visiting


async def test_a_rehearsal_is_begun_followed_to_its_end_and_read(host: Visitor) -> None:
    begun = await host.post(PATH, {"episode": "the-ferryman", "turns": 2})
    assert begun.status == 202
    assert begun.headers["location"] == f"{PATH}/{begun.json['run']}"
    await host.studio.engine.join()
    read = (await host.get(begun.headers["location"])).json
    assert (read["episode"], read["status"], read["played"], read["of"]) == ("the-ferryman", "ended", 6, 6)
    assert {one["temper"] for one in read["report"]["sessions"]} >= {"eager", "breaker"}
    assert read["clues_never_found"] == len(read["report"]["clues_never_found"]) > 0
    (listed,) = (await host.get(f"{PATH}?episode=the-ferryman")).json["rehearsals"]
    assert listed == {key: value for key, value in read.items() if key != "report"}
    assert (await host.get(f"{PATH}?episode=the-empty-shelf")).json["rehearsals"] == []


async def test_a_rehearsal_is_a_run_like_any_other_but_tells_the_public_nothing(host: Visitor) -> None:
    run = (await host.post(PATH, {"episode": "the-ferryman", "turns": 1})).json["run"]
    await host.studio.engine.join()
    (listed,) = (await host.get("/v1/runs?kind=rehearsal")).json["runs"]
    assert (listed["run"], listed["name"], listed["status"]) == (run, "the-ferryman", "ended")
    assert "rehearsal" not in (await host.get(f"/v1/runs/{run}/events")).text
    assert "rehearsal_session.ended" in (await host.get(f"/v1/runs/{run}/events?audience=author")).text
    assert (await host.get(f"/v1/runs/{run}/costs")).json["total"]["calls"] > 0
    assert (await host.ask("DELETE", f"/v1/runs/{run}")).status == 204
    assert (await host.get(f"{PATH}/{run}")).status == 404


async def test_character_director_and_players_have_the_models_that_were_asked_for(
    tmp_path: Path, models: ModelServer
) -> None:
    story = example("the-missing-ledger", tmp_path / "story")
    (story / "dramaturg.toml").write_text(PROVIDER.format(url=models.url), encoding="utf-8")
    models.reply = lambda asked: "Who are you?" if asked.model == "plays-along" else "{}"
    asked = {"model": "rehearsal", "director": "house/looks-on", "players": "house/plays-along"}
    async with served(story) as host:
        begun = await host.post(PATH, {"episode": "the-ferryman", "turns": 1, **asked})
        assert begun.status == 202, begun.text
        await host.studio.engine.join()
        read = (await host.get(begun.headers["location"])).json
        refused = await host.post(PATH, {"episode": "the-ferryman", "director": "no-such/x"})
    assert (read["status"], read["players"]) == ("ended", "house/plays-along")
    assert set(read["models"]) == {"rehearsal", "house/looks-on"}
    talk = [line for one in read["report"]["sessions"] for line in one["talk"]]
    assert {line["text"] for line in talk if not line["speaker"]} == {"Who are you?"}
    assert (refused.status, "no-such" in refused.text) == (422, True)


async def test_what_cannot_be_rehearsed_is_refused_and_a_session_is_no_rehearsal(host: Visitor) -> None:
    assert (await host.post(PATH, {"episode": "no-such"})).status == 404
    assert (await host.post(PATH, {"episode": "the-ferryman", "turns": 0})).status == 422
    assert (await host.post(PATH, {"episode": "the-ferryman", "players": "no-such/x"})).status == 422
    guest = await begin(host, name="Anna", template="the-ferryman")
    assert (await host.get(f"{PATH}/{guest.session}")).status == 404
    assert (await host.get("/v1/runs?kind=rehearsal")).json["runs"] == []
