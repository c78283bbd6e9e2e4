"""The scaffold of a scene: its plan, field by field, as a Markdown file that a writer may edit by hand.

The reader takes fields from the front matter or from headings, under any of their usual names, and keeps what it does
not know as notes of the writer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Annotated, TypeAlias

import yaml
from pydantic import BeforeValidator, Field

from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.pages import Page, Passage, is_filled, read_page

FIELDS = (
    "title",
    "beat_alignment",
    "word_target",
    "pov_character",
    "characters_present",
    "location",
    "time_of_day",
    "weather",
    "callbacks",
    "foreshadowing",
    "protagonist_constraint",
    "scene_goal",
)
"""The fields of a scaffold, in the order in which they are told."""
LISTS = frozenset({"characters_present", "callbacks", "foreshadowing"})
PROSE = frozenset({"protagonist_constraint", "scene_goal"})
"""Fields that may be several sentences; they stand under headings."""
MOST_WORDS = 200_000
Matter: TypeAlias = "str | list[Matter] | dict[str, Matter]"
_NAMES: Mapping[str, str] = {
    **{name: name for name in FIELDS},
    **dict.fromkeys(("beat", "beats", "story_beat"), "beat_alignment"),
    **dict.fromkeys(("words", "length", "word_count", "target"), "word_target"),
    **dict.fromkeys(("pov", "point_of_view", "viewpoint"), "pov_character"),
    **dict.fromkeys(("cast", "characters", "present"), "characters_present"),
    **dict.fromkeys(("place", "setting", "where"), "location"),
    **dict.fromkeys(("time", "when", "hour"), "time_of_day"),
    **dict.fromkeys(("callback", "call_backs"), "callbacks"),
    **dict.fromkeys(("foreshadow", "foreshadowings", "plants"), "foreshadowing"),
    **dict.fromkeys(("constraint", "constraints"), "protagonist_constraint"),
    **dict.fromkeys(("goal", "purpose"), "scene_goal"),
}
_BEHIND = re.compile(r"(?:in the )?(?:background|extras?) ?: ?(.*)", re.I | re.S)
_BULLET = re.compile(r"^[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)])[ \t]++", re.M)
_COLON = "\ue03a"
_UNQUOTED = re.compile(r"^([^\s:#\-][^:\r\n]*:[ \t]++)([^\s\"'\[{|>&*!#%@`][^\r\n]*)$", re.M)
"""A name and a value that is not quoted."""
_NUMBER = re.compile(r"\d{1,3}(?:[.,' ]\d{3}){1,2}(?!\d)|\d{1,9}")


def _line(value: object) -> object:
    """Text on one line; a placeholder is nothing."""
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return line if is_filled(line) else ""


def _prose(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    return text if is_filled(text) else ""


def _items(value: object) -> object:
    if not isinstance(value, Iterable) or isinstance(value, str):
        return value
    return tuple(dict.fromkeys(line for one in value if (line := _line(one))))


def _mapping(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {name: line for name, held in value.items() if (line := _line(held))}


Line = Annotated[str, BeforeValidator(_line)]
Prose = Annotated[str, BeforeValidator(_prose)]
Items = Annotated[tuple[str, ...], BeforeValidator(_items)]


class Scaffold(Value):
    """The plan of one scene. What is not settled yet is empty."""

    scaffold_id: str = Field(description="the name of its file and of the scene's, such as ch04-sc02")
    title: Line = ""
    beat_alignment: Line = ""
    word_target: int | None = Field(None, ge=1, le=MOST_WORDS)
    pov_character: Line = ""
    characters_present: Items = Field((), description="extras as `Background: dock workers`")
    location: Line = ""
    time_of_day: Line = ""
    weather: Line = ""
    callbacks: Items = Field((), description="what it takes up again of earlier scenes")
    foreshadowing: Items = Field((), description="what it plants for later ones")
    protagonist_constraint: Prose = ""
    scene_goal: Prose = ""
    sources: Annotated[Mapping[str, str], BeforeValidator(_mapping)] = Field(
        default_factory=dict, description="where each field came from"
    )
    notes: Mapping[str, str] = Field(default_factory=dict, description="the writer's own fields and sections")

    @property
    def path(self) -> str:
        """Where it lies, below the project."""
        return f"scaffolds/{self.scaffold_id}.md"

    @property
    def scene(self) -> str:
        """The file of the scene that it plans."""
        return f"manuscript/{self.scaffold_id}.md"

    @property
    def cast(self) -> tuple[str, ...]:
        """Who is there by name, the extras left out."""
        return tuple(one for one in self.characters_present if not _BEHIND.fullmatch(one))

    @property
    def background(self) -> tuple[str, ...]:
        """The extras."""
        found = (_BEHIND.fullmatch(one) for one in self.characters_present)
        return tuple(one[1].strip() for one in found if one and one[1].strip())

    def text_of(self, name: str) -> str:
        """A field as text; empty if it is open."""
        held: object = getattr(self, name)
        return ", ".join(held) if isinstance(held, tuple) else str(held or "")

    @property
    def fields(self) -> Mapping[str, str]:
        """What is settled, as text: the fields in order, then the writer's own."""
        told = {name: text for name in FIELDS if (text := self.text_of(name))}
        return told | {name: text for name, text in self.notes.items() if name not in told}

    @property
    def open_fields(self) -> tuple[str, ...]:
        return tuple(name for name in FIELDS if not self.text_of(name))


def read_scaffold(where: str, text: str) -> Scaffold:
    """A scaffold from the text of its file; `where` is the file, whose name is the scaffold's id.

    Raises InvalidConfig with the file and the line if the front matter is broken.
    """
    page = read_page(where, tolerated(text))
    found: dict[str, object] = {}
    notes: dict[str, str] = {}
    sources: Mapping[str, str] = {}
    for name, held in matter_of(page).items():
        key = field_named(name)
        if key_name(name) == "sources" and isinstance(held, dict):
            sources = {field_named(one) or one: _text(given) for one, given in held.items()}
        elif key_name(name) == "scaffold_id":
            continue
        elif key is None or not (given := _given(key, held)):
            notes[name] = _text(held)
        else:
            found[key] = given
    for passage in page.passages:
        key, said = field_named(passage.heading), passage.text.strip()
        if not passage.heading or not is_filled(said):
            continue
        if key is not None and (given := _given(key, said)):
            found[key] = given
        else:
            notes[passage.heading] = said
    if not found.get("title") and (title := _top_heading(page.passages)):
        found["title"] = title
    notes = {name: text for name, text in notes.items() if is_filled(text)}
    return Scaffold.model_validate(
        {"scaffold_id": PurePosixPath(where).stem, **found, "sources": sources, "notes": notes}
    )


def tolerated(text: str) -> str:
    """A text whose front matter YAML would refuse for a colon in a value (`cast: Elena, Background: gulls`), with
    another sign for each such colon; every character is where it was. Any other text as it is."""
    parts = split_front_matter(text)
    try:
        parse_yaml(parts.fields or "")
    except MalformedTextError:
        masked = _UNQUOTED.sub(lambda one: one[1] + one[2].replace(": ", f"{_COLON} "), parts.fields or "")
        return parts.head.replace(parts.fields or "", masked, 1) + parts.body
    return text


def matter_of(page: Page) -> Mapping[str, Matter]:
    """The front matter as it was typed: `18:30` is no number, and a list is a list."""
    fields = split_front_matter(page.head).fields
    node = yaml.compose(fields, Loader=yaml.SafeLoader) if fields else None
    held = _typed(node) if node is not None else {}
    return held if isinstance(held, dict) else {}


def field_named(name: str) -> str | None:
    """The field that a writer means by a name or a heading."""
    return _NAMES.get(key_name(name))


def _typed(node: yaml.Node) -> Matter:
    if isinstance(node, yaml.MappingNode):
        return {str(_typed(key)): _typed(held) for key, held in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_typed(one) for one in node.value]
    return "" if node.tag == "tag:yaml.org,2002:null" else str(node.value).replace(_COLON, ":")


def _text(held: Matter) -> str:
    if isinstance(held, list):
        return ", ".join(_text(one) for one in held)
    if isinstance(held, dict):
        return ", ".join(f"{name}: {_text(one)}" for name, one in held.items())
    return held


def _given(name: str, held: Matter) -> object:
    """The value of a field; nothing if there is none or it cannot be one."""
    if name == "word_target":
        return words_of(_text(held))
    if name not in LISTS:
        return _text(held).strip() if is_filled(_text(held)) else ""
    return _items([_text(one) for one in held] if isinstance(held, list) else _listed(_text(held)))


def _listed(text: str) -> list[str]:
    """The items of a text: those of its list, else those between commas."""
    if _BULLET.search(text):
        return [" ".join(part.split()) for part in _BULLET.split(text) if part.strip()]
    return _behind([part.strip(" []\"'") for part in re.split(r"[,;\n]", text)])


def _behind(items: list[str]) -> list[str]:
    """Whoever is named after "Background:" belongs to it."""
    at = next((place for place, one in enumerate(items) if _BEHIND.fullmatch(one)), len(items))
    return [
        one if place <= at or _BEHIND.fullmatch(one) or not one else f"Background: {one}"
        for place, one in enumerate(items)
    ]


def words_of(text: str) -> int | None:
    """The number of words that a text asks for: `2500`, `2,500 words`, `about 2.500`."""
    found = _NUMBER.search(text)
    number = whole_number(re.sub(r"\D", "", found[0])) if found else None
    return number if number is not None and 1 <= number <= MOST_WORDS else None


def _top_heading(passages: tuple[Passage, ...]) -> str:
    first = next((one for one in passages if one.heading), None)
    is_title = first is not None and first.mark.lstrip().startswith("# ") and field_named(first.heading) is None
    return first.heading if first is not None and is_title else ""
