"""Sets the status of a page of the story bible."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import TEMPLATES, PageStatus, TemplateName, spans
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Items, Outcome, Params, Word, Workbench


class StatusParams(Params):
    template: Annotated[TemplateName, Word]
    status: Annotated[PageStatus, Word]
    missing: Items = Field((), description="what you see missing")


async def update(bench: Workbench, wanted: StatusParams) -> Outcome:
    page, title = bench.page(wanted.template), TEMPLATES[wanted.template].title
    if wanted.status in ("complete", "draft_ready") and page.missing:
        raise InvalidConfig(f"{title} cannot be {wanted.status}: missing in its file are {spans(page.missing)}.")
    written = await bench.set_status(wanted.template, wanted.status)
    if written.kept_at:
        said = f"{written.path} was changed meanwhile and stays as it is; a copy with the status is {written.kept_at}."
        return Outcome(said=said, written=written)
    return Outcome(said=f"{title}: {wanted.status.replace('_', ' ')}.", written=written)


ACTION = ForemanAction(
    name="update_status",
    description="Say how a template stands; complete only if no field is missing.",
    modes=frozenset({Mode.ARCHITECT, Mode.VOICE_CALIBRATION}),
    params=StatusParams,
    example={"template": "theme", "status": "complete"},
    do=update,
)
