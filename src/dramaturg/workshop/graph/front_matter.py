"""What the front matter of a page or a scene says about the story, whatever of its usual spellings is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml

LONGEST_NAME = 120
_LISTED = re.compile(r"[,;]")
_ASIDE = re.compile(r"\([^()]{0,200}\)")


@dataclass(frozen=True, slots=True)
class StoryMatter:
    """The fields that the graph reads. `problem` says why there are none."""

    name: str = ""
    kind: str = ""
    title: str = ""
    aliases: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    pov: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    time_from: str = ""
    time_to: str = ""
    beat: str = ""
    symbols: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    chapter: str = ""
    scene: str = ""
    facts: tuple[object, ...] = ()
    problem: str = ""
    head: str = field(default="", compare=False)
    said: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    """Every field as it was written, for readers of further ones."""


def read_matter(where: str, text: str) -> StoryMatter:
    """The front matter of a text; nothing that is written there raises."""
    parts = split_front_matter(text)
    if parts.fields is None:
        return StoryMatter()
    try:
        loaded = parse_yaml(parts.fields, first_line=2) if parts.fields.strip() else {}
    except MalformedTextError as error:
        return StoryMatter(
            problem=f"{where}: the front matter cannot be read ({error}). Fix that line.", head=parts.head
        )
    if not isinstance(loaded, Mapping):
        return StoryMatter(problem=f"{where}: the front matter is not a list of fields.", head=parts.head)
    said = {str(name).casefold().replace("-", "_").replace(" ", "_"): value for name, value in loaded.items()}
    facts = said.get("facts")
    return StoryMatter(
        name=_text(said, "name"),
        kind=_text(said, "kind", "type"),
        title=_text(said, "title"),
        aliases=_names(said, "aliases", "alias", "also_known_as"),
        cast=_names(said, "cast", "characters", "characters_present"),
        pov=_names(said, "pov", "pov_character", "point_of_view"),
        places=_whole(said, "place", "location", "setting", "places", "locations"),
        time_from=_text(said, "time", "date", "when", "from"),
        time_to=_text(said, "until", "to"),
        beat=_text(said, "beat", "beat_alignment"),
        symbols=_names(said, "symbols", "symbol"),
        objects=_names(said, "objects", "props", "object"),
        themes=_whole(said, "theme", "themes"),
        after=_names(said, "after"),
        before=_names(said, "before"),
        chapter=_text(said, "chapter"),
        scene=_text(said, "scene"),
        facts=tuple(facts) if isinstance(facts, list | tuple) else (facts,) if facts else (),
        head=parts.head,
        said=said,
    )


def _text(said: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = said.get(name)
        if value is not None and not isinstance(value, list | dict | bool):
            return " ".join(str(value).split())
    return ""


def _names(said: Mapping[str, object], *fields: str) -> tuple[str, ...]:
    """A list of names, or names separated by commas; what stands in parentheses is an aside."""
    return _clean(part for text in _texts(said, fields) for part in _LISTED.split(_ASIDE.sub(" ", text)))


def _whole(said: Mapping[str, object], *fields: str) -> tuple[str, ...]:
    """A name that may have commas of its own, or a list of such."""
    return _clean(_texts(said, fields))


def _texts(said: Mapping[str, object], fields: Iterable[str]) -> Iterable[str]:
    for name in fields:
        value = said.get(name)
        for one in value if isinstance(value, list | tuple) else () if value is None else (value,):
            if isinstance(one, str | int | float) and not isinstance(one, bool):
                yield str(one)


def _clean(names: Iterable[str]) -> tuple[str, ...]:
    plain = (" ".join(name.split()).strip("\"'*_") for name in names)
    return tuple(dict.fromkeys(name for name in plain if name and len(name) <= LONGEST_NAME))
