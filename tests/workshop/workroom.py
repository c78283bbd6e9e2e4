"""A Foreman at a book, with a model that says what it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.kernel.models.scripted import Script, ScriptedAnswer, ScriptedModel
from dramaturg.kernel.runs import Recorded, RunLibrary
from dramaturg.kernel.settings import Settings, StoreSettings, WorkshopSettings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.bible import TEMPLATES, StoryBible
from dramaturg.workshop.events import FOREMAN_EVENTS, ForemanRun
from dramaturg.workshop.foreman import FOREMAN, Foreman
from dramaturg.workshop.notebooks import Notebook, NotebookShelf
from dramaturg.workshop.office import Office
from dramaturg.workshop.store import KnowledgeBase
from dramaturg.workshop.wire import ConsultEvent, MessageDelta, MessageDone


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
) -> AsyncIterator[Foreman]:
    """A Foreman of this project; without a model, the rehearsal company's."""
    wired = Settings(project=project, workshop=settings or WorkshopSettings(), store=store or StoreSettings())
    clock = clock or StillClock()
    if model is None:
        model = RehearsalCompany(clock)
    elif isinstance(model, Sequence) or not hasattr(model, "stream"):
        model = ScriptedModel(model)
    opened_store = await open_store(wired)

    async def opened(run: ForemanRun, name: str) -> Model:
        return Recorded(model, run, FOREMAN)

    async def chosen() -> str:
        return "rehearsal"

    office = Office(
        wired,
        clock,
        RunLibrary(opened_store, clock, {FOREMAN: FOREMAN_EVENTS}),
        KnowledgeBase(opened_store.database, wired.workshop.book),
        lambda: NotebookShelf(notebooks),
        opened,
        chosen,
        lambda name: None,
    )
    foreman = Foreman(office)
    try:
        yield foreman
    finally:
        await foreman.close()
        await opened_store.close()


async def heard(foreman: Foreman, message: str, **more: object) -> list[ConsultEvent]:
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
