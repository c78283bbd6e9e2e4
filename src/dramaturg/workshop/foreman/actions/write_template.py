"""Write fields of a page of the story bible."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import TEMPLATES, TemplateName
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import Fields, ForemanAction, Outcome, Params, Word, Workbench


class TemplateParams(Params):
    template: Annotated[TemplateName, Word]
    content: Fields = Field(description="one tag for each field")


async def write(bench: Workbench, wanted: TemplateParams) -> Outcome:
    template = TEMPLATES[wanted.template]
    if not wanted.content:
        known = ", ".join(template.fields)
        raise InvalidConfig(f"write_template: no field was found. Fields of {template.name}: {known}.")
    written = await bench.write_page(wanted.template, wanted.content)
    if written.kept_at:
        said = f"{written.path} was changed meanwhile and stays as it is; the new text lies in {written.kept_at}."
        return Outcome(said=said, written=written)
    return Outcome(said=f"Wrote {', '.join(wanted.content)} in {written.path}.", written=written)


ACTION = ForemanAction(
    name="write_template",
    description="Write fields of a story bible template; fields not named stay.",
    modes=frozenset({Mode.ARCHITECT}),
    params=TemplateParams,
    example={"template": "theme", "content": "<central_theme>Debt</central_theme>"},
    do=write,
)
