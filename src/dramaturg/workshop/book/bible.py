"""The story bible: four templates as files in `story-bible/`. The files are the truth; nothing about them is cached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, cast, get_args

import orjson
from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.book.files import (
    FileChange,
    PlannedChange,
    ProjectFiles,
    digest_of,
    name_below,
    path_below,
    plain_lines,
    written_like,
)
from dramaturg.workshop.book.pages import MOST_BYTES, Page, is_filled, key_of, read_page

FOLDER = "story-bible"
TemplateName = Literal["protagonist", "beat_sheet", "theme", "world_rules"]
PageStatus = Literal["not_started", "in_progress", "draft_ready", "complete"]
FEWEST_RULES = 3
MATTER = ("name", "genre", "tone")
"""Fields that are kept in a page's front matter instead of under a heading."""
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s++(.*\S)")


class Beat(Value):
    """One of the fifteen steps of a beat sheet, and its usual position in the book, in percent."""

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


class BibleTemplate(Value):
    """The fields that a page of the bible must have, and their headings."""

    name: TemplateName
    title: str
    file: str
    fields: Mapping[str, str] = Field(description="field to heading")


TEMPLATES: Mapping[TemplateName, BibleTemplate] = {
    template.name: template
    for template in (
        BibleTemplate(
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
        BibleTemplate(
            name="beat_sheet",
            title="Beat Sheet",
            file="beat-sheet.md",
            fields={f"beat_{beat.number}": f"{beat.number}. {beat.name} ({beat.place})" for beat in BEATS},
        ),
        BibleTemplate(
            name="theme",
            title="Theme",
            file="theme.md",
            fields={"central_theme": "Central theme", "theme_statement": "Theme statement"},
        ),
        BibleTemplate(
            name="world_rules",
            title="World Rules",
            file="world-rules.md",
            fields={"fundamental_rules": "Fundamental rules"},
        ),
    )
}


class BiblePage(Value):
    """One template as read from its file. `problem` says why it cannot be read; then no field is filled."""

    template: TemplateName
    status: PageStatus
    fields: Mapping[str, str] = Field(default_factory=dict, description="what is filled")
    missing: tuple[str, ...] = ()
    digest: str = Field("", description="of the file's bytes, to detect later changes; empty if there is no file")
    matter: Mapping[str, str] = Field(default_factory=dict)
    notes: Mapping[str, str] = Field(default_factory=dict, description="the writer's own sections, by heading")
    problem: str | None = None


class StoryBible:
    """The four pages of a project, read from their files on every access."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._files = ProjectFiles(project)

    def page(self, name: TemplateName) -> BiblePage:
        template = TEMPLATES[name]
        try:
            text = self._exact(template)
            page = read_page(_path(template), plain_lines(text)) if text is not None else None
        except InvalidConfig as error:
            return BiblePage(template=name, status="in_progress", missing=tuple(template.fields), problem=error.message)
        if page is None or text is None:
            return BiblePage(template=name, status="not_started", missing=tuple(template.fields))
        return _told(template, page, digest_of(text))

    def pages(self, cache: FileCache | None = None) -> tuple[BiblePage, ...]:
        """All pages; with a cache, they are read again only if one has changed."""
        names: tuple[TemplateName, ...] = get_args(TemplateName)
        if cache is None:
            return tuple(self.page(name) for name in names)
        return cache.read("pages", [self._project / page_path(name) for name in names], self.pages)

    def plan(self, name: TemplateName, fields: Mapping[str, str], *, seen: str | None = None) -> PlannedChange:
        """The change to a file that sets fields of its page; other sections stay untouched.

        `seen` is the digest of the page as the Foreman knew it. If the file has changed since, the writer's file
        stays and the new text is saved next to it.
        """
        template, path = TEMPLATES[name], _path(TEMPLATES[name])
        text, page = self._open(template)
        for field, said in fields.items():
            if field in MATTER:
                page = page.with_matter(field, _one_line(said))
                continue
            heading = template.fields.get(field) or field.replace("_", " ").capitalize()
            page = page.with_section(heading, said, key_of(heading))
        status = "in_progress" if text is None else str(page.matter.get("status", "in_progress"))
        return self._planned(path, text, page.with_matter("status", status).render(), seen)

    def plan_status(self, name: TemplateName, status: PageStatus, *, seen: str | None = None) -> PlannedChange:
        """Sets the status of a page, as `plan` does fields. Which are missing is still read from the file."""
        text, page = self._open(TEMPLATES[name])
        return self._planned(_path(TEMPLATES[name]), text, page.with_matter("status", status).render(), seen)

    def _planned(self, path: str, exact: str | None, new: str, seen: str | None) -> PlannedChange:
        new = written_like(new, exact)
        changed = seen is not None and exact is not None and digest_of(exact) != seen and exact != new
        kept_at = self._files.free(f"{path.removesuffix('.md')}.from-foreman") if changed else None
        return PlannedChange(path=path, before=exact, text=new, kept_at=kept_at)

    def write(self, name: TemplateName, fields: Mapping[str, str], *, seen: str | None = None) -> FileChange:
        return self._files.put(self.plan(name, fields, seen=seen))

    def set_status(self, name: TemplateName, status: PageStatus) -> FileChange:
        return self._files.put(self.plan_status(name, status))

    def restore(self, written: FileChange) -> None:
        self._files.restore(written)

    def _open(self, template: BibleTemplate) -> tuple[str | None, Page]:
        """The text of a page as it stands, and the page."""
        text = self._exact(template)
        return text, read_page(_path(template), text if text is not None else f"# {template.title}\n\n")

    def _exact(self, template: BibleTemplate) -> str | None:
        try:
            return self._files.exact(_path(template), MOST_BYTES)
        except InvalidConfig as error:
            if "larger" not in error.message:
                raise
            way_out = "Keep a page of the bible to notes and move long texts to notebooks/."
            raise InvalidConfig(f"{error.message} {way_out}") from error


def bible_path(target: str) -> str:
    """The path of a page by its template (`beat_sheet`) or its file, below the project or below story-bible/.

    Raises InvalidConfig for anything outside that folder.
    """
    name = name_below(FOLDER, target, "protagonist")
    template = TEMPLATES.get(cast("TemplateName", name.lower().replace(" ", "_")))
    return _path(template) if template else path_below(FOLDER, name, target, "protagonist")


def template_at(path: str) -> TemplateName | None:
    """The template whose page has this path."""
    return next((name for name in TEMPLATES if page_path(name) == path), None)


def page_path(name: TemplateName) -> str:
    """The path of a page, relative to the project."""
    return _path(TEMPLATES[name])


def _path(template: BibleTemplate) -> str:
    return f"{FOLDER}/{template.file}"


def _one_line(text: str) -> str:
    """Any text, quoted as a front matter value."""
    plain = " ".join(text.split())
    return plain if re.fullmatch(r"[^\W\d][\w .'’-]*", plain) else orjson.dumps(plain).decode()


def _told(template: BibleTemplate, page: Page, digest: str) -> BiblePage:
    found = {key_of(passage.heading): passage.text.strip() for passage in page.passages if passage.heading}
    names = {
        key_of(re.sub(r"^\d+\.\s*|(?<!\s)\s*\([^()]*\)$", "", heading)): field
        for field, heading in template.fields.items()
    } | {key_of(heading): field for field, heading in template.fields.items()}
    fields = {names[key]: said for key, said in found.items() if key in names and is_filled(said)}
    notes = {
        passage.heading.strip(): passage.text.strip()
        for passage in page.passages
        if passage.heading and key_of(passage.heading) not in names and is_filled(passage.text)
    }
    if template.name == "world_rules" and len(rules_of(fields.get("fundamental_rules", ""))) < FEWEST_RULES:
        missing: tuple[str, ...] = ("fundamental_rules",)
    else:
        missing = tuple(field for field in template.fields if field not in fields)
    declared = str(page.matter.get("status", ""))
    status: PageStatus = "in_progress" if missing else "complete" if declared == "complete" else "draft_ready"
    if missing and not fields and declared in ("", "not_started"):
        status = "not_started"
    return BiblePage(
        template=template.name,
        status=status,
        fields=fields,
        missing=missing,
        digest=digest,
        matter={key: str(value) for key, value in page.matter.items()},
        notes=notes,
    )


def spans(fields: Iterable[str]) -> str:
    """Field names with runs abbreviated: `beat_1 to beat_4, beat_9`."""
    told: list[list[str]] = []
    for field in fields:
        last = told[-1][-1] if told else ""
        if _beat(last) and _beat(field) == _beat(last) + 1:
            told[-1].append(field)
        else:
            told.append([field])
    return ", ".join(f"{row[0]} to {row[-1]}" if len(row) > 2 else ", ".join(row) for row in told)


def _beat(field: str) -> int:
    number = field.removeprefix("beat_")
    return (whole_number(number) or 0) if number != field else 0


def rules_of(text: str) -> tuple[str, ...]:
    """The rules in a text: one per list item or, without a list, one per paragraph."""
    items = [found[1] for line in text.splitlines() if (found := _BULLET.match(line))]
    listed = items or [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return tuple(rule for rule in listed if is_filled(rule))
