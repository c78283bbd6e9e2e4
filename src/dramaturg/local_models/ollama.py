"""Ollama's own API: the models it has, and having it get one.

Only the server that `[providers.ollama]` names is asked, by default on this machine. It downloads by itself, from where
its user has told it to; nothing here asks anybody else.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from typing import Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, ModelError, ModelNotFound, ModelTimeout, ModelUnavailable
from dramaturg.kernel.models.catalogue import providers
from dramaturg.kernel.models.providers.faults import Source, garbled
from dramaturg.kernel.models.providers.http_body import ResponseLimits
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.tables import table

PROVIDER = "ollama"
PROBE_SECONDS = 2.0
SILENT_SECONDS = 900.0
"""How long a download may say nothing: the hash of a large file takes a slow disk minutes."""
LONGEST_NAME = 200
LONGEST_LINE = 64 * 1024
LIMITS = ResponseLimits(body=1 << 30)
"""A download reports sixteen times a second, for hours if it must."""
JSON = {"content-type": "application/json"}
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?::\d{1,5}(?=/))?(?:/[A-Za-z0-9][\w.-]*){0,3}(?::[\w.-]+)?", re.ASCII)
_NOT_THERE = re.compile(r"file does not exist|not found", re.I)

PullStep = Literal["asking", "downloading", "checking"]


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that the server has: its name here, and how large it is on disk; 0 if the server does not say."""

    name: str
    size: int = 0
    parameters: str = ""
    quantization: str = ""


@dataclass(frozen=True, slots=True)
class PullReport:
    """What a download says as it goes: the file that it is about, and how much of it has arrived, if any."""

    step: PullStep
    digest: str = ""
    completed: int = 0
    total: int = 0


class OfferedModel(BaseModel):
    """A model worth getting."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    gigabytes: float
    licence: str
    about: str


@cache
def offered_models() -> tuple[OfferedModel, ...]:
    """The short list of models worth getting, smallest first."""
    return tuple(OfferedModel(**row) for row in table(__package__, "offers.toml")["model"])


def whole_name(typed: str) -> str:
    """A model's name with its tag, as Ollama completes it. Raises InvalidConfig for what cannot be a name."""
    name = typed.strip().removeprefix(f"{PROVIDER}/")
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise InvalidConfig(
            f"'{name[:60]}' is not the name of a model. Names look like qwen3:4b, or hf.co/OWNER/REPO:Q4_K_M.",
            model=name[:LONGEST_NAME],
        )
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Details(_Wire):
    parameter_size: str | None = None
    quantization_level: str | None = None


class _Tag(_Wire):
    name: str = Field(max_length=2 * LONGEST_NAME)
    size: NonNegativeInt = 0
    details: _Details | None = None


class _Tags(_Wire):
    models: list[_Tag] | None = None


class _Line(_Wire):
    status: str = ""
    digest: str | None = Field(None, max_length=LONGEST_NAME)
    total: NonNegativeInt | None = None
    completed: NonNegativeInt | None = None
    error: str | None = None

    @property
    def report(self) -> PullReport:
        if not self.digest or self.total is None:
            return PullReport("asking" if "manifest" in self.status and "pulling" in self.status else "checking")
        return PullReport("downloading", self.digest, min(self.completed or 0, self.total), self.total)


class Ollama:
    """The server that `[providers.ollama]` names. A download may say nothing for `silence` seconds.

    Use it as an async context manager, or call `aclose`.
    """

    def __init__(self, settings: Settings, clock: Clock, silence: float = SILENT_SECONDS) -> None:
        self._silence = silence
        self.address = providers(settings)[PROVIDER].base_url.rstrip("/").removesuffix("/v1")
        self._pool = HttpPool(clock, settings.env, limits=LIMITS)

    async def __aenter__(self) -> Ollama:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._pool.aclose()

    async def models(self) -> tuple[LocalModel, ...] | None:
        """What the server has, each model once; None if it does not answer, or is none that gets models."""
        source = self._source("models")
        try:
            async with (
                asyncio.timeout(PROBE_SECONDS),
                self._pool.reply("GET", f"{self.address}/api/tags", {}, None, source) as reply,
            ):
                tags = _Tags.model_validate_json(await reply.body())
        except (ModelError, TimeoutError, ValidationError):
            return None
        return tuple({tag.name: _local(tag) for tag in tags.models or ()}.values())

    async def pull(self, name: str) -> AsyncGenerator[PullReport, None]:
        """Has the server get a model by its whole name; what an earlier attempt left is used. Leaving stops it.

        Raises ModelNotFound if there is no such model, ModelError for what else goes wrong.
        """
        source, body = self._source(name), orjson.dumps({"model": name, "stream": True})
        async with (
            self._pool.reply("POST", f"{self.address}/api/pull", JSON, body, source) as reply,
            aclosing(_lines(reply, source, self._silence)) as lines,
        ):
            async for raw in lines:
                line = _read(raw, source)
                if line.status == "success":
                    return
                yield line.report
        raise ModelUnavailable(f"Ollama stopped before {name} was complete. Try again; what arrived is kept.")

    def _source(self, model: str) -> Source:
        return Source(PROVIDER, model, self.address, others=self._pool.secrets)


def _local(tag: _Tag) -> LocalModel:
    details = tag.details or _Details()
    return LocalModel(
        f"{PROVIDER}/{tag.name}", tag.size, details.parameter_size or "", details.quantization_level or ""
    )


def _read(raw: bytes, source: Source) -> _Line:
    try:
        line = _Line.model_validate_json(raw)
    except ValidationError as error:
        raise garbled(source, raw) from error
    if not line.error:
        return line
    said, context = source.quote(line.error), {"provider": source.provider, "model": source.model}
    if _NOT_THERE.search(line.error):
        raise ModelNotFound(f"Ollama knows no {source.model} ({said}). Check the name and its tag.", **context)
    raise ModelUnavailable(f"Ollama could not get {source.model} ({said}). What arrived is kept.", **context)


async def _lines(pieces: AsyncIterator[bytes], source: Source, silence: float) -> AsyncGenerator[bytes, None]:
    held = b""
    while True:
        try:
            async with asyncio.timeout(silence):
                piece = await anext(pieces, b"")
        except TimeoutError as error:
            raise ModelTimeout(
                f"Ollama said nothing about {source.model} for {silence / 60:g} minutes. What arrived is kept.",
                model=source.model,
            ) from error
        *lines, held = (held + piece).split(b"\n")
        for line in lines if piece else [held]:
            if line.strip():
                yield line
        if not piece:
            return
        if len(held) > LONGEST_LINE:
            raise garbled(source, held)
