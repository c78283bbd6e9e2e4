"""The gateway: names in, models out; the one place where adapters are built and wrapped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidSettings, KeyRejected
from dramaturg.kernel.models.catalogue import (
    BY_KEY,
    BY_PORT,
    REHEARSAL,
    Asked,
    Provider,
    asked,
    key_of,
    models_known_at,
    providers,
)
from dramaturg.kernel.models.gguf import FOLDER, find_weights, known_weights
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.prices import Price, Priced, price_of, tariff_of
from dramaturg.kernel.models.profiles import ModelProfile, profile_of
from dramaturg.kernel.models.wrappers import Limited, Retrying, Timed
from dramaturg.kernel.settings import Settings

if TYPE_CHECKING:
    from dramaturg.kernel.models.providers.wire import Line

PROBE_SECONDS = 0.5
# What a protocol needs beside ours: the module, and the extra that brings it.
EXTRAS = {
    "pydantic-ai": ("pydantic_ai", "providers"),
    "claude-code": ("claude_agent_sdk", "claude-code"),
    "gguf": ("xllamacpp", "local"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which model plays, and why, in one sentence fit to print."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ModelState:
    """A model a provider serves. `price` is None where it is not known."""

    name: str
    profile: ModelProfile
    price: Price | None


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider, whether it can be used now, and why (not)."""

    name: str
    usable: bool
    reason: str
    models: tuple[ModelState, ...]


class Gateway:
    """Opens models by name. All of them share one session, and a provider's models share its places.

    Use it as an async context manager, or call `aclose`.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._line_open: Line | None = None
        self._places: dict[str, asyncio.Semaphore] = {}
        self._models: dict[str, Model] = {}
        self._to_ready: list[Callable[[], Awaitable[None]]] = []
        self._to_close: list[Callable[[], Awaitable[None]]] = []

    async def __aenter__(self) -> Gateway:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    def open(self, name: str) -> Model:
        """The model behind `provider/model`, a bare provider, a bare known model id, or `rehearsal`.

        Raises InvalidSettings for a name that means nothing, KeyRejected where the key is missing.
        """
        if name not in self._models:
            self._models[name] = self._rehearsal() if name == REHEARSAL else self._opened(asked(name, self._settings))
        return self._models[name]

    async def ready(self) -> None:
        """Return when every model opened so far can answer at once: weights take a while to load."""
        await asyncio.gather(*(ready() for ready in self._to_ready))

    async def choose(self) -> Choice:
        """Who plays when nobody is named: the configured default, a key, a local server, the company."""
        if default := self._settings.models.default:
            return Choice(default, f"Playing with {default}, as configured.")
        rows = providers(self._settings)
        for name in BY_KEY:
            row = rows[name]
            variable = next((key for key in row.key_env if self._settings.has(key)), None)
            if variable and _installed(row):
                chosen = f"{name}/{row.model}"
                return Choice(chosen, f"Playing with {chosen}, because {variable} is set.")
        local = [rows[name] for name in BY_PORT]
        for row, served in zip(local, await asyncio.gather(*map(self._served, local)), strict=True):
            model = row.model if row.model in (served or ()) else _first_speaker(served or [])
            if model:
                chosen = f"{row.name}/{model}"
                return Choice(chosen, f"Playing with {chosen}, served at {_place(row)}.")
        return Choice(
            REHEARSAL,
            "Playing with the rehearsal company: no key is set and no local server answers "
            "(set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start Ollama, for a language model).",
        )

    async def survey(self) -> list[ProviderState]:
        """Every provider: usable now or why not, and its models with window, tier and price."""
        rows = list(providers(self._settings).values())
        return list(await asyncio.gather(*map(self._state, rows)))

    async def aclose(self) -> None:
        """Close every connection. The models opened so far are of no use after it."""
        self._models.clear()
        self._to_ready.clear()
        self._line_open = None
        while self._to_close:
            await self._to_close.pop()()

    def _opened(self, wanted: Asked) -> Model:
        row = wanted.provider
        model = Priced(self._adapter(wanted, key_of(row, self._settings)), tariff_of(wanted))
        places = self._places.setdefault(row.name, asyncio.Semaphore(row.concurrency))
        timed = Limited(Timed(model, row.timeout), places)
        return Retrying(timed, self._clock, retries=self._settings.models.retries)

    def _adapter(self, wanted: Asked, key: str | None) -> Model:
        row, profile = wanted.provider, profile_of(wanted.name)
        if not _installed(row):
            raise InvalidSettings(f"{wanted.name} {_needs(row)}.", model=wanted.name)
        if row.protocol == "anthropic":
            from dramaturg.kernel.models.providers.anthropic_wire import AnthropicWire

            return AnthropicWire(wanted, profile, key, self._line())
        if row.protocol == "openai":
            from dramaturg.kernel.models.providers.openai_wire import OpenAIWire

            return OpenAIWire(wanted, profile, key, self._line())
        if row.protocol == "claude-code":
            from dramaturg.kernel.models.providers.claude_code import ClaudeCodeWire

            return ClaudeCodeWire(wanted, profile, self._clock, self._settings.env)
        if row.protocol == "gguf":
            return self._local(wanted)
        from dramaturg.kernel.models.providers.pydantic_ai_wire import open_pydantic_ai

        wire = open_pydantic_ai(wanted, profile, key, self._clock)
        self._to_close.append(wire.aclose)
        return wire

    def _local(self, wanted: Asked) -> Model:
        from dramaturg.kernel.models.providers.local_wire import LocalWire

        wire = LocalWire(wanted, find_weights(wanted.model, self._settings), self._clock)
        self._to_ready.append(wire.ready)
        self._to_close.append(wire.aclose)
        return wire

    def _rehearsal(self) -> Model:
        from dramaturg.kernel.models.rehearsal.company import RehearsalCompany

        company: Model = RehearsalCompany(clock=self._clock, pace=self._settings.scenes.pace or 0.0)
        return company

    def _line(self) -> Line:
        if self._line_open is None:
            from dramaturg.kernel.models.providers.wire import Line

            self._line_open = Line(self._clock, self._settings.env)
            self._to_close.append(self._line_open.aclose)
        return self._line_open

    async def _served(self, row: Provider) -> list[str] | None:
        key = next((self._settings.env[name] for name in row.key_env if self._settings.has(name)), None)
        return await self._line().models_at(row.base_url.rstrip("/"), key, PROBE_SECONDS)

    async def _state(self, row: Provider) -> ProviderState:
        known = models_known_at(row)
        if not _installed(row):
            return _stated(row, False, _needs(row), known)
        if row.protocol == "gguf":
            return self._files(row)
        if row.protocol == "claude-code":
            return _stated(row, True, "with ANTHROPIC_API_KEY or its own login", known)
        if row.local:
            served = await self._served(row)
            if served is None:
                return _stated(row, False, f"no server answers on {_place(row)}", known)
            return _stated(row, True, f"serving on {_place(row)}", tuple(served))
        try:
            key = key_of(row, self._settings)
        except KeyRejected as error:
            return _stated(row, False, f"{error.context['variable']} is not set", known)
        variable = next((name for name in row.key_env if self._settings.has(name)), "")
        return _stated(row, True, f"{variable} is set" if key else "needs no key", known)

    def _files(self, row: Provider) -> ProviderState:
        found = known_weights(self._settings)
        if not found:
            return _stated(row, False, f"no GGUF file in the project or in its folder '{FOLDER}'", ())
        return _stated(row, True, f"{len(found)} GGUF file{'s' * (len(found) > 1)} in the project", found)


def _stated(row: Provider, usable: bool, reason: str, models: tuple[str, ...]) -> ProviderState:
    asked_for = [Asked(row, model) for model in models]
    states = (ModelState(one.name, profile_of(one.name), price_of(one)) for one in asked_for)
    return ProviderState(row.name, usable, reason, tuple(states))


def _installed(row: Provider) -> bool:
    module, _ = EXTRAS.get(row.protocol, ("", ""))
    return not module or find_spec(module) is not None


def _needs(row: Provider) -> str:
    return f"needs pip install 'dramaturg[{EXTRAS[row.protocol][1]}]'"


def _first_speaker(served: list[str]) -> str | None:
    """The first model listed that writes; embedding models are listed beside the others."""
    return next((model for model in served if "embed" not in model.lower()), None)


def _place(row: Provider) -> str:
    return row.base_url.partition("://")[2].partition("/")[0]
