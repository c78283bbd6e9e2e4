"""A Foreman at a book, with a model that says what it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.models.scripted import Script, ScriptedAnswer, ScriptedModel
from dramaturg.kernel.runs import Kinds, LocalEngine, Resources, RunLibrary
from dramaturg.kernel.settings import BudgetSettings, Settings, StoreSettings, WorkshopSettings
from dramaturg.kernel.store import Artifacts, Store, open_store
from dramaturg.workshop.book.bible import TEMPLATES, StoryBible
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.notebooks import Notebook, NotebookShelf
from dramaturg.workshop.turn_context import FOREMAN
from dramaturg.workshop.wire import ConsultEvent, MessageDelta, MessageDone
from dramaturg.workshop.works.table import WORKS
from tests.one_model import OneModel


def acting(name: str, **params: str) -> str:
    rows = "".join(f"<{key}>{value}</{key}>" for key, value in params.items())
    return f'<action type="{name}">{rows}</action>'


def saying(message: str, *actions: str, thinking: str = "") -> str:
    thought = f"<thinking>{thinking}</thinking>" if thinking else ""
    return "\n".join([thought, f"<message>{message}</message>", *actions])


@asynccontextmanager
async def at_work(
    project: Path,
    model: Model | Sequence[ScriptedAnswer] | Script | None = None,
    *,
    notebooks: Sequence[Notebook] = (),
    settings: WorkshopSettings | None = None,
    store: StoreSettings | None = None,
    clock: Clock | None = None,
    works: Mapping[str, str] = WORKS,
    budget: BudgetSettings | None = None,
    opened: Callable[[Store], Store] = lambda store: store,
) -> AsyncIterator[Workshop]:
    """A Foreman of this project; without a model, the rehearsal company's."""
    wired = Settings(
        project=project,
        workshop=settings or WorkshopSettings(),
        store=store or StoreSettings(),
        budget=budget or BudgetSettings(),
    )
    clock = clock or StillClock()
    if model is None:
        model = RehearsalCompany(clock)
    elif isinstance(model, Sequence) or not hasattr(model, "stream"):
        model = ScriptedModel(model)
    opened_store = opened(await open_store(wired))
    kinds = {name: partial(lambda name: foreman.works.kind(name), name) for name in works}
    runs = RunLibrary(opened_store, clock, Kinds({FOREMAN: lambda: foreman.kind, **kinds}))
    engine = LocalEngine(runs)
    resources = Resources(
        wired, clock, runs, engine, OneModel(model, "rehearsal"), Artifacts(wired.data), opened_store.database
    )
    foreman = Workshop(resources, lambda: NotebookShelf(notebooks), works)
    try:
        yield foreman
    finally:
        await foreman.close()
        await engine.close()
        await opened_store.close()


async def heard(foreman: Workshop, message: str, **more: object) -> list[ConsultEvent]:
    return [event async for event in foreman.consult(message, **more)]  # type: ignore[arg-type]


def streamed(events: Sequence[ConsultEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, MessageDelta))


def message_of(events: Sequence[ConsultEvent]) -> str:
    return next(event.text for event in events if isinstance(event, MessageDone))


def names(events: Sequence[ConsultEvent]) -> list[str]:
    """What was shown, without the pieces of the message."""
    return [event.event for event in events if event.event not in ("message.delta", "prompt.sent")]


def fill_the_bible(project: Path, *, without: str = "") -> None:
    bible = StoryBible(project)
    for name, template in TEMPLATES.items():
        if name != without:
            bible.write(name, dict.fromkeys(template.fields, "- One rule.\n- Two rules.\n- Three rules."))
            bible.set_status(name, "complete")
