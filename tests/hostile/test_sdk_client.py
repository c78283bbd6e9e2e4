"""The limits hold for Google too, whose SDK is given a client of ours."""

from __future__ import annotations

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelUnreadable
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.providers.http_body import UnusableResponse
from dramaturg.kernel.models.providers.sdk_client import sdk_client
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings
from tests.hostile.providers import PIECES, SMALL, TOLERATED, TOO_MUCH, UNREAD, UNREADABLE, Misbehaviour, serving
from tests.hostile.test_provider_settings import BOMB
from tests.model_server.asking import heard, question

OF_BODIES = [
    row for row in TOO_MUCH + UNREADABLE if row.words == PIECES or "body is" in row.words or "encoded as" in row.words
]


@pytest.mark.parametrize("row", OF_BODIES, ids=[row.name for row in OF_BODIES])
async def test_a_body_is_refused_at_the_limit(row: Misbehaviour) -> None:
    async with serving(row) as provider, sdk_client(SMALL) as client:
        with pytest.raises(UnusableResponse):
            await client.post(provider.url, content=b"{}")
        await provider.closed.wait()
    assert provider.sent < UNREAD


@pytest.mark.parametrize("row", TOLERATED, ids=[row.name for row in TOLERATED])
async def test_what_the_protocol_allows_is_read(row: Misbehaviour) -> None:
    async with serving(row) as provider, sdk_client(SMALL) as client:
        assert (await client.post(provider.url, content=b"{}")).content == b"data: owl\n\n"


async def test_google_cannot_send_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pydantic_ai.models.ALLOW_MODEL_REQUESTS", True)  # this provider is a server of our own
    async with serving(BOMB, BOMB) as provider:
        settings = Settings(
            models=ModelSettings(retries=1),
            providers={"google": ProviderSettings(base_url=provider.url)},
            env={"GEMINI_API_KEY": "secret-google"},
        )
        async with Gateway(settings, StillClock()) as gateway:
            google = gateway.open("google/gemini-3.8-flash")
            with pytest.raises(ModelUnreadable, match="its unpacked body is larger than the limit of 32 MB"):
                await google.complete(question())
            with pytest.raises(ModelUnreadable, match="its unpacked body is larger than the limit of 32 MB"):
                await heard(google.stream(question()))
    assert len(provider.requests) == 2
