"""The fields of the story bible as the rehearsal company's Foreman speaks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dramaturg.kernel.text.digits import whole_number

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import BibleField

NAME = "protagonist.name"
_LABEL = re.compile(r"^\s*(?:[-*]\s*)?\**([A-Za-z][A-Za-z ]{1,28}|(?:beat\s*)?\d{1,2})\**\s*[:=.)]\s*(\S.*)$", re.I)


def labelled_fields(said: str, fields: Iterable[BibleField]) -> dict[str, str]:
    """Fields that the writer labels, `Fatal flaw: …` or `4. …`, whether filled already or not."""
    known = tuple(fields)
    found: dict[str, str] = {}
    rows = [match for line in said.splitlines() if (match := _LABEL.match(line))]
    for row in rows:
        if where := _meant(row[1], known):
            found[where] = row[2].strip()
    plain = [line for line in said.splitlines() if line.strip()]
    return found if found and len(rows) == len(plain) else {}


def title_of(where: str, fields: Iterable[BibleField]) -> str:
    """The title of a field, in lower case; its own name if the bible has no such field."""
    return next((one.title.lower() for one in fields if f"{one.template}.{one.name}" == where), where)


def key_name(protagonist: str) -> str:
    """The protagonist's first name as it begins the keys of decisions."""
    return "_".join(_words(protagonist.split()[0])) if protagonist else "protagonist"


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _meant(label: str, fields: Iterable[BibleField]) -> str:
    word = "_".join(re.findall(r"[a-z0-9]+", label.lower()))
    if word in ("name", "protagonist"):
        return NAME
    number = word.removeprefix("beat_").removeprefix("beat")
    for one in fields:
        titles = {one.name, "_".join(re.findall(r"[a-z0-9]+", one.title.lower()))}
        titles |= {
            one.name.removeprefix("the_"),
            one.name.removeprefix("central_"),
            one.name.removeprefix("fatal_"),
        }
        if word in titles or one.name == f"beat_{whole_number(number)}":
            return f"{one.template}.{one.name}"
    return ""
