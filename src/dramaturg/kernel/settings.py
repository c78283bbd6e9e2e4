"""One typed `Settings`, read once from `dramaturg.toml` and the environment, then passed down.

Importing this module reads nothing. An unknown key is an error that suggests the closest known one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, get_args

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from dramaturg.kernel.addresses import has_credentials
from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.files import leads_out, read_file
from dramaturg.kernel.problems import real_problems, worded_problem
from dramaturg.kernel.toml_file import parse_toml
from dramaturg.kernel.values import Value

FILE_NAME = "dramaturg.toml"
_RESERVED = ("project", "env", "asks_first", "given")
_VARIABLES = {
    "models.default": "DRAMATURG_MODEL",
    "store.url": "DRAMATURG_STORE_URL",
    "store.artifacts": "DRAMATURG_STORE_ARTIFACTS",
    "store.artifacts_endpoint": "DRAMATURG_STORE_ENDPOINT",
}
MAX_FILE = 1_000_000
_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
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
    concurrency: int = Field(
        8, ge=1, le=1024, description="maximum number of concurrent requests; on Postgres, of all processes together"
    )
    requests_per_minute: int | None = Field(None, ge=1, description="requests a minute, of all processes together")
    tokens_per_minute: int | None = Field(None, ge=1, description="tokens a minute, of all processes together")
    timeout: float = Field(120.0, gt=0, description="seconds to wait for an answer, or for the next piece of a stream")
    stream_timeout: float = Field(
        1800.0, gt=0, description="seconds to wait for all pieces of a stream together; never less than `timeout`"
    )


class ModelSettings(Value):
    """Which models play. Names are `provider/model`, or `rehearsal` for the built-in rehearsal company."""

    default: str | None = Field(None, description="the model for every part not named below")
    director: str | None = Field(None, description="the model that judges scenes; the default model if not set")
    characters: Mapping[str, str] = Field(default_factory=dict, description="models for individual characters")
    max_tokens: int = Field(400, ge=16, le=64_000, description="maximum length of a character's answer, in tokens")
    temperature: float | None = Field(None, ge=0, le=2, description="the provider's default if not set")
    retries: int = Field(3, ge=0, le=10, description="how often to retry after a temporary failure")
    wait: float = Field(
        3600.0, ge=0, le=86_400, description="seconds that a scene waits for a provider without room; 0: not at all"
    )
    client: Literal["builtin", "aiohttp"] = Field(
        "builtin", description="the HTTP client for complete answers; streams and proxies always use aiohttp"
    )


class BudgetSettings(Value):
    """Hard limits for one run; in the Foreman's conversation, for one message. Not set means no limit."""

    tokens: int | None = Field(None, ge=1, description="input and output tokens combined")
    usd: float | None = Field(
        None, gt=0, description="US dollars, by the published prices; nothing is sent whose answer could exceed them"
    )
    tokens_per_day: int | None = Field(
        None, ge=1, description="tokens that all runs of all processes together may use in a day (UTC)"
    )
    usd_per_day: float | None = Field(None, gt=0, description="the same in US dollars")


class SceneSettings(Value):
    """Defaults for scenes whose file does not say otherwise."""

    timeout: float = Field(30.0, gt=0, description="seconds a character has for a line")
    window: int = Field(10, ge=1, le=1000, description="exchanges of the transcript that a character sees")
    memory_tokens: int = Field(
        600, ge=0, le=20_000, description="tokens of its past that a character recalls, in scenes with memory"
    )
    lore_tokens: int | None = Field(
        None, ge=0, le=100_000, description="tokens of the lorebooks at one beat; an eighth of the window if not set"
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


Narration = Literal["silent", "narrator", "character"]
SpokenBy = Literal["sentence", "message"]


class EpisodeSettings(Value):
    """Defaults for episodes whose template does not say otherwise."""

    longest_message: int = Field(
        8000, ge=1, le=200_000, description="maximum length of a player's message, in characters"
    )
    history_tokens: int = Field(
        12_000, ge=200, description="tokens of the conversation that a character's model is sent"
    )
    memory_tokens: int = Field(500, ge=0, le=20_000, description="tokens of earlier episodes that a character recalls")
    previously_tokens: int = Field(
        900, ge=0, le=20_000, description="tokens of what happened in earlier episodes of a series"
    )
    lore_tokens: int | None = Field(
        None, ge=0, le=100_000, description="tokens of the lorebooks in one turn; an eighth of the window if not set"
    )
    extraction: bool = Field(
        True, description="after a turn, let a model extract what is worth remembering, with verified quotes"
    )
    extraction_wait: float = Field(2.0, ge=0, le=60, description="maximum seconds that the next turn waits for it")
    voice: bool = Field(False, description="speak the character's messages in new sessions")
    narration: Narration = Field(
        "silent", description="who speaks *actions* and narration in spoken messages: nobody, a narrator, the character"
    )
    spoken_by: SpokenBy = Field(
        "sentence", description="speak each sentence while the answer is still arriving, or each message as a whole"
    )
    open_sessions: int = Field(2000, ge=1, description="sessions kept in memory; the least recently used are evicted")


class CareSettings(Value):
    """What a player is told who writes of self-harm or abuse: texts by language, such as `en`, outside the story."""

    offer: bool = Field(True, description="whether such a message gets a line that says where to find help")
    self_harm: Mapping[str, str] = Field(
        default_factory=dict, description="your text per language, with a way to get help; a built-in one if not set"
    )
    abuse: Mapping[str, str] = Field(default_factory=dict, description="the same for messages that speak of abuse")


class PlayerSettings(Value):
    """Limits and access for players over HTTP."""

    open: tuple[str, ...] | None = Field(
        None,
        description="episodes that players may play without the server's token: names, or `*` for all; "
        "none if not set, unless the server has no token",
    )
    guests: bool = Field(True, description="whether somebody without a player token may start; if not, invite players")
    token_days: float = Field(30.0, gt=0, le=3650, description="days after which a player token expires unless renewed")
    old_tokens: bool = Field(True, description="accept player tokens of version 0.1, which never expire")
    seats: int | None = Field(None, ge=1, description="players at the same time; others wait. No limit if not set")
    seat_minutes: float = Field(10.0, gt=0, description="minutes after which an idle player's seat is free again")
    player_tokens_per_day: int | None = Field(
        None, ge=1, description="tokens that one player's turns may use in 24 hours"
    )
    player_usd_per_day: float | None = Field(
        None, gt=0, description="US dollars that one player's turns may cost in 24 hours"
    )
    address_tokens_per_day: int | None = Field(None, ge=1, description="the same for one IP address, in tokens")
    address_usd_per_day: float | None = Field(None, gt=0, description="the same for one IP address, in US dollars")
    tokens_per_day: int | None = Field(None, ge=1, description="the same for all players together, in tokens")
    usd_per_day: float | None = Field(None, gt=0, description="the same for all players together, in US dollars")
    voice: bool = Field(
        False, description="whether players may turn on spoken messages themselves; an episode or [episodes] can anyway"
    )
    per_player: float = Field(30.0, gt=0, description="changes per player and minute: messages, swipes, edits")
    per_address: float = Field(600.0, gt=0, description="requests per IP address and minute")
    per_house: float | None = Field(None, gt=0, description="requests of all players per minute; no limit if not set")
    burst: int = Field(
        20,
        ge=1,
        le=10_000,
        description="changes that a player may make in a burst before the limits apply; "
        "an address may make five times as many requests, and at least 100",
    )
    origins: tuple[str, ...] = Field(
        (), description="origins of other sites that may call this server, such as https://play.example.org"
    )
    any_origin: bool = Field(False, description='confirms `origins = ["*"]`: pages of every site may call this server')
    embed_origins: tuple[str, ...] = Field(
        (), description="origins of sites whose pages may show an episode in a frame, at `/embed/EPISODE`"
    )
    public_url: str | None = Field(
        None,
        description="the public address of this server, for preview images of shared pages; "
        "its host name counts like those of `hosts`",
    )
    secret_env: str | None = Field(
        None,
        description="name of the environment variable with the secret that signs player tokens; "
        "a file in data/ if not set",
    )

    @property
    def limits_spending(self) -> bool:
        """Whether what turns use in a day is limited at all."""
        limits = (self.player_tokens_per_day, self.player_usd_per_day, self.address_tokens_per_day)
        more = (self.address_usd_per_day, self.tokens_per_day, self.usd_per_day)
        return any(one is not None for one in (*limits, *more))

    def is_open(self, episode: str) -> bool:
        """Whether players may play an episode without the server's token."""
        return self.open is not None and ("*" in self.open or episode in self.open)

    @model_validator(mode="after")
    def _check_origins(self) -> PlayerSettings:
        for origin in self.origins:
            if origin == "*" and not self.any_origin:
                raise ValueError(
                    'origins = ["*"] lets pages of every site call this server; name the sites, '
                    "or confirm it with any_origin = true"
                )
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError("an origin is a scheme, a host and perhaps a port, such as https://play.example.org")
        for origin in self.embed_origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError("embed_origins names sites one by one, such as https://blog.example.org")
        return self


SpeechEngineName = Literal["auto", "kokoro", "hibari", "elevenlabs", "openai-compatible", "silent"]
ENGINES: tuple[str, ...] = get_args(SpeechEngineName)


class VoiceSettings(Value):
    """The speech engine and its voices."""

    engine: SpeechEngineName = Field("auto", description="the speech engine; auto uses the best one installed")
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
    languages: Mapping[str, str] = Field(
        default_factory=dict,
        description='hosted engines: the languages spoken, such as de, and the voice for each; "any" leaves the voice',
    )
    warm: bool | None = Field(
        None,
        description="load the speech engine when the server starts; if the project has an ensemble.yaml if not set",
    )


class EarsSettings(Value):
    """The server that turns speech into text: anything that speaks OpenAI's transcription protocol."""

    base_url: str | None = Field(None, description="its address, such as http://127.0.0.1:8000/v1; without it, none")
    model: str = Field("whisper-1", min_length=1, max_length=200, description="the server's name for the recogniser")
    key_env: str | None = Field(None, description="name of the environment variable that holds the key")
    language: str | None = Field(
        None, pattern="^[a-z]{2,3}$", description="the language of questions, such as de; recognised if not set"
    )
    timeout: float = Field(60.0, gt=0, description="seconds to wait for one transcription")


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
    lore_tokens: int | None = Field(
        None,
        ge=0,
        le=100_000,
        description="tokens of the lorebooks in one question; an eighth of the window if not set",
    )
    stage_rate: int | None = Field(None, ge=8000, le=192_000, description="sample rate of extra copies, such as 48000")
    keep_days: float | None = Field(None, gt=0, description="sessions older than this are pruned")
    keep_mb: float | None = Field(None, gt=0, description="beyond this total size the oldest sessions are pruned")
    osc: str | tuple[str, ...] | None = Field(
        None, description="host:port to which every event is sent as OSC, or a list of such addresses"
    )

    @property
    def osc_addresses(self) -> tuple[str, ...]:
        """Where events are sent to, each address once."""
        given = (self.osc,) if isinstance(self.osc, str) else self.osc or ()
        return tuple(dict.fromkeys(address.strip() for address in given if address.strip()))


class ServerSettings(Value):
    """Access over HTTP."""

    token_env: str | None = Field(
        None,
        description="name of the environment variable that holds the author's token; never the token itself",
    )
    hosts: tuple[str, ...] = Field(
        (),
        description="host names this server answers to if it has a token or listens for other machines; any if not set",
    )
    proxies: tuple[str, ...] = Field(
        (), description="addresses or networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed"
    )
    connections: int = Field(1000, ge=1, description="connections at the same time")
    connections_per_address: int = Field(
        200, ge=1, description="connections at the same time from one IP address; proxies are exempt"
    )
    header_seconds: float = Field(10.0, gt=0, description="seconds in which a request's headers must arrive")
    body_seconds: float = Field(30.0, gt=0, description="seconds in which a request's body must arrive")
    idle_seconds: float = Field(15.0, gt=0, description="seconds after which an idle connection is closed")
    stalled_seconds: float = Field(
        60.0, gt=0, description="seconds after which a client that stops reading its response is disconnected"
    )
    drain_seconds: float = Field(
        30.0, ge=0, description="seconds that turns have to finish after SIGTERM; what still plays is handed back then"
    )
    grace_seconds: float = Field(
        5.0, ge=0, description="seconds after that for requests that are still being answered; then they get a 503"
    )
    header_bytes: int = Field(32_768, ge=1024, description="the size of a request's address and headers together")

    @field_validator("proxies")
    @classmethod
    def _check_proxies(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for one in given:
            try:
                ip_network(one, strict=False)
            except ValueError as error:
                raise ValueError("a proxy is an IP address or a network such as 10.0.0.0/8") from error
        return given


class NotebookSettings(Value):
    """A notebook besides the folders in notebooks/: another folder, or an MCP server."""

    role: str = Field(description="what it is for, such as world_building")
    title: str = Field("", description="its displayed name")
    folder: str | None = Field(None, description="a folder with md, txt, pdf and docx files")
    command: tuple[str, ...] = Field(
        (), description="a program that speaks MCP on standard input and output, started in the project's folder"
    )
    tool: str | None = Field(None, description="the tool to call; if not set, the one that takes a question")
    arguments: Mapping[str, str] = Field(default_factory=dict, description="additional arguments for that tool")
    question: str | None = Field(None, description="the name of the argument that takes the question")
    env: tuple[str, ...] = Field((), description="names of environment variables passed to the program")
    timeout: float = Field(60.0, gt=0, description="seconds to wait for an answer")


WorkshopMode = Literal["architect", "voice_calibration", "director", "editor"]
ModelUse = Literal["tournament", "drafting", "judge", "extraction"]
"""What a model of the workshop is asked for, besides the conversation."""


class WorkshopSettings(Value):
    """The Foreman's work on a book."""

    book: str = Field(
        "main", min_length=1, max_length=120, description="the book's name in a database shared by several books"
    )
    title: str = Field("", description="the book's title; the folder's name if not set")
    genre: str = ""
    tone: str = ""
    series: Path | None = Field(None, description="the folder of the book's series, such as ../series")
    model: str | None = Field(None, description="the Foreman's model; the default model if not set")
    models: Mapping[WorkshopMode | ModelUse, str] = Field(
        default_factory=dict, description="models for individual modes, and for each use in long work"
    )
    consolidate_minutes: int = Field(
        0, ge=0, le=10_080, description="minutes between two consolidations while the server runs; 0 for none"
    )
    consolidate_after_scene: bool = Field(
        False, description="whether a scene that the Foreman saved is read into the graph at once"
    )
    agent: Literal["auto", "direct", "assisted"] = Field(
        "auto", description="how a model works: auto assists models that follow instructions poorly"
    )
    by_meaning: bool = Field(
        False,
        description="search notebooks and rank decisions by meaning as well as by words; needs the extra `semantic`",
    )
    most_actions: int = Field(12, ge=1, le=100, description="maximum number of actions performed per answer")
    temperature: float | None = Field(None, ge=0, le=2, description="the provider's default if not set")


class StoreSettings(Value):
    """Where runs are stored."""

    model_config = ConfigDict(hide_input_in_errors=True)
    url: str | None = Field(None, repr=False, description="a Postgres URL; SQLite in the project's data/ if not set")
    artifacts: str | None = Field(
        None, description="an S3-compatible bucket for files, `s3://bucket/prefix`; the project's data/ if not set"
    )
    artifacts_endpoint: str | None = Field(
        None, description="the address of the bucket's server, where it is not Amazon's"
    )
    listen_url: str | None = Field(
        None, repr=False, description="the same Postgres without a pooler: on it notices of other processes arrive"
    )
    wait: float = Field(
        60.0, ge=0, le=3600, description="seconds that a run waits for a full disk or a lost database before it pauses"
    )
    lease: float = Field(
        15.0,
        ge=1,
        le=300,
        description="seconds after which others take up the runs of a process that is not heard of any more",
    )
    timeout: float = Field(
        10.0, ge=1, le=300, description="seconds for a statement on Postgres, and for the locks of others on SQLite"
    )
    durability: Literal["normal", "full"] = Field(
        "normal",
        description="SQLite: normal may lose the last 200 ms in a power failure; with full, commits wait for the disk",
    )

    @field_validator("artifacts", "artifacts_endpoint")
    @classmethod
    def _check_bucket(cls, given: str | None) -> str | None:
        if given and has_credentials(given):
            raise ValueError(
                "the address of a bucket has no user name and no password; put the keys into AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY"
            )
        return given


class QueueSettings(Value):
    """Runs that wait for a free place. Needs Postgres and the extra `cluster`."""

    play: bool = Field(True, description="whether servers play too; otherwise they leave all but turns to workers")
    enabled: bool = Field(False, description="queue what a process has no place for; `dramaturg worker` plays it")
    places: int = Field(
        16, ge=1, le=4096, description="runs that a process plays at once; turns of sessions not counted"
    )
    batch: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="rows of batches that all workers play at once, together; no limit if not set",
    )


class Settings(Value):
    """All settings, with the project they belong to."""

    model_config = ConfigDict(hide_input_in_errors=True)  # that of an inner table hides nothing here
    project: Path = Field(default=Path(), exclude=True)
    seed: int | None = Field(default=None, description="makes the rehearsal company's performance repeatable")
    models: ModelSettings = ModelSettings()
    providers: Mapping[str, ProviderSettings] = Field(default_factory=dict)
    budget: BudgetSettings = BudgetSettings()
    scenes: SceneSettings = SceneSettings()
    episodes: EpisodeSettings = EpisodeSettings()
    care: CareSettings = CareSettings()
    players: PlayerSettings = PlayerSettings()
    voices: VoiceSettings = VoiceSettings()
    ears: EarsSettings = EarsSettings()
    ensemble: EnsembleSettings = EnsembleSettings()
    workshop: WorkshopSettings = WorkshopSettings()
    notebooks: Mapping[str, NotebookSettings] = Field(default_factory=dict)
    store: StoreSettings = StoreSettings()
    queue: QueueSettings = QueueSettings()
    server: ServerSettings = ServerSettings()
    env: Mapping[str, str] = Field(default_factory=dict, exclude=True, repr=False)
    asks_first: bool = Field(
        default=False, exclude=True, description="whether its user must consent to what it asks for: it is from a file"
    )
    given: frozenset[str] = Field(
        default=frozenset(), exclude=True, description="the settings that the environment gave"
    )

    @property
    def data(self) -> Path:
        """The folder for everything generated; nothing is written elsewhere."""
        return self.project / "data"

    def has(self, variable: str) -> bool:
        """Whether an environment variable is set and not blank."""
        return bool(self.env.get(variable, "").strip())


def read_settings(project: Path, env: Mapping[str, str], *, trust: bool = False) -> Settings:
    """Reads a project's settings. `DRAMATURG_MODEL` and `DRAMATURG_STORE_URL` override the file.

    What the file asks for needs the user's consent when the studio is opened, unless `trust` or `DRAMATURG_TRUST` is
    set.
    """
    raw = _read_toml(project)
    for reserved in _RESERVED:
        if reserved in raw:
            raise InvalidSettings(f"{FILE_NAME}: '{reserved}' cannot be set.", file=FILE_NAME, key=reserved)
    given = {name for name, variable in _VARIABLES.items() if env.get(variable)}
    for name in given:
        table, _, key = name.partition(".")
        _override(raw, table, key, env[_VARIABLES[name]])
    own = {"project": project, "env": dict(env), "given": given}
    try:
        return Settings.model_validate({**raw, **own, "asks_first": not (trust or trusts_all(env))})
    except ValidationError as error:
        # Without the cause, which quotes values.
        raise InvalidSettings(_explain(error, raw), file=FILE_NAME) from None


def trusts_all(env: Mapping[str, str]) -> bool:
    """Whether the environment says that projects need no consent: `DRAMATURG_TRUST=1`."""
    return env.get("DRAMATURG_TRUST", "").strip().lower() in ("1", "true", "yes", "on")


def _read_toml(project: Path) -> dict[str, object]:
    path = project / FILE_NAME
    if leads_out(path, project):
        raise InvalidSettings(f"{path} is a link out of the project. Copy the file itself there.", file=str(path))
    try:
        data = read_file(path, MAX_FILE)
        if len(data) > MAX_FILE:
            raise InvalidSettings(f"{path} is larger than {MAX_FILE // 1000} kB. Shorten it.", file=str(path))
        found = parse_toml(data.decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidSettings(f"{path} cannot be read: {error.strerror}. Fix or remove it.", file=str(path)) from error
    except ValueError as error:
        # Besides its own errors tomllib raises plain ValueErrors, for numbers that are too long.
        said = "it has a number of thousands of digits" if "set_int_max_str_digits" in str(error) else str(error)
        raise InvalidSettings(f"{path} cannot be read: {said}. Fix or remove it.", file=str(path)) from error
    for names, value in _texts(found):
        if "\0" in value:
            raise InvalidSettings(f"{FILE_NAME}: '{'.'.join(names)}' contains a NUL character.", file=FILE_NAME)
    return found


def _texts(value: object, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text in the settings, with the keys that lead to it."""
    if isinstance(value, str):
        yield names, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(one, (*names, key))
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, names)


def _override(raw: dict[str, object], table: str, key: str, value: str) -> None:
    if isinstance(raw.setdefault(table, {}), dict):
        raw[table] = {**raw[table], key: value}  # type: ignore[dict-item]


def _explain(error: ValidationError, raw: object) -> str:
    first = real_problems(error.errors(), raw)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        meant = f" Did you mean '{near[0]}'?" if near else f" Known here: {', '.join(known)}."
        return f"{FILE_NAME}: '{where}' is not a setting.{meant}"
    if first["type"] == "value_error":
        return f"{FILE_NAME}: '{where}': {first['ctx']['error']}."
    # What was found is not quoted: it may be a key in the wrong place.
    return f"{FILE_NAME}: '{where}': {worded_problem(first)} (found {_kind_of(first['input'])})."


def _kind_of(value: object) -> str:
    names = {bool: "a boolean", str: "text", int: "a number", float: "a number", dict: "a table", list: "a list"}
    return names.get(type(value), "something else")


def _known_keys(path: tuple[int | str, ...]) -> list[str]:
    model: type[Value] = Settings
    for part in path:
        if model is Settings and path[0] in ("providers", "notebooks"):
            model = ProviderSettings if path[0] == "providers" else NotebookSettings
            break
        annotation = model.model_fields[str(part)].annotation
        model = annotation if isinstance(annotation, type) and issubclass(annotation, Value) else model
    return sorted(name for name in model.model_fields if name not in _RESERVED)
