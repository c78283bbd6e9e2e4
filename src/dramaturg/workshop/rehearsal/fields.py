"""The fields of the story bible as the rehearsal company's Foreman speaks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dramaturg.kernel.text.digits import whole_number

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import BibleField

NAME = "protagonist.name"
BEATS_GIVEN, FEWEST_INLINE = 15, 3
_NUMBER = re.compile(r"(?:(?<=\s)|^)(\d{1,2})[.)]\s")
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+")
_PLACE = re.compile(r"^\d{1,2}\.\s{0,4}|\s?\([^()]{0,40}\)$")
_WHOSE = r"(?:the|her|his|their|its|my|our|that)?\s?"
_ARC = r"of (?:the|her|his|their) arc"
# Phrases for fields and, without a dot, for whole templates. The more specific come first.
_ARC_WORDS, _WORDS = (
    tuple((re.compile(rf"\b{_WHOSE}(?:{words})(?![\w-])"), where) for where, words in rows.items())
    for rows in (
        {
            "protagonist.arc_start": rf"arc(?:'s)?[: ]+(?:start|beginning|opening)|(?:start|beginning|opening) {_ARC}",
            "protagonist.arc_midpoint": rf"arc(?:'s)?[: ]+(?:midpoint|middle)|(?:midpoint|middle) {_ARC}",
            "protagonist.arc_resolution": rf"(?:arc[: ]+)?resolution|arc(?:'s)?[: ]+end(?:ing)?|end(?:ing)? {_ARC}",
        },
        {
            "theme.theme_statement": r"theme statement|statement(?: of the theme)?|thesis",
            "theme.central_theme": r"(?:central )?theme|tema|thema|thème|тема",
            "protagonist.fatal_flaw": (
                r"(?:fatal )?flaw|weakness|defecto|debilidad|makel|schwäche|défaut|faiblesse|difetto|debolezza|defeito"
                r"|fraqueza|слабость|недостаток"
            ),
            "protagonist.the_lie": (
                r"lie(?: (?:he|she|they) believes?)?|false belief|mentira|lebenslüge|lüge|mensonge|menzogna|ложь"
            ),
            "world_rules": r"(?:world|fundamental|magic)?\s?rules?(?: of (?:the|this) world)?|world(?:[ -]?building)?",
            "beat_sheet": r"beats?(?: sheet)?|outline|plot",
            NAME: r"(?:(?:character|protagonist'?s?|hero(?:ine)?'?s?) )?name(?: of the (?:protagonist|hero(?:ine)?))?",
            "protagonist": r"protagonist|hero(?:ine)?|main character|arc",
        },
    )
)
_LABEL = re.compile(r"^\s*(?:[-*]\s*)?\**([A-Za-z][A-Za-z -]{1,28}|(?:beat\s*)?\d{1,2})\**\s*[:=.)]\s*(\S.*)$", re.I)


def labelled_fields(said: str, fields: Iterable[BibleField]) -> dict[str, str]:
    """Fields that the writer labels, `Fatal flaw: …` or `4. …`, whether filled already or not.

    Lines after a label belong to it; a line before the first one introduces them. A single label in running text is
    not a list.
    """
    known = tuple(fields)
    found: dict[str, list[str]] = {}
    lines = [line for line in _one_a_line(said).splitlines() if line.strip()]
    where, labels = "", 0
    for line in lines:
        match = _LABEL.match(line)
        meant = _meant(match[1], known) if match else ""
        if match and meant:
            where, labels = meant, labels + 1
            found[where] = [match[2].strip()]
        elif match and where:
            return {}
        elif where:
            found[where].append(line.strip())
    if not labels or (labels == 1 and len(lines) > 1):
        return {} if labels or len(lines) < BEATS_GIVEN else _unlabelled_beats(lines, known)
    return {where: "\n".join(parts) for where, parts in found.items()}


def _one_a_line(said: str) -> str:
    """Numbered items that stand on one line, each on a line of its own, if they are numbered from 1 without a gap."""
    marks = list(_NUMBER.finditer(said))
    if (
        "\n" in said.strip()
        or len(marks) < FEWEST_INLINE
        or [int(mark[1]) for mark in marks] != [*range(1, len(marks) + 1)]
    ):
        return said
    return said[: marks[0].start()] + "".join(
        f"\n{said[mark.start() : following].strip()}"
        for mark, following in zip(marks, [*(mark.start() for mark in marks[1:]), len(said)], strict=True)
    )


def _unlabelled_beats(lines: list[str], fields: tuple[BibleField, ...]) -> dict[str, str]:
    """Fifteen lines, after at most one that introduces them, are the beats in their order."""
    beats = [one.name for one in fields if one.template == "beat_sheet"]
    given = lines[1:] if len(lines) == len(beats) + 1 and lines[0].rstrip().endswith(":") else lines
    if not beats or len(given) != len(beats):
        return {}
    return {f"beat_sheet.{name}": _ITEM.sub("", line).strip() for name, line in zip(beats, given, strict=True)}


ORDINALS = (
    "(?:first|1st|one)", "(?:second|2nd|two)", "(?:third|3rd|three)", "(?:fourth|4th|four)", "(?:fifth|5th|five)",
    "(?:sixth|6th|six)", "(?:seventh|7th|seven)", "(?:eighth|8th|eight)", "(?:ninth|9th|nine)", "(?:tenth|10th|ten)",
    "(?:eleventh|11th|eleven)", "(?:twelfth|12th|twelve)", "(?:thirteenth|13th|thirteen)",
    "(?:fourteenth|14th|fourteen)", "(?:fifteenth|15th|fifteen|last)",
)  # fmt: skip


def named_field(phrase: str, fields: Iterable[BibleField], *, exactly: bool = False) -> str:
    """The field that a phrase names, `template.field`; empty if none. Exactly: the phrase has no other words.

    A template as a whole (`the beats`) is its first missing field, else its first.
    """
    known = tuple(fields)
    text = " ".join(phrase.lower().replace("’", "'").split()).strip(" .!?:,;\"'“”")
    for pattern, where in _patterns(known):
        found = pattern.fullmatch(text) if exactly else pattern.search(text)
        if found:
            return where if "." in where else _first_of(where, known)
    return ""


def _patterns(fields: tuple[BibleField, ...]) -> Iterator[tuple[re.Pattern[str], str]]:
    yield from _ARC_WORDS
    for one in fields:
        if one.template == "beat_sheet":
            number, title = one.name.removeprefix("beat_"), re.escape(_PLACE.sub("", one.title).lower())
            ordinal = ORDINALS[int(number) - 1]
            words = rf"\bbeat (?:no\.? ?|number )?(?:{number}|{ordinal})\b|\b{ordinal} beat\b"
            words += rf"|(?<![\w-])(?:the )?{title}(?![\w-])"
            yield re.compile(words), f"beat_sheet.{one.name}"
    yield from _WORDS


def _first_of(template: str, fields: tuple[BibleField, ...]) -> str:
    ours = [one for one in fields if one.template == template]
    first = next((one for one in ours if one.missing), ours[0] if ours else None)
    return f"{template}.{first.name}" if first else ""


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
        titles = {
            one.name,
            *(
                "_".join(re.findall(r"[a-z0-9]+", title))
                for title in (one.title.lower(), _PLACE.sub("", one.title.lower()))
            ),
        }
        titles |= {
            one.name.removeprefix("the_"),
            one.name.removeprefix("central_"),
            one.name.removeprefix("fatal_"),
        }
        if word in titles or one.name == f"beat_{whole_number(number)}":
            return f"{one.template}.{one.name}"
    return ""
