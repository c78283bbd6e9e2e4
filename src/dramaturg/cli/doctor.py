"""`doctor`: what works on this machine and in this project, and what does not."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import typer
from rich.text import Text

from dramaturg import __version__
from dramaturg.characters import known_cards
from dramaturg.characters.load import same_name
from dramaturg.cli.edge import STORE, perform, print_json, settings_of, stdout
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import CharacterLoadError, DramaturgError
from dramaturg.kernel.models.catalogue import providers
from dramaturg.kernel.models.gateway import Gateway, ProviderState
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store.sqlite_version import is_new_enough, sqlite_version
from dramaturg.kernel.text.counts import counted

app = noun()
Mark = Literal["ok", "note", "bad"]
SIGNS = {"ok": ("ok  ", "green"), "note": ("note", "yellow"), "bad": ("BAD ", "bold red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked."""

    mark: Mark
    what: str
    detail: str


NOTICES_ARRIVE = Finding("ok", "Notices", "what one process writes, the others hear at once")
NOTICES_LOST = Finding(
    "note",
    "Notices",
    "they do not arrive, so processes hear of each other only every two seconds. If a pooler stands before Postgres, "
    "set store.listen_url to an address without it",
)


@app.command()
def examine(project: Project = Path(), json: Json = False) -> None:
    """Check the machine and the project; exits with 5 if something would prevent a scene from being played."""

    async def work() -> list[Finding]:
        settings = settings_of(project)
        findings = [*_machine(), *_project(settings), *await _store(settings)]
        return [*findings, *await _models(settings), _voices(settings)]

    findings = perform(work, json=json)
    for finding in findings:
        if json:
            print_json(asdict(finding))
        else:
            sign, style = SIGNS[finding.mark]
            # As text, because a detail may have square brackets: pip install '.[voices]'.
            line = Text.assemble((sign, style), f" {finding.what}: {finding.detail}")
            stdout().print(line, soft_wrap=True)
    if any(finding.mark == "bad" for finding in findings):
        raise typer.Exit(STORE)


def _machine() -> Iterator[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield Finding("ok" if sys.version_info >= (3, 11) else "bad", "Python", f"{version}, dramaturg {__version__}")
    if is_new_enough():
        yield Finding("ok", "SQLite", sqlite_version())
    else:
        yield Finding("bad", "SQLite", f"{sqlite_version()} is older than 3.35; install a newer Python")


def _project(settings: Settings) -> Iterator[Finding]:
    try:
        yield from _characters(settings, known_cards(settings.project))
    except CharacterLoadError as error:
        yield Finding("bad", "Characters", error.message)
    yield from _episodes(settings)
    yield _writable(settings)


def _characters(settings: Settings, cards: tuple[str, ...]) -> Iterator[Finding]:
    if cards:
        yield Finding("ok", "Characters", ", ".join(cards))
    else:
        yield Finding("note", "Characters", "none in .claude/agents/; 'dramaturg new DIR' creates a project with two")
    for name in settings.models.characters:
        if not any(same_name(name, card) for card in cards):
            yield Finding("note", "Models", f"[models.characters] names '{name}', and there is no such character here")


def _episodes(settings: Settings) -> Iterator[Finding]:
    from dramaturg.episodes.sources import episode_faults

    for fault in episode_faults(settings.project, settings.players.open or ()):
        yield Finding("note", "Episodes", fault)


def _writable(settings: Settings) -> Finding:
    place = next(path for path in (settings.data, settings.project, Path()) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=place):
            return Finding("ok", "Write access", str(settings.data))
    except OSError as error:
        return Finding("bad", "Write access", f"{place}: {error.strerror}; results cannot be saved there")


async def _store(settings: Settings) -> list[Finding]:
    from dramaturg.cluster.limits import open_shared_store

    where = "Postgres" if settings.store.url else "data/dramaturg.db"
    if not settings.store.url and not (settings.data / "dramaturg.db").exists():
        return [Finding("ok", "Store", f"{where}, created with the first run")]
    try:
        store = await open_shared_store(settings)
    except DramaturgError as error:
        return [Finding("bad", "Store", error.message)]
    try:
        count = len(await store.runs.find(limit=1000))
        found = [Finding("ok", "Store", f"{where}, {counted(count, 'run')}")]
        if settings.store.url:
            found.append(NOTICES_ARRIVE if await store.database.hears() else NOTICES_LOST)
    finally:
        await store.close()
    return found


async def _models(settings: Settings) -> list[Finding]:
    gateway = Gateway(settings, Clock())
    try:
        states = await gateway.survey()
        choice = await gateway.choose()
    except DramaturgError as error:
        return [Finding("bad", "Models", error.message)]
    finally:
        await gateway.aclose()
    rows = providers(settings)
    hosted = [state for state in states if rows[state.name].key_env and not rows[state.name].local]
    served = [state for state in states if rows[state.name].local and rows[state.name].base_url]
    keys = [variable for state in hosted for variable in rows[state.name].key_env]
    places = [f"{state.name} at {rows[state.name].base_url}" for state in served]
    return [
        _either("Keys", hosted, f"none is set; looked for {', '.join(keys)}"),
        _either("Local servers", served, f"none answers; looked for {', '.join(places)}"),
        Finding("ok", "Default model", choice.reason),
    ]


def _either(what: str, states: list[ProviderState], none: str) -> Finding:
    """The usable ones, each with the reason; if there are none, what was looked for."""
    usable = [f"{state.name} ({state.reason})" for state in states if state.usable]
    return Finding("ok", what, ", ".join(usable)) if usable else Finding("note", what, none)


def _voices(settings: Settings) -> Finding:
    from dramaturg.voices.engines import survey
    from dramaturg.voices.profiles import OFFLINE

    states = [state for state in survey(settings) if state.engine in OFFLINE]
    speaking = [f"{state.engine} ({counted(len(state.voices), 'voice')})" for state in states if state.usable]
    faults = [f"{state.engine}: {state.reason}" for state in states if not state.usable]
    if not speaking:
        return Finding("note", "Voices", f"none; performances are text only. {faults[-1]}")
    return Finding("note" if faults else "ok", "Voices", "; ".join([", ".join(speaking), *faults]))
