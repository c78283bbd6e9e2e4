"""The story bible: four templates as files in `story-bible/`. The files are the truth; nothing about them is cached."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import Value
from dramaturg.workshop.pages import MOST_BYTES, Page, is_filled, key_of, read_page

FOLDER = "story-bible"
TemplateName = Literal["protagonist", "beat_sheet", "theme", "world_rules"]
Status = Literal["not_started", "in_progress", "draft_ready", "complete"]
FEWEST_RULES = 3
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(.*\S)")


class Beat(Value):
    """One of the fifteen steps of a beat sheet, and where in the book it usually stands, in percent."""

    number: int
    name: str
    place: str


BEATS = tuple(
    Beat(number=number, name=name, place=place)
    for number, (name, place) in enumerate(
        (
            ("Opening image", "0-1%"),
            ("Theme stated", "5%"),
            ("Set-up", "1-10%"),
            ("Catalyst", "10%"),
            ("Debate", "10-20%"),
            ("Break into two", "20%"),
            ("B story", "22%"),
            ("Fun and games", "20-50%"),
            ("Midpoint", "50%"),
            ("Bad guys close in", "50-75%"),
            ("All is lost", "75%"),
            ("Dark night of the soul", "75-80%"),
            ("Break into three", "80%"),
            ("Finale", "80-99%"),
            ("Final image", "99-100%"),
        ),
        start=1,
    )
)


class Template(Value):
    """What a page of the bible must hold: its fields with the headings they stand under."""

    name: TemplateName
    title: str
    file: str
    fields: Mapping[str, str] = Field(description="field to heading")


TEMPLATES: Mapping[TemplateName, Template] = {
    template.name: template
    for template in (
        Template(
            name="protagonist",
            title="Protagonist",
            file="protagonist.md",
            fields={
                "fatal_flaw": "Fatal flaw",
                "the_lie": "The lie",
                "arc_start": "Arc: start",
                "arc_midpoint": "Arc: midpoint",
                "arc_resolution": "Arc: resolution",
            },
        ),
        Template(
            name="beat_sheet",
            title="Beat Sheet",
            file="beat-sheet.md",
            fields={f"beat_{beat.number}": f"{beat.number}. {beat.name} ({beat.place})" for beat in BEATS},
        ),
        Template(
            name="theme",
            title="Theme",
            file="theme.md",
            fields={"central_theme": "Central theme", "theme_statement": "Theme statement"},
        ),
        Template(
            name="world_rules",
            title="World Rules",
            file="world-rules.md",
            fields={"fundamental_rules": "Fundamental rules"},
        ),
    )
}


class BiblePage(Value):
    """One template as it stands in its file. `problem` says why it cannot be read; then nothing is filled."""

    template: TemplateName
    status: Status
    fields: Mapping[str, str] = Field(default_factory=dict, description="what is filled")
    missing: tuple[str, ...] = ()
    digest: str = Field("", description="of the file's bytes, to see whether it was changed since; empty for no file")
    matter: Mapping[str, str] = Field(default_factory=dict)
    problem: str | None = None


class Written(Value):
    """A page that was written, or that was not: then `kept_at` is where the new text lies beside the writer's."""

    path: str
    before: str | None = Field(None, description="the text it replaced; None for a new file")
    digest: str
    kept_at: str | None = None


class StoryBible:
    """The four pages of a project, read from their files whenever they are asked for."""

    def __init__(self, project: Path) -> None:
        self._files = Artifacts(project / FOLDER)

    def page(self, name: TemplateName) -> BiblePage:
        template = TEMPLATES[name]
        try:
            text = self._text(template.file)
            page = read_page(f"{FOLDER}/{template.file}", text) if text is not None else None
        except InvalidConfig as error:
            return BiblePage(template=name, status="in_progress", missing=tuple(template.fields), problem=error.message)
        if page is None or text is None:
            return BiblePage(template=name, status="not_started", missing=tuple(template.fields))
        return _told(template, page, _digest(text))

    def pages(self) -> tuple[BiblePage, ...]:
        return tuple(self.page(name) for name in get_args(TemplateName))

    def write(self, name: TemplateName, fields: Mapping[str, str], *, seen: str | None = None) -> Written:
        """Set fields of a page; its other sections stay.

        `seen` is the digest of the page as the Foreman knew it. Where the file was changed since, the writer's file
        stays and the new text is kept beside it.
        """
        template = TEMPLATES[name]
        text = self._text(template.file)
        page = read_page(f"{FOLDER}/{template.file}", text if text is not None else f"# {template.title}\n\n")
        for field, said in fields.items():
            heading = template.fields.get(field) or field.replace("_", " ").capitalize()
            page = page.with_section(heading, said, key_of(heading))
        new = page.with_matter(
            "status", "in_progress" if text is None else str(page.matter.get("status", "in_progress"))
        )
        if seen is not None and text is not None and _digest(text) != seen:
            beside = self._free(f"{template.file.removesuffix('.md')}.from-foreman")
            self._files.write_text(beside, new.render())
            return Written(
                path=f"{FOLDER}/{template.file}", before=text, digest=_digest(text), kept_at=f"{FOLDER}/{beside}"
            )
        self._files.write_text(template.file, new.render())
        return Written(path=f"{FOLDER}/{template.file}", before=text, digest=_digest(new.render()))

    def set_status(self, name: TemplateName, status: Status) -> Written:
        """The writer's or the Foreman's word on a page. What is missing is still read from the file."""
        template = TEMPLATES[name]
        text = self._text(template.file)
        page = read_page(f"{FOLDER}/{template.file}", text if text is not None else f"# {template.title}\n\n")
        new = page.with_matter("status", status).render()
        self._files.write_text(template.file, new)
        return Written(path=f"{FOLDER}/{template.file}", before=text, digest=_digest(new))

    def restore(self, written: Written) -> None:
        """Take a write back. Refused where the file was changed since."""
        file = written.path.removeprefix(f"{FOLDER}/")
        now = self._text(file)
        if now is None or _digest(now) != written.digest:
            raise InvalidConfig(
                f"{written.path} was changed since; it is left as it is. The text before is in the log."
            )
        if written.before is None:
            self._files.path(file).unlink()
        else:
            self._files.write_text(file, written.before)

    def _text(self, file: str) -> str | None:
        path = self._files.path(file)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise InvalidConfig(
                    f"{FOLDER}/{file} is larger than {MOST_BYTES // 1000} kB. A page of the bible is notes; "
                    "move the rest to notebooks/."
                )
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidConfig(f"{FOLDER}/{file} cannot be read: {error}. Save it as UTF-8 text.") from error

    def _free(self, stem: str) -> str:
        number = 1
        while self._files.path(f"{stem}-{number}.md").exists():
            number += 1
        return f"{stem}-{number}.md"


def _told(template: Template, page: Page, digest: str) -> BiblePage:
    found = {key_of(passage.heading): passage.text.strip() for passage in page.passages if passage.heading}
    names = {key_of(heading): field for field, heading in template.fields.items()}
    by_name = {
        key_of(re.sub(r"^\d+\.\s*|\s*\(.*\)$", "", heading)): field for field, heading in template.fields.items()
    }
    fields = {
        field: said
        for key, said in found.items()
        if (field := names.get(key) or by_name.get(key)) is not None and is_filled(said)
    }
    if template.name == "world_rules" and len(rules_of(fields.get("fundamental_rules", ""))) < FEWEST_RULES:
        missing: tuple[str, ...] = ("fundamental_rules",)
    else:
        missing = tuple(field for field in template.fields if field not in fields)
    declared = str(page.matter.get("status", ""))
    status: Status = "in_progress" if missing else "complete" if declared == "complete" else "draft_ready"
    if missing and not fields and declared in ("", "not_started"):
        status = "not_started"
    return BiblePage(
        template=template.name,
        status=status,
        fields=fields,
        missing=missing,
        digest=digest,
        matter={key: str(value) for key, value in page.matter.items()},
    )


def rules_of(text: str) -> tuple[str, ...]:
    """The rules of a list, one an item; without a list, one a paragraph."""
    items = [found[1] for line in text.splitlines() if (found := _BULLET.match(line))]
    listed = items or [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return tuple(rule for rule in listed if is_filled(rule))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
