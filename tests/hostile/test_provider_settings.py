"""The limits as they are shipped: whichever client is set, and for voices as well as for models."""

from __future__ import annotations

import gzip

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelTimeout, ModelUnreadable, VoiceRejected, VoiceUnreadable
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings, VoiceSettings
from dramaturg.voices.providers.speech_client import SpeechClient, checked_address
from tests.hostile.providers import CHUNKED, Misbehaviour, chunk, packed, serving
from tests.model_server.asking import heard, question

BOMB = Misbehaviour("a bomb", packed(b"gzip", gzip.compress(bytes(40 * 1024 * 1024))))
LONG_HEADER = Misbehaviour("a long header", b"HTTP/1.1 200 OK\r\nx-owl: " + b"o" * 65536 + b"\r\n\r\n")
AND = chunk(b'data: {"choices": [{"delta": {"content": "and "}}]}\n\n')
ALIVE = Misbehaviour("a word now and then", CHUNKED, AND, slowly=True)


def settings_at(url: str, client: str, **more: float) -> Settings:
    attic = ProviderSettings(protocol="openai", base_url=url, **more)
    return Settings(models=ModelSettings(client=client), providers={"attic": attic})


@pytest.mark.parametrize("client", ["builtin", "aiohttp"])
async def test_a_bomb_is_the_providers_fault_and_not_asked_for_twice(client: str) -> None:
    async with serving(BOMB, LONG_HEADER, BOMB) as provider:
        async with Gateway(settings_at(provider.url, client), StillClock()) as gateway:
            model = gateway.open("attic/owl")
            with pytest.raises(ModelUnreadable, match="its unpacked body is larger than the limit of 32 MB"):
                await model.complete(question())
            with pytest.raises(ModelUnreadable, match="its headers are larger than the limit of 64 kB"):
                await model.complete(question())
            with pytest.raises(ModelUnreadable, match="32 MB"):
                await heard(model.stream(question()))
        assert len(provider.requests) == 3
        assert (b"user-agent: dramaturg" in provider.requests[0].lower()) == (client == "builtin")
        assert all(b"accept-encoding: identity" in request.lower() for request in provider.requests)


async def test_a_stream_that_goes_on_for_ever_ends_when_the_settings_say() -> None:
    async with serving(ALIVE) as provider:
        settings = settings_at(provider.url, "builtin", timeout=0.3, stream_timeout=0.3)
        async with Gateway(settings, StillClock()) as gateway:
            with pytest.raises(ModelTimeout, match=r"attic/owl did not"):
                await heard(gateway.open("attic/owl").stream(question()))


async def test_the_same_limits_hold_for_voices() -> None:
    async with serving(BOMB, LONG_HEADER) as provider:
        source = Source("attic", "tenor", provider.url)
        client = SpeechClient(Settings(voices=VoiceSettings()), source, {}, concurrency=1, clock=StillClock())
        with pytest.raises(VoiceUnreadable, match="its unpacked body is larger than the limit of 32 MB"):
            await client.post("/speech", {}, lambda response: response.body)
        with pytest.raises(VoiceUnreadable, match="its headers are larger than the limit of 64 kB"):
            await client.get("/voices", lambda response: response.body)
        await client.aclose()


@pytest.mark.parametrize("address", ["ftp://me:s3cret@host/v1", "me:s3cret@host", "http://me:s3cret@host:x/", "@"])
def test_no_form_of_address_makes_a_voice_quote_a_password(address: str) -> None:
    with pytest.raises(VoiceRejected) as caught:
        checked_address("attic", address)
    assert "s3cret" not in str(caught.value)


async def test_a_voice_behind_an_unusable_proxy_says_which_variable_is_wrong() -> None:
    settings = Settings(env={"ALL_PROXY": "socks5://me:s3cret@proxy:1080"})
    source = Source("attic", "tenor", "http://voices.example.org")
    client = SpeechClient(settings, source, {}, concurrency=1, clock=StillClock())
    with pytest.raises(VoiceRejected, match="ALL_PROXY names a proxy of the kind 'socks5'") as caught:
        await client.get("/voices", lambda response: response.body)
    assert "s3cret" not in str(caught.value)
    await client.aclose()
