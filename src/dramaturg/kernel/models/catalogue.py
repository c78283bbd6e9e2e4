"""The known providers, and how a name is resolved to a provider and a model.

Each row gives a provider's address and protocol; `[providers.<name>]` in the settings changes a row or adds one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal

from dramaturg.kernel.addresses import has_credentials
from dramaturg.kernel.errors import InvalidSettings, KeyRejected
from dramaturg.kernel.models.profiles import REHEARSAL, all_profiles, known_profile, profile_of
from dramaturg.kernel.settings import ProviderSettings, Settings

Protocol = Literal["anthropic", "openai", "pydantic-ai", "claude-code", "gguf"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A place that serves models.

    `model` is the default when only the provider is named. A `local` provider is free and needs no key: it is a
    server on this machine or, without a `base_url`, files run in this process. `trusted` is false for servers that
    may not accept a JSON schema. `key_header` says how the key is sent in the Anthropic protocol: Anthropic itself
    takes a bearer token, compatible servers usually expect the older `x-api-key`. `prices` is the provider's name
    in the price list.
    """

    name: str
    protocol: Protocol
    base_url: str
    key_env: tuple[str, ...] = ()
    model: str | None = None
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    stream_timeout: float = 1800.0
    local: bool = False
    trusted: bool = True
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream_usage: bool = True
    key_header: Literal["authorization", "x-api-key"] = "x-api-key"
    prices: str | None = None


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A resolved name: a provider and one of its models."""

    provider: Provider
    model: str

    @property
    def name(self) -> str:
        return f"{self.provider.name}/{self.model}"


def _local(name: str, port: int, model: str | None = None, key_env: tuple[str, ...] = ()) -> Provider:
    url = f"http://127.0.0.1:{port}/v1"
    return Provider(name, "openai", url, key_env, model, concurrency=4, local=True, trusted=False)


_ROWS = (
    Provider(
        "anthropic",
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        "claude-sonnet-5-5",
        key_header="authorization",
        prices="anthropic",
    ),
    Provider(
        "openai",
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        "gpt-6.1-terra",
        token_field="max_completion_tokens",
        prices="openai",
    ),
    Provider(
        "google",
        "pydantic-ai",
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini-3.8-flash",
        prices="google",
    ),
    Provider("xai", "openai", "https://api.x.ai/v1", ("XAI_API_KEY",), "grok-4.3", prices="x-ai"),
    Provider(
        "mistral",
        "openai",
        "https://api.mistral.ai/v1",
        ("MISTRAL_API_KEY",),
        "mistral-large-latest",
        stream_usage=False,
        prices="mistral",
    ),
    Provider(
        "deepseek",
        "openai",
        "https://api.deepseek.com/v1",
        ("DEEPSEEK_API_KEY",),
        "deepseek-v4-flash",
        prices="deepseek",
    ),
    Provider(
        "qwen",
        "openai",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        "qwen-plus",
    ),
    Provider(
        "openrouter",
        "openai",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        "anthropic/claude-sonnet-5.5",
        trusted=False,
        prices="openrouter",
    ),
    Provider(
        "claude-code",
        "claude-code",
        "",
        model="claude-sonnet-5-5",
        concurrency=4,
        timeout=300.0,
        prices="anthropic",
    ),
    # One at a time, so that a prompt shared by several characters is computed only once.
    Provider("local", "gguf", "", concurrency=1, timeout=600.0, local=True),
    _local("ollama", 11434, "llama3.2:3b"),
    _local("lmstudio", 1234),
    _local("llamacpp", 8080, "default"),
    _local("vllm", 8000, key_env=("VLLM_API_KEY",)),
)
KNOWN: Mapping[str, Provider] = {row.name: row for row in _ROWS}

# The order in which keys are looked for and, if none is set, local servers are tried.
BY_KEY = ("anthropic", "openai", "google", "xai", "mistral", "deepseek", "qwen", "openrouter")
BY_PORT = ("ollama", "lmstudio", "llamacpp")


def providers(settings: Settings) -> dict[str, Provider]:
    """Every provider as configured: the known ones with their changes, and the author's own. Raises InvalidSettings."""
    found = dict(KNOWN)
    for name, own in settings.providers.items():
        _check_address(name, own.base_url)
        found[name] = _adjusted(found[name], own) if name in found else _own(name, own)
    return found


def model_ref(name: str, settings: Settings) -> ModelRef:
    """Resolves `provider/model`, a bare provider, or the bare id of a known model.

    Raises InvalidSettings for an unknown name, and suggests the closest known one.
    """
    rows = providers(settings)
    head, _, model = name.strip().partition("/")
    if head in rows:
        return ModelRef(rows[head], model or _default_model(rows[head]))
    profile = None if model else known_profile(head)
    if profile and profile.provider in rows:
        return ModelRef(rows[profile.provider], head)
    raise InvalidSettings(_unknown(name, head, bool(model), rows), model=name)


def key_of(provider: Provider, settings: Settings) -> str | None:
    """The provider's key, from the environment; None if it needs none. Raises KeyRejected if it is not set."""
    for variable in provider.key_env:
        if settings.has(variable):
            return settings.env[variable].strip()
    if provider.local or not provider.key_env:
        return None
    names = " or ".join(provider.key_env)
    raise KeyRejected(
        f"{provider.name} needs a key and {names} is not set. Set it in the environment, "
        f"or choose another model (`dramaturg models` lists the usable ones).",
        provider=provider.name,
        variable=provider.key_env[0],
    )


def models_known_at(provider: Provider) -> tuple[str, ...]:
    """The ids in `profiles.toml` whose vendor is this provider, its default first."""
    ids = [row.id for row in all_profiles() if row.provider == provider.name]
    first = [provider.model] if provider.model and profile_of(provider.model).id not in ids else []
    return tuple(first + ids)


def _check_address(name: str, base_url: str | None) -> None:
    """Refuses an address that holds secrets: it is sent to logs and messages. The address itself is not quoted."""
    if base_url is None:
        return
    if not base_url.strip():
        raise InvalidSettings(f"[providers.{name}] `base_url` is blank. Fill it in, or leave it out.", provider=name)
    if has_credentials(base_url) or "?" in base_url or "#" in base_url:
        raise InvalidSettings(
            f"[providers.{name}] `base_url` contains a user name, a password or a query. Put the key into an "
            "environment variable, and the variable's name into `key_env`.",
            provider=name,
        )


def _adjusted(row: Provider, own: ProviderSettings) -> Provider:
    changes: dict[str, object] = {
        field: getattr(own, field)
        for field in sorted(ProviderSettings.model_fields.keys() - {"key_env"})
        if field in own.model_fields_set and getattr(own, field) is not None
    }
    if own.key_env:
        changes["key_env"] = (own.key_env,)
    return replace(row, **changes)  # type: ignore[arg-type]


def _own(name: str, own: ProviderSettings) -> Provider:
    if own.protocol is None:
        near = get_close_matches(name, KNOWN, n=1)
        meant = f" Did you mean [providers.{near[0]}]?" if near else ""
        raise InvalidSettings(
            f"[providers.{name}] is not a known provider, so it needs "
            f"`protocol` (anthropic, openai or pydantic-ai).{meant}",
            provider=name,
        )
    if own.base_url is None and own.protocol != "pydantic-ai":
        raise InvalidSettings(f"[providers.{name}] needs `base_url`, the address of the server.", provider=name)
    row = Provider(name, own.protocol, own.base_url or "", trusted=False)
    return _adjusted(row, own)


def _default_model(provider: Provider) -> str:
    if provider.model:
        return provider.model
    raise InvalidSettings(
        f"'{provider.name}' has no default model. Name one as '{provider.name}/<model>', or set "
        f"`model` under [providers.{provider.name}]; `dramaturg models` lists the models it serves.",
        provider=provider.name,
    )


def _unknown(name: str, head: str, has_model: bool, rows: Mapping[str, Provider]) -> str:
    known = [*rows, REHEARSAL] if has_model else [*rows, REHEARSAL, *(row.id for row in all_profiles())]
    near = get_close_matches(head, known, n=1)
    meant = f" Did you mean '{near[0]}'?" if near else ""
    kind = "provider" if has_model else "provider or model"
    return (
        f"'{head}' in '{name}' is not a {kind} known here.{meant} Known: {', '.join(rows)} and rehearsal. "
        f"A server of your own needs [providers.{head}] with `protocol` and `base_url` in dramaturg.toml."
    )
