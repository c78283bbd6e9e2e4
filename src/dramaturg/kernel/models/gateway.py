"""The gateway opens models by name; the one place where adapters are built and wrapped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidSettings, KeyRejected, install_extra
from dramaturg.kernel.models.bounds import Bounded
from dramaturg.kernel.models.catalogue import (
    BY_KEY,
    BY_PORT,
    ModelRef,
    Provider,
    key_of,
    model_ref,
    models_known_at,
    providers,
)
from dramaturg.kernel.models.gguf import FOLDER, find_weights, known_weights
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.prices import FREE, Price, Priced, price_of, tariff_of
from dramaturg.kernel.models.profiles import REHEARSAL, ModelProfile, is_stand_in, profile_of
from dramaturg.kernel.models.wrappers import Limited, Retrying, Timed
from dramaturg.kernel.settings import Settings

if TYPE_CHECKING:
    from dramaturg.kernel.models.providers.http_pool import HttpPool

PROBE_SECONDS = 0.5
# What a protocol needs beyond the core install: the module, and the extra that provides it.
EXTRAS = {
    "pydantic-ai": ("pydantic_ai", "providers"),
    "claude-code": ("claude_agent_sdk", "claude-code"),
    "gguf": ("xllamacpp", "local"),
}


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that plays, and the reason in one printable sentence."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ModelState:
    """A model served by a provider. `price` is None if it is unknown."""

    name: str
    profile: ModelProfile
    price: Price | None


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider, whether it can be used now, and the reason."""

    name: str
    usable: bool
    reason: str
    models: tuple[ModelState, ...]
    needs_key: bool = False


class Gateway:
    """Opens models by name. All of them share one connection pool, and a provider's models share its rate limit.

    Use it as an async context manager, or call `aclose`.
    """

    def __init__(self, settings: Settings, clock: Clock, given: Mapping[str, Model] | None = None) -> None:
        self._settings = settings
        self._clock = clock
        retries = settings.models.retries
        self._given = {name: Retrying(Bounded(own), clock, retries=retries) for name, own in (given or {}).items()}
        self.limit: Callable[[Model, Provider], Model] = lambda model, _: model
        """Limits the models of a provider further, as they are opened."""
        self._line_open: HttpPool | None = None
        self._places: dict[str, asyncio.Semaphore] = {}
        self._models: dict[str, Model] = {}
        self.given_keys: tuple[str, ...] = ()
        """Keys that were given to this process alone. Nothing that is shown, sent or stored may contain them."""
        self._to_ready: list[Callable[[], Awaitable[None]]] = []
        self._to_close: list[Callable[[], Awaitable[None]]] = []

    async def __aenter__(self) -> Gateway:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    def open(self, name: str) -> Model:
        """Opens a given model, `provider/model`, a bare provider, the bare id of a known model, or `rehearsal`.

        Raises InvalidSettings for an unknown name, KeyRejected if the key is missing.
        """
        if name in self._given:
            return self._given[name]
        if name not in self._models:
            self._models[name] = self._company() if is_stand_in(name) else self._opened(model_ref(name, self._settings))
        return self._models[name]

    def give_key(self, name: str, key: str) -> None:
        """Uses a key for the provider of this model until the process ends, instead of any that it had.

        Raises InvalidSettings for an unknown name, and if the provider takes no key.
        """
        row = None if is_stand_in(name) or name in self._given else model_ref(name, self._settings).provider
        if row is None or row.local or not row.key_env:
            raise InvalidSettings(f"{name} needs no key.", model=name)
        self.given_keys = (*self.given_keys, key)
        self._settings = self._settings.model_copy(update={"env": {**self._settings.env, row.key_env[0]: key}})
        for opened in [one for one in self._models if not is_stand_in(one)]:
            if model_ref(opened, self._settings).provider.name == row.name:
                del self._models[opened]

    def knows(self, name: str) -> bool:
        """Whether `open` would resolve this name; the key may still be missing."""
        try:
            return is_stand_in(name) or name in self._given or bool(model_ref(name, self._settings))
        except InvalidSettings:
            return False

    def price(self, name: str) -> Price | None:
        """The price per million tokens; None if it is not known. Raises InvalidSettings for an unknown name."""
        if name in self._given:
            return None
        return FREE if is_stand_in(name) else price_of(model_ref(name, self._settings))

    async def ready(self) -> None:
        """Returns when every opened model can answer without delay: weights take a while to load."""
        await asyncio.gather(*(ready() for ready in self._to_ready))

    async def choose(self) -> ModelChoice:
        """The model to use if none is named: the default, a key, a local server, a file, the rehearsal company."""
        if default := self._settings.models.default:
            return ModelChoice(default, f"Playing with {default}, as configured.")
        if given := next(iter(self._given), None):
            return ModelChoice(given, f"Playing with {given}, a model of this program.")
        rows = providers(self._settings)
        for name in BY_KEY:
            row = rows[name]
            variable = next((key for key in row.key_env if self._settings.has(key)), None)
            if variable and _installed(row):
                chosen = f"{name}/{row.model}"
                return ModelChoice(chosen, f"Playing with {chosen}, because {self._source_of_key(variable)}.")
        local = [rows[name] for name in BY_PORT]
        for row, served in zip(local, await asyncio.gather(*map(self._served, local)), strict=True):
            model = row.model if row.model in (served or ()) else _first_speaker(served or [])
            if model:
                chosen = f"{row.name}/{model}"
                return ModelChoice(chosen, f"Playing with {chosen}, served at {_place(row)}.")
        if _installed(rows["local"]) and (found := known_weights(self._settings)):
            return ModelChoice(f"local/{found[0]}", f"Playing with local/{found[0]}, found on this machine.")
        return ModelChoice(
            REHEARSAL,
            "Playing with the rehearsal company: no key is set and no local server answers (for a language model, set "
            "ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or get one for this machine: dramaturg models get).",
        )

    async def survey(self) -> list[ProviderState]:
        """Every provider, whether it is usable and why, and its models with their windows, tiers and prices."""
        rows = list(providers(self._settings).values())
        return list(await asyncio.gather(*map(self._state, rows)))

    async def aclose(self) -> None:
        """Closes every connection. The models opened so far can no longer be used."""
        self._models.clear()
        self._to_ready.clear()
        self._line_open = None
        while self._to_close:
            await self._to_close.pop()()

    def _opened(self, wanted: ModelRef) -> Model:
        row = wanted.provider
        model = Priced(self._adapter(wanted, key_of(row, self._settings)), tariff_of(wanted))
        places = self._places.setdefault(row.name, asyncio.Semaphore(row.concurrency))
        limited = Limited(Timed(Bounded(model), row.timeout, row.stream_timeout), places)
        return Retrying(self.limit(limited, row), self._clock, retries=self._settings.models.retries)

    def _adapter(self, wanted: ModelRef, key: str | None) -> Model:
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

    def _local(self, wanted: ModelRef) -> Model:
        from dramaturg.kernel.models.providers.local_wire import LocalWire

        wire = LocalWire(wanted, find_weights(wanted.model, self._settings), self._clock)
        self._to_ready.append(wire.ready)
        self._to_close.append(wire.aclose)
        return wire

    def _company(self) -> Model:
        from dramaturg.kernel.models.rehearsal.company import RehearsalCompany

        company: Model = RehearsalCompany(clock=self._clock, pace=self._settings.scenes.pace or 0.0)
        return company

    def _line(self) -> HttpPool:
        if self._line_open is None:
            from dramaturg.kernel.models.providers.http_pool import HttpPool

            self._line_open = HttpPool(self._clock, self._settings.env, client=self._settings.models.client)
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
            missing = f"{error.context['variable']} is not set"
            return replace(_stated(row, False, missing, known), needs_key=True)
        variable = next((name for name in row.key_env if self._settings.has(name)), "")
        return _stated(row, True, self._source_of_key(variable) if key else "needs no key", known)

    def _source_of_key(self, variable: str) -> str:
        given = self._settings.env[variable] in self.given_keys
        return "a key was given until the server stops" if given else f"{variable} is set"

    def _files(self, row: Provider) -> ProviderState:
        found = known_weights(self._settings)
        if not found:
            return _stated(
                row, False, f"no GGUF file in the project or its folder '{FOLDER}': dramaturg models get", ()
            )
        return _stated(row, True, f"{len(found)} GGUF file{'s' * (len(found) > 1)} on this machine", found)


def _stated(row: Provider, usable: bool, reason: str, models: tuple[str, ...]) -> ProviderState:
    asked_for = [ModelRef(row, model) for model in models]
    states = (ModelState(one.name, profile_of(one.name), price_of(one)) for one in asked_for)
    return ProviderState(row.name, usable, reason, tuple(states))


def _installed(row: Provider) -> bool:
    module, _ = EXTRAS.get(row.protocol, ("", ""))
    return not module or find_spec(module) is not None


def _needs(row: Provider) -> str:
    return f"needs {install_extra(EXTRAS[row.protocol][1])}"


def _first_speaker(served: list[str]) -> str | None:
    return next((model for model in served if profile_of(model).writes), None)


def _place(row: Provider) -> str:
    return row.base_url.partition("://")[2].partition("/")[0]
