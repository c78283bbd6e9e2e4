"""One typed `Settings`, read once from `dramaturg.toml` and the environment, then passed down.

Importing this module reads nothing. An unknown key is an error that names the nearest known one.
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
"""How models play; `auto` is with help where they need it."""


class ProviderSettings(Value):
    """A model provider: one the house knows, adjusted, or a server of your own.

    `protocol` is required for a provider the house does not know.
    """

    protocol: Literal["anthropic", "openai", "pydantic-ai"] | None = Field(None, description="what it speaks")
    base_url: str | None = Field(None, description="where it is; with it any compatible server can play")
    key_env: str | None = Field(None, description="name of the variable that holds the key; never the key")
    model: str | None = Field(None, description="the model used when only the provider is named")
    concurrency: int = Field(8, ge=1, le=1024, description="requests under way at once")
    timeout: float = Field(120.0, gt=0, description="seconds to wait for one answer")


class ModelSettings(Value):
    """Who plays. Names are `provider/model`, or `rehearsal` for the company that needs no model."""

    default: str | None = Field(None, description="plays every part not named below")
    director: str | None = Field(None, description="judges scenes; the default model if not set")
    characters: Mapping[str, str] = Field(default_factory=dict, description="a model for one character")
    max_tokens: int = Field(400, ge=16, le=64_000, description="longest answer of a character, in tokens")
    temperature: float | None = Field(None, ge=0, le=2, description="left to the provider if not set")
    retries: int = Field(3, ge=0, le=10, description="tries after a failure that may pass")


class BudgetSettings(Value):
    """A hard stop for one run. Not set means no limit."""

    tokens: int | None = Field(None, ge=1, description="input and output tokens together")
    usd: float | None = Field(None, gt=0, description="money, by the published prices")


class SceneSettings(Value):
    """How scenes are played where the scene file does not say."""

    timeout: float = Field(30.0, gt=0, description="seconds a character may take for a line")
    window: int = Field(10, ge=1, le=1000, description="exchanges a character sees of the transcript")
    memory_tokens: int = Field(
        600, ge=0, le=20_000, description="how much of its past a character recalls, in scenes that remember"
    )
    memory_texts: bool = Field(
        True, description="after such a scene, let each character's model say what it will remember"
    )
    thread: Literal["whole", "window"] = Field(
        "whole",
        description="what a model is sent: its whole thread, which providers cache, or only the last exchanges",
    )
    agent: AgentMode = Field(
        "auto", description="how models play: with help where they need it, or always as said here"
    )
    pace: float | None = Field(
        None, ge=0, le=10, description="how long the rehearsal company takes to speak; 1 in a terminal, else 0"
    )


class EpisodeSettings(Value):
    """How episodes are played where the template does not say."""

    longest_message: int = Field(8000, ge=1, le=200_000, description="characters a player may send at once")
    history_tokens: int = Field(12_000, ge=200, description="how much of the talk a character's model is sent")
    memory_tokens: int = Field(500, ge=0, le=20_000, description="how much of earlier episodes a character recalls")
    lore_tokens: int = Field(1000, ge=0, le=100_000, description="how much of the lorebooks is told in one turn")
    extraction: bool = Field(
        True, description="after a turn, let a model find what is worth remembering, with quotes that are checked"
    )
    extraction_wait: float = Field(2.0, ge=0, le=60, description="seconds the next turn waits for that at most")
    open_sessions: int = Field(2000, ge=1, description="sessions kept in memory; the longest unused are put away")


class PlayerSettings(Value):
    """What players may do over HTTP."""

    per_player: float = Field(30.0, gt=0, description="changes a player may make in a minute: messages, swipes, edits")
    per_address: float = Field(600.0, gt=0, description="requests from one address in a minute")
    burst: int = Field(20, ge=1, le=10_000, description="how many may come at once before that counts")
    origins: tuple[str, ...] = Field(
        (), description="web pages of other sites that may talk to this server, such as https://play.example.org"
    )
    public_url: str | None = Field(None, description="how shared pages are reached from outside, for their pictures")
    secret_env: str | None = Field(
        None, description="name of the variable with the secret that signs players; a file in data/ if not set"
    )


class VoiceSettings(Value):
    """Who speaks aloud, and how."""

    engine: Literal["auto", "kokoro", "hibari", "elevenlabs", "openai-compatible", "silent"] = Field(
        "auto", description="the speech engine; auto takes the best that is installed here"
    )
    base_url: str | None = Field(None, description="where a hosted engine is; required for openai-compatible")
    model: str | None = Field(None, description="the model of a hosted engine")
    key_env: str | None = Field(None, description="name of the variable that holds the key; never the key")
    concurrency: int | None = Field(
        None, ge=1, le=64, description="lines spoken at once; by default what the engine bears"
    )
    timeout: float = Field(60.0, gt=0, description="seconds to wait for one line of a hosted engine")
    cast: Mapping[str, str] = Field(
        default_factory=dict, description="a voice of the engine for one character or profile"
    )
    narrator: str | None = Field(None, description="the voice that tells what happens in a scene")


class EnsembleSettings(Value):
    """How the ensemble answers where ensemble.yaml does not say."""

    audio: bool = Field(True, description="speak every line")
    timeout: float = Field(30.0, gt=0, description="seconds a slot may take for a text")
    when_busy: Literal["queue", "refuse"] = Field("queue", description="what a request meets while another is played")
    turn3: Literal["commented", "all"] = Field("commented", description="who replies: those with a comment, or all")
    stage_rate: int | None = Field(None, description="also write copies of this sample rate, such as 48000")
    keep_days: float | None = Field(None, gt=0, description="sessions older than this are pruned")
    keep_mb: float | None = Field(None, gt=0, description="the oldest sessions are pruned beyond this size")
    osc: str | None = Field(None, description="host:port that is sent every event as OSC")


class ServerSettings(Value):
    """Who may come in over HTTP."""

    token_env: str | None = Field(
        None, description="name of the variable that holds the token every request must carry; never the token"
    )


class NotebookSettings(Value):
    """A notebook beyond the folders of notebooks/: another folder, or a server that speaks MCP."""

    role: str = Field(description="what it is for, such as world_building")
    title: str = Field("", description="what it is called")
    folder: str | None = Field(None, description="a folder of md, txt, pdf and docx files")
    command: tuple[str, ...] = Field((), description="a program that serves MCP on its standard input and output")
    tool: str | None = Field(None, description="the tool to call; the one that takes a question if not set")
    arguments: Mapping[str, str] = Field(default_factory=dict, description="further arguments of that tool")
    question: str | None = Field(None, description="the name of the argument that takes the question")
    env: tuple[str, ...] = Field((), description="names of variables that the program is given")
    timeout: float = Field(60.0, gt=0, description="seconds to wait for an answer")


class WorkshopSettings(Value):
    """How the Foreman works on a book."""

    book: str = Field("main", min_length=1, max_length=120, description="its name in a database that several share")
    title: str = Field("", description="the book's title; the folder's name if not set")
    genre: str = ""
    tone: str = ""
    model: str | None = Field(None, description="the Foreman's model; the default model if not set")
    models: Mapping[Literal["architect", "voice_calibration", "director", "editor"], str] = Field(
        default_factory=dict, description="a model for the work of one mode"
    )
    most_actions: int = Field(12, ge=1, le=100, description="actions carried out of one answer")
    temperature: float | None = Field(None, ge=0, le=2, description="left to the provider if not set")


class StoreSettings(Value):
    """Where runs are kept."""

    url: str | None = Field(None, description="a Postgres URL; SQLite in the project's data/ if not set")


class Settings(Value):
    """Everything that can be set, with the project it was read for."""

    project: Path = Field(Path(), exclude=True)
    seed: int | None = Field(None, description="makes the rehearsal company play the same scene again")
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
        """Everything generated goes below this folder and nowhere else."""
        return self.project / "data"

    def has(self, variable: str) -> bool:
        """Whether a variable of the environment is set to something."""
        return bool(self.env.get(variable, "").strip())


def read_settings(project: Path, env: Mapping[str, str]) -> Settings:
    """The settings of a project folder. `DRAMATURG_MODEL` and `DRAMATURG_STORE_URL` win over the file."""
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
        raise InvalidSettings(f"{path} cannot be read: {error}. Mend or remove it.", file=str(path)) from error


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
