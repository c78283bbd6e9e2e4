"""The events of a stream as a client receives them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp


async def server_sent(response: aiohttp.ClientResponse) -> AsyncIterator[tuple[dict[str, str], Any]]:
    """Every event that carries data: its fields, and the data as JSON."""
    assert response.status == 200, await response.text()
    assert response.content_type == "text/event-stream"
    fields: dict[str, str] = {}
    async for line in response.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            fields[name] = value
        elif fields:
            if "data" in fields:
                yield fields, json.loads(fields["data"])
            fields = {}
