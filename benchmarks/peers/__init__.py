"""The same conversation played by other frameworks, each in an environment of its own.

    python -m benchmarks.peers                   what is installed
    python -m benchmarks.peers install [NAME …]  install all, or these, below .venv-peers/

Each peer is a script that a framework's own interpreter runs, so it imports nothing but that framework, the standard
library and `conversation.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".venv-peers"
REQUIREMENTS = Path(__file__).parent / "requirements"


@dataclass(frozen=True)
class Peer:
    """A framework that can play the conversation."""

    name: str
    title: str
    folder: Path = FOLDER

    @property
    def requirements(self) -> Path:
        return REQUIREMENTS / f"{self.name}.txt"

    @property
    def python(self) -> Path:
        scripts = "Scripts/python.exe" if os.name == "nt" else "bin/python"
        return self.folder / self.name / scripts

    @property
    def is_installed(self) -> bool:
        return (self.folder / self.name / "installed").exists()

    @property
    def skipped(self) -> str:
        """What is said in its place where it is not installed."""
        return f"{self.title} is not installed: python -m benchmarks.peers install {self.name}"


PEERS = tuple(
    Peer(name, title)
    for name, title in (
        ("langgraph", "LangGraph"),
        ("autogen", "AutoGen AgentChat"),
        ("crewai", "CrewAI"),
        ("concordia", "Concordia"),
    )
)


def named(names: list[str]) -> list[Peer]:
    """The peers of these names, or all. Raises SystemExit for one that nobody knows."""
    known = {peer.name: peer for peer in PEERS}
    for name in names:
        if name not in known:
            raise SystemExit(f"No peer is called '{name}' (known here: {', '.join(known)}).")
    return [known[name] for name in names] or list(PEERS)


def install(peer: Peer) -> None:
    """Makes the peer's environment, with uv where there is one."""
    home, uv = peer.folder / peer.name, _uv()
    if uv:
        commands = [
            [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(home)],
            [uv, "pip", "install", "--quiet", "--python", str(peer.python), "-r", str(peer.requirements)],
        ]
    else:
        venv.create(home, with_pip=True, clear=True)
        commands = [[str(peer.python), "-m", "pip", "install", "--quiet", "-r", str(peer.requirements)]]
    for command in commands:
        if subprocess.run(command, check=False).returncode:
            raise SystemExit(f"{peer.title} could not be installed into {home.relative_to(peer.folder.parent)}.")
    (home / "installed").touch()


def _uv() -> str | None:
    beside = Path(sys.executable).with_name("uv")
    return shutil.which("uv") or (str(beside) if beside.exists() else None)
