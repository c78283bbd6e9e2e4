"""A character of an imported manuscript as a card that the writer completes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from dramaturg.characters.load import FOLDER
from dramaturg.kernel.text.escape import one_line
from dramaturg.workshop.manuscripts.intake.preview import PreviewCharacter

_LETTERS = re.compile(r"[^a-z0-9]+")


def card_path(name: str) -> str:
    """The file of a character's card; empty if the name has no letters to make one of."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    stem = _LETTERS.sub("-", plain).strip("-")
    if not stem and name.strip():
        stem = "".join(letter for letter in name.strip() if letter.isalnum())[:40]
    return f"{FOLDER}/{stem[:60]}.md" if stem else ""


def card_text(character: PreviewCharacter, lines: Sequence[str]) -> str:
    """A card with what the manuscript says: the names, and lines that are certainly the character's."""
    also = f"Also called {', '.join(map(one_line, character.also))}.\n\n" if character.also else ""
    quoted = "".join(f"- “{one_line(line)}”\n" for line in lines)
    voice = f"\n## Voice\n\nFrom the manuscript:\n\n{quoted}" if quoted else ""
    shown = one_line(character.name)
    name = shown[:1].upper() + shown[1:]
    return f"# {name} - Character\n\n{also}Speaks {character.lines} tagged lines in the manuscript.\n{voice}"
