"""An empty Last-Event-ID counts as none, for every stream that is resumed by a number."""

from __future__ import annotations

import pytest

from tests.server.visitor import Visitor


@pytest.mark.parametrize("given", ["", "  "])
async def test_an_empty_last_event_id_follows_from_the_beginning(visitor: Visitor, given: str) -> None:
    run = await visitor.play()
    everything = await visitor.to_the_end(run)
    path = f"/v1/runs/{run}/events"
    by_header = await visitor.get(path, headers={"Last-Event-ID": given})
    assert (by_header.status, by_header.text.count("data: ")) == (200, len(everything))
    assert (await visitor.get(f"{path}?lastEventId=")).status == 200
    assert (await visitor.get(f"{path}?after=")).status == 200
    both = await visitor.get(f"{path}?after={everything[0].id}", headers={"Last-Event-ID": given})
    assert both.text.count("data: ") == len(everything) - 1
    assert (await visitor.get(path, headers={"Last-Event-ID": "x"})).status == 422
