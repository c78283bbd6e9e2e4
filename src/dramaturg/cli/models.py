"""`models`: which models can be used here, and getting one for this machine."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.table import Table
from rich.text import Text
from typer import Argument, Context, Exit, Option, confirm

from dramaturg.cli.edge import INTERRUPTED, OK, fail, perform, print_json, settings_of, stdout, tell
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import DramaturgError, ModelUnavailable
from dramaturg.kernel.models.gateway import Gateway, ModelChoice, ModelState, ProviderState
from dramaturg.kernel.settings import Settings
from dramaturg.local_models.ollama import PROVIDER, Ollama, whole_name
from dramaturg.local_models.providers.hub import DEFAULT, Hub, find_model, small_models
from dramaturg.local_models.pulls import Pull

if TYPE_CHECKING:
    from rich.progress import Progress

app = noun(invoke_without_command=True)


@app.callback()
def list_models(context: Context, project: Project = Path(), json: Json = False) -> None:
    """Every provider with its models, and the model that is used by default."""
    if context.invoked_subcommand is not None:
        return

    async def work() -> tuple[ModelChoice, list[ProviderState]]:
        async with Gateway(settings_of(project), Clock()) as gateway:
            return await gateway.choose(), await gateway.survey()

    choice, states = perform(work, json=json)
    if json:
        for state in states:
            print_json(_record(state))
        print_json({"choice": choice.name, "reason": choice.reason})
        return
    console = stdout()
    for state in sorted(states, key=lambda one: not one.usable):
        console.print(_heading(state.name, state.usable, state.reason), soft_wrap=True)
        if state.models:
            console.print(_table(state.models, dim=not state.usable))
    console.print(_heading("rehearsal", True, "needs neither a key nor a server"), soft_wrap=True)
    console.print(f"\n{choice.reason}", soft_wrap=True)


@app.command("get")
def get_model(
    name: Annotated[
        str, Argument(help="a model of the list, OWNER/REPO:FILE.gguf on the hub, or ollama/NAME for the local Ollama")
    ] = "",
    yes: Annotated[bool, Option("--yes", "-y", help="download without asking")] = False,
    project: Project = Path(),
) -> None:
    """Download a language model that runs in this process: no key, no server. Without a name, list the good ones.

    `ollama/NAME` has the Ollama on this machine get it instead.
    """
    if not name:
        _print_offers()
        return
    if name.startswith(f"{PROVIDER}/"):
        _pulled(settings_of(project), name, yes=yes)
        return
    try:
        path = _downloaded(Hub(settings_of(project)), name, yes=yes)
    except DramaturgError as error:
        fail(error)
    except KeyboardInterrupt:
        tell("Stopped. What has arrived is kept; the same command goes on from there.")
        raise Exit(INTERRUPTED) from None
    console = stdout()
    console.print(f"{path.name} is ready. It plays where nothing else is configured, and by name:", soft_wrap=True)
    console.print(f"  dramaturg scene run NAME --model local/{path.name}", soft_wrap=True)


def _downloaded(hub: Hub, name: str, *, yes: bool) -> Path:
    model = hub.look_up(find_model(name))
    if hub.has(model):
        return hub.path_of(model)
    tell(f"{model.repo}:{model.file}, {_size(model.size)}, licence: {model.licence}")
    tell(f"It goes to {hub.path_of(model)}.")
    if not yes and not confirm("Download it?", default=True, err=True):
        raise Exit(OK)
    with _progress() as bar:
        task = bar.add_task("", total=model.size)
        return hub.download(model, lambda done, total: bar.update(task, completed=done, total=total or model.size))


def _pulled(settings: Settings, name: str, *, yes: bool) -> None:
    """Has the Ollama that the settings name get a model, and shows how far it is."""

    async def look() -> Pull:
        pull = Pull(whole_name(name))
        async with Ollama(settings, Clock()) as server:
            if await server.models() is None:
                raise ModelUnavailable(f"No Ollama answers at {server.address}. Is it running?", model=pull.model)
            tell(f"The Ollama at {server.address} downloads {pull.model} by itself, and keeps it.")
        return pull

    async def work() -> None:
        async with Ollama(settings, Clock()) as server, aclosing(server.pull(pull.model)) as reports:
            with _progress() as bar:
                task = bar.add_task("", total=None)
                async for report in reports:
                    pull.add(report)
                    bar.update(task, completed=pull.completed, total=pull.total or None)

    pull = perform(look)
    if not yes and not confirm("Have it download the model?", default=True, err=True):
        raise Exit(OK)
    perform(work)
    console = stdout()
    console.print(f"{pull.name} is ready:", soft_wrap=True)
    console.print(f"  dramaturg scene run NAME --model {pull.name}", soft_wrap=True)


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))


def _print_offers() -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("model", "size", "licence", "what to expect"):
        table.add_column(column, justify="right" if column == "size" else "left", no_wrap=column != "what to expect")
    for model in small_models():
        table.add_row(model.name, f"{model.gigabytes:g} GB", model.licence, model.about)
    console = stdout()
    console.print(table)
    console.print(f"\nGet one: dramaturg models get {DEFAULT}", soft_wrap=True)


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"


def _heading(name: str, usable: bool, reason: str) -> Text:
    text = Text(name, style="bold")
    return text.append(f"  usable: {reason}" if usable else f"  not usable: {reason}", "green" if usable else "yellow")


def _table(models: tuple[ModelState, ...], *, dim: bool) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim", style="dim" if dim else "")
    for column in ("model", "context", "tier", "$/M in", "$/M out"):
        table.add_column(column, justify="left" if column in ("model", "tier") else "right", no_wrap=True)
    for model in models:
        table.add_row(*_cells(model))
    return table


def _cells(model: ModelState) -> tuple[str, str, str, str, str]:
    profile, price = model.profile, model.price
    tier = f"{profile.tier} (assumed)" if profile.assumed else profile.tier
    asked = (f"{price.input_usd:g}", f"{price.output_usd:g}") if price else ("unknown", "unknown")
    return model.name.partition("/")[2], f"{profile.context_window // 1000}k", tier, *asked


def _record(state: ProviderState) -> dict[str, object]:
    return {
        "provider": state.name,
        "usable": state.usable,
        "reason": state.reason,
        "models": [
            {
                "name": model.name,
                "profile": model.profile.model_dump(mode="json"),
                "price": {"input": model.price.input_usd, "output": model.price.output_usd} if model.price else None,
            }
            for model in state.models
        ],
    }
