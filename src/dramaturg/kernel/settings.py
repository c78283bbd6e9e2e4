"""One typed `Settings`, read once from `dramaturg.toml` and the environment, then passed down.

Importing this module reads nothing. An unknown key is an error that suggests the closest known one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.values import Value

FILE_NAME = "dramaturg.toml"
AgentMode = Literal["auto", "direct", "assisted", "task"]
"""How models play; `auto` gives help to those that need it."""


class ProviderSettings(Value):
    """Changes a known model provider, or adds a server of your own, for which `protocol` is required."""

    protocol: Literal["anthropic", "openai", "pydantic-ai"] | None = Field(None, description="the API it implements")
    base_url: str | None = Field(None, description="its address; any compatible server will do")
    key_env: str | None = Field(
        None, description="name of the environment variable that holds the key; never the key itself"
    )
    model: str | None = Field(None, description="the model to use if only the provider is named")
    concurrency: int = Field(8, ge=1, le=1024, description="maximum number of concurrent requests")
    timeout: float = Field(120.0, gt=0, description="seconds to wait for an answer")


class ModelSettings(Value):
    """Which models play. Names are `provider/model`, or `rehearsal` for the built-in rehearsal company."""

    default: str | None = Field(None, description="the model for every part not named below")
    director: str | None = Field(None, description="the model that judges scenes; the default model if not set")
    characters: Mapping[str, str] = Field(default_factory=dict, description="models for individual characters")
    max_tokens: int = Field(400, ge=16, le=64_000, description="maximum length of a character's answer, in tokens")
    temperature: float | None = Field(None, ge=0, le=2, description="the provider's default if not set")
    retries: int = Field(3, ge=0, le=10, description="how often to retry after a temporary failure")


class BudgetSettings(Value):
    """Hard limits for one run. Not set means no limit."""

    tokens: int | None = Field(None, ge=1, description="input and output tokens combined")
    usd: float | None = Field(None, gt=0, description="US dollars, by the published prices")


class SceneSettings(Value):
    """Defaults for scenes whose file does not say otherwise."""

    timeout: float = Field(30.0, gt=0, description="seconds a character has for a line")
    window: int = Field(10, ge=1, le=1000, description="exchanges of the transcript that a character sees")
    memory_tokens: int = Field(
        600, ge=0, le=20_000, description="tokens of its past that a character recalls, in scenes with memory"
    )
    memory_texts: bool = Field(True, description="after such a scene, ask each character's model what it will remember")
    thread: Literal["whole", "window"] = Field(
        "whole",
        description="what is sent to a model: its whole thread, which providers cache, or only the last exchanges",
    )
    agent: AgentMode = Field(
        "auto", description="how models play: auto helps those that need it; the others apply to all"
    )
    pace: float | None = Field(
        None, ge=0, le=10, description="the rehearsal company's speaking time; 1 is real time. 1 in a terminal, else 0"
    )


class EpisodeSettings(Value):
    """Defaults for episodes whose template does not say otherwise."""

    longest_message: int = Field(
        8000, ge=1, le=200_000, description="maximum length of a player's message, in characters"
    )
    history_tokens: int = Field(
        12_000, ge=200, description="tokens of the conversation that a character's model is sent"
    )
    memory_tokens: int = Field(500, ge=0, le=20_000, description="tokens of earlier episodes that a character recalls")
    lore_tokens: int = Field(1000, ge=0, le=100_000, description="tokens of the lorebooks in one turn")
    extraction: bool = Field(
        True, description="after a turn, let a model extract what is worth remembering, with verified quotes"
    )
    extraction_wait: float = Field(2.0, ge=0, le=60, description="maximum seconds that the next turn waits for it")
    open_sessions: int = Field(2000, ge=1, description="sessions kept in memory; the least recently used are evicted")


class PlayerSettings(Value):
    """Limits and access for players over HTTP."""

    per_player: float = Field(30.0, gt=0, description="changes per player and minute: messages, swipes, edits")
    per_address: float = Field(600.0, gt=0, description="requests per IP address and minute")
    burst: int = Field(20, ge=1, le=10_000, description="requests allowed in a burst before the limits apply")
    origins: tuple[str, ...] = Field(
        (), description="origins of other sites that may call this server, such as https://play.example.org"
    )
    public_url: str | None = Field(None, description="the public address of shared pages, for their preview images")
    secret_env: str | None = Field(
        None,
        description="name of the environment variable with the secret that signs player tokens; "
        "a file in data/ if not set",
    )


class VoiceSettings(Value):
    """The speech engine and its voices."""

    engine: Literal["auto", "kokoro", "hibari", "elevenlabs", "openai-compatible", "silent"] = Field(
        "auto", description="the speech engine; auto uses the best one installed"
    )
    base_url: str | None = Field(None, description="address of a hosted engine; required for openai-compatible")
    model: str | None = Field(None, description="the model of a hosted engine")
    key_env: str | None = Field(
        None, description="name of the environment variable that holds the key; never the key itself"
    )
    concurrency: int | None = Field(
        None, ge=1, le=64, description="lines spoken concurrently; the engine's own limit if not set"
    )
    timeout: float = Field(60.0, gt=0, description="seconds to wait for one line from a hosted engine")
    cast: Mapping[str, str] = Field(
        default_factory=dict, description="voices of the engine for individual characters or profiles"
    )
    narrator: str | None = Field(None, description="the voice that narrates a scene")


class EnsembleSettings(Value):
    """Defaults for the ensemble where ensemble.yaml does not say otherwise."""

    audio: bool = Field(True, description="speak every line")
    timeout: float = Field(30.0, gt=0, description="seconds a slot has for a text")
    when_busy: Literal["queue", "refuse"] = Field(
        "queue", description="what happens to a request while another is being played"
    )
    turn3: Literal["commented", "all"] = Field(
        "commented", description="who replies: slots that received a comment, or all"
    )
    stage_rate: int | None = Field(None, description="also write copies at this sample rate, such as 48000")
    keep_days: float | None = Field(None, gt=0, description="sessions older than this are pruned")
    keep_mb: float | None = Field(None, gt=0, description="beyond this total size the oldest sessions are pruned")
    osc: str | None = Field(None, description="host:port to which every event is sent as OSC")


class ServerSettings(Value):
    """Access over HTTP."""

    token_env: str | None = Field(
        None,
        description="name of the environment variable that holds the token every request must carry; "
        "never the token itself",
    )


class NotebookSettings(Value):
    """A notebook besides the folders in notebooks/: another folder, or an MCP server."""

    role: str = Field(description="what it is for, such as world_building")
    title: str = Field("", description="its displayed name")
    folder: str | None = Field(None, description="a folder with md, txt, pdf and docx files")
    command: tuple[str, ...] = Field((), description="a program that speaks MCP on standard input and output")
    tool: str | None = Field(None, description="the tool to call; if not set, the one that takes a question")
    arguments: Mapping[str, str] = Field(default_factory=dict, description="additional arguments for that tool")
    question: str | None = Field(None, description="the name of the argument that takes the question")
    env: tuple[str, ...] = Field((), description="names of environment variables passed to the program")
    timeout: float = Field(60.0, gt=0, description="seconds to wait for an answer")


class WorkshopSettings(Value):
    """The Foreman's work on a book."""

    book: str = Field(
        "main", min_length=1, max_length=120, description="the book's name in a database shared by several books"
    )
    title: str = Field("", description="the book's title; the folder's name if not set")
    genre: str = ""
    tone: str = ""
    model: str | None = Field(None, description="the Foreman's model; the default model if not set")
    models: Mapping[Literal["architect", "voice_calibration", "director", "editor"], str] = Field(
        default_factory=dict, description="models for individual modes"
    )
    most_actions: int = Field(12, ge=1, le=100, description="maximum number of actions performed per answer")
    temperature: float | None = Field(None, ge=0, le=2, description="the provider's default if not set")


class StoreSettings(Value):
    """Where runs are stored."""

    url: str | None = Field(None, description="a Postgres URL; SQLite in the project's data/ if not set")
    wait: float = Field(
        60.0, ge=0, le=3600, description="seconds that a run waits for a full disk or a lost database before it pauses"
    )
    durability: Literal["normal", "full"] = Field(
        "normal",
        description="SQLite: normal may lose the last 200 ms in a power failure; with full, commits wait for the disk",
    )


class Settings(Value):
    """All settings, with the project they belong to."""

    project: Path = Field(Path(), exclude=True)
    seed: int | None = Field(None, description="makes the rehearsal company's performance repeatable")
    models: ModelSettings = ModelSettings()
    providers: Mapping[str, ProviderSettings] = Field(default_factory=dict)
    budget: BudgetSettings = BudgetSettings()
    scenes: SceneSettings = SceneSettings()
    episodes: EpisodeSettings = EpisodeSettings()
    players: PlayerSettings = PlayerSettings()
    voices: VoiceSettings = VoiceSettings()
    ensemble: EnsembleSettings = EnsembleSettings()
    workshop: WorkshopSettings = WorkshopSettings()
    notebooks: Mapping[str, NotebookSettings] = Field(default_factory=dict)
    store: StoreSettings = StoreSettings()
    server: ServerSettings = ServerSettings()
    env: Mapping[str, str] = Field(default_factory=dict, exclude=True, repr=False)

    @property
    def data(self) -> Path:
        """The folder for everything generated; nothing is written elsewhere."""
        return self.project / "data"

    def has(self, variable: str) -> bool:
        """Whether an environment variable is set and not blank."""
        return bool(self.env.get(variable, "").strip())


def read_settings(project: Path, env: Mapping[str, str]) -> Settings:
    """Reads a project's settings. `DRAMATURG_MODEL` and `DRAMATURG_STORE_URL` override the file."""
    raw = _read_toml(project / FILE_NAME)
    for reserved in ("project", "env"):
        if reserved in raw:
            raise InvalidSettings(f"{FILE_NAME}: '{reserved}' cannot be set.", file=FILE_NAME, key=reserved)
    _override(raw, "models", "default", env.get("DRAMATURG_MODEL"))
    _override(raw, "store", "url", env.get("DRAMATURG_STORE_URL"))
    try:
        return Settings.model_validate({**raw, "project": project, "env": dict(env)})
    except ValidationError as error:
        raise InvalidSettings(_explain(error), file=FILE_NAME) from error


def _read_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InvalidSettings(f"{path} cannot be read: {error}. Fix or remove it.", file=str(path)) from error


def _override(raw: dict[str, object], table: str, key: str, value: str | None) -> None:
    if value and isinstance(raw.setdefault(table, {}), dict):
        raw[table] = {**raw[table], key: value}  # type: ignore[dict-item]


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        meant = f" Did you mean '{near[0]}'?" if near else f" Known here: {', '.join(known)}."
        return f"{FILE_NAME}: '{where}' is not a setting.{meant}"
    return f"{FILE_NAME}: '{where}': {first['msg'].lower()} (found {first['input']!r})."


def _known_keys(path: tuple[int | str, ...]) -> list[str]:
    model: type[Value] = Settings
    for part in path:
        if model is Settings and path[0] in ("providers", "notebooks"):
            model = ProviderSettings if path[0] == "providers" else NotebookSettings
            break
        annotation = model.model_fields[str(part)].annotation
        model = annotation if isinstance(annotation, type) and issubclass(annotation, Value) else model
    return sorted(name for name in model.model_fields if name not in ("project", "env"))
