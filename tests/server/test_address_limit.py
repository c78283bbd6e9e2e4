"""What an address may ask in a minute holds on the routes of known players too, with any token."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.players import write_episode
from tests.server.visitor import inside

LIMITS = "[players]\nper_player = 100000\nper_address = 6\nburst = 1\n"
ADDRESS_BURST = 100


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("GET", "/messages"), ("POST", "/messages/m1/choose"), ("GET", "/evaluations")],
)
async def test_a_known_player_is_refused_when_the_address_has_asked_too_often(
    method: str, path: str, tmp_path: Path
) -> None:
    story = write_episode(tmp_path / "story", more=LIMITS)
    async with inside(create_app(read_settings(story, {}))) as insider:
        opened = (await insider.post("/v1/sessions", {"template": "last-orders"})).json
        url, headers = f"/v1/sessions/{opened['session']['id']}{path}", {"X-Player-Token": opened["player_token"]}
        statuses = [(await insider.ask(method, url, headers=headers)).status for _ in range(ADDRESS_BURST + 10)]
        assert statuses[0] == 200
        assert statuses[-1] == 429
        refused = await insider.ask(method, url, headers=headers)
        assert refused.code == "TOO_MANY_REQUESTS"
        assert int(refused.headers["retry-after"]) >= 1
