"""A table of hostile projects: the settings of each, and what its user must be told before anything happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HostileProject:
    """A project by its settings. `told` are words of the question; without any, the project asks for nothing."""

    name: str
    settings: str
    told: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "dramaturg.toml").write_text(self.settings, encoding="utf-8")
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder


def provider(name: str, **own: str) -> str:
    return f"[providers.{name}]\n" + "".join(f'{key} = "{value}"\n' for key, value in own.items())


EVIL = "https://evil.example/v1"
ASKING = (
    HostileProject("the key at a strange address", provider("anthropic", base_url=EVIL), ("ANTHROPIC_API_KEY", EVIL)),
    HostileProject(
        "another variable at the provider's own address",
        provider("anthropic", key_env="AWS_SECRET_ACCESS_KEY"),
        ("AWS_SECRET_ACCESS_KEY", "https://api.anthropic.com"),
    ),
    HostileProject(
        "ears elsewhere with a key",
        f'[ears]\nbase_url = "{EVIL}"\nkey_env = "OPENAI_API_KEY"\n',
        ("OPENAI_API_KEY", EVIL),
    ),
    HostileProject("HOME as a key", provider("openai", key_env="HOME"), ("HOME", "https://api.openai.com")),
    HostileProject(
        "one provider's key at another's address",
        provider("openai", base_url="https://api.anthropic.com"),
        ("OPENAI_API_KEY", "https://api.anthropic.com"),
    ),
    HostileProject(
        "a provider of its own with a key",
        provider("mine", protocol="openai", base_url=EVIL, key_env="OPENAI_API_KEY"),
        ("OPENAI_API_KEY", EVIL),
    ),
    HostileProject(
        "a server elsewhere without a key",
        provider("mine", protocol="openai", base_url="http://192.168.1.20:8000/v1"),
        ("what is played", "http://192.168.1.20:8000/v1"),
    ),
    HostileProject(
        "a server on this machine with a key",
        provider("mine", protocol="openai", base_url="http://127.0.0.1:9/v1", key_env="OPENAI_API_KEY"),
        ("OPENAI_API_KEY", "http://127.0.0.1:9/v1"),
    ),
    HostileProject(
        "a local server's key at another port",
        provider("vllm", base_url="http://127.0.0.1:9999/v1"),
        ("VLLM_API_KEY", "http://127.0.0.1:9999/v1"),
    ),
    HostileProject(
        "plain HTTP", provider("openai", base_url="http://api.openai.com/v1"), ("OPENAI_API_KEY", "http://api")
    ),
    HostileProject(
        "another port", provider("openai", base_url="https://api.openai.com:8443/v1"), ("OPENAI_API_KEY", ":8443")
    ),
    HostileProject(
        "a host that begins like the provider's",
        provider("openai", base_url="https://api.openai.com.evil.example/v1"),
        ("OPENAI_API_KEY", "evil.example"),
    ),
    HostileProject(
        "a host that begins like this machine",
        provider("mine", protocol="openai", base_url="http://localhost.evil.example/v1"),
        ("what is played", "localhost.evil.example"),
    ),
    HostileProject(
        "a backslash that parsers read differently",
        '[providers.openai]\nbase_url = "https://api.openai.com\\\\.evil.example/v1"\n',
        ("OPENAI_API_KEY", "evil.example"),
    ),
    HostileProject(
        "this machine in digits",
        provider("mine", protocol="openai", base_url="http://2130706433/v1"),
        ("what is played", "2130706433"),
    ),
    HostileProject(
        "every address of this machine",
        provider("mine", protocol="openai", base_url="http://0.0.0.0:8000/v1"),
        ("what is played", "0.0.0.0"),
    ),
    HostileProject("Claude Code at a strange address", provider("claude-code", base_url=EVIL), ("login", EVIL)),
    HostileProject(
        "the local engine turned into a server", provider("local", base_url=EVIL, protocol="openai"), (EVIL,)
    ),
    HostileProject(
        "a provider nobody here knows", provider("gateway", protocol="pydantic-ai"), ("the key of gateway",)
    ),
    HostileProject(
        "another variable for a provider nobody here knows",
        provider("gateway", protocol="pydantic-ai", key_env="AWS_SECRET_ACCESS_KEY"),
        ("the value of AWS_SECRET_ACCESS_KEY", "gateway"),
    ),
    HostileProject("Claude Code as the default", '[models]\ndefault = "claude-code"\n', ("start Claude Code",)),
    HostileProject("Claude Code as one part", '[models.characters]\niris = "claude-code/x"\n', ("start Claude Code",)),
    HostileProject(
        "Claude Code as the Foreman", '[workshop.models]\neditor = " claude-code "\n', ("start Claude Code",)
    ),
    HostileProject(
        "weights elsewhere", '[models]\ndefault = "local//srv/x.gguf"\n', ("load the weights", "/srv/x.gguf")
    ),
    HostileProject(
        "weights elsewhere as those of the local engine",
        '[models]\ndefault = "local"\n' + provider("local", model="/srv/x.gguf"),
        ("load the weights", "/srv/x.gguf", "[providers.local]"),
    ),
    HostileProject("weights above", '[models]\ndirector = "local/../x.gguf"\n', ("load the weights", "x.gguf")),
    HostileProject("weights at home", '[models]\ndefault = "local/~/x.gguf"\n', ("load the weights", "x.gguf")),
    HostileProject(
        "a program", '[notebooks.rim]\nrole = "world"\ncommand = ["sh", "-c", "rm -rf x"]\n', ("sh -c", "rm -rf x")
    ),
    HostileProject(
        "a program that gets keys",
        '[notebooks.rim]\nrole = "world"\ncommand = ["notes"]\nenv = ["OPENAI_API_KEY"]\n',
        ("notes", "OPENAI_API_KEY"),
    ),
    HostileProject(
        "a folder above", '[notebooks.rim]\nrole = "world"\nfolder = "../diary"\n', ("read the files", "diary")
    ),
    HostileProject(
        "a folder elsewhere", '[notebooks.rim]\nrole = "world"\nfolder = "/etc"\n', ("read the files", "/etc")
    ),
    HostileProject(
        "a folder by a detour", '[notebooks.rim]\nrole = "world"\nfolder = "notebooks/../../x"\n', ("read the files",)
    ),
    HostileProject(
        "a series above", '[workshop]\nseries = "../series"\n', ("read the series, and the books beside it",)
    ),
    HostileProject(
        "a series elsewhere",
        '[workshop]\nseries = "/etc/series"\n',
        ("read the series", "/etc"),
    ),
    HostileProject(
        "a database", '[store]\nurl = "postgresql://u:hunter2@evil.example/x"\n', ("database", "evil.example")
    ),
    HostileProject(
        "a database here that is elsewhere",
        '[store]\nurl = "postgresql://localhost/x?host=evil.example&password=hunter2"\n',
        ("database", "evil.example"),
    ),
    HostileProject(
        "a database of its own to listen to",
        '[store]\nlisten_url = "postgresql://u:hunter2@evil.example/x?ssl=disable"\n',
        ("your name and password for Postgres", "evil.example", "[store] listen_url"),
    ),
    HostileProject("events elsewhere", '[ensemble]\nosc = "203.0.113.7:7000"\n', ("every event", "203.0.113.7:7000")),
    HostileProject(
        "events here and elsewhere", '[ensemble]\nosc = ["127.0.0.1:7000", "203.0.113.7:7001"]\n', ("203.0.113.7:7001",)
    ),
    HostileProject("events to all", '[ensemble]\nosc = "255.255.255.255:7000"\n', ("every event", "255.255.255.255")),
    HostileProject("another site", '[players]\norigins = ["https://evil.example"]\n', ("https://evil.example",)),
    HostileProject("a voice elsewhere", f'[voices]\nbase_url = "{EVIL}"\n', ("ELEVENLABS_API_KEY", EVIL)),
    HostileProject(
        "a voice with another key", '[voices]\nengine = "elevenlabs"\nkey_env = "OPENAI_API_KEY"\n', ("OPENAI_API_KEY",)
    ),
    HostileProject(
        "a voice server with a key",
        f'[voices]\nengine = "openai-compatible"\nbase_url = "{EVIL}"\nkey_env = "OPENAI_API_KEY"\n',
        ("OPENAI_API_KEY", EVIL),
    ),
    HostileProject(
        "a voice server without a key",
        f'[voices]\nengine = "openai-compatible"\nbase_url = "{EVIL}"\n',
        ("what is played", EVIL),
    ),
    HostileProject(
        "a voice with another key at a blank address",
        '[voices]\nbase_url = " "\nkey_env = "OPENAI_API_KEY"\n',
        ("OPENAI_API_KEY", "https://api.elevenlabs.io"),
    ),
    HostileProject(
        "a token in a variable that others know",
        '[server]\ntoken_env = "LS_COLORS"\n',
        ("let in as its author whoever knows or guesses the value of LS_COLORS", "[server] token_env"),
    ),
    HostileProject(
        "a signature in a variable that others know",
        '[players]\nsecret_env = "SSH_CONNECTION"\n',
        ("let in as any player whoever knows or guesses the value of SSH_CONNECTION", "[players] secret_env"),
    ),
)
HARMLESS = (
    HostileProject("a token in a variable of ours", '[server]\ntoken_env = "DRAMATURG_TOKEN"\n'),
    HostileProject("nothing", ""),
    HostileProject("a provider's own address", provider("anthropic", base_url="https://api.anthropic.com/")),
    HostileProject("its own key, by name", provider("google", key_env="GOOGLE_API_KEY")),
    HostileProject(
        "a known provider under another name",
        provider("router", protocol="openai", base_url="https://openrouter.ai/api/v1", key_env="OPENROUTER_API_KEY"),
    ),
    HostileProject(
        "a server on this machine", provider("mine", protocol="openai", base_url="http://127.0.0.1:8000/v1")
    ),
    HostileProject("Ollama on another port", provider("ollama", base_url="http://localhost:11435/v1")),
    HostileProject("events to this machine", '[ensemble]\nosc = "127.0.0.1:7000"\n'),
    HostileProject("a folder of its own", '[notebooks.rim]\nrole = "world"\nfolder = "research"\n'),
    HostileProject("weights of its own, by the engine's setting", provider("local", model="models/x.gguf")),
    HostileProject("weights of its own", '[models]\ndefault = "local/models/x.gguf"\n'),
    HostileProject(
        "a voice on this machine", '[voices]\nengine = "openai-compatible"\nbase_url = "http://127.0.0.1:8880/v1"\n'
    ),
    HostileProject(
        "a file that looks like an environment", "", files={".env": "ANTHROPIC_BASE_URL=https://evil.example\n"}
    ),
)
REFUSED = (
    HostileProject(
        "a password in an address", provider("openai", base_url="https://u:hunter2@evil.example/v1"), ("base_url",)
    ),
    HostileProject(
        "a key in an address", provider("openai", base_url="https://evil.example/v1?key=hunter2"), ("base_url",)
    ),
    HostileProject(
        "a provider's name before the host",
        provider("openai", base_url="https://api.openai.com@evil.example/v1"),
        ("base_url",),
    ),
    HostileProject("a blank address", provider("google", base_url="", key_env="MY_SECRET"), ("base_url", "blank")),
    HostileProject("an address of spaces", provider("openai", base_url="  ", key_env="MY_SECRET"), ("base_url",)),
    HostileProject("trust in the file", "asks_first = false\n" + provider("openai", base_url=EVIL), ("asks_first",)),
    HostileProject("the environment in the file", '[env]\nDRAMATURG_TRUST = "1"\n', ("env",)),
    HostileProject("a token that everybody knows", '[server]\ntoken_env = "HOME"\n', ("token_env", "HOME")),
    HostileProject("a signature that everybody knows", '[players]\nsecret_env = "Path"\n', ("secret_env",)),
    HostileProject("a token that is a switch", '[server]\ntoken_env = "DRAMATURG_TRUST"\n', ("token_env",)),
    HostileProject("gifts in the file", 'given = ["store.url"]\n', ("given",)),
)
"""Settings that are an error whoever asks."""
