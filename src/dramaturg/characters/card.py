"""A character as its author wrote it down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from pydantic import Field, JsonValue

from dramaturg.characters.body import Section, read_body, tidy
from dramaturg.characters.fields import CardFields, read_fields, split_card, unreadable
from dramaturg.kernel.values import Value

__all__ = ["Card", "Section", "parse_card"]


class Card(Value):
    """A character card. `raw` is the whole file and `text` its body, both to the last character.

    `name` is the file's name; `display_name` is the one in the transcript.
    """

    name: str
    display_name: str
    role: str = ""
    description: str = ""
    sections: tuple[Section, ...] = ()
    text: str
    raw: str = Field(repr=False)
    languages: tuple[str, ...] = ()
    model: str | None = None
    tempo: float = 1.0
    voice: str | None = None
    secrets: tuple[str, ...] = ()
    greetings: tuple[str, ...] = ()
    extra: Mapping[str, JsonValue] = Field(default_factory=dict)

    @property
    def language(self) -> str | None:
        """The character's first language, if the card names one."""
        return self.languages[0] if self.languages else None

    def section(self, heading: str) -> Section | None:
        """The first section with this heading, ignoring case; None if there is none."""
        wanted = heading.casefold()
        return next((one for one in self.sections if one.heading.casefold() == wanted), None)


def parse_card(name: str, raw: str) -> Card:
    """The card in a file's text. Raises CharacterLoadError, and nothing else, if it cannot be read.

    A text that many runs are played with is read once.
    """
    return _parsed(name, raw)


@lru_cache(maxsize=256)
def _parsed(name: str, raw: str) -> Card:
    parts = split_card(name, raw)
    fields = read_fields(name, parts.fields) if parts.fields is not None else CardFields()
    body = read_body(parts.body)
    if not parts.body.strip() and not fields.description.strip():
        raise unreadable(name, "it is empty", f"Start it with a line such as '# {_titled(name)} - Detective'.")
    return Card(
        name=name,
        display_name=body.title.name or _display(fields.name) or _titled(name),
        role=tidy(fields.role) or body.title.role,
        description=fields.description.strip(),
        sections=body.sections,
        text=parts.body,
        raw=raw,
        languages=fields.language,
        model=fields.model,
        tempo=fields.tempo,
        voice=fields.voice,
        secrets=fields.secrets,
        greetings=fields.greetings,
        extra=fields.extra,
    )


def _display(name: str) -> str:
    """A name from the front matter; one written as a key ('old-tom') becomes 'Old Tom'."""
    words = tidy(name)
    return _titled(words) if words == words.lower() else words


def _titled(stem: str) -> str:
    words = [word for word in re.split(r"[-_\s]+", stem) if word]
    return " ".join(word[:1].upper() + word[1:] for word in words) or stem
