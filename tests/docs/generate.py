"""The generated pages of `docs/reference/`: command line, settings, scene files, events, errors, schema, HTTP.

`make docs` writes them; a test compares them with what this module would write.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from typer.main import get_command

from dramaturg.cli.app import EPILOG, app
from dramaturg.ensemble import events as ensemble_events
from dramaturg.ensemble import manifest
from dramaturg.kernel import errors
from dramaturg.kernel.runs import events as kernel_events
from dramaturg.kernel.runs.events import Event
from dramaturg.kernel.settings import ProviderSettings, Settings
from dramaturg.scenes import events as scene_events
from dramaturg.scenes.acts import events as act_events
from dramaturg.scenes.acts.act import ActConfig, ActScene, Branch, When
from dramaturg.scenes.directions import events as direction_events
from dramaturg.scenes.exports.schema import render_schema
from dramaturg.scenes.insight import events as insight_events
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.seats import events as seat_events
from dramaturg.voices.coverage import coverage_rows
from dramaturg.workshop.works import events as work_events
from tests.docs.cases import cases_page

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
VOICES = FOLDER.parent / "voices.md"
NOTICE = "<!-- Written by `make docs`; change the code, not this page. -->"


def page(name: str) -> str:
    """What stands in a generated file."""
    made = PAGES[name]()
    return made if name.endswith(".json") else f"{NOTICE}\n\n{made.strip()}\n"


def _cli() -> str:
    root = get_command(app)
    parts = ["# The command line", EPILOG, "Options that several commands share mean the same everywhere."]
    for path, command in _commands(root, ("dramaturg",)):
        parts.append(f"## {' '.join(path)}")
        context = type(command).context_class(command, info_name=" ".join(path), terminal_width=90)
        parts.append("```text\n" + command.get_help(context).rstrip() + "\n```")
    return "\n\n".join(parts)


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    context = type(command).context_class(command)
    for name in sorted(command.list_commands(context)):
        yield from _commands(command.get_command(context, name), (*path, name))


def _settings() -> str:
    parts = [
        "# dramaturg.toml",
        "Everything is optional. `DRAMATURG_MODEL` and `DRAMATURG_STORE_URL` in the environment override the file; "
        "keys are read from the environment only and never belong in this file. What a file asks for beyond the "
        "project must be allowed by its user: see [projects from elsewhere](../trust.md).",
        "## Top level",
        _table(
            Settings, skip=("project", "env", "asks_first", "given", "models", "providers", "budget", "scenes", "store")
        ),
    ]
    for name, info in Settings.model_fields.items():
        kind = info.annotation
        if inspect.isclass(kind) and issubclass(kind, BaseModel):
            parts += [f"## [{name}]", _said(kind), _table(kind)]
    parts += ["## [providers.NAME]", _said(ProviderSettings), _table(ProviderSettings)]
    return "\n\n".join(parts)


def _scene_files() -> str:
    return "\n\n".join(
        (
            "# Scene files",
            "`scenes/*.yaml` or `.json`. Both spellings of a key are read, `initialSpeaker` and `initial_speaker`.",
            _table(SceneConfig),
            "An entry of `events` is `{beat, text}`: what happens before that beat.",
            "# Act files",
            "`acts/*.yaml` or `.json`: see [acts](../acts.md).",
            _table(ActConfig),
            "An entry of `scenes` is the name of a scene, or",
            _table(ActScene),
            "An entry of `then` is",
            _table(Branch),
            "A condition is `achieved`, `not achieved` or `walked through`, or",
            _table(When),
        )
    )


def _table(model: type[BaseModel], skip: tuple[str, ...] = ()) -> str:
    rows = ["| key | what it is | default |", "|---|---|---|"]
    for name, info in model.model_fields.items():
        if name not in skip:
            default = "required" if info.is_required() else _shown(info.get_default(call_default_factory=True))
            rows.append(f"| `{info.alias or name}` | {info.description or ''} | {default} |")
    return "\n".join(rows)


def _said(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


def _shown(value: object) -> str:
    return "not set" if value in (None, {}, ()) else f"`{value}`"


def _events() -> str:
    parts = [
        "# Events",
        "Every run is a list of these, numbered from 1. *Hidden* ones never reach a public view: `runs show`, "
        "`scene run --json` and streams leave them out; `runs show --debug` shows all.",
        "| event | for | what happened | fields |",
        "|---|---|---|---|",
    ]
    rows = []
    for module in (
        scene_events,
        direction_events,
        seat_events,
        act_events,
        insight_events,
        ensemble_events,
        work_events,
        kernel_events,
    ):
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if issubclass(kind, Event) and kind is not Event and kind.__module__ == module.__name__:
                fields = ", ".join(f"`{name}`" for name in kind.model_fields if name != "type")
                name = kind.model_fields["type"].default
                rows.append(f"| `{name}` | {kind.audience} | {_said(kind)} | {fields} |")
    return "\n\n".join(parts[:2]) + "\n\n" + "\n".join(parts[2:] + sorted(rows))


def _errors() -> str:
    tree = (errors.__doc__ or "").split("\n\n", 1)[1].strip()
    rows = ["| code | exit | HTTP | what it means |", "|---|---|---|---|"]
    from dramaturg.cli.edge import exit_code
    from dramaturg.server.http.codes import SERVER_CODES
    from dramaturg.server.http.errors import status_of

    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.DramaturgError) and kind is not errors.DramaturgError:
            rows.append(f"| `{kind.code}` | {exit_code(kind('x'))} | {status_of(kind('x'))} | {_said(kind)} |")
    answers = ["| code | HTTP | what it means |", "|---|---|---|"]
    answers += [f"| `{code}` | {status} | {meaning} |" for code, (status, meaning) in SERVER_CODES.items()]
    shape = '{"success": false, "error": {"code": "INVALID_CONFIG", "message": "…", "context": {…}}}'
    return "\n\n".join(
        (
            "# Errors",
            "One tree, grouped by who can fix the problem:",
            f"```text\n{tree}\n```",
            "\n".join(rows),
            "These come from the server alone:",
            "\n".join(answers),
            "With `--json` an error is the last line of stdout; over HTTP it is the body:",
            f"```text\n{shape}\n```",
        )
    )


def _http() -> str:
    from dramaturg.server.app import create_app

    rows = ["| operation | request | what it does | answers |", "|---|---|---|---|"]
    for path, operations in create_app(Settings()).openapi()["paths"].items():
        for method, operation in operations.items():
            request = f"`{method.upper()} {path}`"
            answers = ", ".join(operation["responses"])
            rows.append(f"| `{operation['operationId']}` | {request} | {operation['summary']} | {answers} |")
    return "\n\n".join(
        (
            "# HTTP",
            "What `dramaturg serve` answers; [the page on the server](../server.md) shows it in use. "
            "The whole description, with every type, is at `/openapi.json`.",
            "\n".join(rows),
        )
    )


def voices_page() -> str:
    """`docs/voices.md` with the table of what the voices speak, as `dramaturg voices languages` prints it."""
    head, begun, rest = VOICES.read_text(encoding="utf-8").partition("<!-- coverage -->\n")
    _, ended, tail = rest.partition("<!-- /coverage -->")
    return "".join((head, begun, *(f"{row}\n" for row in coverage_rows()), ended, tail))


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": _cli,
    "settings.md": _settings,
    "scene-files.md": _scene_files,
    "events.md": _events,
    "errors.md": _errors,
    "http.md": _http,
    "cases.md": cases_page,
    "scene.schema.json": render_schema,
    "session.schema.json": manifest.render_schema,
}
"""File names, and who writes them."""


if __name__ == "__main__":
    VOICES.write_text(voices_page(), encoding="utf-8")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        (FOLDER / name).write_text(page(name), encoding="utf-8")
