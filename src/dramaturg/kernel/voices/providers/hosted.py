"""What hosted engines share: one connection, places, another try, and lines too long for one request.

From the outside in: another try, a place, a time limit. So no place is held while waiting for another try, and
waiting for a place does not count as the engine's time.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import aiohttp
import orjson
from pydantic import JsonValue

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import VoiceRejected, VoiceTimeout, VoiceUnavailable
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.voices.port import Sound
from dramaturg.kernel.voices.providers.voice_faults import (
    for_want_of_a_place,
    voice_garbled,
    voice_late,
    voice_refusal,
    voice_unreached,
)

RETRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_WAIT_ASKED_FOR = 60.0
PAUSE = 1.0
LONGEST_QUEUE = 120.0
LARGEST_ANSWER = 256 * 1024 * 1024

Heard = TypeVar("Heard")

_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+[」』”]*\s*|\n+")


@dataclass(frozen=True, slots=True)
class Parcel:
    """The body of a success, and what its server says it is, such as `audio/pcm` with its `rate`."""

    body: bytes
    kind: str
    parameters: Mapping[str, str]


class Places:
    """No more requests under way at once than `count`.

    Who was refused for want of a place, although it had one of ours, waits until another of ours is done; in the
    order of refusal, one for each that is done.
    """

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)
        self._turns: deque[asyncio.Future[bool]] = deque()
        self._under_way = 0

    @property
    def queued(self) -> int:
        """How many wait after a refusal."""
        return sum(not turn.done() for turn in self._turns)

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[None, None]:
        async with self._free:
            self._under_way += 1
            refused = False
            try:
                yield
            except VoiceUnavailable as error:
                refused = for_want_of_a_place(error)
                raise
            finally:
                self._under_way -= 1
                if not refused:
                    self._wake_one()
                elif not self._under_way:
                    self._wake_all()

    async def another_is_done(self) -> bool:
        """Wait until one more request of ours is done; False as soon as none is under way that could be."""
        if not self._under_way:
            return False
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._wake_one()  # The turn had come, and its owner is gone: it is the next one's.
            raise

    def _wake_one(self) -> None:
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(True)
                return

    def _wake_all(self) -> None:
        """The places are somebody else's: there is nobody of ours to wait for."""
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(False)


class HostedLine:
    """The connection of one engine to its server. Every way to fail is a VoiceError that says the way out.

    What may pass is tried again `RETRIES` times: 5xx, a lost connection, a server that says it is busy; with a
    growing wait and full jitter, and never sooner than the server asked. For want of a place nobody backs off:
    the line queues behind our own, and pauses evenly if somebody else has the places.
    """

    def __init__(
        self,
        settings: Settings,
        source: Source,
        headers: Mapping[str, str],
        *,
        places: int,
        clock: Clock | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self.source = source
        self._headers = headers
        self._seconds = settings.voices.timeout
        self._clock = clock or Clock()
        self._chance = chance or random.Random()
        self._places = Places(settings.voices.concurrency or places)
        self._line = HttpPool(self._clock, settings.env)

    async def aclose(self) -> None:
        await self._line.aclose()

    async def post(
        self, path: str, body: Mapping[str, JsonValue], hear: Callable[[Parcel], Heard], **query: str
    ) -> Heard:
        """What `hear` makes of the answer to a JSON body. Raises VoiceError.

        `hear` runs in a thread, and what it raises is tried again like what the server says.
        """
        return await self._asked("POST", path, query, orjson.dumps(dict(body)), hear)

    async def get(self, path: str, hear: Callable[[Parcel], Heard]) -> Heard:
        """Raises VoiceError."""
        return await self._asked("GET", path, {}, None, hear)

    async def _asked(
        self, method: str, path: str, query: Mapping[str, str], body: bytes | None, hear: Callable[[Parcel], Heard]
    ) -> Heard:
        url = f"{self.source.base_url}{path}" + (f"?{urlencode(query)}" if query else "")
        tries, paused = 0, 0.0
        while True:
            try:
                async with self._places.one():
                    parcel = await self._once(method, url, body)
                return await asyncio.to_thread(hear, parcel)
            except VoiceTimeout:
                raise
            except VoiceUnavailable as error:
                if for_want_of_a_place(error):
                    paused += await self._queue(error, paused)
                else:
                    await self._wait_or_raise(error, tries)
                    tries += 1

    async def _queue(self, error: VoiceUnavailable, paused: float) -> float:
        """Wait for one of ours or, where none is under way, for a moment; gives the length of the moment."""
        if await self._places.another_is_done():
            return 0.0
        pause = max(error.retry_after or 0.0, self._chance.uniform(PAUSE / 2, PAUSE))
        if paused + pause > LONGEST_QUEUE:
            raise error
        await self._clock.sleep(pause)
        return pause

    async def _wait_or_raise(self, error: VoiceUnavailable, tries: int) -> None:
        asked_for = error.retry_after or 0.0
        if tries >= RETRIES or asked_for > LONGEST_WAIT_ASKED_FOR:
            raise error
        ceiling = min(LONGEST_WAIT, FIRST_WAIT * 2.0**tries)
        await self._clock.sleep(asked_for + self._chance.uniform(0.0, ceiling))

    async def _once(self, method: str, url: str, body: bytes | None) -> Parcel:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._exchange(method, url, body)
        except ValueError as error:
            raise VoiceRejected(
                f"{self.source.name}: {self.source.base_url} cannot be asked ({self.source.quote(str(error))}). "
                "Check `base_url` under [voices].",
                engine=self.source.provider,
                model=self.source.model,
            ) from error
        except aiohttp.ClientError as error:
            # Before the time limit: a connection that is not made in time is one of these and a TimeoutError too.
            raise voice_unreached(self.source, error) from error
        except TimeoutError as error:
            raise voice_late(self.source, self._seconds) from error
        except OSError as error:
            raise voice_unreached(self.source, error) from error

    async def _exchange(self, method: str, url: str, body: bytes | None) -> Parcel:
        headers = {**self._headers, "content-type": "application/json"} if body is not None else self._headers
        async with self._line.session.request(
            method, url, data=body, headers=headers, proxy=self._line.proxy_for(url), allow_redirects=False
        ) as response:
            came = bytearray()
            async for chunk in response.content.iter_any():
                came += chunk
                if len(came) > LARGEST_ANSWER:
                    raise voice_garbled(self.source, f"more than {LARGEST_ANSWER >> 20} MB for one line")
            if response.status != 200:
                raise voice_refusal(self.source, response.status, bytes(came), response.headers, self._clock.now())
            return Parcel(bytes(came), response.content_type, _parameters(response.headers.get("content-type", "")))


def _parameters(content_type: str) -> Mapping[str, str]:
    message = Message()
    message["content-type"] = content_type
    return {name.lower(): value for name, value in (message.get_params() or [])[1:]}


def checked_address(engine: str, base_url: str) -> str:
    """The address without a slash at its end. Raises VoiceRejected for what no server can be reached at."""
    address = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if usable and (parts.username or parts.password):
        raise VoiceRejected(
            f"{engine}: `base_url` under [voices] holds a name or a password. Put the key into a variable of the "
            "environment, and the variable's name into `key_env`.",
            engine=engine,
        )
    if not usable or parts.query or parts.fragment:
        raise VoiceRejected(
            f"{engine}: `base_url` under [voices] is not an address ({address!r}). "
            "It begins with http:// or https:// and names a host.",
            engine=engine,
        )
    return address


def key_in(settings: Settings, engine: str, variable: str) -> str:
    """The key in a variable of the environment. Raises VoiceRejected, which never quotes it."""
    key = settings.env.get(variable, "").strip()
    if not key:
        raise VoiceRejected(
            f"{engine}: no key, since {variable} is not set. Set it, name another variable with `key_env` under "
            '[voices], or let an engine of this machine speak: `engine = "auto"`.',
            engine=engine,
            variable=variable,
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise VoiceRejected(
            f"{engine}: what {variable} holds cannot be a key: it has spaces or letters that no key has. "
            "Copy it again.",
            engine=engine,
            variable=variable,
        )
    return key


def pieces_of(text: str, limit: int) -> list[str]:
    """A text in pieces of at most `limit` characters, parted at the ends of sentences, else of words."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        cut = _cut(rest, limit)
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*pieces, rest] if rest else pieces


def _cut(text: str, limit: int) -> int:
    ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, limit + 1) if len(text[: end.end()].rstrip()) <= limit]
    if ends:
        return ends[-1]
    space = max(text.rfind(gap, 1, limit + 1) for gap in (" ", "\n", "\t"))
    return space if space > 0 else limit


def joined(source: Source, sounds: Sequence[Sound]) -> Sound:
    """Pieces of one line as one sound. Raises VoiceUnreadable if they cannot be joined."""
    if len({sound.sample_rate for sound in sounds}) != 1:
        raise voice_garbled(source, "a line in pieces of different sample rates")
    rate = sounds[0].sample_rate
    words, length = [], 0
    for sound in sounds:
        begin = length / 2 / rate
        words += [
            word.model_copy(update={"start": round(word.start + begin, 4), "end": round(word.end + begin, 4)})
            for word in sound.words
        ]
        length += len(sound.pcm)
    return Sound(b"".join(sound.pcm for sound in sounds), rate, tuple(words))
