"""Write fields of a page of the story bible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator, model_validator

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import TEMPLATES, TemplateName, spans
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import Fields, ForemanAction, Outcome, Params, Word, Workbench
from dramaturg.workshop.foreman.tags import plain_name


class TemplateParams(Params):
    template: Annotated[TemplateName, Word]
    content: Fields = Field(description="one tag for each field")

    @model_validator(mode="before")
    @classmethod
    def _fields_beside(cls, given: object) -> object:
        """Fields that stand beside `template` instead of inside `content`."""
        if not isinstance(given, dict) or "content" in given:
            return given
        return {"template": given.get("template"), "content": {k: v for k, v in given.items() if k != "template"}}

    @field_validator("content")
    @classmethod
    def _named(cls, content: Mapping[str, str], info: ValidationInfo) -> Mapping[str, str]:
        """Each field under its own name: 'Fatal Flaw' and 'fatalFlaw' are fatal_flaw."""
        template = TEMPLATES.get(info.data.get("template", ""))
        names = {plain_name(name): name for name in template.fields} if template else {}
        return {names.get(plain_name(name), name): held for name, held in content.items()}


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


FIELDS = "; ".join(f"{name} has {spans(template.fields)}" for name, template in TEMPLATES.items())
ACTION = ForemanAction(
    name="write_template",
    description="Write fields of a story bible template; fields not named stay.",
    modes=frozenset({Mode.ARCHITECT}),
    params=TemplateParams,
    example={"template": "theme", "content": "<central_theme>Debt</central_theme>"},
    do=write,
    values=lambda book: {"content": f"a tag for each field: {FIELDS}"},
)
