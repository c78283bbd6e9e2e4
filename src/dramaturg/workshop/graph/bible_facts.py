"""What the story bible says: the protagonist's core, the theme, the rules of the world, and the beats as planned.

Any other page of `story-bible/` whose front matter has a `kind` and a `name` is an entity of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast, get_args

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.shortened import short_line
from dramaturg.workshop.book.bible import BEATS, TEMPLATES, BiblePage, page_path, rules_of
from dramaturg.workshop.graph.front_matter import StoryMatter
from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.values import EntityKind, Fact, Modality
from dramaturg.workshop.graph.written_facts import written_facts

SOURCE = "story bible"
NAMELESS = "Protagonist"
LONGEST_QUOTE = 300
LONGEST_NAME = 80


def template_facts(page: BiblePage, text: str, matter: StoryMatter, register: Register) -> list[Fact]:
    """The facts of one of the four templates."""
    path = page_path(page.template)
    found = [
        _stated(path, text, register.entity(kind, name, path).id, predicate, said, modality)
        for kind, name, predicate, said, modality in _statements(page, matter)
    ]
    if page.template == "protagonist" and (matter.name or page.fields):
        register.entity("character", matter.name or NAMELESS, path, matter.aliases)
    return [*found, *written_facts(path, text, matter, register)]


def page_facts(path: str, text: str, matter: StoryMatter, register: Register) -> list[Fact]:
    """The facts of a page of the writer's own about someone or something."""
    return list(written_facts(path, text, matter, register))


def register_page(path: str, matter: StoryMatter, register: Register) -> None:
    """Makes known whom or what a page is about."""
    if not (matter.kind and matter.name):
        return
    if matter.kind not in get_args(EntityKind):
        register.problems.append(f"{path}: 'kind' is one of {', '.join(get_args(EntityKind))}, not '{matter.kind}'.")
        return
    try:
        register.entity(cast("EntityKind", matter.kind), matter.name, path, matter.aliases)
    except InvalidConfig as error:
        register.problems.append(f"{path}: {error.message}")


def _statements(page: BiblePage, matter: StoryMatter) -> Iterator[tuple[EntityKind, str, str, str, Modality]]:
    """Kind, name, predicate, text and modality of what a page states."""
    if page.template == "protagonist":
        for field in TEMPLATES["protagonist"].fields:
            if field in page.fields and field in PREDICATES:
                yield "character", matter.name or NAMELESS, field, page.fields[field], "narrated"
    elif page.template == "beat_sheet":
        for beat in BEATS:
            said = page.fields.get(f"beat_{beat.number}")
            if said:
                yield "event", beat.name, "described_as", said, "planned"
    elif page.template == "theme":
        theme = page.fields.get("central_theme", "")
        said = page.fields.get("theme_statement", "") or theme
        if said:
            yield "theme", short_line(theme or said, LONGEST_NAME), "states", said, "narrated"
    else:
        for rule in rules_of(page.fields.get("fundamental_rules", "")):
            yield "rule", short_line(rule, LONGEST_NAME), "states", rule, "narrated"


def _stated(path: str, text: str, subject: int, predicate: str, said: str, modality: Modality) -> Fact:
    quote = said[:LONGEST_QUOTE]
    start = text.find(quote)
    return Fact(
        0, subject, predicate, None, said,
        modality=modality, file=path, start=max(0, start), quote=quote if start >= 0 else "", source=SOURCE,
    )  # fmt: skip
