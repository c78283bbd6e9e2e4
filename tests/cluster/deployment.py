"""What `deploy/` starts: each process of ours, with its command and how many of it there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from typer.main import get_command

from dramaturg.cli.app import app

DEPLOY = Path(__file__).parents[2] / "deploy"
IMAGE = "dramaturg"


@dataclass(frozen=True)
class Declared:
    """A process as a file declares it."""

    name: str
    command: tuple[str, ...]
    count: int
    details: Any

    @property
    def options(self) -> dict[str, Any]:
        return parsed(self.command)


def parsed(words: tuple[str, ...]) -> dict[str, Any]:
    """The options of a command line of ours, as the command itself reads them. Nothing is run."""
    name, *rest = words
    return get_command(app).get_command(None, name).make_context(name, rest).params


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def composed() -> list[Declared]:
    """Our processes in the compose file."""
    return [
        Declared(name, tuple(service["command"]), service["deploy"]["replicas"], service)
        for name, service in compose()["services"].items()
        if service["image"] == IMAGE
    ]


def manifests() -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))


def orchestrated() -> list[Declared]:
    """Our processes in the Kubernetes example."""
    return [
        Declared(container["name"], tuple(container["args"]), one["spec"]["replicas"], container)
        for one in manifests()
        if one["kind"] == "Deployment"
        for container in one["spec"]["template"]["spec"]["containers"]
        if container["image"] == IMAGE
    ]
