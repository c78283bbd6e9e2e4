"""Whatever is asked of it within its description, and a little outside of it, the server never fails.

Few requests to each operation, the same ones every time; the streams that do not end by themselves are left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable

from tests.server.players import begin, write_episode
from tests.server.visitor import CAST, served
from tests.stage import write_cards

if TYPE_CHECKING:
    from schemathesis import GenerationMode

ENDLESS = {"follow_session", "follow_run", "delete_session", "delete_player"}
"""Streams without an end, and what would take the session away from the others."""
EXAMPLES = max(2, settings.default.max_examples * 3 // 100)


@contextmanager
def house(folder: Path) -> Iterator[tuple[str, str, str]]:
    """A server in a thread of its own: its address, and a player's session and token."""
    story = write_episode(folder / "story", more='[voices]\nengine = "silent"\n')
    write_cards(story, CAST)
    ready, over, found = Event(), Event(), []

    async def serve() -> None:
        async with served(story) as visitor:
            guest = await begin(visitor)
            await guest.say("Hello")
            found.append((visitor.url, guest.session, guest.token))
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(60)
        yield found[0]
    finally:
        over.set()
        thread.join()


def test_no_operation_of_the_description_fails(tmp_path: Path) -> None:
    import requests
    import schemathesis
    from schemathesis import GenerationMode

    with house(tmp_path) as (url, session, token):
        schema = schemathesis.openapi.from_dict(requests.get(f"{url}/openapi.json", timeout=30).json())
        asked: dict[str, list[int]] = {}
        for result in schema.get_all_operations():
            operation = result.ok()
            name = operation.definition.raw["operationId"]
            if name in ENDLESS:
                continue
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                asked.setdefault(name, []).extend(_asked(operation, mode, url, session, token))
    assert len(asked) >= 45
    assert {name: statuses for name, statuses in asked.items() if max(statuses) >= 500} == {}
    assert sum(200 <= status < 300 for statuses in asked.values() for status in statuses) >= 30


def _asked(operation: Any, mode: GenerationMode, url: str, session: str, token: str) -> list[int]:
    """The statuses that some requests to one operation got. Every other one is about the session there is."""
    statuses: list[int] = []

    @seed(1)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(mode))
    def ask(case: Any) -> None:
        if "run_id" in (case.path_parameters or {}) and len(statuses) % 2:
            case.path_parameters["run_id"] = session
        response = case.call(base_url=url, headers={"X-Player-Token": token}, timeout=60)
        statuses.append(response.status_code)

    try:
        ask()
    except Unsatisfiable:  # nothing can be wrong with a request that has no parts
        return statuses or [0]
    return statuses
