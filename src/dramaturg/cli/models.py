"""`models`: which models can be used here."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import perform, print_json, settings_of, stdout
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.models.gateway import Gateway, ModelChoice, ModelState, ProviderState

app = noun()


@app.command()
def list_models(project: Project = Path(), json: Json = False) -> None:
    """Every provider with its models, and the model that is used by default."""

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
